# SPDX-License-Identifier: Apache-2.0
# Specs that are wrong: each is reported with its file and key, nothing of it is done, and what was
# good goes on.
#
#   sandbox: /var/lib/kora-sandbox-mount/specs/*.json, one bad after the other
#
# shape: netns
# timeout: 180
. "$here/kora.sh"
nodes
daemons
share good
specs=/var/lib/kora-sandbox-mount/specs

# spec FILE: standard input becomes that spec, in one step.
spec() { put sandbox "/var/lib/incoming" && on sandbox "mv /var/lib/incoming $specs/$1"; }
export_of() { printf '{"kind":"export","run":"bad","incarnation":"one","volume":"/workspaces/local","folder":"bad","clients":["%s"],"uid":10001,"gid":10001}' $A; }

# faulty 'what' WORD...: bad.json is named in status, with every word.
faulty() {
	local what=$1 faults word
	shift
	wait_on sandbox 10 "kora-mountctl status -o json | grep -q bad.json" || fail "$what: no fault is told"
	faults=$(on sandbox 'kora-mountctl status -o json | grep -A 20 faults')
	for word; do case $faults in *"$word"*) ;; *) fail "$what: '$word' is not in: $faults" ;; esac; done
	refuse "$what: the run is there" on sandbox 'kora-mountctl describe bad >/dev/null 2>&1'
	on sandbox rm -f $specs/bad.json
	wait_on sandbox 10 "! kora-mountctl status -o json | grep -q bad.json"
}

# replaced 'what' SED WORD...: the good text, changed by sed.
replaced() {
	local what=$1 change=$2
	shift 2
	export_of | sed "$change" | spec bad.json
	faulty "$what" "$@"
}

folder bad
step "values"
replaced "a run name with a dot" 's/"run":"bad"/"run":"a.b"/' run
replaced "an empty run name" 's/"run":"bad"/"run":""/' run
replaced "a run name of 4,000 characters" "s/\"run\":\"bad\"/\"run\":\"$(printf 'a%.0s' $(seq 4000))\"/" run
replaced "a newline in a path" 's/"folder":"bad"/"folder":"bad\\nx"/' folder
replaced "a path with .." 's/"folder":"bad"/"folder":"..\/bad"/' folder
replaced "a relative volume" 's/"\/workspaces\/local"/"local"/' volume
replaced "a host name for a client" "s/$A/agent-1/" clients
replaced "a client given as a network" "s/$A/10.20.0.0\\/24/" clients
replaced "no clients" 's/\["[^]]*\]/[]/' clients
replaced "root as the sandbox's user" 's/"uid":10001/"uid":0/' uid
replaced "a text for a number" 's/"uid":10001/"uid":"10001"/' uid
replaced "a negative number" 's/"gid":10001/"gid":-1/' gid
replaced "a missing key" 's/"gid":10001/"sync":false/' gid
replaced "an unknown key" 's/"gid":10001/"gid":10001,"color":"red"/' color
replaced "a duplicate key" 's/"gid":10001/"gid":10001,"uid":10002/' uid
replaced "an unknown kind" 's/"kind":"export"/"kind":"share"/' kind
replaced "a truncated file" 's/"gid":10001}//' bad.json
printf '' | spec bad.json
faulty "an empty file" bad.json
printf '\0\1\2' | spec bad.json
faulty "no JSON" bad.json
printf '[1, 2]' | spec bad.json
faulty "no object" bad.json
on sandbox "mkdir $specs/bad.json"
on sandbox "rmdir $specs/bad.json"

step "a port out of range, on the agent node"
put agent /var/lib/incoming <<'SPEC'
{"kind":"mount","run":"bad","incarnation":"one","server":"10.20.0.1","port":65536,"volume":"/workspaces","uid":10001,"gid":10001}
SPEC
on agent "mv /var/lib/incoming $specs/bad.json"
wait_on agent 10 "kora-mountctl status -o json | grep -q 'bad.json.*port'"
on agent rm $specs/bad.json

# told 'what' WORD: the spec is fine, the folder is not; the run says so.
told() {
	local what=$1 state
	shift
	export_of | spec bad.json
	wait_on sandbox 10 "kora-mountctl describe bad -o json | grep -q fault" || fail "$what: no fault"
	state=$(on sandbox 'kora-mountctl describe bad -o json')
	for word; do case $state in *"$word"*) ;; *) fail "$what: '$word' is not in: $state" ;; esac; done
	on sandbox rm -f $specs/bad.json
	wait_on sandbox 10 "! kora-mountctl describe bad >/dev/null 2>&1"
}
step "folders"
on sandbox 'rmdir /workspaces/local/bad'
told "missing" "No such file"
on sandbox 'touch /workspaces/local/bad'
told "a file" "Not a directory"
on sandbox 'rm /workspaces/local/bad; ln -s /etc /workspaces/local/bad'
told "a symbolic link" "symbolic link"
on sandbox 'rm /workspaces/local/bad; mkfifo /workspaces/local/bad'
told "a FIFO" "Not a directory"
on sandbox 'rm /workspaces/local/bad; mkdir -p /workspaces/local/bad /workspaces/o/u /workspaces/o/w; mount -t tmpfs tmpfs /workspaces/o && mkdir -p /workspaces/o/u /workspaces/o/w /workspaces/o/l && mount -t overlay -o lowerdir=/workspaces/o/l,upperdir=/workspaces/o/u,workdir=/workspaces/o/w overlay /workspaces/local/bad'
told "overlay" overlay
on sandbox 'umount /workspaces/local/bad'

step "a spec that is replaced while it is read, three hundred times"
on sandbox "for i in \$(seq 300); do
	printf '{\"kind\":\"export\",\"run\":\"bad\",\"incarnation\":\"one\",\"volume\":\"/workspaces/local\",\"folder\":\"bad\",\"clients\":[\"$A\"],\"uid\":10001,\"gid\":'\$((10001 + i % 2))'}' >/var/lib/incoming
	mv /var/lib/incoming $specs/bad.json
done"
wait_on sandbox 20 "kora-mountctl describe bad -o json | tr -d ' \n' | grep -q '\"state\":\"ready\"'"
on sandbox rm $specs/bad.json
wait_on sandbox 10 "! kora-mountctl describe bad >/dev/null 2>&1"

step "the good run never noticed"
as 10001 agent 'echo on >/workspaces/good/sandbox/on'
equal "the good run" ready "$(state_of sandbox good)"

step "a broken new version of a good spec: the last good one counts"
on sandbox "cp $specs/good.export.json /root/good; echo '{' >$specs/good.export.json"
wait_on sandbox 10 "kora-mountctl status -o json | grep -q good.export.json"
equal "the good run" ready "$(state_of sandbox good)"
as 10001 agent 'echo on >/workspaces/good/sandbox/on-still'

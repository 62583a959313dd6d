# SPDX-License-Identifier: Apache-2.0
# Specs that are wrong: each is reported with its file and key, nothing of it is done, and what was
# good goes on.
#
#   sandbox: /var/lib/kora-sandbox-mount/specs/*.json, one bad after the other
#
# shape: netns
# timeout: 180
. "$here/kora.sh"
enough 6.12
nodes
daemons
share good
specs=/var/lib/kora-sandbox-mount/specs

# spec FILE: standard input becomes that spec, in one step.
spec() { put sandbox "/var/lib/incoming" && on sandbox "mv /var/lib/incoming $specs/$1"; }
export_of() { printf '{"kind":"export","run":"bad","incarnation":"one","volume":"/workspaces/local","folder":"bad","clients":["%s"],"uid":10001,"gid":10001}' $A; }

good=$(export_of)
names='' told=''

# bad NAME WORD: standard input becomes bad-NAME.json, about run NAME; its fault must say WORD.
bad() {
	sed "s/\"run\":\"bad\"/\"run\":\"$1\"/" >"$CASE_DIR/bad-$1.json"
	names+=" $1" told+="bad-$1.json $2"$'\n'
}

# changed NAME SED WORD: the good text, changed.
changed() { bad "$1" "$3" < <(sed "$2" <<<"$good"); }

folder bad
step "values"
changed dotted 's/"run":"bad"/"run":"a.b"/' run
changed nameless 's/"run":"bad"/"run":""/' run
changed long "s/\"run\":\"bad\"/\"run\":\"$(printf 'a%.0s' $(seq 4000))\"/" run
changed newline 's/"folder":"bad"/"folder":"bad\\nx"/' folder
changed parent 's/"folder":"bad"/"folder":"..\/bad"/' folder
changed relative 's/"\/workspaces\/local"/"local"/' volume
changed host "s/$A/agent-1/" clients
changed network "s/$A/10.20.0.0\\/24/" clients
changed nobody 's/\["[^]]*\]/[]/' clients
changed root 's/"uid":10001/"uid":0/' uid
changed text 's/"uid":10001/"uid":"10001"/' uid
changed negative 's/"gid":10001/"gid":-1/' gid
changed missing 's/"gid":10001/"sync":false/' gid
changed unknown 's/"gid":10001/"gid":10001,"color":"red"/' color
changed twice 's/"gid":10001/"gid":10001,"uid":10002/' uid
changed kind 's/"kind":"export"/"kind":"share"/' kind
changed truncated 's/"gid":10001}//' line
bad empty missing < <(printf '')
bad binary line < <(printf '\0\1\2')
bad list object < <(printf '[1, 2]')
bad port port < <(printf '%s' '{"kind":"mount","run":"bad","incarnation":"one","server":"10.20.0.1","port":65536,"volume":"/workspaces","uid":10001,"gid":10001}')
bad linklocal server < <(printf '%s' '{"kind":"mount","run":"bad","incarnation":"one","server":"fe80::1","volume":"/workspaces","uid":10001,"gid":10001}')

for name in $names; do put sandbox "$specs/.bad-$name" <"$CASE_DIR/bad-$name.json"; done
on sandbox "cd $specs; mkdir bad-folder.json; for f in .bad-*; do mv \$f \${f#.}.json; done"
for name in $names; do wait_on sandbox 20 "kora-mountctl status -o json | grep -q bad-$name.json"; done
faults=$(on sandbox 'kora-mountctl status -o json')
while read -r file word; do
	[ -z "$file" ] || grep -F "$file" <<<"$faults" | sed "s/$file:/:/" | grep -qF "$word" || fail "$file: no '$word' in: $(grep -F "$file" <<<"$faults")"
done <<<"$told"
step "the check tells the same, in order, and how many"
status=0
on sandbox kora-sandbox-mount --check >"$CASE_DIR/checked" 2>&1 || status=$?
equal "exit code for a refused spec" 3 $status
sed '$d; s/:.*//' "$CASE_DIR/checked" | LC_ALL=C sort -c || fail "not in order: $(cat "$CASE_DIR/checked")"
equal "refused" "$(on sandbox "ls -d $specs/bad-* | wc -l")" "$(sed -n '$s/.*, \([0-9]*\) refused$/\1/p' "$CASE_DIR/checked")"
for name in $names a.b; do
	refuse "run $name is there" on sandbox "kora-mountctl describe $name >/dev/null 2>&1"
done
on sandbox "rm -r $specs/bad-*"
wait_on sandbox 20 "! kora-mountctl status -o json | grep -q bad-"

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

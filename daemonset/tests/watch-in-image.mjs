// SPDX-License-Identifier: Apache-2.0
// The watch in the image's tree, started with the chart's own arguments, talks to an API server that has
// no pods, with its token over TLS, and answers on its port:  node watch-in-image.mjs TOOLS SCRATCH ROOT
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { createServer as createPlain } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { containerOf, open } from './helm.mjs';

const [tools, scratch, root] = process.argv.slice(2).map(path => resolve(path));
const here = fileURLToPath(new URL('..', import.meta.url));
const deadline = Date.now() + 30000;
mkdirSync(scratch, { recursive: true });

const account = join(root, 'run/secrets/kubernetes.io/serviceaccount'), key = join(scratch, 'key.pem');
mkdirSync(account, { recursive: true });
mkdirSync(join(root, 'run/kora-sandbox-mount'), { recursive: true });
writeFileSync(join(account, 'token'), 'the-token');
writeFileSync(join(account, 'namespace'), 'kora-system');
if (spawnSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-keyout', key,
	'-out', join(account, 'ca.crt'), '-subj', '/CN=api', '-addext', 'subjectAltName=IP:127.0.0.1']).status !== 0) {
	console.log('openssl is not installed');
	process.exit(77);
}

const asked = [];
const api = createServer({ key: readFileSync(key), cert: readFileSync(join(account, 'ca.crt')) }, (request, response) => {
	asked.push([new URL(request.url, 'https://api').pathname, request.headers.authorization]);
	response.writeHead(200, { 'content-type': 'application/json' });
	if (request.url.includes('watch=')) response.write('');
	else response.end(JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] }));
}).listen(0, '127.0.0.1');
await once(api, 'listening');
const free = createPlain().listen(0, '127.0.0.1');
await once(free, 'listening');
const apiPort = api.address().port, port = free.address().port;
free.close();

const chart = open(tools, join(here, 'chart'), scratch).template('helm4', { watch: { port } });
const { args } = containerOf(chart.objects, 'kora-sandbox-watch');
const environment = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(apiPort), NODE_NAME: 'node-1' };
const watch = spawn('unshare', ['--mount', '--propagation', 'private', join(here, 'tests/in-container'), 'watch', root,
	...args.map(text => text.replace(/\$\((\w+)\)/g, (_, name) => environment[name]))],
{ env: { PATH: process.env.PATH, ...environment }, stdio: 'inherit' });
const ended = once(watch, 'exit');

async function until(what, condition) {
	while (!await condition().catch(() => false)) {
		assert.ok(Date.now() < deadline && watch.exitCode === null, `not in time: ${what}`);
		await new Promise(next => setTimeout(next, 50));
	}
}
let code = 1;
try {
	await until('/healthz', async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).status === 200);
	await until('both watches', async () => asked.length >= 2);
	for (const [path, token] of asked) assert.deepEqual([path, token], ['/api/v1/pods', 'Bearer the-token']);
	assert.match(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(), /^kora_sandbox_watch_pods 0$/m);
	watch.kill('SIGTERM');
	assert.deepEqual(await ended, [0, null]);
	code = 0;
} catch (error) {
	console.log(error.message);
	watch.kill('SIGKILL');
}
process.exit(code);

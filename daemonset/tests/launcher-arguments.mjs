// SPDX-License-Identifier: Apache-2.0
// kora-launch's arguments in the rendered chart or in an example, one a line:
//   node launcher-arguments.mjs TOOLS SCRATCH watch|sandbox-pod|runtime-pod
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { containerOf, open } from './helm.mjs';

const [tools, scratch, which] = [resolve(process.argv[2]), resolve(process.argv[3]), process.argv[4]];
const here = fileURLToPath(new URL('..', import.meta.url));
mkdirSync(scratch, { recursive: true });
const helm = open(tools, join(here, 'chart'), scratch);
const container = which === 'watch' ? containerOf(helm.template('helm4').objects, 'kora-sandbox-watch')
	: helm.parse(readFileSync(join(here, `examples/${which}.yaml`), 'utf8'))[0].spec.containers[0];
const environment = { KUBERNETES_SERVICE_PORT: '443', NODE_NAME: 'node-1' };
// The program, and then of its arguments only one that all of ours know.
const end = container.args.indexOf('--') + 2;
console.log([...container.args.slice(0, end).map(text => text.replace(/\$\((\w+)\)/g, (_, name) => environment[name])), '--version'].join('\n'));

// SPDX-License-Identifier: Apache-2.0
// kora-launch's arguments in the rendered chart, one a line, that start kora-mountctl --version in the
// watch's place:  node watch-arguments.mjs TOOLS SCRATCH
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { containerOf, open } from './helm.mjs';

const [tools, scratch] = [resolve(process.argv[2]), resolve(process.argv[3])];
mkdirSync(scratch, { recursive: true });
const { objects } = open(tools, fileURLToPath(new URL('../chart', import.meta.url)), scratch).template('helm4');
const { args } = containerOf(objects, 'kora-sandbox-watch');
const launcher = args.slice(0, args.indexOf('--')).map(argument => argument
	.replace('$(KUBERNETES_SERVICE_PORT)', '443').replace('kora-sandbox-watch', 'kora-mountctl'));
console.log([...launcher, '--', '/usr/bin/kora-mountctl', '--version'].join('\n'));

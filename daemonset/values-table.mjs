// SPDX-License-Identifier: Apache-2.0
// The table of values in README.md, from the comments "# -- …" of values.yaml.
//
//   node values-table.mjs NPM-DIR
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const begin = '<!-- values: made by make chart-readme -->', end = '<!-- values end -->';

// Every value, in order, with its description; a value that nothing describes, itself or in parts, is an error.
export function rowsOf(text, values) {
	const rows = [], path = [];
	let description = '', described = -1;
	for (const line of text.split('\n')) {
		const comment = line.match(/^\s*# -- (.*)$/), key = line.match(/^(\s*)([A-Za-z]\w*):(.*)$/);
		if (comment) description = comment[1];
		else if (key && !(described >= 0 && key[1].length > described)) {
			path.length = key[1].length / 2;
			path.push(key[2]);
			described = description ? key[1].length : -1;
			if (description) rows.push([path.join('.'), path.reduce((value, name) => value[name], values), description]);
			else if (key[3].trim()) throw new Error(`values.yaml: ${path.join('.')} is not described`);
			description = '';
		}
	}
	return rows;
}

const table = rows => ['| value | default | meaning |', '|---|---|---|',
	...rows.map(([name, value, text]) => `| \`${name}\` | \`${JSON.stringify(value)}\` | ${text.replaceAll('|', '\\|')} |`)].join('\n');

export function readmeOf(yaml) {
	const text = readFileSync(join(here, 'chart/values.yaml'), 'utf8'), readme = readFileSync(join(here, 'chart/README.md'), 'utf8');
	const from = readme.indexOf(begin), to = readme.indexOf(end);
	if (from < 0 || to < from) throw new Error('chart/README.md: no place for the table');
	return { now: readme, wanted: `${readme.slice(0, from)}${begin}\n${table(rowsOf(text, yaml.parse(text)))}\n${readme.slice(to)}` };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const { now, wanted } = readmeOf(createRequire(join(resolve(process.argv[2]), '/'))('yaml'));
	if (now !== wanted) writeFileSync(join(here, 'chart/README.md'), wanted);
}

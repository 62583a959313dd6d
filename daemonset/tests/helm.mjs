// SPDX-License-Identifier: Apache-2.0
// Helm, and what it renders, as objects.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export function open(tools, chart, scratch) {
	const yaml = createRequire(join(tools, 'npm/'))('yaml');
	const env = { PATH: process.env.PATH, HOME: scratch, HELM_CACHE_HOME: scratch, HELM_CONFIG_HOME: scratch, HELM_DATA_HOME: scratch };
	const call = (helm, ...args) => spawnSync(join(tools, helm), args, { encoding: 'utf8', env });
	const parse = text => yaml.parseAllDocuments(text, { uniqueKeys: true, strict: true }).map(document => {
		if (document.errors.length) throw document.errors[0];
		return document.toJS();
	}).filter(Boolean);

	// values: an object. { status, stderr, text, objects }
	function template(helm, values = {}, { from = chart, args = [] } = {}) {
		const set = Object.keys(values).length ? ['--values', '-'] : [];
		const run = spawnSync(join(tools, helm), ['template', 'kora', from, '--namespace', 'kora-system', ...set, ...args],
			{ encoding: 'utf8', env, input: JSON.stringify(values) });
		return { ...run, text: run.stdout, objects: run.status === 0 ? parse(run.stdout) : [] };
	}
	return { call, parse, template };
}

export const only = (objects, kind) => {
	const found = objects.filter(object => object.kind === kind);
	if (found.length !== 1) throw new Error(`${found.length} objects of kind ${kind}`);
	return found[0];
};
export const podOf = objects => only(objects, 'DaemonSet').spec.template.spec;
export const containerOf = (objects, name) => podOf(objects).containers.find(container => container.name === name);

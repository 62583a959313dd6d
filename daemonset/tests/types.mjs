// SPDX-License-Identifier: Apache-2.0
// Type-checks objects against the API's own types: unknown fields, enums, what is missing.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const operators = { 'monitoring.coreos.com': '@kubernetes-models/prometheus-operator' };

function importOf({ apiVersion, kind }) {
	const group = apiVersion.split('/')[0];
	const path = group.includes('.') || apiVersion.includes('/') ? apiVersion : `${apiVersion}`;
	return `import type { I${kind} } from "${operators[group] ?? 'kubernetes-models'}/${path}/${kind}";`;
}

// One file an object; returns the compiler's complaints, by the object's name.
export function typeFaults(tools, dir, objects) {
	rmSync(dir, { recursive: true, force: true });
	mkdirSync(dir, { recursive: true });
	symlinkSync(join(tools, 'npm/node_modules'), join(dir, 'node_modules'));
	const names = Object.entries(objects).map(([name, object], index) => {
		writeFileSync(join(dir, `o${index}.ts`),
			`${importOf(object)}\nexport const object: I${object.kind} = ${JSON.stringify(object, null, 1)};\n`);
		return name;
	});
	writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({
		compilerOptions: { strict: true, noEmit: true, skipLibCheck: true, module: 'esnext', moduleResolution: 'bundler', target: 'es2022', types: [] },
		include: ['*.ts'],
	}));
	const run = spawnSync(process.execPath, [join(dir, 'node_modules/typescript/bin/tsc'), '-p', dir, '--pretty', 'false'], { encoding: 'utf8' });
	const faults = {};
	for (const line of `${run.stdout}${run.stderr}`.split('\n').filter(Boolean)) {
		const index = line.match(/o(\d+)\.ts\(/)?.[1];
		if (index !== undefined) (faults[names[index]] ??= []).push(line.replace(/^.*?\.ts\(/, '('));
		else if (!/^\s/.test(line)) (faults[''] ??= []).push(line);
	}
	if (run.status !== 0 && !Object.keys(faults).length) faults[''] = [`tsc: exit status ${run.status}`];
	return faults;
}

// SPDX-License-Identifier: Apache-2.0
// Tests of the chart and of the examples: node chart.mjs TOOLS SCRATCH VERSION
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readmeOf } from '../values-table.mjs';
import { badValues } from './bad-values.mjs';
import { containerOf, only, open, podOf } from './helm.mjs';
import { containerFaults, podFaults } from './podsecurity.mjs';
import { typeFaults } from './types.mjs';

const [tools, scratch, version] = [resolve(process.argv[2]), resolve(process.argv[3]), process.argv[4]];
const here = fileURLToPath(new URL('..', import.meta.url));
const chart = join(here, 'chart'), helms = ['helm3', 'helm4'];
const yaml = createRequire(join(tools, 'npm/'))('yaml');
rmSync(scratch, { recursive: true, force: true });
mkdirSync(scratch, { recursive: true });
const helm = open(tools, chart, scratch);

let passed = 0, failed = 0;
function test(name, body) {
	try {
		body();
		passed++;
		console.log(`PASS  ${name}`);
	} catch (error) {
		failed++;
		console.log(`FAIL  ${name}\n${String(error.message).replace(/^/gm, '      ')}`);
	}
}
const read = path => yaml.parse(readFileSync(join(here, path), 'utf8')) ?? {};
const variants = readdirSync(join(chart, 'ci')).filter(name => name.endsWith('-values.yaml'));
const rendered = (values, options) => {
	const run = helm.template('helm4', values, options);
	assert.equal(run.status, 0, run.stderr);
	return run.objects;
};
const byDefault = rendered({});

// Lint, render, and the same from both Helms.
const objects = {};
for (const name of variants) {
	const values = read(`chart/ci/${name}`), texts = [];
	for (const tool of helms)
		test(`${tool} ${name}`, () => {
			const lint = helm.call(tool, 'lint', '--strict', chart, '--values', join(chart, 'ci', name));
			assert.equal(lint.status, 0, lint.stdout + lint.stderr);
			const run = helm.template(tool, values);
			assert.equal(run.status, 0, run.stderr);
			assert.equal(run.objects.length > 0, name !== 'disabled-values.yaml', 'objects are rendered');
			texts.push(run.objects);
			for (const object of run.objects) objects[`${name} ${object.kind}`] = object;
		});
	test(`both Helms render ${name} alike`, () => assert.deepEqual(texts[0], texts[1]));
}

for (const path of readdirSync(join(here, 'examples')).filter(name => name.endsWith('.yaml'))) objects[path] = read(`examples/${path}`);
test(`${Object.keys(objects).length} objects fit the API's types`, () => assert.deepEqual(typeFaults(tools, join(scratch, 'types'), objects), {}));
test('a wrong object does not fit them', () => {
	const planted = {};
	const plant = (name, change) => change(podOf([planted[name] = structuredClone(only(byDefault, 'DaemonSet'))]));
	plant('unknown field', pod => { pod.hostNetwrok = true; });
	plant('enum', pod => { pod.containers[0].volumeMounts[0].mountPropagation = 'Both'; });
	plant('missing', pod => { delete pod.containers[0].volumeMounts[0].mountPath; });
	plant('type', pod => { pod.containers[0].ports[0].containerPort = '20490'; });
	assert.deepEqual(Object.keys(typeFaults(tools, join(scratch, 'types'), planted)).sort(), Object.keys(planted).sort());
});

// Values.
for (const [values, expected] of badValues)
	test(`refused: ${JSON.stringify(values)}`, () => {
		for (const tool of helms) {
			const run = helm.template(tool, values);
			assert.notEqual(run.status, 0, `${tool} accepts it`);
			assert.match(run.stderr, expected);
		}
	});
test('every value of values.yaml is in the schema', () => {
	const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'));
	const follow = node => (node?.$ref ? schema.definitions[node.$ref.split('/').at(-1)] : node);
	(function walk(value, node, path) {
		for (const [key, inner] of Object.entries(value)) {
			const known = follow(follow(node).properties?.[key]);
			assert.ok(known, `${path}${key}`);
			if (known.properties && inner && typeof inner === 'object') {
				assert.equal(known.additionalProperties, false, `${path}${key} accepts anything`);
				walk(inner, known, `${path}${key}.`);
			}
		}
	})(read('chart/values.yaml'), schema, '');
	assert.equal(schema.additionalProperties, false);
});
test("the table in the chart's README is up to date (make chart-readme)", () => {
	const { now, wanted } = readmeOf(yaml);
	assert.equal(now, wanted);
});
test('the versions are the programs\'', () => {
	const { version: own, appVersion } = read('chart/Chart.yaml');
	assert.deepEqual([own, appVersion], [version, version]);
});

// The platform's switches.
test('sandboxMount.enabled=false renders nothing', () => assert.deepEqual(rendered({ sandboxMount: { enabled: false } }), []));
test('sandboxMount.port is the port everywhere', () => {
	const made = rendered({ sandboxMount: { port: 30490 }, networkPolicy: { enabled: true, agentCIDRs: ['10.0.0.0/8'] } });
	const daemon = containerOf(made, 'kora-sandbox-mount');
	assert.ok(daemon.args.includes('--port=30490'));
	assert.deepEqual(daemon.ports.map(port => [port.containerPort, port.hostPort]), [[30490, 30490]]);
	assert.equal(only(made, 'NetworkPolicy').spec.ingress[0].ports[0].port, 30490);
	assert.ok(!JSON.stringify(made).includes('20490'));
});
test("a platform's chart switches it under the alias sandboxMount", () => {
	const platform = join(scratch, 'platform');
	cpSync(chart, join(platform, 'charts/kora-sandbox-mount'), { recursive: true });
	writeFileSync(join(platform, 'Chart.yaml'), yaml.stringify({ apiVersion: 'v2', name: 'platform', version: '1.0.0', dependencies: [
		{ name: 'kora-sandbox-mount', alias: 'sandboxMount', version, repository: '', condition: 'sandboxMount.enabled' }] }));
	writeFileSync(join(platform, 'values.yaml'), yaml.stringify({ sandboxMount: { enabled: false, port: 20490 } }));
	for (const tool of helms) {
		assert.deepEqual(helm.template(tool, {}, { from: platform }).objects, []);
		const run = helm.template(tool, { sandboxMount: { enabled: true, port: 31000 } }, { from: platform });
		assert.equal(run.status, 0, run.stderr);
		assert.ok(containerOf(run.objects, 'kora-sandbox-mount').args.includes('--port=31000'));
		assert.equal(only(run.objects, 'DaemonSet').metadata.name, 'kora-kora-sandbox-mount');
		const drain = helm.template(tool, { sandboxMount: { enabled: true, drain: true } }, { from: platform });
		assert.equal(podOf(drain.objects).containers.length, 1);
	}
});

// Rights.
test('the rights are exactly these', () => assert.deepEqual(only(byDefault, 'ClusterRole').rules, [
	{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
	{ apiGroups: [''], resources: ['pods/status'], verbs: ['patch'] },
	{ apiGroups: [''], resources: ['events'], verbs: ['create'] },
	{ apiGroups: [''], resources: ['persistentvolumeclaims', 'persistentvolumes', 'nodes'], verbs: ['get'] },
]));
test('no values give more rights', () => {
	for (const name of variants)
		for (const { kind, rules } of rendered(read(`chart/ci/${name}`))) {
			assert.ok(!['Role', 'RoleBinding'].includes(kind), kind);
			if (kind === 'ClusterRole') assert.deepEqual(rules, only(byDefault, 'ClusterRole').rules);
		}
});
test('the token is the watch\'s alone', () => {
	const pod = podOf(byDefault), holders = pod.containers.filter(container => container.volumeMounts.some(mount => mount.name === 'token'));
	assert.equal(pod.automountServiceAccountToken, false);
	assert.equal(only(byDefault, 'ServiceAccount').automountServiceAccountToken, false);
	assert.deepEqual(holders.map(container => container.name), ['kora-sandbox-watch']);
});
const contexts = {
	'kora-sandbox-mount': { privileged: true, readOnlyRootFilesystem: true, runAsUser: 0, runAsGroup: 0 },
	'kora-sandbox-watch': { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, privileged: false, readOnlyRootFilesystem: true,
		runAsNonRoot: true, runAsUser: 20491, runAsGroup: 20491, seccompProfile: { type: 'RuntimeDefault' } },
};
for (const [name, context] of Object.entries(contexts))
	test(`security context of ${name}`, () => assert.deepEqual(containerOf(byDefault, name).securityContext, context));
test('there is no other container, in any variant', () => {
	for (const name of variants.filter(variant => variant !== 'disabled-values.yaml')) {
		const pod = podOf(rendered(read(`chart/ci/${name}`)));
		assert.equal(pod.initContainers, undefined);
		for (const container of pod.containers) assert.ok(contexts[container.name], container.name);
		assert.equal(pod.hostIPC, undefined);
		assert.equal(pod.hostUsers, undefined);
	}
});
test('the watch is started by kora-launch, and the container alone is restricted', () => {
	const { command, args } = containerOf(byDefault, 'kora-sandbox-watch');
	assert.deepEqual(command, ['/usr/bin/kora-launch']);
	assert.equal(args[args.indexOf('--') + 1], '/usr/bin/kora-sandbox-watch');
	const container = structuredClone(containerOf(byDefault, 'kora-sandbox-watch'));
	// What the host's network brings with it.
	for (const port of container.ports) delete port.hostPort;
	for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) delete container[probe].httpGet.host;
	assert.deepEqual(containerFaults(container), []);
});

// An option that a program does not have would keep the pod from starting.
const programs = { 'kora-sandbox-mount': 'mountd/options.c', 'kora-sandbox-watch': 'mountd/watch_options.c', 'kora-launch': 'harden/keys.c' };
test('every option in any variant is one that the program has', () => {
	const options = args => args.filter(one => /^--[a-z]/.test(one)).map(one => one.match(/^--([a-z-]+)/)[1]);
	for (const name of variants.filter(variant => variant !== 'disabled-values.yaml'))
		for (const { name: own, args } of podOf(rendered(read(`chart/ci/${name}`))).containers) {
			const end = args.indexOf('--'), parts = end < 0 ? { [own]: args } : { 'kora-launch': args.slice(0, end), [own]: args.slice(end + 1) };
			for (const [program, part] of Object.entries(parts)) {
				const source = readFileSync(join(here, '..', programs[program]), 'utf8');
				for (const option of options(part)) assert.ok(source.includes(`"${option}"`), `${program} has no --${option}`);
			}
		}
});

// The host.
const propagation = (objects, name) => Object.fromEntries(containerOf(objects, name).volumeMounts.map(mount => [mount.mountPath, mount.mountPropagation]));
test('mounts of the daemon reach the host below kubelet\'s pods, and nfsd\'s', () => assert.deepEqual(propagation(byDefault, 'kora-sandbox-mount'), {
	'/var/lib/kubelet/pods': 'Bidirectional',
	'/run/kora-sandbox-mount/nfsd': 'Bidirectional',
	'/run/kora-sandbox-mount': 'None',
	'/var/lib/kora-sandbox-mount': 'None',
	'/lib/modules': 'None',
}));
test('workspace roots are the only more', () => {
	const made = rendered({ node: { workspaceRoots: ['/srv/a', '/srv/b'] } });
	const more = Object.entries(propagation(made, 'kora-sandbox-mount')).filter(([path]) => !(path in propagation(byDefault, 'kora-sandbox-mount')));
	assert.deepEqual(more, [['/srv/a', 'Bidirectional'], ['/srv/b', 'Bidirectional']]);
});
test('the watch sees the socket and its token, read-only, and nothing of nfsd', () => {
	const { volumeMounts } = containerOf(byDefault, 'kora-sandbox-watch');
	assert.deepEqual(volumeMounts.map(mount => [mount.mountPath, mount.readOnly, mount.mountPropagation]), [
		['/run/kora-sandbox-mount', true, 'None'],
		['/var/run/secrets/kubernetes.io/serviceaccount', true, 'None'],
	]);
	const source = name => podOf(byDefault).volumes.find(volume => volume.name === name).hostPath.path;
	assert.ok(!source('nfsd').startsWith(`${source('runtime')}/`), 'nfsd is mounted below what the watch sees');
});
test('host paths are exactly these', () => assert.deepEqual(
	podOf(byDefault).volumes.filter(volume => volume.hostPath).map(({ hostPath }) => [hostPath.path, hostPath.type]), [
		['/var/lib/kubelet/pods', 'Directory'],
		['/var/lib/kora-sandbox-mount', 'DirectoryOrCreate'],
		['/run/kora-sandbox-mount', 'DirectoryOrCreate'],
		['/run/kora-sandbox-mount-nfsd', 'DirectoryOrCreate'],
		['/lib/modules', 'DirectoryOrCreate'],
	]));
test('every volume is used, every mount has its volume', () => {
	for (const name of variants.filter(variant => variant !== 'disabled-values.yaml')) {
		const pod = podOf(rendered(read(`chart/ci/${name}`)));
		const used = new Set(pod.containers.flatMap(container => container.volumeMounts.map(mount => mount.name)));
		assert.deepEqual([...used].sort(), pod.volumes.map(volume => volume.name).sort(), name);
	}
});
test('kubelet\'s directory is one value', () => {
	const made = rendered({ node: { kubeletDir: '/var/lib/k0s/kubelet' } });
	assert.ok(JSON.stringify(made).includes('/var/lib/k0s/kubelet/pods'));
	assert.ok(!JSON.stringify(made).includes('/var/lib/kubelet'));
});

// Life.
test('an update replaces one node at a time and drains none', () => {
	const { spec } = only(byDefault, 'DaemonSet');
	assert.deepEqual(spec.updateStrategy, { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } });
	for (const container of spec.template.spec.containers) assert.equal(container.lifecycle, undefined);
	assert.ok(!JSON.stringify(byDefault).includes('drain'));
});
test('sandboxMount.drain: no watch, no specs, ready once drained, not drained for the next installation', () => {
	const made = rendered({ sandboxMount: { drain: true } }), daemon = containerOf(made, 'kora-sandbox-mount');
	assert.equal(podOf(made).containers.length, 1);
	assert.deepEqual(daemon.startupProbe.exec.command.slice(0, 2), ['/usr/bin/kora-mountctl', 'drain']);
	assert.deepEqual(daemon.lifecycle.preStop.exec.command, ['/usr/bin/kora-mountctl', 'resume']);
	assert.ok(daemon.args.includes('--spec-dir=/drain/specs'));
	assert.equal(only(made, 'DaemonSet').spec.updateStrategy.rollingUpdate.maxUnavailable, '100%');
});
test('probes ask the programs, on loopback', () => {
	for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
		assert.deepEqual(containerOf(byDefault, 'kora-sandbox-mount')[probe].exec.command, ['/usr/bin/kora-mountctl', 'status']);
		assert.deepEqual({ ...containerOf(byDefault, 'kora-sandbox-watch')[probe].httpGet, path: '' }, { host: '127.0.0.1', path: '', port: 20491 });
	}
});
test('the node\'s names and addresses come from Kubernetes', () => {
	const field = (objects, name) => containerOf(objects, 'kora-sandbox-mount').env.find(one => one.name === name)?.valueFrom.fieldRef.fieldPath;
	assert.equal(field(byDefault, 'NODE_NAME'), 'spec.nodeName');
	assert.equal(field(byDefault, 'LISTEN'), 'status.hostIPs');
	assert.equal(field(rendered({}, { args: ['--kube-version', '1.28.9'] }), 'LISTEN'), 'status.hostIP');
	assert.equal(field(rendered({ server: { listen: 'all' } }), 'LISTEN'), undefined);
	assert.ok(containerOf(rendered({ nodeName: { prefix: 'blue.' } }), 'kora-sandbox-mount').args.includes('--node-name=blue.$(NODE_NAME)'));
});
const terms = values => podOf(rendered(values)).affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
test('a node is chosen for either role', () => {
	assert.equal(terms({}), undefined);
	assert.equal(terms({ roles: { sandbox: { nodeSelector: { a: 'b' } } } }), undefined, 'agents are everywhere');
	assert.deepEqual(terms({ roles: { sandbox: { nodeSelector: { a: 'b' } }, agent: { nodeSelector: { c: 'd' } } } }), [
		{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }, { matchExpressions: [{ key: 'c', operator: 'In', values: ['d'] }] }]);
	assert.equal(terms({ roles: { sandbox: { nodeSelector: { a: 'b' } }, agent: { enabled: false } } }).length, 1);
});
test('image: a digest wins, the tag is the appVersion', () => {
	const image = values => containerOf(rendered({ image: values }), 'kora-sandbox-mount').image;
	assert.equal(image({}), `kora/kora-sandbox-mount:${version}`);
	assert.equal(image({ registry: 'r.example:5000', tag: 'x' }), 'r.example:5000/kora/kora-sandbox-mount:x');
	assert.equal(image({ tag: 'x', digest: `sha256:${'0'.repeat(64)}` }), `kora/kora-sandbox-mount@sha256:${'0'.repeat(64)}`);
});
test('no CPU limit, a memory limit, everywhere the same labels', () => {
	for (const { resources } of podOf(byDefault).containers) assert.deepEqual(Object.keys(resources.limits), ['memory']);
	for (const { metadata } of byDefault) assert.equal(metadata.labels['app.kubernetes.io/instance'], 'kora');
	const { selector, template } = only(byDefault, 'DaemonSet').spec;
	for (const [key, value] of Object.entries(selector.matchLabels)) assert.equal(template.metadata.labels[key], value);
});
test('PodMonitor and NetworkPolicy are off', () => assert.deepEqual(byDefault.map(object => object.kind).sort(),
	['ClusterRole', 'ClusterRoleBinding', 'DaemonSet', 'ServiceAccount']));
// Rendered as an object, since not every Helm shows notes without a cluster.
const noted = join(scratch, 'notes');
cpSync(chart, noted, { recursive: true });
writeFileSync(join(noted, 'templates/notes.yaml'),
	`{{ define "notes" }}${readFileSync(join(chart, 'templates/NOTES.txt'), 'utf8')}{{ end }}\nkind: Notes\ntext: {{ include "notes" . | toJson }}\n`);
const notesOf = (tool, values) => only(helm.template(tool, values, { from: noted }).objects, 'Notes').text;
const notes = (tool, sandboxMount) => notesOf(tool, { sandboxMount });
test('the notes tell the namespace\'s label, the drain, and when nothing is installed', () => {
	for (const tool of helms) {
		assert.match(notes(tool, {}), /label namespace kora-system pod-security\.kubernetes\.io\/enforce=privileged/);
		assert.match(notes(tool, {}), /sandboxMount\.drain=true/);
		assert.match(notes(tool, { enabled: false }), /nothing is installed/);
		assert.match(notes(tool, { drain: true }), /rollout status daemonset\/kora-kora-sandbox-mount/);
	}
});

// What the operator copies. An upgrade without the release's values would take its registry away, and
// Helm 3 does not wait for a DaemonSet all of whose pods may be unavailable.
const commandsOf = text => text.replaceAll(/\\\n\s*/g, '').split('\n').map(line => line.trim()).filter(line => /^(helm|kubectl) [a-z-]/.test(line));
const copied = { 'daemonset/README.md': readFileSync(join(here, 'README.md'), 'utf8'), 'the notes': notes('helm4', {}), 'the notes while draining': notes('helm4', { drain: true }) };
test('helm upgrade is told whole, keeps the release\'s values, and both Helms have its options', () => {
	const known = helms.map(tool => helm.call(tool, 'upgrade', '--help').stdout);
	for (const [page, text] of Object.entries(copied)) {
		const upgrades = commandsOf(text).filter(line => line.startsWith('helm upgrade'));
		assert.ok(upgrades.length > 0, `${page}: no whole command`);
		assert.equal((text.match(/helm (-\S+ \S+ )*upgrade(?!`)/g) ?? []).length, upgrades.length, `${page}: a command that is no line of its own`);
		for (const line of upgrades) {
			assert.match(line, /^helm upgrade \S+ \S+ --namespace \S+ --reset-then-reuse-values --set \S+$/, page);
			for (const [option] of line.matchAll(/--[a-z-]+/g))
				for (const help of known) assert.match(help, new RegExp(` ${option} `), page);
		}
	}
});
test('before an uninstall every node has let go', () => {
	for (const [page, text] of Object.entries(copied)) {
		const lines = commandsOf(text), end = lines.findIndex(line => line.startsWith('helm uninstall'));
		assert.match(lines[end - 1] ?? '', /^kubectl -n \S+ rollout status daemonset\/\S+ --timeout=10m$/, page);
		if (!page.includes('draining')) assert.match(lines[end - 2] ?? '', /^helm upgrade .* --set sandboxMount\.drain=true$/, page);
	}
});

test('the notes of a platform\'s chart switch it off, and leave the platform', () => {
	for (const values of [{ enabled: true }, { enabled: true, drain: true }]) {
		const text = notesOf('helm4', values);
		assert.ok(!text.includes('helm uninstall'));
		assert.ok(text.includes('--reset-then-reuse-values --set sandboxMount.enabled=false'));
		assert.ok(!/--set image/.test(text));
	}
});

// Examples.
const sandbox = read('examples/sandbox-pod.yaml'), runtime = read('examples/runtime-pod.yaml');
for (const pod of [sandbox, runtime])
	test(`Pod Security "restricted" admits ${pod.metadata.name}`, () => assert.deepEqual(podFaults(pod.spec), []));
const offences = {
	'hostNetwork': spec => { spec.hostNetwork = true; },
	'hostPID': spec => { spec.hostPID = true; },
	'hostPath': spec => { spec.volumes.push({ name: 'h', hostPath: { path: '/' } }); },
	'nfs': spec => { spec.volumes.push({ name: 'n', nfs: { server: 's', path: '/' } }); },
	'privileged': spec => { spec.containers[0].securityContext.privileged = true; },
	'allowPrivilegeEscalation': spec => { delete spec.containers[0].securityContext.allowPrivilegeEscalation; },
	'capabilities are not dropped': spec => { delete spec.containers[0].securityContext.capabilities; },
	'capabilities are added': spec => { spec.containers[0].securityContext.capabilities.add = ['SYS_PTRACE']; },
	'runAsNonRoot': spec => { delete spec.securityContext.runAsNonRoot; },
	'runAsUser 0': spec => { spec.securityContext.runAsUser = 0; },
	'seccompProfile': spec => { delete spec.securityContext.seccompProfile; },
	'procMount': spec => { spec.containers[0].securityContext.procMount = 'Unmasked'; },
	'hostPort': spec => { spec.containers[0].ports = [{ containerPort: 1, hostPort: 1 }]; },
	'livenessProbe': spec => { spec.containers[0].livenessProbe = { httpGet: { host: 'x', port: 1 } }; },
	'seccompProfile is not set': spec => { spec.initContainers = [{ name: 'i', securityContext: { seccompProfile: { type: 'Unconfined' } } }]; },
};
test('and refuses what it has to', () => {
	for (const [offence, change] of Object.entries(offences)) {
		const spec = structuredClone(sandbox.spec);
		change(spec);
		assert.ok(podFaults(spec).some(fault => fault.includes(offence)), offence);
	}
	assert.ok(podFaults(podOf(byDefault)).includes('hostNetwork'));
});
test('the examples keep the contract', () => {
	const contract = readFileSync(join(here, '../mountd/watch_contract.h'), 'utf8');
	const name = constant => contract.match(new RegExp(`#define ${constant}\\s+"([^"]+)"`))[1];
	const run = sandbox.metadata.labels[name('LABEL_RUN')];
	assert.equal(sandbox.metadata.labels[name('LABEL_COMPONENT')], name('COMPONENT_SANDBOX'));
	assert.ok(sandbox.metadata.labels[name('LABEL_AGENT_NODE')]);
	assert.equal(sandbox.metadata.annotations[name('ANNOTATION_RUNTIME_POD')], `${runtime.metadata.namespace}/${runtime.metadata.name}`);
	assert.equal(sandbox.spec.readinessGates[0].conditionType, name('CONDITION_TYPE'));
	assert.equal(sandbox.metadata.name, `sandbox-${run}`);
	const folder = sandbox.spec.containers[0].volumeMounts.find(mount => mount.name === name('VOLUME_SANDBOX'));
	assert.equal(folder.mountPath, `${name('PATH_WORKSPACES')}/${run}/sandbox`);
	assert.equal(runtime.metadata.labels[name('LABEL_COMPONENT')], name('COMPONENT_RUNTIME'));
	const workspaces = runtime.spec.containers[0].volumeMounts.find(mount => mount.name === name('VOLUME_WORKSPACES'));
	assert.deepEqual([workspaces.mountPath, workspaces.mountPropagation], [name('PATH_WORKSPACES'), 'HostToContainer']);
	assert.ok(runtime.spec.containers[0].args.includes(`--wait-mount=${folder.mountPath}`));
	const claim = runtime.spec.volumes.find(volume => volume.name === name('VOLUME_WORKSPACES')).persistentVolumeClaim.claimName;
	assert.equal(claim, read('examples/workspaces-pvc.yaml').metadata.name);
});

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);

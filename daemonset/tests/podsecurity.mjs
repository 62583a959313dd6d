// SPDX-License-Identifier: Apache-2.0
// Pod Security Standards, level "restricted" (baseline included), as a function of a pod's spec.

const volumes = ['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'image', 'persistentVolumeClaim', 'projected', 'secret'];
const sysctls = ['kernel.shm_rmid_forced', 'net.ipv4.ip_local_port_range', 'net.ipv4.ip_unprivileged_port_start',
	'net.ipv4.tcp_syncookies', 'net.ipv4.ping_group_range', 'net.ipv4.ip_local_reserved_ports', 'net.ipv4.tcp_keepalive_time',
	'net.ipv4.tcp_fin_timeout', 'net.ipv4.tcp_keepalive_intvl', 'net.ipv4.tcp_keepalive_probes'];
const seTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'];

function contextFaults(context, say) {
	if (context?.seLinuxOptions && (!seTypes.includes(context.seLinuxOptions.type ?? '') || context.seLinuxOptions.user || context.seLinuxOptions.role))
		say('seLinuxOptions');
	if (context?.appArmorProfile?.type === 'Unconfined') say('appArmorProfile Unconfined');
	if (context?.windowsOptions?.hostProcess) say('hostProcess');
	if (context?.runAsUser === 0) say('runAsUser 0');
}

function handlerFaults(container, say) {
	for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe'])
		for (const kind of ['httpGet', 'tcpSocket'])
			if (container[name]?.[kind]?.host) say(`${name} with a host`);
	for (const name of ['postStart', 'preStop'])
		for (const kind of ['httpGet', 'tcpSocket'])
			if (container.lifecycle?.[name]?.[kind]?.host) say(`${name} with a host`);
}

// What "restricted" has against one container of a pod with this securityContext.
export function containerFaults(container, podContext = {}) {
	const faults = [], say = what => faults.push(`container ${container.name}: ${what}`);
	const context = container.securityContext ?? {};
	const profile = context.seccompProfile?.type ?? podContext.seccompProfile?.type;
	if (context.privileged) say('privileged');
	if (context.allowPrivilegeEscalation !== false) say('allowPrivilegeEscalation is not false');
	if (!context.capabilities?.drop?.includes('ALL')) say('capabilities are not dropped');
	if (context.capabilities?.add?.some(name => name !== 'NET_BIND_SERVICE')) say('capabilities are added');
	if ((context.runAsNonRoot ?? podContext.runAsNonRoot) !== true) say('runAsNonRoot is not true');
	if (!['RuntimeDefault', 'Localhost'].includes(profile)) say('seccompProfile is not set');
	if ((context.procMount ?? 'Default') !== 'Default') say('procMount');
	if (container.ports?.some(port => port.hostPort)) say('hostPort');
	contextFaults(context, say);
	handlerFaults(container, say);
	return faults;
}

export function podFaults(spec) {
	const faults = [], say = what => faults.push(what);
	for (const name of ['hostNetwork', 'hostPID', 'hostIPC']) if (spec[name]) say(name);
	for (const volume of spec.volumes ?? [])
		for (const kind of Object.keys(volume))
			if (kind !== 'name' && !volumes.includes(kind)) say(`volume ${volume.name}: ${kind}`);
	for (const { name } of spec.securityContext?.sysctls ?? []) if (!sysctls.includes(name)) say(`sysctl ${name}`);
	contextFaults(spec.securityContext, say);
	const containers = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
	return faults.concat(containers.flatMap(container => containerFaults(container, spec.securityContext)));
}

# SPDX-License-Identifier: Apache-2.0
"""An API server as far as the watch needs one: pods, claims, volumes, nodes, Events; over TLS; and it
can be told to misbehave. Selectors, resource versions and what DELETED means are as on the real one."""
import copy
import gzip
import http.server
import json
import pathlib
import re
import socket
import socketserver
import ssl
import subprocess
import threading
import time
import urllib.parse

RECORDINGS = pathlib.Path(__file__).parent / 'recordings'


def recording(name):
    return (RECORDINGS / f'{name}.http').read_bytes()


def recorded_pod():
    """The running pod of the recorded life of a pod."""
    for line in recording('watch-lifecycle').split(b'\n'):
        if line.startswith(b'{"type":"MODIFIED"') and b'"phase":"Running"' in line:
            return json.loads(line)['object']
    raise LookupError


def make_pod(name, component, node, run='', agent='', namespace='t', template=None):
    """A running pod as kora-agents makes it: the recorded one with what the watch looks at."""
    pod = copy.deepcopy(template or recorded_pod())
    metadata = pod['metadata']
    metadata.update(name=name, namespace=namespace, uid=f'uid-{name}', labels={'kora.dev/component': component})
    pod['spec']['nodeName'] = node
    if component == 'sandbox':
        metadata['labels'].update({'kora.dev/run': run, 'kora.dev/agent-node': agent})
        metadata['annotations'] = {'kora.dev/runtime-pod': f'{namespace}/runtime'}
        pod['spec']['volumes'] = [{'name': 'sandbox', 'emptyDir': {}}]
        pod['spec']['containers'][0]['volumeMounts'] = [{'name': 'sandbox', 'mountPath': f'/workspaces/{run}/sandbox'}]
    else:
        pod['spec']['volumes'] = [{'name': 'workspaces', 'persistentVolumeClaim': {'claimName': 'claim'}}]
        pod['spec']['containers'][0]['volumeMounts'] = [
            {'name': 'workspaces', 'mountPath': '/workspaces', 'mountPropagation': 'HostToContainer'}]
    return pod


def deleting(pod):
    pod['metadata']['deletionTimestamp'] = '2026-11-29T11:57:15Z'


def terminated(pod):
    for status in pod['status']['containerStatuses']:
        status['state'] = {'terminated': {'exitCode': 0}}


def certificate(folder, address):
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
                    '-keyout', f'{folder}/key.pem', '-out', f'{folder}/ca.crt', '-days', '2', '-subj', '/CN=api',
                    '-addext', f'subjectAltName=IP:{address}'], check=True, capture_output=True)


def matcher(query):
    """The selectors of a request as a function of a pod."""
    terms = []
    for field in query.get('fieldSelector', []):
        key, value = field.split('=', 1)
        assert key == 'spec.nodeName', key
        terms.append(lambda pod, value=value: pod['spec'].get('nodeName') == value)
    for label in query.get('labelSelector', []):
        for term in re.findall(r'[^,(]+(?:\([^)]*\))?', label):
            several = re.fullmatch(r'(\S+) in \((.*)\)', term)
            key, values = (several[1], several[2].split(',')) if several else (term.split('=', 1)[0], [term.split('=', 1)[1]])
            terms.append(lambda pod, key=key, values=values: pod['metadata'].get('labels', {}).get(key) in values)
    return lambda pod: pod is not None and all(term(pod) for term in terms)


class Api:
    def __init__(self, folder, streaming=True, page=500, address='127.0.0.1', port=0):
        self.lock = threading.Condition()
        self.version = 1000
        self.oldest = 0
        self.pods, self.objects, self.log = {}, {}, []
        self.streaming, self.page = streaming, page
        self.token = 'one'
        self.patches, self.events, self.requests = [], [], []
        self.rules = []  # (what a request's line must match, an action, how often)
        self.stale_pages = 0
        self.bookmark_seconds = 1
        self.watch_seconds = 3600  # no watch lasts longer, whatever was asked for
        self.hung_up = 0  # how often all watches were ended at once
        self.folder = folder
        certificate(folder, address)
        self.server = Server((address, port), Handler)
        self.server.api = self
        self.server.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.server.context.load_cert_chain(f'{folder}/ca.crt', f'{folder}/key.pem')
        self.port = self.server.server_address[1]
        self.open = True
        threading.Thread(target=self.server.serve_forever, kwargs={'poll_interval': 0.05}, daemon=True).start()

    def close(self):
        with self.lock:
            self.open = False
            self.lock.notify_all()
        self.server.shutdown()
        self.server.server_close()

    # What is in the cluster besides pods.
    def node(self, name, address):
        self.objects[f'/api/v1/nodes/{name}'] = {
            'metadata': {'name': name}, 'status': {'addresses': [{'type': 'InternalIP', 'address': address}]}}

    def claim(self, path, namespace='t', name='claim'):
        """Of a volume that is a folder of its node."""
        self.objects[f'/api/v1/namespaces/{namespace}/persistentvolumeclaims/{name}'] = {
            'metadata': {'name': name}, 'spec': {'volumeName': f'pv-{name}'}}
        self.objects[f'/api/v1/persistentvolumes/pv-{name}'] = {
            'metadata': {'name': f'pv-{name}'}, 'spec': {'hostPath': {'path': path}}}

    # What happens to its pods.
    def _change(self, key, new):
        self.version += 1
        old = self.pods.get(key)
        if new is None:
            gone = copy.copy(old)
            gone['metadata'] = dict(old['metadata'], resourceVersion=str(self.version))
            self.pods.pop(key)
            self.log.append((self.version, old, None, gone))
        else:
            new['metadata'] = dict(new['metadata'], resourceVersion=str(self.version))
            self.pods[key] = new
            self.log.append((self.version, old, new, new))
        self.lock.notify_all()

    def put(self, pod):
        with self.lock:
            self._change((pod['metadata']['namespace'], pod['metadata']['name']), pod)

    def edit(self, namespace, name, fn):
        with self.lock:
            pod = copy.deepcopy(self.pods[namespace, name])
            fn(pod)
            self._change((namespace, name), pod)

    def remove(self, namespace, name):
        with self.lock:
            self._change((namespace, name), None)

    def compact(self):
        """Nobody may go on from before now."""
        with self.lock:
            self.oldest = self.version
            self.log.clear()

    def hang_up(self):
        with self.lock:
            self.hung_up += 1
            self.lock.notify_all()

    def misbehave(self, pattern, action, times=1):
        with self.lock:
            self.rules.append([pattern, action, times])

    def rule(self, line):
        with self.lock:
            for rule in self.rules:
                if rule[2] > 0 and re.search(rule[0], line):
                    rule[2] -= 1
                    return rule[1]
        return None

    def count(self, pattern):
        with self.lock:
            return sum(1 for line in self.requests if re.search(pattern, line))


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def server_bind(self):
        socketserver.TCPServer.server_bind(self)  # without asking for names

    def get_request(self):
        connection, address = super().get_request()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self.context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address

    def handle_error(self, request, address):
        pass


class Cut(Exception):
    pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *_):
        pass

    def reply(self, status, body, headers=()):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        for header in headers:
            self.send_header(*header)
        if len(data) > 2000 and 'gzip' in self.headers.get('Accept-Encoding', ''):
            data = gzip.compress(data, 1)
            self.send_header('Content-Encoding', 'gzip')
        self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def refuse(self, status, message, headers=()):
        self.reply(status, {'kind': 'Status', 'message': message, 'code': status}, headers)

    def handle_any(self):
        api = self.server.api
        line = urllib.parse.unquote(f'{self.command} {self.path}')
        with api.lock:
            api.requests.append(line)
        length = int(self.headers.get('Content-Length') or 0)
        body = self.rfile.read(length) if length else b''
        action = api.rule(line)
        if action and action[0] == 'replay':
            self.wfile.write(recording(action[1]))
            raise Cut
        if action and action[0] == 'raw':
            self.wfile.write(action[1])
            raise Cut
        if action and action[0] == 'close':
            raise Cut
        if action and action[0] == 'hang':
            time.sleep(action[1])
            raise Cut
        if action and action[0] == 'status':
            return self.refuse(action[1], 'as told', action[2:])
        if self.headers.get('Authorization') != f'Bearer {api.token}':
            return self.refuse(401, 'Unauthorized')
        path, _, query = self.path.partition('?')
        return self.route(urllib.parse.unquote(path), urllib.parse.parse_qs(query, keep_blank_values=True), body, action)

    def route(self, path, query, body, action):
        api = self.server.api
        if path == '/api/v1/pods':
            return self.watch(query, action) if query.get('watch') else self.list(query)
        pod = re.fullmatch(r'/api/v1/namespaces/([^/]+)/pods/([^/]+)(/status)?', path)
        if pod and self.command == 'GET':
            return self.one(api.pods.get((pod[1], pod[2])))
        if pod and pod[3] and self.command == 'PATCH':
            return self.patch((pod[1], pod[2]), json.loads(body))
        if re.fullmatch(r'/api/v1/namespaces/[^/]+/events', path) and self.command == 'POST':
            with api.lock:
                api.events.append(json.loads(body))
            return self.reply(201, {})
        if self.command == 'GET':
            return self.one(api.objects.get(path))
        return self.refuse(404, 'no such path')

    def one(self, found):
        return self.reply(200, found) if found else self.refuse(404, 'not found')

    def patch(self, key, patch):
        api = self.server.api
        with api.lock:
            pod = copy.deepcopy(api.pods.get(key))
            if not pod:
                return self.refuse(404, 'not found')
            if patch['metadata']['uid'] != pod['metadata']['uid']:
                return self.refuse(409, 'another uid')
            assert self.headers['Content-Type'] == 'application/strategic-merge-patch+json'
            for new in patch['status']['conditions']:
                conditions = pod['status'].setdefault('conditions', [])
                conditions[:] = [c for c in conditions if c['type'] != new['type']] + [new]
                api.patches.append((key[1], new['status'], new['reason'], new['message']))
            api._change(key, pod)
        return self.reply(200, pod)

    def list(self, query):
        api = self.server.api
        limit = int(query.get('limit', ['0'])[0])
        limit = min(limit, api.page) if limit else 1 << 30
        with api.lock:
            begin = 0
            if 'continue' in query:
                begin, version = (int(n) for n in query['continue'][0].split(':'))
                if api.stale_pages > 0:
                    api.stale_pages -= 1
                    return self.refuse(410, 'The provided continue parameter is too old')
            matches = matcher(query)
            pods = [pod for _, pod in sorted(api.pods.items()) if matches(pod)]
            metadata = {'resourceVersion': str(api.version)}
            if begin + limit < len(pods):
                metadata['continue'] = f'{begin + limit}:{api.version}'
            items = pods[begin:begin + limit]
        return self.reply(200, {'kind': 'PodList', 'apiVersion': 'v1', 'metadata': metadata, 'items': items})

    def chunk(self, data):
        self.wfile.write(b'%x\r\n%s\r\n' % (len(data), data))
        self.wfile.flush()

    def event(self, kind, pod, action):
        line = json.dumps({'type': kind, 'object': pod}, separators=(',', ':')).encode() + b'\n'
        if action and action[0] == 'cut':
            action[1] -= len(line)
            if action[1] <= 0:
                line = line[:max(1, len(line) // 2)]
                self.chunk(line)
                raise Cut
        if action and action[0] == 'slow':
            for at in range(0, len(line), action[1]):
                self.chunk(line[at:at + action[1]])
                time.sleep(0.005)
            return
        self.chunk(line)

    def bookmark(self, version, action, end=False):
        metadata = {'resourceVersion': str(version)}
        if end:
            metadata['annotations'] = {'k8s.io/initial-events-end': 'true'}
        self.event('BOOKMARK', {'kind': 'Pod', 'metadata': metadata}, action)

    def watch(self, query, action):
        api = self.server.api
        initial = query.get('sendInitialEvents') == ['true']
        if initial and not api.streaming:
            return self.refuse(422, 'sendInitialEvents: Forbidden')
        matches, action = matcher(query), list(action) if action else None
        with api.lock:
            version = int(query['resourceVersion'][0]) if query.get('resourceVersion', ['']) != [''] else None
            expired = version is not None and version < api.oldest
            shown = [pod for pod in api.pods.values() if matches(pod)] if initial else []
            at = api.version if version is None else version
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Transfer-Encoding', 'chunked')
        self.end_headers()
        if expired:
            self.event('ERROR', {'kind': 'Status', 'message': 'too old resource version', 'reason': 'Expired', 'code': 410}, None)
            return self.wfile.write(b'0\r\n\r\n')
        for pod in shown:
            self.event('ADDED', pod, action)
        if initial:
            self.bookmark(at, action, True)
        self.follow(matches, at, time.monotonic() + min(api.watch_seconds, int(query['timeoutSeconds'][0])), action)
        return self.wfile.write(b'0\r\n\r\n')

    def follow(self, matches, at, end, action):
        api = self.server.api
        hung_up = api.hung_up
        while api.open and time.monotonic() < end:
            if api.hung_up != hung_up:
                raise Cut
            with api.lock:
                if at < api.version:
                    new = [entry for entry in api.log[-(api.version - at) - 1:] if entry[0] > at]
                    at = api.version
                elif api.lock.wait(min(api.bookmark_seconds, max(0.01, end - time.monotonic()))) or time.monotonic() >= end:
                    continue
                else:
                    new = None
            if new is None:
                self.bookmark(at, action)
                continue
            for _, old, now, obj in new:
                before, after = matches(old), matches(now)
                if after:
                    self.event('MODIFIED' if before else 'ADDED', now, action)
                elif before:
                    gone = dict(old, metadata=dict(old['metadata'], resourceVersion=obj['metadata']['resourceVersion']))
                    self.event('DELETED', gone, action)

    def guarded(self):
        try:
            self.handle_any()
        except (Cut, OSError, ssl.SSLError):
            self.close_connection = True
            try:
                self.wfile.flush()
                self.connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    do_GET = do_PATCH = do_POST = guarded

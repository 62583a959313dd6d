# SPDX-License-Identifier: Apache-2.0
"""The daemon's control socket as far as the watch uses it: snapshots in parts, runs that change."""
import json
import os
import socket
import threading


class Daemon:
    def __init__(self, path):
        self.path = path
        self.lock = threading.Condition()
        self.serial = 1
        self.specs = {}     # (run, role): spec, of the last complete snapshot
        self.states = {}    # (run, role): (state, fault, errno)
        self.incarnations = {}
        self.snapshots = 0
        self.longest = 0
        self.auto = True    # what is wished for is ready at once, what is not is gone at once
        self.start()

    def start(self):
        self.open = True
        self.connections = []
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.listener.bind(self.path)
        self.listener.listen(8)
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def stop(self):
        with self.lock:
            self.open = False
            self.lock.notify_all()
        # A thread that sits in accept() is not woken by close().
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        os.unlink(self.path)
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            connection.close()

    def accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        parts = []
        try:
            while packet := connection.recv(1 << 20):
                request = json.loads(packet)
                with self.lock:
                    self.longest = max(self.longest, len(packet))
                    if request['verb'] == 'snapshot':
                        answer = self.snapshot(request, parts)
                        answers = [answer]
                    else:
                        answers = self.runs(request)
                for answer in answers:
                    connection.send(json.dumps(answer).encode())
        except OSError:
            pass

    def snapshot(self, request, parts):
        if request['part'] == 1:
            parts.clear()
        if request['part'] != len(parts) + 1 or len(json.dumps(request)) > 1 << 17:
            return {'ok': False, 'kind': 'refused', 'message': 'out of turn'}
        parts.append(request['specs'])
        if not request['complete']:
            return {'ok': True}
        self.specs = {(spec['run'], 'export' if spec['kind'] == 'export' else 'mount'): spec
                      for part in parts for spec in part}
        self.snapshots += 1
        if self.auto:
            self.follow()
        self.lock.notify_all()
        return {'ok': True}

    def follow(self):
        before = dict(self.states), dict(self.incarnations)
        self.states = {key: self.states.get(key, ('ready', '', '')) for key in self.specs}
        self.incarnations = {key: spec['incarnation'] for key, spec in self.specs.items()}
        if before != (self.states, self.incarnations):
            self.serial += 1
            self.lock.notify_all()

    def say(self, run, role, state, fault='', errno=''):
        with self.lock:
            self.states[run, role] = (state, fault, errno)
            self.serial += 1
            self.lock.notify_all()

    def catch_up(self):
        with self.lock:
            self.follow()

    def runs(self, request):
        if request.get('since') == self.serial:
            self.lock.wait_for(lambda: self.serial != request['since'] or not self.open, request['wait_ms'] / 1000)
        items = [{'item': {'run': run, 'role': role, 'incarnation': self.incarnations.get((run, role), '?'),
                           'state': state, 'fault': fault, 'errno': errno, 'rung': 'test', 'since': 0, 'attempts': 0}}
                 for (run, role), (state, fault, errno) in self.states.items()]
        return items + [{'ok': True, 'serial': self.serial}]

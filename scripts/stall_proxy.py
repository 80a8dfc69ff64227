#!/usr/bin/env python3
"""Stands on the way of TCP connections and, when it is told to, acknowledges what comes and forwards nothing.

    stall_proxy.py PORT SEED

A redirect of the firewall leads connections to PORT; each goes on to where it was going, with a mark that the firewall
lets pass. scripts/stalls.sh uses it. It reads lines:

    there | back | both    one connection that carries large messages, and moves now, is stalled that way; says which
                           one, or "none"
"""
import random
import socket
import struct
import sys
import threading
import time

MARK = 1
SO_ORIGINAL_DST = 80
# A stream of large messages carries more than this one way, and next to nothing the other way: words of 48 bytes.
LARGE = 300_000
NOTHING = 1 / 200


class Line:
    """A connection: the end that came, and the one that goes on."""

    def __init__(self, came):
        address = came.getsockopt(socket.SOL_IP, SO_ORIGINAL_DST, 16)
        port, host = struct.unpack("!2xH4s8x", address)
        self.name = f"port {came.getpeername()[1]} to {port}"
        on = socket.socket()
        on.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, MARK)
        on.connect((socket.inet_ntoa(host), port))
        self.ends = [came, on]
        for end in self.ends:
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.bytes = [0, 0]
        self.stalled = [False, False]
        self.moved = 0.0

    def is_large(self):
        return max(self.bytes) > LARGE and min(self.bytes) < max(self.bytes) * NOTHING

    def pump(self, way):
        try:
            while data := self.ends[way].recv(65536):
                if self.stalled[way]:
                    continue
                self.ends[1 - way].sendall(data)
                self.bytes[way] += len(data)
                self.moved = time.monotonic()
        except OSError:
            pass
        # Who forwards nothing says nothing of an end, either.
        if not self.stalled[way]:
            for end in self.ends:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass


def stall(lines, way):
    now = time.monotonic()
    moving = [line for line in lines if line.is_large() and now - line.moved < 0.2 and not any(line.stalled)]
    if not moving:
        return "none"
    line = random.choice(moving)
    line.stalled = [way in ("there", "both"), way in ("back", "both")]
    return f"{line.name} after {line.bytes[0]} bytes there, {line.bytes[1]} back"


def accept_all(listener, lines):
    while True:
        came, _ = listener.accept()
        try:
            line = Line(came)
        except OSError:
            came.close()
            continue
        lines.append(line)
        for way in (0, 1):
            threading.Thread(target=line.pump, args=(way,), daemon=True).start()


def main():
    lines = []
    random.seed(int(sys.argv[2]))
    listener = socket.create_server(("0.0.0.0", int(sys.argv[1])), backlog=256)
    threading.Thread(target=accept_all, args=(listener, lines), daemon=True).start()
    for word in sys.stdin:
        print(stall(lines, word.strip()), flush=True)


if __name__ == "__main__":
    main()

"""The language server on a port, through a socket."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time

import pytest
from stablehlo_py.cli.lsp import address


def free_port() -> int:
    """A port that no process listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def connected(port: int) -> socket.socket:
    """A connection to the server, which starts meanwhile."""
    end = time.monotonic() + 60
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=60)
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


@pytest.mark.parametrize(
    ("written", "host", "port"),
    [
        ("127.0.0.1:2087", "127.0.0.1", 2087),
        ("localhost:0", "localhost", 0),
        (":65535", "127.0.0.1", 65535),
        ("[::1]:80", "::1", 80),
        ("::1:80", "::1", 80),
    ],
)
def test_addresses(written: str, host: str, port: int) -> None:
    assert address(written) == (host, port)


def test_a_server_on_a_port() -> None:
    port = free_port()
    command = [sys.executable, "-m", "stablehlo_py", "lsp", "--tcp", f"127.0.0.1:{port}"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as server:
        try:
            with connected(port) as client:
                parameters = {"processId": None, "rootUri": None, "capabilities": {}}
                request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters}
                body = json.dumps(request).encode()
                client.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
                found = b""
                while b"serverInfo" not in found and (received := client.recv(65536)):
                    found += received
                assert b'"name":"shlo"' in found.replace(b": ", b":")
                busy = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
                assert busy.returncode == 2 and "Traceback" not in busy.stderr
                assert f"Invalid value for --tcp: 127.0.0.1:{port}: " in busy.stderr
                assert "address already in use" in busy.stderr
        finally:
            server.kill()

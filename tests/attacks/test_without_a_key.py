"""Five attacks without a key: authenticated requests are served, and memory is released.

Each runs against its own server process on loopback, bounded in count and time. Each of them once
stopped the service: documents rebuilt for each caller, unauthenticated requests, public metrics,
endless bodies, and forms of a hundred thousand fields.
"""

import socket
import statistics
import threading
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from uuid import UUID

import pytest

from tests.app.processes.server_process import Served, served
from tests.tenants import SETTINGS

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("processes")]

PING_MAX_S = 1.0
MEMORY_MAX_BYTES = 50 * 1024 * 1024
# An attack lasts for this many pings: the first ones may meet the initial burst, and only the
# lasting effect locks clients out.
PINGS_MIN = 20
ATTACK_S, ATTACK_MAX_S = 5.0, 60.0
PATIENCE_S = 20.0
FORM = b"Content-Type: application/x-www-form-urlencoded\r\nSec-Fetch-Site: same-origin\r\n"


@pytest.fixture(scope="module")
def server(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    folder: Path = tmp_path_factory.mktemp("attacks")
    master_key = SETTINGS.master_key or ""
    with served(folder, database_url=dsn, master_key=master_key, log_level="error") as each:
        # Cached values are built by now.
        for path in ("/openapi.json", "/v2/ping"):
            each.call("GET", path)
        yield each


def connect(server: Served, at: int = 0) -> socket.socket:
    """Connect from one of many addresses."""
    return socket.create_connection(
        ("127.0.0.1", server.port),
        timeout=PATIENCE_S,
        source_address=(f"127.0.2.{at % 200 + 1}", 0),
    )


def send(server: Served, request: bytes, at: int = 0) -> None:
    """Send bytes, and read the response to its end."""
    with closing(connect(server, at)) as sock, suppress(OSError):
        sock.sendall(request)
        while sock.recv(1 << 16):
            pass


@contextmanager
def in_threads(attack: Callable[[int], None], count: int) -> Generator[None]:
    """Repeat the call in this many threads."""
    is_over = threading.Event()

    def run(at: int) -> None:
        while not is_over.is_set():
            with suppress(OSError):
                attack(at)

    threads = [threading.Thread(target=run, args=(at,)) for at in range(count)]
    for each in threads:
        each.start()
    try:
        yield
    finally:
        is_over.set()
        for each in threads:
            each.join()


def pings_s(server: Served) -> list[float]:
    """Return the times of authenticated requests meanwhile."""
    took: list[float] = []
    began = time.monotonic()
    while (passed_s := time.monotonic() - began) < ATTACK_MAX_S:
        if passed_s > ATTACK_S and len(took) >= PINGS_MIN:
            break
        started_at = time.monotonic()
        assert server.call("GET", "/v2/ping")[0] == 200
        took.append(time.monotonic() - started_at)
        assert server.call("GET", "/healthz")[0] == 200
        time.sleep(0.05)
    return took


def memory_bytes(server: Served) -> int:
    """Return the memory of the API process."""
    lines = Path(f"/proc/{server.child('api')}/status").read_text().splitlines()
    (kilobytes,) = [line.split()[1] for line in lines if line.startswith("VmRSS:")]
    return int(kilobytes) * 1024


@contextmanager
def harmless(server: Served) -> Generator[None]:
    """Check the median of pings, and that memory is released a second later."""
    before = memory_bytes(server)
    yield
    time.sleep(1)
    assert memory_bytes(server) - before < MEMORY_MAX_BYTES
    assert server.call("GET", "/v2/ping")[0] == 200


def check_pings(server: Served) -> None:
    assert statistics.median(pings_s(server)) < PING_MAX_S


@pytest.mark.parametrize("path", ["/openapi.json", "/docs/assets/swagger-ui-bundle.js", "/metrics"])
def test_shared_static_content_costs_nothing(server: Served, path: str) -> None:
    request = f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
    with harmless(server), in_threads(lambda at: send(server, request, at), 8):
        check_pings(server)


def test_immediate_disconnects_leave_no_work(server: Served) -> None:
    def attack(at: int) -> None:
        with closing(connect(server, at)) as sock:
            sock.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")

    with harmless(server):
        for at in range(500):
            attack(at)
        check_pings(server)


@pytest.mark.parametrize("path", ["/dashboard/sign-in", "/v2/users"])
def test_unterminated_bodies_do_not_shut_out_clients(server: Served, path: str) -> None:
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\n".encode() + FORM + b"Content-Length: 16000\r\n\r\n"
    with harmless(server), ExitStack() as stack:
        socks: list[socket.socket] = []
        for at in range(830):
            # The system may be slow to accept so many.
            with suppress(OSError):
                sock = stack.enter_context(closing(connect(server, at)))
                sock.sendall(head)
                socks.append(sock)

        def drip(at: int) -> None:
            for each in socks[at::2]:
                with suppress(OSError):
                    each.send(b"a" * 80)
            time.sleep(0.05)

        with in_threads(drip, 2):
            check_pings(server)


@pytest.mark.parametrize("path", ["/dashboard/sign-in", f"/tos/{UUID(int=1)}/accept"])
@pytest.mark.parametrize("size", [4_000, 16_000, 1_000_000])
def test_forms_with_too_many_fields_cost_nothing(server: Served, path: str, size: int) -> None:
    body = b"a&" * (size // 2)
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {size}\r\n"
    request = head.encode() + FORM + b"\r\n" + body
    with harmless(server), in_threads(lambda at: send(server, request, at), 8):
        check_pings(server)


def test_memory_is_released_after_all_slots_were_used(server: Served) -> None:
    head = b"POST /dashboard/sign-in HTTP/1.1\r\nHost: x\r\n" + FORM
    with harmless(server), ExitStack() as stack:
        for at in range(780):
            with suppress(OSError):
                sock = stack.enter_context(closing(connect(server, at)))
                sock.sendall(head + b"Content-Length: 1000000\r\n\r\n")
                sock.settimeout(0.01)
                sock.send(b"a&" * 500_000)
        check_pings(server)

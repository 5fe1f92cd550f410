"""Five attacks without a key: keyed requests are answered, and the memory goes back.

Each runs against a server of its own process on loopback, bounded in count and time. They are what
stopped the service once: documents rebuilt for each caller, requests for nobody, metrics for
everybody, bodies that never end, and forms of a hundred thousand fields.
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

from tests.processes.play import Served, served
from tests.tenants import SETTINGS

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("processes")]

PING_MAX_S = 1.0
MEMORY_MAX_BYTES = 50 * 1024 * 1024
# An attack lasts as long as it takes to ask so often: the first ones may come in the middle of a
# burst, and it is what lasts that shuts people out.
PINGS_MIN = 20
ATTACK_S, ATTACK_MAX_S = 5.0, 60.0
PATIENCE_S = 20.0
FORM = b"Content-Type: application/x-www-form-urlencoded\r\nSec-Fetch-Site: same-origin\r\n"


@pytest.fixture(scope="module")
def server(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    folder: Path = tmp_path_factory.mktemp("attacks")
    master_key = SETTINGS.master_key or ""
    with served(folder, database_url=dsn, master_key=master_key, log_level="error") as each:
        # What is made once is made.
        for path in ("/openapi.json", "/v2/ping"):
            each.call("GET", path)
        yield each


def connect(server: Served, at: int = 0) -> socket.socket:
    """A connection from one of many addresses."""
    return socket.create_connection(
        ("127.0.0.1", server.port),
        timeout=PATIENCE_S,
        source_address=(f"127.0.2.{at % 200 + 1}", 0),
    )


def send(server: Served, request: bytes, at: int = 0) -> None:
    """Send it, and read what comes until it ends."""
    with closing(connect(server, at)) as sock, suppress(OSError):
        sock.sendall(request)
        while sock.recv(1 << 16):
            pass


@contextmanager
def in_threads(attack: Callable[[int], None], count: int) -> Generator[None]:
    """Do it again and again in so many threads."""
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
    """How long keyed requests take meanwhile."""
    took: list[float] = []
    began = time.monotonic()
    while (passed_s := time.monotonic() - began) < ATTACK_MAX_S:
        if passed_s > ATTACK_S and len(took) >= PINGS_MIN:
            break
        asked = time.monotonic()
        assert server.call("GET", "/v2/ping")[0] == 200
        took.append(time.monotonic() - asked)
        assert server.call("GET", "/healthz")[0] == 200
        time.sleep(0.05)
    return took


def memory_bytes(server: Served) -> int:
    """What the API's process has in memory."""
    lines = Path(f"/proc/{server.child('api')}/status").read_text().splitlines()
    (kilobytes,) = [line.split()[1] for line in lines if line.startswith("VmRSS:")]
    return int(kilobytes) * 1024


@contextmanager
def harmless(server: Served) -> Generator[None]:
    """Pings are answered soon, by the median; a second later there is no more memory in use."""
    before = memory_bytes(server)
    yield
    time.sleep(1)
    assert memory_bytes(server) - before < MEMORY_MAX_BYTES
    assert server.call("GET", "/v2/ping")[0] == 200


def check_pings(server: Served) -> None:
    assert statistics.median(pings_s(server)) < PING_MAX_S


@pytest.mark.parametrize("path", ["/openapi.json", "/docs/assets/swagger-ui-bundle.js", "/metrics"])
def test_what_is_the_same_for_everybody_costs_nothing(server: Served, path: str) -> None:
    request = f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
    with harmless(server), in_threads(lambda at: send(server, request, at), 8):
        check_pings(server)


def test_clients_that_go_at_once_leave_no_work(server: Served) -> None:
    def attack(at: int) -> None:
        with closing(connect(server, at)) as sock:
            sock.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")

    with harmless(server):
        for at in range(500):
            attack(at)
        check_pings(server)


@pytest.mark.parametrize("path", ["/dashboard/sign-in", "/v2/users"])
def test_bodies_that_never_end_shut_nobody_out(server: Served, path: str) -> None:
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\n".encode() + FORM + b"Content-Length: 16000\r\n\r\n"
    with harmless(server), ExitStack() as stack:
        socks: list[socket.socket] = []
        for at in range(830):
            # The system itself may be slow to take so many.
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
def test_forms_of_countless_fields_cost_nothing(server: Served, path: str, size: int) -> None:
    body = b"a&" * (size // 2)
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {size}\r\n"
    request = head.encode() + FORM + b"\r\n" + body
    with harmless(server), in_threads(lambda at: send(server, request, at), 8):
        check_pings(server)


def test_all_places_taken_at_once_give_their_memory_back(server: Served) -> None:
    head = b"POST /dashboard/sign-in HTTP/1.1\r\nHost: x\r\n" + FORM
    with harmless(server), ExitStack() as stack:
        for at in range(780):
            with suppress(OSError):
                sock = stack.enter_context(closing(connect(server, at)))
                sock.sendall(head + b"Content-Length: 1000000\r\n\r\n")
                sock.settimeout(0.01)
                sock.send(b"a&" * 500_000)
        check_pings(server)

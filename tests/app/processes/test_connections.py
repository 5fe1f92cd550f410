"""Client behaviour on a connection, with raw sockets against a real server process."""

import select
import socket
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from landbridge.platform.http.connection_admission import CONNECTIONS_MAX
from landbridge.platform.http.connection_limits import (
    HEAD_BYTES_MAX,
    HEAD_S,
    HEADERS_MAX,
    STALL_S,
    UNKNOWN_BODY_S,
    URL_BYTES_MAX,
)
from tests.app.processes.server_process import KEY, Served, served
from tests.tenants import SETTINGS

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("processes")]

PATIENCE_S = 20.0
# Timeout for both sides on a busy machine; whatever ends sooner still ends first.
LATE_S = 15.0
TRIES = 40
# Number of attempts, each from an address that no other test uses.
ROUNDS, ROUNDS_FROM = 5, 40
# Other tests have encrypted values in this database.
MASTER_KEY = SETTINGS.master_key or ""
PING = b"GET /v2/ping HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + KEY.encode() + b"\r\n\r\n"
POST = (
    b"POST /v2/tos-link HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + KEY.encode() + b"\r\n"
    b"Content-Type: application/json\r\n"
)
SIGN_IN = (
    b"POST /dashboard/sign-in HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n"
)
PER_ADDRESS = SETTINGS.connections_per_address


@pytest.fixture(scope="module")
def server(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    folder: Path = tmp_path_factory.mktemp("connections")
    with served(folder, database_url=dsn, master_key=MASTER_KEY, log_format="json") as each:
        yield each


def connect(server: Served) -> "closing[socket.socket]":
    return closing(socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S))


def status(sock: socket.socket) -> int:
    """Return the status of one response, read completely; 0 if the connection ended without one."""
    data = b""
    with suppress(ConnectionError):
        while b"\r\n\r\n" not in data and (piece := sock.recv(1 << 16)):
            data += piece
    if not data:
        return 0
    head, _, body = data.partition(b"\r\n\r\n")
    (length,) = [
        int(line.split(b":")[1])
        for line in head.lower().split(b"\r\n")
        if line.startswith(b"content-length:")
    ]
    while len(body) < length:
        body += sock.recv(1 << 16)
    return int(head.split(b" ")[1])


def flood(sock: socket.socket, begin: bytes, more: bytes, *, bytes_max: int) -> tuple[int, int]:
    """Send `more` until the server stops it; return the response and the number of bytes sent."""
    sock.sendall(begin)
    sent = 0
    sock.settimeout(0)
    with suppress(ConnectionError):
        while sent < bytes_max:
            try:
                sent += sock.send(more)
            except BlockingIOError:
                time.sleep(0.001)
            with suppress(BlockingIOError):
                if sock.recv(1, socket.MSG_PEEK):
                    break
    sock.settimeout(PATIENCE_S)
    return status(sock), sent


def is_answered(sock: socket.socket) -> bool:
    """Return whether data arrives; False if the connection ends without any."""
    try:
        return sock.recv(1, socket.MSG_PEEK) != b""
    except ConnectionError:
        return False


def is_ended(sock: socket.socket) -> bool:
    """Return whether the other side has closed the connection."""
    sock.settimeout(0.01)
    try:
        return sock.recv(1) == b""
    except TimeoutError:
        return False
    except ConnectionError:
        return True


@pytest.mark.parametrize(
    ("begin", "more", "expected"),
    [
        (b"GET / HTTP/1.1\r\n", b"X-Some: value\r\n" * 64, 431),
        (b"GET / HTTP/1.1\r\nX-Some: ", b"v" * 1024, 431),
        (b"GET / HTTP/1.1\r\n", b"n" * 1024, 431),
        (b"", b"\r\n" * 512, 431),
        (b"GET /", b"p" * 1024, 414),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X-Some: value\r\n" * 64, 400),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX-Some: ", b"v" * 1024, 400),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n5;some=", b"e" * 1024, 400),
    ],
    ids=["headers", "value", "name", "blanks", "url", "trailers", "trailer", "extension"],
)
def test_unterminated_request_is_refused_soon(
    server: Served, begin: bytes, more: bytes, expected: int
) -> None:
    with connect(server) as sock:
        answer, sent = flood(sock, begin, more, bytes_max=100_000_000)
    assert answer == expected
    # Most of it was in buffers when the response came.
    assert sent < 10_000_000
    assert server.call("GET", "/v2/ping")[0] == 200


def test_refusal_below_the_reporting_routes_uses_their_envelope(server: Served) -> None:
    begin = b"GET /v2/reporting/templates?q=" + b"q" * (URL_BYTES_MAX + 4096)
    with connect(server) as sock:
        sock.sendall(begin + b" HTTP/1.1\r\n\r\n")
        answer = b""
        while piece := sock.recv(1 << 16):
            answer += piece
    assert answer.startswith(b"HTTP/1.1 414 ")
    assert b'"status":"error","error":{"code":"FIELD_VALIDATION_ERROR"' in answer
    page = f"http://127.0.0.1:{server.port}/docs/errors#field_validation_error"
    assert f'"docUrl":"{page}"'.encode() in answer


def test_request_within_the_bounds_is_answered(server: Served) -> None:
    query = b"?q=" + b"q" * (URL_BYTES_MAX - 100)
    headers = b"".join(b"X-%d: %s\r\n" % (each, b"v" * 100) for each in range(HEADERS_MAX - 10))
    padding = HEAD_BYTES_MAX - len(query) - len(headers) - 1000
    head = PING.replace(b"/v2/ping", b"/v2/ping" + query).removesuffix(b"\r\n") + headers
    with connect(server) as sock:
        sock.sendall(head + b"X-More: " + b"v" * padding + b"\r\n\r\n")
        assert status(sock) == 200
        # And again on the same connection.
        sock.sendall(PING)
        assert status(sock) == 200


def test_a_body_in_chunks_of_one_byte_is_read(server: Served) -> None:
    body = b'{"idempotencyKey": "0197f6a0-0000-7000-8000-00000000c0de"}' + b" " * 1_000
    chunks = b"".join(b"1\r\n%c\r\n" % each for each in body)
    with connect(server) as sock:
        sock.sendall(POST + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\nX: y\r\n\r\n")
        assert status(sock) == 200


def test_many_chunks_of_a_few_bytes_are_refused_and_larger_ones_read(server: Served) -> None:
    # Ten clients that sent nothing else delayed all others by seconds.
    body = b'{"idempotencyKey": "0197f6a0-0000-7000-8000-00000000c0de"}' + b" " * 20_000
    for size, expected in ((1, 400), (64, 200)):
        pieces = [body[at : at + size] for at in range(0, len(body), size)]
        chunks = b"".join(b"%x\r\n%s\r\n" % (len(each), each) for each in pieces)
        with connect(server) as sock:
            sock.sendall(POST + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n")
            assert status(sock) == expected, size


def test_too_many_headers_and_non_http_bytes_are_refused(server: Served) -> None:
    with connect(server) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * (HEADERS_MAX + 1) + b"\r\n")
        assert status(sock) == 431
        assert is_ended(sock)
    with connect(server) as sock:
        sock.sendall(b"\x16\x03\x01 this is not HTTP at all\r\n\r\n")
        assert status(sock) == 400


def test_pipelined_requests_are_answered_in_order(server: Served) -> None:
    healthz = b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n"
    with connect(server) as sock:
        sock.sendall((PING + healthz) * 300)
        answers = b""
        while answers.count(b"HTTP/1.1 ") < 600:
            piece = sock.recv(1 << 16)
            assert piece
            answers += piece
    found = [part[:3] for part in answers.split(b"HTTP/1.1 ")[1:]]
    assert found == [b"200", b"404"] * 300


def test_bad_request_does_not_replace_the_previous_response(server: Served) -> None:
    with connect(server) as sock:
        sock.sendall(PING + b"not http\r\n\r\n")
        assert status(sock) == 200
        assert is_ended(sock)


def test_slow_clients_are_cut_off_and_others_are_not(server: Served) -> None:
    drips: dict[str, tuple[bytes, Callable[[], bytes]]] = {
        "head": (b"GET / HTTP/1.1\r\nHost: x\r\n", lambda: b"X: y\r\n"),
        "body": (POST + b"Content-Length: 1000\r\n\r\n", lambda: b" "),
        "idle": (b"", lambda: b""),
        "blanks": (b"", lambda: b"\r\n"),
    }
    took: dict[str, float] = {}
    began = time.monotonic()
    with ExitStack() as stack:
        socks = {name: stack.enter_context(connect(server)) for name in drips}
        unread = stack.enter_context(connect(server))
        unread.settimeout(0)
        for name, sock in socks.items():
            sock.sendall(drips[name][0])
        while len(took) < len(drips) + 1 and time.monotonic() - began < STALL_S * 3:
            with suppress(BlockingIOError, ConnectionError):
                while True:
                    unread.send(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")
            for name, sock in socks.items():
                if name in took:
                    continue
                sock.settimeout(0.01)
                # Closed while data was in transit, it is reset; the response remains readable.
                with suppress(ConnectionError):
                    sock.sendall(drips[name][1]())
                with suppress(TimeoutError):
                    if is_answered(sock):
                        sock.settimeout(PATIENCE_S)
                        assert status(sock) == 408
                    took[name] = time.monotonic() - began
            if "unread" not in took and not _is_connected(unread):
                took["unread"] = time.monotonic() - began
            assert server.call("GET", "/healthz")[0] == 200
            time.sleep(0.25)
    assert set(took) == {*drips, "unread"}
    assert HEAD_S <= took["head"] < HEAD_S + LATE_S
    for name in ("body", "idle", "blanks"):
        assert STALL_S <= took[name] < STALL_S + LATE_S, took
    assert took["unread"] < STALL_S * 2


def _is_connected(sock: socket.socket) -> bool:
    """Return whether the system still has the connection, without reading."""
    state = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)
    return state == b"\x01"


def test_many_idle_connections_do_not_shut_out_clients(server: Served) -> None:
    with ExitStack() as stack:
        idle = [stack.enter_context(connect(server)) for _ in range(CONNECTIONS_MAX + 50)]
        for _ in range(5):
            assert server.call("GET", "/healthz")[0] == 200
            assert server.call("GET", "/v2/ping")[0] == 200
        assert is_ended(idle[0])
        assert not is_ended(idle[-1])


def test_excess_connection_is_refused_when_all_others_are_busy(server: Served) -> None:
    with ExitStack() as stack:
        at_work(server, stack, (at // PER_ADDRESS for at in range(CONNECTIONS_MAX)))
        # On a busy machine, a connection whose request was not yet noticed lost its slot to one of
        # these, which is then served instead.
        assert any(is_one_refused(server, stack, ROUNDS_FROM + at) for at in range(ROUNDS))
        # Extra slots are reserved for health checks.
        assert healthz_from(server, 21) == 200
    # New connections are served again once the server has noticed that the others are closed.
    for _ in range(TRIES):
        if server.call("GET", "/v2/ping")[0] == 200:
            return
        time.sleep(0.5)
    raise AssertionError("nobody is let in again")


def is_one_refused(server: Served, stack: ExitStack, at: int) -> bool:
    """Return whether one of many more connections from one address gets no slot."""
    others = [stack.enter_context(connect_from(server, at)) for _ in range(TRIES)]
    for each in others:
        # Its request head was not awaited, so it may have a slot.
        with suppress(ConnectionError):
            each.sendall(POST + b"Content-Length: 1000\r\n\r\n{")
    return any(is_refused(each) for each in others)


def is_refused(sock: socket.socket) -> bool:
    sock.settimeout(0.2)
    try:
        return status(sock) == 503
    except TimeoutError:
        return False


def connect_from(server: Served, at: int) -> socket.socket:
    """Open a connection from another address of this machine."""
    return socket.create_connection(
        ("127.0.0.1", server.port),
        timeout=PATIENCE_S,
        source_address=(f"127.0.1.{at + 1}", 0),
    )


def at_work(server: Served, stack: ExitStack, places: Iterable[int]) -> None:
    """Return connections with a key and an awaited request, from these addresses."""
    socks = [stack.enter_context(connect_from(server, at)) for at in places]
    for sock in socks:
        sock.sendall(PING)
    for sock in socks:
        assert status(sock) == 200
        sock.sendall(POST + b"Content-Length: 1000\r\n\r\n{")
    # The last one's key has been looked up.
    time.sleep(1)


def healthz_from(server: Served, at: int) -> int:
    with connect_from(server, at) as sock:
        sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        return status(sock)


def test_connections_per_address_are_bounded(server: Served) -> None:
    with ExitStack() as stack:
        idle = [stack.enter_context(connect_from(server, 30)) for _ in range(10)]
        at_work(server, stack, [30] * PER_ADDRESS)
        # Its own idle connections were closed first; then none could be.
        assert all(is_ended(each) for each in idle)
        refused = stack.enter_context(connect_from(server, 30))
        assert status(refused) == 503
        # Others have theirs.
        assert healthz_from(server, 31) == 200


def test_unauthenticated_client_has_a_few_seconds_for_a_body(server: Served) -> None:
    with connect(server) as outsider, connect(server) as customer:
        began = time.monotonic()
        outsider.sendall(SIGN_IN + b"Content-Length: 1000\r\n\r\n")
        customer.sendall(POST + b"Content-Length: 1000\r\n\r\n")
        while not is_readable(outsider):
            assert time.monotonic() - began < UNKNOWN_BODY_S + LATE_S
            outsider.sendall(b"a")
            customer.sendall(b" ")
            time.sleep(0.25)
        assert status(outsider) == 408
        assert time.monotonic() - began >= UNKNOWN_BODY_S
        assert not is_readable(customer)


def is_readable(sock: socket.socket) -> bool:
    return bool(select.select([sock], [], [], 0)[0])


def test_client_disconnect_during_its_body_is_not_an_error(server: Served) -> None:
    with connect(server) as sock:
        sock.sendall(POST + b"X-Request-Id: gone-away\r\nContent-Length: 1000\r\n\r\n{")
        time.sleep(0.5)
    server.await_output("gone-away")
    lines = [each for each in server.output.read_text().splitlines() if "gone-away" in each]
    assert any('"status":400' in each for each in lines), lines
    assert not any("http.broken" in each or '"status":500' in each for each in lines)

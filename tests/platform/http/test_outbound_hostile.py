"""No customer request ever reaches a server on this machine."""

import asyncio
import re
import socket
import ssl
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack
from ipaddress import ip_address
from pathlib import Path

import pytest

from landbridge.platform.http.egress import Egress, EgressResponse
from landbridge.platform.http.egress_addresses import Address, is_forbidden
from tests.certificates import certificate
from tests.platform.http import hostile
from tests.platform.http.listeners import OWN, PORT, Listener, listening

NAME = "hooks.example.com"
URL = f"https://{NAME}:{PORT}/landbridge"
# Addresses that a sandbox may send to.
OWN_URL = re.compile(
    r"https?://(localhost|127(\.(0|[1-9]\d*)){3}|\[[0:]+:0*1\])[:/?]", re.IGNORECASE
)
NOT_PUBLIC = "the name leads to an address that is not public"


class Names:
    """Name server with scripted answers, one list after the other."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers = list(answers)
        self.lookups: list[str] = []

    async def __call__(self, host: str) -> Sequence[str]:
        self.lookups.append(host)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def forbids_but_own(address: Address) -> bool:
    """Apply the production rules, except for one address that stands for a public one."""
    return str(address) != OWN and is_forbidden(address)


def trust(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    return certificate(folder, NAME)


async def post(egress: Egress, url: str = URL, *, timeout_s: float = 3) -> EgressResponse:
    return await egress.post(
        url,
        body=b'{"a":1}',
        headers={"Content-Type": "application/json"},
        timeout_s=timeout_s,
        read_max=1_000,
        text_max=100,
        share=None,
    )


@pytest.fixture
async def traps(alone: None) -> AsyncGenerator[list[Listener]]:
    """Listeners on every address of this machine: a free port, and the port for webhooks.

    They speak no TLS, so that a connection counts before anything is agreed on.
    """
    every = ["0.0.0.0", "::"]  # noqa: S104 - so that no address of this machine is missed
    async with AsyncExitStack() as stack:
        found = [await stack.enter_async_context(listening(hosts=every[0]))]
        for host, port in ((every[1], found[0].port), (every[0], PORT), (every[1], PORT)):
            found.append(await stack.enter_async_context(listening(hosts=host, port=port)))
        yield found


async def came(traps: list[Listener]) -> int:
    """Return the number of connections, including those not accepted yet."""
    await asyncio.sleep(0.02)
    return sum(each.connections for each in traps)


async def test_no_hostile_url_reaches_a_server(traps: list[Listener]) -> None:
    names = Names(["127.0.0.1"])
    egress = Egress(allows_loopback=False, names=names)
    urls = hostile.urls(traps[0].port)
    for url in urls:
        answer = await post(egress, url)
        assert (answer.status, answer.text) == (None, None), url
        assert answer.error is not None
        assert answer.error.startswith("the address must "), url
    assert len(urls) > 600
    assert await came(traps) == 0
    # None of the names in these URLs is resolved.
    assert names.lookups == []
    await egress.close()


async def test_a_sandbox_reaches_this_machine_and_no_more(traps: list[Listener]) -> None:
    names = Names(["127.0.0.1"])
    egress = Egress(allows_loopback=True, names=names)
    for url in hostile.urls(traps[0].port):
        if not OWN_URL.match(url):
            assert (await post(egress, url)).error is not None, url
    assert await came(traps) == 0
    assert names.lookups == []
    for host in sorted(hostile.OWN_HOSTS):
        host_ = f"[{host}]" if ":" in host else host
        answer = await post(egress, f"http://{host_}:{traps[0].port}/")
        assert (answer.status, answer.text) == (200, "ok")
    assert names.lookups == []
    await egress.close()


@pytest.mark.parametrize("allows_loopback", [False, True])
async def test_no_name_resolves_to_a_forbidden_address(
    traps: list[Listener], *, allows_loopback: bool
) -> None:
    forbidden = [each for each in (*hostile.NUMBERS, *hostile.SIXES) if is_usual(each)]
    found = {f"h{number}.example.com": each for number, each in enumerate(forbidden)}

    async def names(host: str) -> Sequence[str]:
        return [found[host]]

    egress = Egress(allows_loopback=allows_loopback, names=names)
    for host, each in found.items():
        assert (await post(egress, f"https://{host}:{PORT}/")).error == NOT_PUBLIC, each
    assert len(found) > 80
    assert await came(traps) == 0
    await egress.close()


def is_usual(address: str) -> bool:
    try:
        return bool(ip_address(address))
    except ValueError:
        return False


@pytest.mark.parametrize(
    "found",
    [
        [OWN, "127.0.0.1"],
        ["127.0.0.1", OWN],
        [OWN, "::1"],
        ["::1", OWN],
        [OWN, "169.254.169.254"],
        [OWN, "8.8.8.8", "2606:4700::1111", "fd00:ec2::254"],
        [OWN, "::ffff:127.0.0.1"],
        [OWN, "fe80::1%lo"],
    ],
    ids=range(8),
)
async def test_one_forbidden_address_refuses_the_name(
    traps: list[Listener], found: list[str]
) -> None:
    egress = Egress(allows_loopback=False, names=Names(found), forbids=forbids_but_own)
    assert (await post(egress)).error == NOT_PUBLIC
    assert await came(traps) == 0
    await egress.close()


async def test_changing_dns_answer_is_checked_each_time(tmp_path: Path, alone: None) -> None:
    ours, theirs = trust(tmp_path)
    names = Names([OWN], ["127.0.0.1"])
    egress = Egress(allows_loopback=False, names=names, tls=theirs, forbids=forbids_but_own)
    async with (
        listening(hosts=OWN, port=PORT, tls=ours) as good,
        listening(hosts="127.0.0.1", port=PORT, tls=ours) as bad,
    ):
        assert (await post(egress)).status == 200
        # One lookup, and the connection used the checked address.
        assert (names.lookups, good.connections, bad.connections) == ([NAME], 1, 0)
        # The keep-alive connection stays with its address.
        assert (await post(egress)).status == 200
        assert (names.lookups, good.connections) == ([NAME], 1)
        await egress.close()
        assert (await post(egress)).error == NOT_PUBLIC
        assert names.lookups == [NAME, NAME]
        assert (good.connections, bad.connections) == (1, 0)
        await egress.close()


async def test_connection_uses_the_checked_address_with_host_and_certificate(
    tmp_path: Path, alone: None
) -> None:
    ours, theirs = trust(tmp_path)
    requests: list[str | None] = []
    ours.sni_callback = lambda _socket, name, _context: requests.append(name)
    egress = Egress(allows_loopback=False, names=Names([OWN]), tls=theirs, forbids=forbids_but_own)
    async with listening(hosts=OWN, port=PORT, tls=ours) as good:
        assert (await post(egress)).status == 200
    assert requests == [NAME]
    head, body = good.requests[0]
    assert head.startswith("POST /landbridge HTTP/1.1\r\n")
    assert f"\r\nHost: {NAME}:{PORT}\r\n" in head
    assert body == b'{"a":1}'
    await egress.close()


async def test_wrongly_allowed_address_is_still_not_connected(traps: list[Listener]) -> None:
    """The second check applies if the first one has a gap."""
    calls = 0

    def forbids_later(_: Address) -> bool:
        nonlocal calls
        calls += 1
        return calls > 1

    egress = Egress(allows_loopback=False, names=Names(["127.0.0.1"]), forbids=forbids_later)
    assert (await post(egress)).error == NOT_PUBLIC
    assert calls == 2
    assert await came(traps) == 0
    await egress.close()


async def test_the_traps_count(traps: list[Listener]) -> None:
    """Without the checks the refused requests arrive, so the counts above are meaningful."""
    for count, found in enumerate(("127.0.0.1", "::1", "127.1.2.3", OWN, "0.0.0.0", "::"), start=1):  # noqa: S104
        egress = Egress(allows_loopback=False, names=Names([found]), forbids=lambda _: False)
        assert (await post(egress, timeout_s=0.2)).status is None
        assert await came(traps) == count, found
        await egress.close()


async def test_no_proxy_or_password_of_the_environment_is_used(
    traps: list[Listener], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login ours password secret\n", encoding="utf-8")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    async with listening() as proxy:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        egress = Egress(allows_loopback=True, names=Names(["127.0.0.1"]))
        url = f"http://127.0.0.1:{traps[0].port}/"
        assert (await post(egress, url)).status == 200
        assert (await post(egress)).error == NOT_PUBLIC
        assert proxy.connections == 0
    assert "Authorization" not in traps[0].requests[0][0]
    await egress.close()


async def test_unresolvable_name_is_reported() -> None:
    async def nowhere(host: str) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, host)

    for names in (nowhere, Names([])):
        egress = Egress(allows_loopback=False, names=names)
        assert (await post(egress)).error == "the name does not resolve"
        await egress.close()


async def test_names_are_resolved_by_the_system() -> None:
    egress = Egress(allows_loopback=False)
    answer = await post(egress, "https://nobody.invalid/", timeout_s=1)
    # The latter if the system's name server is unreachable.
    assert answer.error in {"the name does not resolve", "no answer within 1 s"}
    await egress.close()

"""Organisations do not use up each other's connections and lookups, nor those of the platform."""

import asyncio
import os
import resource
import socket
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from landbridge.platform.http import egress as module
from landbridge.platform.http.egress import Egress, EgressResponse
from tests.platform.http.listeners import OK, Listener, listening, until
from tests.platform.http.test_egress import post

pytestmark = pytest.mark.long

PLACE_S = 0.2


async def hang(self: Listener, reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await self.read(reader)
    await asyncio.sleep(60)


class Names:
    """Name server that never answers for something.slow.example."""

    def __init__(self) -> None:
        self.lookups: list[str] = []

    async def __call__(self, host: str) -> Sequence[str]:
        self.lookups.append(host)
        if host.endswith(".slow.example"):
            await asyncio.sleep(60)
        if host.endswith(".none.example"):
            raise socket.gaierror(socket.EAI_NONAME, "not known")
        return ["127.0.0.1"]


async def send_request(
    egress: Egress, host: str, *, share: str, timeout_s: float = 5
) -> EgressResponse:
    return await egress.post(
        f"https://{host}/",
        body=b"",
        headers={},
        timeout_s=timeout_s,
        read_max=1,
        text_max=1,
        share=share,
    )


async def test_organisation_has_a_share_of_all_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_SLOT_WAIT_S", 60)
    egress = Egress(allows_loopback=True, connections=8)
    async with listening(hang) as slow, listening() as quick:
        began_s = time.monotonic()
        hanging = [
            asyncio.create_task(post(egress, slow, timeout_s=2, share="a")) for _ in range(8)
        ]
        await until(lambda: slow.connections == 4)
        assert (await post(egress, quick, share="b")).status == 200
        assert (slow.connections, any(each.done() for each in hanging)) == (4, False)
        # They wait for each other, and none of them fails.
        response = await asyncio.gather(*hanging)
        all_took_ms = 1000 * (time.monotonic() - began_s)
    assert {each.error for each in response} == {"no answer within 2 s"}
    assert not any(each.is_ours for each in response)
    # The waiting time does not count as the receiver's: half of the total, and not all.
    assert max(each.took_ms for each in response) < 0.75 * all_took_ms
    assert slow.connections == 8
    await egress.close()


async def test_missing_slot_does_not_count_against_the_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_SLOT_WAIT_S", PLACE_S)
    egress = Egress(allows_loopback=True, connections=2)
    async with listening(hang) as slow, listening() as quick:
        first = asyncio.create_task(post(egress, slow, timeout_s=1, share="a"))
        await asyncio.sleep(0.05)
        response = await post(egress, quick, share="a")
        assert (response.status, response.is_ours, quick.connections) == (None, True, 0)
        assert not (await first).is_ours
        assert (await post(egress, quick, share="a")).status == 200
    await egress.close()


async def test_missing_descriptors_do_not_count_against_the_address() -> None:
    egress = Egress(allows_loopback=True)
    async with listening() as found:
        assert (await post(egress, found)).status == 200
        await asyncio.sleep(0)
        async with listening() as other:
            with no_descriptors():
                response = await post(egress, other)
            assert (response.status, response.is_ours) == (None, True)
            assert (await post(egress, other)).status == 200
    await egress.close()


@contextmanager
def no_descriptors() -> Generator[None]:
    """Exhaust the file descriptors of this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    created = [os.open(os.devnull, os.O_RDONLY)]
    most = max(int(each.name) for each in Path("/dev/fd").iterdir()) + 8
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    try:
        with suppress(OSError):
            while True:
                created.append(os.dup(created[0]))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for each in created:
            os.close(each)


async def test_hanging_names_do_not_delay_other_organisations() -> None:
    names = Names()
    egress = Egress(allows_loopback=False, names=names)
    hanging = [
        asyncio.create_task(send_request(egress, f"{n}.slow.example", share="a", timeout_s=3))
        for n in range(30)
    ]
    await asyncio.sleep(0.05)
    assert len(names.lookups) == 8
    for n in range(8):
        response = await send_request(egress, f"{n}.good.example", share="b")
        assert response.error == "the name leads to an address that is not public"
    assert not any(each.done() for each in hanging)
    answers = await asyncio.gather(*hanging)
    assert [each.error for each in answers[:8]] == ["no answer within 3 s"] * 8
    # The others were never requested: that is not their failure.
    assert [each.is_ours for each in answers] == [False] * 8 + [True] * 22
    # A lookup cannot be cancelled: its slot is used while it hangs.
    assert (await send_request(egress, "more.good.example", share="a", timeout_s=0.1)).is_ours
    await egress.close()


async def test_unresolvable_name_is_cached() -> None:
    names = Names()
    egress = Egress(allows_loopback=False, names=names)
    for _ in range(5):
        response = await asyncio.gather(
            *(send_request(egress, "a.none.example", share=share) for share in "abcd")
        )
        assert {each.error for each in response} == {"the name does not resolve"}
    assert names.lookups == ["a.none.example"]
    await egress.close()


async def test_connection_pools_are_per_organisation(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that is cancelled while it waits passes its slot on."""
    monkeypatch.setattr(module, "_SLOT_WAIT_S", PLACE_S)
    egress = Egress(allows_loopback=True, connections=2)
    async with listening(hang) as slow, listening(_ok) as quick:
        first = asyncio.create_task(post(egress, slow, share="a"))
        second = asyncio.create_task(post(egress, slow, share="a"))
        await asyncio.sleep(0.05)
        second.cancel()
        first.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        assert (await post(egress, quick, share="a")).status == 200
    await egress.close()


async def _ok(self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while await self.read(reader):
        writer.write(OK)

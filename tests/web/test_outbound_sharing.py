"""One organisation's trouble takes no other's connections and look-ups; ours is nobody's."""

import asyncio
import os
import resource
import socket
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from landbridge.web import outbound as module
from landbridge.web.outbound import Answer, Outbound
from tests.web.listeners import OK, Listener, listening, until
from tests.web.test_outbound import post

PLACE_S = 0.2


async def hang(self: Listener, reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await self.read(reader)
    await asyncio.sleep(60)


class Names:
    """A name server that answers nobody who asks for something.slow.example."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        if host.endswith(".slow.example"):
            await asyncio.sleep(60)
        if host.endswith(".none.example"):
            raise socket.gaierror(socket.EAI_NONAME, "not known")
        return ["127.0.0.1"]


async def ask(outbound: Outbound, host: str, *, share: str, timeout_s: float = 5) -> Answer:
    return await outbound.post(
        f"https://{host}/",
        body=b"",
        headers={},
        timeout_s=timeout_s,
        read_max=1,
        text_max=1,
        share=share,
    )


async def test_an_organisation_has_a_part_of_all_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_PLACE_S", 60)
    outbound = Outbound(allows_loopback=True, connections=8)
    async with listening(hang) as slow, listening() as quick:
        began_s = time.monotonic()
        hanging = [
            asyncio.create_task(post(outbound, slow, timeout_s=2, share="a")) for _ in range(8)
        ]
        await until(lambda: slow.connections == 4)
        assert (await post(outbound, quick, share="b")).status == 200
        assert (slow.connections, any(each.done() for each in hanging)) == (4, False)
        # Theirs wait for each other, and none of them fails for that.
        came = await asyncio.gather(*hanging)
        all_took_ms = 1000 * (time.monotonic() - began_s)
    assert {each.error for each in came} == {"no answer within 2 s"}
    assert not any(each.is_ours for each in came)
    # The time that it waited is none that the receiver took: half of it all, and not all.
    assert max(each.took_ms for each in came) < 0.75 * all_took_ms
    assert slow.connections == 8
    await outbound.close()


async def test_without_a_place_nothing_is_held_against_the_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_PLACE_S", PLACE_S)
    outbound = Outbound(allows_loopback=True, connections=2)
    async with listening(hang) as slow, listening() as quick:
        first = asyncio.create_task(post(outbound, slow, timeout_s=1, share="a"))
        await asyncio.sleep(0.05)
        came = await post(outbound, quick, share="a")
        assert (came.status, came.is_ours, quick.connections) == (None, True, 0)
        assert not (await first).is_ours
        assert (await post(outbound, quick, share="a")).status == 200
    await outbound.close()


async def test_without_descriptors_nothing_is_held_against_the_address() -> None:
    outbound = Outbound(allows_loopback=True)
    async with listening() as found:
        assert (await post(outbound, found)).status == 200
        await asyncio.sleep(0)
        async with listening() as other:
            with no_descriptors():
                came = await post(outbound, other)
            assert (came.status, came.is_ours) == (None, True)
            assert (await post(outbound, other)).status == 200
    await outbound.close()


@contextmanager
def no_descriptors() -> Generator[None]:
    """This process can open nothing."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    opened = [os.open(os.devnull, os.O_RDONLY)]
    most = max(int(each.name) for each in Path("/dev/fd").iterdir()) + 8
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    try:
        with suppress(OSError):
            while True:
                opened.append(os.dup(opened[0]))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for each in opened:
            os.close(each)


async def test_names_that_hang_hold_up_no_other_organisation() -> None:
    names = Names()
    outbound = Outbound(allows_loopback=False, names=names)
    hanging = [
        asyncio.create_task(ask(outbound, f"{n}.slow.example", share="a", timeout_s=3))
        for n in range(30)
    ]
    await asyncio.sleep(0.05)
    assert len(names.asked) == 8
    for n in range(8):
        came = await ask(outbound, f"{n}.good.example", share="b")
        assert came.error == "the name leads to an address that is not public"
    assert not any(each.done() for each in hanging)
    answers = await asyncio.gather(*hanging)
    assert [each.error for each in answers[:8]] == ["no answer within 3 s"] * 8
    # The others were never asked for: that is not their failure.
    assert [each.is_ours for each in answers] == [False] * 8 + [True] * 22
    # Nobody stops a look-up: its place is taken for as long as it hangs.
    assert (await ask(outbound, "more.good.example", share="a", timeout_s=0.1)).is_ours
    await outbound.close()


async def test_a_name_that_leads_nowhere_is_not_asked_for_each_time() -> None:
    names = Names()
    outbound = Outbound(allows_loopback=False, names=names)
    for _ in range(5):
        came = await asyncio.gather(
            *(ask(outbound, "a.none.example", share=share) for share in "abcd")
        )
        assert {each.error for each in came} == {"the name does not resolve"}
    assert names.asked == ["a.none.example"]
    await outbound.close()


async def test_the_pool_of_one_is_nobody_elses(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that is given up while it waits gives its place on."""
    monkeypatch.setattr(module, "_PLACE_S", PLACE_S)
    outbound = Outbound(allows_loopback=True, connections=2)
    async with listening(hang) as slow, listening(_ok) as quick:
        first = asyncio.create_task(post(outbound, slow, share="a"))
        second = asyncio.create_task(post(outbound, slow, share="a"))
        await asyncio.sleep(0.05)
        second.cancel()
        first.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        assert (await post(outbound, quick, share="a")).status == 200
    await outbound.close()


async def _ok(self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while await self.read(reader):
        writer.write(OK)

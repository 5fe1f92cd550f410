"""One organisation that generates keys without pause delays nothing of others."""

import asyncio
import threading
from uuid import UUID

import pytest

from landbridge.developers.webhooks import keys
from landbridge.developers.webhooks.keys import KeyGeneration, KeyPair, new_pair
from tests.developers.webhooks.endpoints import URL, WEBHOOKS
from tests.tenants import Tenant

# More than a process has threads for other work.
_MANY = 40
_FIRST, _SECOND = UUID(int=1), UUID(int=2)


async def test_slow_keys_of_one_organisation_take_no_thread_of_other_work(
    org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = asyncio.Event(), threading.Event()
    loop, pair = asyncio.get_running_loop(), new_pair()

    def slow_pair() -> KeyPair:
        loop.call_soon_threadsafe(begun.set)
        go_on.wait(60)
        return pair

    monkeypatch.setattr(keys, "new_pair", slow_pair)
    body = {"url": URL}
    creating = [asyncio.create_task(org.send("POST", WEBHOOKS, body)) for _ in range(_MANY)]
    try:
        await begun.wait()
        await asyncio.sleep(0.2)
        assert await asyncio.wait_for(asyncio.to_thread(lambda: 1), 10) == 1
    finally:
        go_on.set()
        answers = await asyncio.gather(*creating)
    assert {each.status_code for each in answers} == {200, 409}


async def test_organisations_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "new_pair", lambda: KeyPair(b"", ""))
    generation, served = KeyGeneration(), list[UUID]()

    async def generate(org_id: UUID) -> None:
        await generation.new_pair(org_id)
        served.append(org_id)

    await asyncio.gather(*(generate(_FIRST) for _ in range(10)), generate(_SECOND))
    assert served.index(_SECOND) <= 2

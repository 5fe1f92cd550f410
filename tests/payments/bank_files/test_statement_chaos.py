"""Contradicting bank statements and reviewers at once: each payout ends once, and books agree."""

import asyncio
import random
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import msgspec
import pytest

from landbridge.app.container import Container, wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import KeyScope
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.iso20022 import pain001
from landbridge.providers.iso20022.messages import Transaction, TransactionStatus
from tests.long import few_of
from tests.payments.bank_files.builders import USD, funding
from tests.payments.bank_files.inbound_files import report, statement, transaction
from tests.payouts import (
    accept,
    check_books,
    make_account,
    make_offramp,
    make_payee,
    shown,
    way,
)
from tests.resolution_team import make_person
from tests.tenants import SETTINGS, Tenant, held, make_tenant, run_due, served

_PAYOUTS = 6
_CENTS = 10_000
_RESOLUTIONS = ("NO_ACTION", "HANDLED", "DUPLICATE", "SETTLE", "FAIL", "RETURN")


@pytest.fixture
async def container(database: Database) -> Container:
    settings = msgspec.structs.replace(SETTINGS, rails="files")
    return wire(settings, database, Clock(await take_node(database)))


@pytest.fixture
async def client(container: Container) -> AsyncIterator[httpx2.AsyncClient]:
    async with served(container) as client:
        yield client


@pytest.mark.long
@pytest.mark.parametrize("seed", few_of([1, 3]))
async def test_contradicting_lines_and_reviewers_end_each_payout_once(
    container: Container, client: httpx2.AsyncClient, tmp_path: Path, seed: int
) -> None:
    dice = random.Random(seed)  # noqa: S311  a repeatable story
    org = await make_tenant(container, client)
    await container.funding_accounts.set(
        org.org_id, funding(USD, tmp_path), actor="test", at=container.clock.stamp()
    )
    user = await make_payee(org)
    offramps = list[dict[str, Any]]()
    for _ in range(_PAYOUTS):
        offramp = await make_offramp(org, user, await make_account(org, user, way("us", "wire")))
        await accept(org, offramp)
        offramps.append(offramp)
    await run_due(org)
    await container.bank_file_writer.run({org.org_id: timedelta()}, is_early=True)
    keys = [
        each.end_to_end_id
        for file in sorted((tmp_path / "out").iterdir())
        for each in pain001.read(file.read_bytes()).transfers
    ]
    assert len(keys) == _PAYOUTS
    reviewers = [await make_person(org, name, [KeyScope.REVIEW]) for name in ("Ada", "Bob")]
    for number in range(4):
        _deliver(dice, tmp_path, keys, number)
        offsets = {org.org_id: timedelta()}
        await asyncio.gather(*(container.inbox_reader.run(offsets) for _ in range(3)))
        await asyncio.gather(_resolve(dice, org, reviewers), run_due(org))
        await _resolve(dice, org, reviewers)
        await check_books(org)
    await run_due(org)
    await org.post("/v2/sandbox/clock/advance", {"seconds": 3_600})
    await run_due(org)
    await check_books(org)
    statuses = [(await shown(org, each))["status"] for each in offramps]
    kept = sum(each == "CRYPTO_RETURNED" for each in statuses)
    assert await held(org, user) == str(1_000 - 100 * (_PAYOUTS - kept)), statuses


def _deliver(dice: random.Random, folder: Path, keys: list[str], number: int) -> None:
    """Put statements in the inbox: some twice, with other amounts, and against each other."""
    inbox = folder / "in"
    inbox.mkdir(parents=True, exist_ok=True)
    for at in range(3):
        items = list[Transaction]()
        for _ in range(dice.randint(1, 5)):
            units = dice.choice([_CENTS, _CENTS, _CENTS, _CENTS - 1, 2 * _CENTS])
            is_credit = dice.random() < 0.5
            names = {
                "end_to_end_id": dice.choice(keys),
                "bank_reference": f"R{dice.randint(0, 40)}",
            }
            code = dice.choice([None, "AC04"]) if is_credit else None
            items.append(transaction(units, "usd", is_credit=is_credit, return_code=code, **names))
        raw = statement(*items, name=f"S{number}-{at}", currency="usd", number=10 * number + at)
        for name in range(dice.randint(1, 2)):
            (inbox / f"{number}-{at}-{name}").write_bytes(raw)
    if dice.random() < 0.5:
        rejected = TransactionStatus(
            end_to_end_id=dice.choice(keys), status="RJCT", reason_codes=("AC04",)
        )
        (inbox / f"report{number}").write_bytes(report(rejected))


async def _resolve(dice: random.Random, org: Tenant, reviewers: list[Tenant]) -> None:
    """Let two people resolve each waiting line at once, with any resolution."""
    found = (await org.get("/v2/reviews/bank-lines"))["reviews"]

    async def one(person: Tenant, line: str, choice: str) -> int:
        answered = await person.send(
            "POST", f"/v2/reviews/bank-lines/{line}/resolve", _body(choice)
        )
        assert answered.status_code in {200, 400, 409, 503}, answered.text
        return answered.status_code

    jobs = [
        one(person, str(line["id"]), dice.choice(_RESOLUTIONS))
        for line in found
        for person in reviewers
    ]
    await asyncio.gather(*jobs)


def _body(choice: str) -> dict[str, Any]:
    return {"resolution": choice, "comment": f"looked at it {uuid4()}"}

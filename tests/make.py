"""Builders of database content: plain functions with keyword overrides.

`PAYMENT` is a flow for tests of the ledger alone: money is deposited (FUNDED), a payment is offered
(OPEN) or holds its money from the start (HELD), and is then settled, returned or gone.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from landbridge.ledger.model import (
    AdvanceTransfer,
    CreateTransfer,
    DueCheck,
    HouseRole,
    Posting,
    Transfer,
)
from landbridge.ledger.service import CreatedTransfer, Ledger, open_accounts
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Database

USDC = Asset("usdc", "POLYGON", 6)
USDT = Asset("usdt", "POLYGON", 6)

PAYMENT = "TEST.PAYMENT"
CLOCK = Clock(node=99)


class Status(StrEnum):
    """Status of a payment."""

    FUNDED = "FUNDED"  # money was deposited from outside
    OPEN = "OPEN"  # waits to be held or to expire
    HELD = "HELD"  # its money is held; waits to be settled or returned
    SETTLED = "SETTLED"  # its money went out
    RETURNED = "RETURNED"  # its money is the wallet's again
    GONE = "GONE"  # expired


TRANSITIONS: Transitions[Status] = Transitions(
    start=frozenset({Status.FUNDED, Status.OPEN, Status.HELD}),
    table={
        Status.FUNDED: frozenset(),
        Status.OPEN: frozenset({Status.HELD, Status.GONE}),
        Status.HELD: frozenset({Status.SETTLED, Status.RETURNED}),
        Status.SETTLED: frozenset(),
        Status.RETURNED: frozenset(),
        Status.GONE: frozenset(),
    },
)
MOVES_BY_KIND: Mapping[str, Transitions[Any]] = {PAYMENT: TRANSITIONS}


async def make_org(database: Database, *, name: str = "Test") -> UUID:
    """An organisation without anything."""
    org_id = new_id()
    await database.rows(
        "insert into orgs (id, name, created_at) values ($1, $2, now())", org_id, name
    )
    return org_id


async def make_wallet(
    database: Database, org_id: UUID, *, assets: Sequence[Asset] = (USDC, USDT), units: int = 0
) -> UUID:
    """Create a wallet with an account per asset, and `units` of the first one."""
    wallet_id = new_id()
    await database.transact(lambda tx: open_accounts(tx, org_id, [(wallet_id, assets)]))
    if units:
        await fund(database, org_id, wallet_id, units=units, asset=assets[0])
    return wallet_id


async def account_of(
    database: Database, org_id: UUID, wallet_id: UUID, *, asset: Asset = USDC
) -> UUID:
    """Return the id of a wallet's account."""
    return (await Ledger(database).account(org_id, wallet_id, asset)).id


async def make_account(database: Database, org_id: UUID, *, units: int = 0) -> UUID:
    """Create a wallet with `units` of USDC; return the id of its account."""
    return await account_of(database, org_id, await make_wallet(database, org_id, units=units))


async def balance(database: Database, account_id: UUID) -> tuple[int, int]:
    """(available, held) units of an account."""
    (row,) = await database.rows("select available, held from accounts where id = $1", account_id)
    return int(row["available"]), int(row["held"])


async def fund(
    database: Database, org_id: UUID, wallet_id: UUID, *, units: int, asset: Asset = USDC
) -> Transfer:
    """Put money into a wallet from outside."""
    account_id = await account_of(database, org_id, wallet_id, asset=asset)
    created = await Ledger(database).create(
        funding(org_id, account_id, units, asset=asset), TRANSITIONS
    )
    assert isinstance(created, CreatedTransfer)
    return created.transfer


def opening(
    org_id: UUID,
    *path: str,
    units: int = 1,
    asset: Asset = USDC,
    account_id: UUID | None = None,
    request_id: UUID | None = None,
    request: Mapping[str, Any] | None = None,
    kind: str = PAYMENT,
    user_id: UUID | None = None,
    due_in: timedelta | None = None,
    at: datetime | None = None,
    journals: Mapping[int, Sequence[Posting]] | None = None,
) -> CreateTransfer:
    """Build the creation of a payment; one that starts HELD holds `units` on `account_id`."""
    at = at or CLOCK.stamp()
    money = Money(units, asset)
    if journals is None:
        journals = {
            index: held(account_id, money)
            for index, status in enumerate(path)
            if status == Status.HELD and account_id is not None
        }
    return CreateTransfer(
        org_id=org_id,
        id=new_id(),
        kind=kind,
        user_id=user_id or org_id,
        request_id=request_id or new_id(),
        request=request or {"amount": str(money)},
        path=path or (Status.OPEN,),
        source=money,
        destination=money,
        details={"account_id": None if account_id is None else str(account_id)},
        due_at=None if due_in is None else at + due_in,
        at=at,
        actor="test",
        journals=journals,
    )


def funding(
    org_id: UUID,
    account_id: UUID,
    units: int,
    *,
    asset: Asset = USDC,
    request_id: UUID | None = None,
) -> CreateTransfer:
    """Build a deposit from outside."""
    money = Money(units, asset)
    return opening(
        org_id,
        Status.FUNDED,
        units=units,
        asset=asset,
        request_id=request_id,
        journals={0: [Posting(HouseRole.OUTSIDE, -money), Posting(account_id, money)]},
    )


def move(
    transfer: Transfer,
    *path: str,
    asset: Asset = USDC,
    timing: DueCheck = DueCheck.ANY,
    due_at: datetime | None = None,
    at: datetime | None = None,
    facts: Mapping[str, Any] | None = None,
    journals: Mapping[int, Sequence[Posting]] | None = None,
) -> AdvanceTransfer:
    """Build an advance of a payment, with the postings of each status."""
    money = Money(transfer.source_units, asset)
    account = transfer.details["account_id"]
    if journals is None:
        posted = {
            index: postings(status, UUID(account), money)
            for index, status in enumerate(path)
            if account is not None
        }
        journals = {index: each for index, each in posted.items() if each}
    return AdvanceTransfer(
        transfer,
        path=path,
        change_type=path[-1].lower(),
        actor="test",
        at=at or CLOCK.stamp(),
        timing=timing,
        due_at=due_at,
        facts=facts or {},
        journals=journals,
    )


def postings(status: str, account_id: UUID, money: Money) -> list[Posting]:
    """Return the postings of a payment that enters a status."""
    nothing = Money(0, money.asset)
    match status:
        case Status.HELD:
            return held(account_id, money)
        case Status.SETTLED:
            return [
                Posting(account_id, nothing, held_units=-money.units),
                Posting(HouseRole.OUTSIDE, money),
            ]
        case Status.RETURNED:
            return [Posting(account_id, money, held_units=-money.units)]
        case _:
            return []


def held(account_id: UUID, money: Money) -> list[Posting]:
    """Return postings from available to held."""
    return [Posting(account_id, -money, held_units=money.units)]


def opened(outcome: object) -> Transfer:
    """Return the record of a successful creation."""
    assert isinstance(outcome, CreatedTransfer), outcome
    return outcome.transfer


def moved(outcome: object) -> Transfer:
    """Return the record of a successful advance."""
    assert isinstance(outcome, Transfer), outcome
    return outcome

"""Makers: plain functions that put something into the world, with keyword overrides.

`PAYMENT` is a flow for tests of the ledger alone: money comes in at once (FUNDED), a payment is
offered (OPEN) or holds its money from the start (HELD), and is settled, returned or gone.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from landbridge.core.clock import Clock
from landbridge.core.ids import new_id
from landbridge.core.money import Asset, Money
from landbridge.core.states import Moves
from landbridge.db.pool import Database
from landbridge.ledger.model import Move, Opening, Posting, Role, Timing, Transfer
from landbridge.ledger.service import Ledger, Opened, open_accounts

USDC = Asset("usdc", "POLYGON", 6)
USDT = Asset("usdt", "POLYGON", 6)

PAYMENT = "TEST.PAYMENT"
CLOCK = Clock(lane=99)


class Status(StrEnum):
    """Where a payment stands."""

    FUNDED = "FUNDED"  # money came in from outside
    OPEN = "OPEN"  # waits to be held or to expire
    HELD = "HELD"  # its money is held; waits to be settled or returned
    SETTLED = "SETTLED"  # its money went out
    RETURNED = "RETURNED"  # its money is the wallet's again
    GONE = "GONE"  # expired


MOVES: Moves[Status] = Moves(
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
MOVES_BY_KIND: Mapping[str, Moves[Any]] = {PAYMENT: MOVES}


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
    """A wallet with an account per asset, and `units` of the first one."""
    wallet_id = new_id()
    await database.transact(lambda tx: open_accounts(tx, org_id, [(wallet_id, assets)]))
    if units:
        await fund(database, org_id, wallet_id, units=units, asset=assets[0])
    return wallet_id


async def account_of(
    database: Database, org_id: UUID, wallet_id: UUID, *, asset: Asset = USDC
) -> UUID:
    """The id of a wallet's account."""
    return (await Ledger(database).account(org_id, wallet_id, asset)).id


async def make_account(database: Database, org_id: UUID, *, units: int = 0) -> UUID:
    """The id of a new wallet's account of USDC, with `units` on it."""
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
    opened = await Ledger(database).open(funding(org_id, account_id, units, asset=asset), MOVES)
    assert isinstance(opened, Opened)
    return opened.transfer


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
) -> Opening:
    """A payment of `units`; one that starts HELD holds them on `account_id`."""
    at = at or CLOCK.stamp()
    money = Money(units, asset)
    if journals is None:
        journals = {
            place: held(account_id, money)
            for place, status in enumerate(path)
            if status == Status.HELD and account_id is not None
        }
    return Opening(
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
) -> Opening:
    """Money that comes in from outside."""
    money = Money(units, asset)
    return opening(
        org_id,
        Status.FUNDED,
        units=units,
        asset=asset,
        request_id=request_id,
        journals={0: [Posting(Role.OUTSIDE, -money), Posting(account_id, money)]},
    )


def move(
    transfer: Transfer,
    *path: str,
    asset: Asset = USDC,
    timing: Timing = Timing.ANY,
    due_at: datetime | None = None,
    at: datetime | None = None,
    facts: Mapping[str, Any] | None = None,
    journals: Mapping[int, Sequence[Posting]] | None = None,
) -> Move:
    """A payment on its way, with what each station does to the money it was opened with."""
    money = Money(transfer.source_units, asset)
    account = transfer.details["account_id"]
    if journals is None:
        posted = {
            place: postings(status, UUID(account), money)
            for place, status in enumerate(path)
            if account is not None
        }
        journals = {place: each for place, each in posted.items() if each}
    return Move(
        transfer,
        path=path,
        what=path[-1].lower(),
        actor="test",
        at=at or CLOCK.stamp(),
        timing=timing,
        due_at=due_at,
        facts=facts or {},
        journals=journals,
    )


def postings(status: str, account_id: UUID, money: Money) -> list[Posting]:
    """What entering a status does to a payment's money."""
    nothing = Money(0, money.asset)
    match status:
        case Status.HELD:
            return held(account_id, money)
        case Status.SETTLED:
            return [
                Posting(account_id, nothing, held_units=-money.units),
                Posting(Role.OUTSIDE, money),
            ]
        case Status.RETURNED:
            return [Posting(account_id, money, held_units=-money.units)]
        case _:
            return []


def held(account_id: UUID, money: Money) -> list[Posting]:
    """From available to held."""
    return [Posting(account_id, -money, held_units=money.units)]


def opened(came: object) -> Transfer:
    """The record of an opening that went through."""
    assert isinstance(came, Opened), came
    return came.transfer


def moved(came: object) -> Transfer:
    """The record of a move that went through."""
    assert isinstance(came, Transfer), came
    return came

"""What became of a request: whatever was made under its id, as it is now.

Ids of payments, of users, of bank accounts, of settlement rules, of simulated deposits and of terms
links are kept apart: one id may stand for several of these, and is answered for the first of them
in this order.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.accounts.records import made_by as account_made_by
from landbridge.core.errors import ResourceNotFound
from landbridge.core.made import Made
from landbridge.core.states import Moves
from landbridge.db.pool import Database, Tx
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.receipts.model import MOVES as RECEIPT_MOVES
from landbridge.receipts.service import Receipts
from landbridge.simulation.forcing import Forcing
from landbridge.users.records import made_by as user_made_by
from landbridge.users.terms import made_by as agreement_made_by
from landbridge.virtual_accounts.deposits import made_by as deposit_made_by
from landbridge.virtual_accounts.deposits import simulated_reference
from landbridge.virtual_accounts.rules import made_by as rule_made_by

_SIMULATED = "SIMULATED_DEPOSIT"

# Where payments of each kind are found: of those kinds that a request asks for.
_RECORDS = {
    "WALLET.SWAP": "/v2/wallets/swaps/{id}",
    "WALLET.TRANSFER": "/v2/wallets/transfers/{id}",
    "WALLET.TRANSFER.BATCH": "/v2/wallets/transfers/batches/{id}",
    "WALLET.BRIDGE": "/v2/wallets/bridges/{id}",
    "OFFRAMP": "/v2/offramps/{id}",
    "ONRAMP": "/v2/onramps/{id}",
    "RESOLUTION": "/v2/reviews/resolutions/{id}",
}
_ACCOUNT = "/v2/users/{owner_id}/accounts/{id}"
_DEPOSIT = "/v2/users/{owner_id}/virtual-accounts/{id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Became:
    """What became of a request; `forced` is what it asked later steps to come to."""

    request_id: UUID
    kind: str
    id: UUID
    href: str
    status: str | None
    created_at: datetime
    updated_at: datetime
    is_final: bool
    forced: str | None = None


@dataclass(frozen=True, slots=True)
class _Thing:
    """A kind of thing other than payments: how it is found, and where."""

    kind: str
    href: str
    # One statement.
    made_by: Callable[[Tx, UUID, UUID], Awaitable[Made | None]]


_THINGS = (
    _Thing("USER", "/v2/users/{id}", user_made_by),
    _Thing("BANK_ACCOUNT", _ACCOUNT, account_made_by),
    _Thing("SETTLEMENT_RULE", "/v2/virtual-accounts/settlement-rules/{id}", rule_made_by),
    _Thing(_SIMULATED, _DEPOSIT, deposit_made_by),
    _Thing("TERMS_LINK", "/v2/tos-link/{id}", agreement_made_by),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """Requests of all organisations."""

    database: Database
    ledger: Ledger
    receipts: Receipts
    forcing: Forcing
    moves: Mapping[str, Moves[Any]]

    async def became(self, org_id: UUID, request_id: UUID) -> Became:
        """What was made under this id; raises `ResourceNotFound` if nothing was."""
        record = await self.ledger.find_request(org_id, request_id)
        if record is not None and record.kind in _RECORDS:
            return await self._record(record, request_id)
        for thing in _THINGS:
            made = await self._made(thing, org_id, request_id)
            if made is None:
                continue
            if thing.kind == _SIMULATED:
                return await self._deposit(org_id, request_id, made)
            return _became(thing, request_id, made)
        raise ResourceNotFound(f"nothing came of a request {request_id}")

    async def _made(self, thing: _Thing, org_id: UUID, request_id: UUID) -> Made | None:
        return await self.database.single(lambda tx: thing.made_by(tx, org_id, request_id))

    async def _record(self, record: Transfer, request_id: UUID) -> Became:
        plans = await self.forcing.of(record.org_id, [record.id])
        plan = plans.get(record.id)
        return Became(
            request_id=request_id,
            kind=record.kind,
            id=record.id,
            href=_RECORDS[record.kind].format(id=record.id),
            status=record.status,
            created_at=record.created_at,
            updated_at=record.updated_at,
            is_final=self.moves[record.kind].is_terminal(record.status),
            forced=None if plan is None else plan.text,
        )

    async def _deposit(self, org_id: UUID, request_id: UUID, made: Made) -> Became:
        """The onramp that a simulated deposit has become, or else how far it has come."""
        receipt = await self.receipts.find(org_id, simulated_reference(request_id))
        if receipt is not None and receipt.transfer_id is not None:
            record = await self.ledger.find(org_id, receipt.transfer_id)
            if record is not None and record.kind in _RECORDS:
                return await self._record(record, request_id)
        return Became(
            request_id=request_id,
            kind=_SIMULATED,
            id=made.id,
            href=_DEPOSIT.format(id=made.id, owner_id=made.owner_id),
            status=None if receipt is None else receipt.status,
            created_at=made.created_at,
            updated_at=made.updated_at,
            is_final=receipt is not None and RECEIPT_MOVES.is_terminal(receipt.status),
        )


def _became(thing: _Thing, request_id: UUID, made: Made) -> Became:
    return Became(
        request_id=request_id,
        kind=thing.kind,
        id=made.id,
        href=thing.href.format(id=made.id, owner_id=made.owner_id),
        status=made.status,
        created_at=made.created_at,
        updated_at=made.updated_at,
        is_final=made.is_final,
    )

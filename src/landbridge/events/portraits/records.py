"""Portraits of records of money: payments of every flow, requests about them, and deposits.

A payment is shown as it stood at its change: what its record, its approval and its receipt were
then. What is in no log is shown as it is now: names of users, so that those who were erased are
nowhere, and the bank's own address.

Each portrait reads for all its events at once, and a change that has several events once.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from landbridge.approvals.model import Approval
from landbridge.approvals.service import Approvals
from landbridge.db.pool import Database
from landbridge.events.model import Event
from landbridge.events.names import DEPOSITS, deposit_place
from landbridge.events.service import Portraits
from landbridge.flows.batches import model as batches
from landbridge.flows.batches.api import batch_reply
from landbridge.flows.batches.model import as_batch
from landbridge.flows.batches.service import Seen as SeenBatch
from landbridge.flows.bridges import model as bridges
from landbridge.flows.bridges.model import as_bridge
from landbridge.flows.bridges.shapes import bridge_reply
from landbridge.flows.offramps import model as offramps
from landbridge.flows.offramps.model import as_offramps
from landbridge.flows.offramps.service import Offramps
from landbridge.flows.offramps.shapes import offramp_reply
from landbridge.flows.onramps import model as onramps
from landbridge.flows.onramps.backgrounds import Backgrounds
from landbridge.flows.onramps.model import as_onramp
from landbridge.flows.onramps.shapes import onramp_reply
from landbridge.flows.swaps import model as swaps
from landbridge.flows.swaps.api import swap_reply
from landbridge.flows.swaps.model import as_swap
from landbridge.flows.wallet_transfers import model as wallet_transfers
from landbridge.flows.wallet_transfers.api import wallet_transfer_reply
from landbridge.flows.wallet_transfers.model import as_transfer
from landbridge.flows.wallet_transfers.service import WalletTransfers
from landbridge.ledger.model import Transfer
from landbridge.ledger.past import as_at, as_of
from landbridge.rfis.model import kind_of
from landbridge.users.deposit_api import deposit_reply
from landbridge.wallets.deposits import Deposits

# Replies about records of one organisation and kind, in their order.
_Draw = Callable[[UUID, Sequence[Transfer]], Awaitable[Sequence[Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPortraits:
    """Portraits of records of all flows."""

    database: Database
    deposits: Deposits
    approvals: Approvals
    wallet_transfers: WalletTransfers
    offramps: Offramps
    onramp_backgrounds: Backgrounds

    def families(self) -> Mapping[str, Portraits]:
        """Whose portraits these are."""
        draws: Mapping[str, _Draw] = {
            swaps.KIND: _swaps,
            wallet_transfers.KIND: self._wallet_transfers,
            batches.KIND: self._batches,
            bridges.KIND: self._bridges,
            onramps.KIND: self._onramps,
            offramps.KIND: self._offramps,
        }
        asked = {kind_of(kind): draws[kind] for kind in (onramps.KIND, offramps.KIND)}
        return {
            **{kind: partial(self._of_records, draw) for kind, draw in draws.items()},
            **{kind: partial(self._of_rfis, draw) for kind, draw in asked.items()},
            DEPOSITS: self._of_deposits,
        }

    async def _of_records(
        self, draw: _Draw, org_id: UUID, events: Sequence[Event]
    ) -> Sequence[Any]:
        wanted = list(dict.fromkeys(_version(each) for each in events))
        records = await as_of(self.database, org_id, wanted)
        drawn = dict(zip(wanted, await _drawn(draw, org_id, records), strict=True))
        return [drawn[_version(each)] for each in events]

    async def _of_rfis(self, draw: _Draw, org_id: UUID, events: Sequence[Event]) -> Sequence[Any]:
        """The payment that is asked about, at the moment of the question or of its end."""
        wanted = [(UUID(each.change.facts["transferId"]), each.change.at) for each in events]
        return await _drawn(draw, org_id, await as_at(self.database, org_id, wanted))

    async def _of_deposits(self, org_id: UUID, events: Sequence[Event]) -> Sequence[Any]:
        """What arrived with a change; nothing about a deposit ever changes."""
        made = await self.deposits.made(org_id, {_version(each) for each in events})
        return [deposit_reply(made[_version(each)][deposit_place(each)]) for each in events]

    async def _wallet_transfers(self, org_id: UUID, records: Sequence[Transfer]) -> Sequence[Any]:
        seen = await self.wallet_transfers.seen(org_id, [as_transfer(each) for each in records])
        return [
            wallet_transfer_reply(replace(each, approval=_then(each.approval, record)))
            for record, each in zip(records, seen, strict=True)
        ]

    async def _batches(self, org_id: UUID, records: Sequence[Transfer]) -> Sequence[Any]:
        found = await self._approvals(org_id, records)
        return [
            batch_reply(SeenBatch(as_batch(each), _then(found.get(each.id), each)))
            for each in records
        ]

    async def _bridges(self, org_id: UUID, records: Sequence[Transfer]) -> Sequence[Any]:
        found = await self._approvals(org_id, records)
        return [bridge_reply(as_bridge(each), _then(found.get(each.id), each)) for each in records]

    async def _onramps(self, org_id: UUID, records: Sequence[Transfer]) -> Sequence[Any]:
        del org_id  # each record has it
        found = [as_onramp(each) for each in records]
        background = await self.onramp_backgrounds.of(found)
        return [onramp_reply(each, background) for each in found]

    async def _offramps(self, org_id: UUID, records: Sequence[Transfer]) -> Sequence[Any]:
        found = as_offramps(records)
        background = await self.offramps.background(org_id, found)
        known = background.approvals
        return [
            offramp_reply(
                each, replace(background, approvals=_only(known.get(each.record.id), each.record))
            )
            for each in found
        ]

    async def _approvals(
        self, org_id: UUID, records: Sequence[Transfer]
    ) -> Mapping[UUID, Approval]:
        return await self.approvals.of(org_id, {each.id for each in records})


async def _swaps(org_id: UUID, records: Sequence[Transfer]) -> Sequence[Any]:
    del org_id  # each record has it
    return [swap_reply(as_swap(each)) for each in records]


async def _drawn(
    draw: _Draw, org_id: UUID, records: Sequence[Transfer | None]
) -> Sequence[Any | None]:
    """The replies about those records that there are, each in its place."""
    there = [each for each in records if each is not None]
    replies = iter(await draw(org_id, there) if there else ())
    return [None if each is None else next(replies) for each in records]


def _version(event: Event) -> tuple[UUID, int]:
    return event.change.object_id, event.change.seq


def _then(approval: Approval | None, record: Transfer) -> Approval | None:
    """The approval as it was when the record was."""
    return approval and approval.as_at(record.updated_at)


def _only(approval: Approval | None, record: Transfer) -> Mapping[UUID, Approval]:
    then = _then(approval, record)
    return {} if then is None else {record.id: then}

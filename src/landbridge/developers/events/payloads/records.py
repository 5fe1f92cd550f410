"""Payloads of money records: payments of all flows, requests for information, and deposits.

A payment is shown as of its change: its record, approval and incoming payment at that time. Data
that is not in the log is shown as it is now: the bank's own address, and user names, so that erased
users appear nowhere.

Each payload function reads all its events at once, and a change with several events once.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from landbridge.customers.users.deposit_api import deposit_reply
from landbridge.customers.wallets.deposits import WalletDeposits
from landbridge.developers.events.model import Event
from landbridge.developers.events.names import DEPOSITS, deposit_index
from landbridge.developers.events.service import PayloadBuilder
from landbridge.ledger.model import Transfer
from landbridge.ledger.snapshots import find_at_moments, find_at_versions
from landbridge.payments.approvals.model import Approval
from landbridge.payments.approvals.service import Approvals
from landbridge.payments.batches import model as batches
from landbridge.payments.batches.api import batch_reply
from landbridge.payments.batches.model import as_batch
from landbridge.payments.batches.service import BatchView
from landbridge.payments.bridges import model as bridges
from landbridge.payments.bridges.model import as_bridge
from landbridge.payments.bridges.schemas import bridge_reply
from landbridge.payments.offramps import model as offramps
from landbridge.payments.offramps.model import as_offramps
from landbridge.payments.offramps.schemas import offramp_reply
from landbridge.payments.offramps.service import Offramps
from landbridge.payments.onramps import model as onramps
from landbridge.payments.onramps.model import as_onramp
from landbridge.payments.onramps.reply_context import OnrampReplyContexts
from landbridge.payments.onramps.schemas import onramp_reply
from landbridge.payments.rfis.model import kind_of
from landbridge.payments.swaps import model as swaps
from landbridge.payments.swaps.api import swap_reply
from landbridge.payments.swaps.model import as_swap
from landbridge.payments.transfers import model as wallet_transfers
from landbridge.payments.transfers.api import wallet_transfer_reply
from landbridge.payments.transfers.model import as_transfer
from landbridge.payments.transfers.service import WalletTransfers
from landbridge.platform.db.pool import Database

# Replies about records of one organisation and kind, in their order.
_ReplyBuilder = Callable[[UUID, Sequence[Transfer]], Awaitable[Sequence[Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferPayloads:
    """Payloads of records of all flows."""

    database: Database
    deposits: WalletDeposits
    approvals: Approvals
    wallet_transfers: WalletTransfers
    offramps: Offramps
    onramp_reply_contexts: OnrampReplyContexts

    def families(self) -> Mapping[str, PayloadBuilder]:
        """Return the payload function of each family."""
        builders: Mapping[str, _ReplyBuilder] = {
            swaps.KIND: _swaps,
            wallet_transfers.KIND: self._wallet_transfers,
            batches.KIND: self._batches,
            bridges.KIND: self._bridges,
            onramps.KIND: self._onramps,
            offramps.KIND: self._offramps,
        }
        rfi_builders = {kind_of(kind): builders[kind] for kind in (onramps.KIND, offramps.KIND)}
        return {
            **{kind: partial(self._of_records, build) for kind, build in builders.items()},
            **{kind: partial(self._of_rfis, build) for kind, build in rfi_builders.items()},
            DEPOSITS: self._of_deposits,
        }

    async def _of_records(
        self, build: _ReplyBuilder, org_id: UUID, events: Sequence[Event]
    ) -> Sequence[Any]:
        versions = list(dict.fromkeys(_version(each) for each in events))
        records = await find_at_versions(self.database, org_id, versions)
        replies = dict(zip(versions, await _replies_of(build, org_id, records), strict=True))
        return [replies[_version(each)] for each in events]

    async def _of_rfis(
        self, build: _ReplyBuilder, org_id: UUID, events: Sequence[Event]
    ) -> Sequence[Any]:
        """Return the payment of a request for information, as of the request's change."""
        versions = [
            (UUID(each.change.facts["transferId"]), each.change.occurred_at) for each in events
        ]
        return await _replies_of(
            build, org_id, await find_at_moments(self.database, org_id, versions)
        )

    async def _of_deposits(self, org_id: UUID, events: Sequence[Event]) -> Sequence[Any]:
        """Return the deposits made by each change; deposits never change."""
        deposits = await self.deposits.by_change(org_id, {_version(each) for each in events})
        return [deposit_reply(deposits[_version(each)][deposit_index(each)]) for each in events]

    async def _wallet_transfers(self, org_id: UUID, records: Sequence[Transfer]) -> Sequence[Any]:
        views = await self.wallet_transfers.views(org_id, [as_transfer(each) for each in records])
        return [
            wallet_transfer_reply(replace(each, approval=_then(each.approval, record)))
            for record, each in zip(records, views, strict=True)
        ]

    async def _batches(self, org_id: UUID, records: Sequence[Transfer]) -> Sequence[Any]:
        found = await self._approvals(org_id, records)
        return [
            batch_reply(BatchView(as_batch(each), _then(found.get(each.id), each)))
            for each in records
        ]

    async def _bridges(self, org_id: UUID, records: Sequence[Transfer]) -> Sequence[Any]:
        found = await self._approvals(org_id, records)
        return [bridge_reply(as_bridge(each), _then(found.get(each.id), each)) for each in records]

    async def _onramps(self, org_id: UUID, records: Sequence[Transfer]) -> Sequence[Any]:
        del org_id  # each record has it
        found = [as_onramp(each) for each in records]
        reply_context = await self.onramp_reply_contexts.of(found)
        return [onramp_reply(each, reply_context) for each in found]

    async def _offramps(self, org_id: UUID, records: Sequence[Transfer]) -> Sequence[Any]:
        found = as_offramps(records)
        reply_context = await self.offramps.reply_context(org_id, found)
        approvals = reply_context.approvals
        return [
            offramp_reply(
                each,
                replace(reply_context, approvals=_only(approvals.get(each.record.id), each.record)),
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


async def _replies_of(
    build: _ReplyBuilder, org_id: UUID, records: Sequence[Transfer | None]
) -> Sequence[Any | None]:
    """Return the replies for the existing records, each at its record's index."""
    existing = [each for each in records if each is not None]
    replies = iter(await build(org_id, existing) if existing else ())
    return [None if each is None else next(replies) for each in records]


def _version(event: Event) -> tuple[UUID, int]:
    return event.change.object_id, event.change.seq


def _then(approval: Approval | None, record: Transfer) -> Approval | None:
    """Return the approval as of the record's change."""
    return approval and approval.as_at(record.updated_at)


def _only(approval: Approval | None, record: Transfer) -> Mapping[UUID, Approval]:
    then = _then(approval, record)
    return {} if then is None else {record.id: then}

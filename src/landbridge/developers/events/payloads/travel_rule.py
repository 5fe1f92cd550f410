"""Payloads of transfers that wait for data of the travel rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.customers.travel_rule.model import MISSING_CHANGE_KIND
from landbridge.customers.travel_rule.waiting import WaitingTransferReply, as_waiting, waiting_reply
from landbridge.developers.events.model import Event
from landbridge.developers.events.service import PayloadBuilder
from landbridge.ledger.service import Ledger


@dataclass(frozen=True, slots=True)
class TravelRulePayloads:
    """Payloads of transfers that wait, of all organisations."""

    ledger: Ledger

    def families(self) -> Mapping[str, PayloadBuilder]:
        """Return the payload function of each family."""
        return {MISSING_CHANGE_KIND: self.transfers}

    async def transfers(
        self, org_id: UUID, events: Sequence[Event]
    ) -> Sequence[WaitingTransferReply | None]:
        """Return the transfers of these events, with what was missing at each."""
        return [await self._transfer(org_id, each) for each in events]

    async def _transfer(self, org_id: UUID, event: Event) -> WaitingTransferReply | None:
        facts = event.change.facts
        record = await self.ledger.find(org_id, UUID(facts["screening_id"]))
        return None if record is None else waiting_reply(as_waiting(record), facts["missing"])

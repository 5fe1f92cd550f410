"""What replies show of an onramp and its record does not keep: personal data, and the bank's."""

from collections.abc import Sequence
from dataclasses import dataclass

from landbridge.flows.onramps.model import Onramp
from landbridge.flows.onramps.shapes import Background
from landbridge.rails.port import Coordinates, Rails
from landbridge.receipts.service import Receipts
from landbridge.users.service import Users


@dataclass(frozen=True, slots=True)
class Backgrounds:
    """Looks up names and senders, for a whole page at once."""

    users: Users
    receipts: Receipts
    rails: Rails

    async def of(self, onramps: Sequence[Onramp]) -> Background:
        """What these onramps, of one organisation, are shown with."""
        if not onramps:
            return Background({}, {}, {})
        org_id = onramps[0].record.org_id
        people = {
            user_id
            for each in onramps
            for user_id in (each.record.user_id, each.details.destination_user_id)
        }
        paid = {
            each.details.receipt_id: each.record.id
            for each in onramps
            if each.details.receipt_id is not None
        }
        receipts = await self.receipts.of(org_id, list(paid))
        return Background(
            await self.users.cards(org_id, sorted(people)),
            {paid[receipt_id]: receipt for receipt_id, receipt in receipts.items()},
            {each.record.id: where for each in onramps if (where := await self._coordinates(each))},
        )

    async def _coordinates(self, onramp: Onramp) -> Coordinates | None:
        number = onramp.details.account_number
        if number is None:
            return None
        org_id, currency = onramp.record.org_id, onramp.source.asset.currency
        return await self.rails.coordinates(org_id, currency, number)

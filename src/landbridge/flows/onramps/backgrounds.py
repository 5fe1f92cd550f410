"""What replies show of an onramp and its record does not keep: personal data, and the bank's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

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
        paid = {each.details.receipt_id for each in onramps}
        return Background(
            await self.users.cards(org_id, sorted(people)),
            await self.receipts.of(org_id, [each for each in paid if each is not None]),
            await self._coordinates(org_id, onramps),
        )

    async def _coordinates(
        self, org_id: UUID, onramps: Sequence[Onramp]
    ) -> Mapping[UUID, Coordinates]:
        """By onramp; looked up once for all that go to the same account."""
        told = {
            each.record.id: (each.source.asset.currency, number)
            for each in onramps
            if (number := each.details.account_number) is not None
        }
        where = {
            account: await self.rails.coordinates(org_id, *account)
            for account in set(told.values())
        }
        return {
            onramp_id: found
            for onramp_id, account in told.items()
            if (found := where[account]) is not None
        }

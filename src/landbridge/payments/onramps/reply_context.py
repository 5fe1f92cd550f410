"""Looks up reply data that onramp records do not store: personal data and bank details."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.customers.users.service import Users
from landbridge.payments.incoming_payments.service import IncomingPayments
from landbridge.payments.onramps.model import Onramp
from landbridge.payments.onramps.schemas import OnrampReplyContext
from landbridge.providers.rails.port import DepositCoordinates, Rails


@dataclass(frozen=True, slots=True)
class OnrampReplyContexts:
    """Looks up names, senders and bank details for all onramps of a page at once."""

    users: Users
    incoming_payments: IncomingPayments
    rails: Rails

    async def of(self, onramps: Sequence[Onramp]) -> OnrampReplyContext:
        """Return the reply context of onramps of one organisation."""
        if not onramps:
            return OnrampReplyContext({}, {}, {})
        org_id = onramps[0].record.org_id
        people = {
            user_id
            for each in onramps
            for user_id in (each.record.user_id, each.details.destination_user_id)
        }
        paid = {each.details.incoming_payment_id for each in onramps}
        return OnrampReplyContext(
            await self.users.cards(org_id, sorted(people)),
            await self.incoming_payments.of(org_id, [each for each in paid if each is not None]),
            await self._coordinates(org_id, onramps),
        )

    async def _coordinates(
        self, org_id: UUID, onramps: Sequence[Onramp]
    ) -> Mapping[UUID, DepositCoordinates]:
        """Return the bank details for deposits, by onramp, with one lookup per account number."""
        submitted = {
            each.record.id: (each.source.asset.currency, number)
            for each in onramps
            if (number := each.details.account_number) is not None
        }
        coordinates = {
            account: await self.rails.coordinates(org_id, *account)
            for account in set(submitted.values())
        }
        return {
            onramp_id: found
            for onramp_id, account in submitted.items()
            if (found := coordinates[account]) is not None
        }

"""Payloads of users, their terms, their verification and the links that lead there."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from landbridge.customers.kyc import model as kyc
from landbridge.customers.kyc.model import Rail
from landbridge.customers.kyc.schemas import kyc_reply
from landbridge.customers.kyc.service import KycProfiles
from landbridge.customers.onboarding import model as onboarding
from landbridge.customers.onboarding.model import KycLink
from landbridge.customers.onboarding.schemas import KycLinkReply, kyc_link_reply
from landbridge.customers.onboarding.service import KycLinks
from landbridge.customers.users.errors import UserNotFound
from landbridge.customers.users.model import AGREEMENT_KIND, USER_KIND, Agreement, UserCard
from landbridge.customers.users.schemas import user_reply
from landbridge.customers.users.service import Users
from landbridge.customers.users.terms import TermsOfService
from landbridge.customers.users.terms_api import TermsLinkReply, link_reply
from landbridge.customers.verification import model as verification
from landbridge.customers.verification.schemas import status_payload
from landbridge.customers.verification.service import Verification
from landbridge.customers.wallets.service import Wallets
from landbridge.developers.events.model import Event
from landbridge.developers.events.payloads.snapshots import fact_id, from_snapshots
from landbridge.developers.events.service import PayloadBuilder
from landbridge.platform.changes.model import Change
from landbridge.platform.db.pool import Database
from landbridge.platform.encryption.service import Vault


@dataclass(frozen=True, slots=True, kw_only=True)
class UserPayloads:
    """Payloads of people of all organisations."""

    database: Database
    vault: Vault
    users: Users
    wallets: Wallets
    terms: TermsOfService
    kyc_profiles: KycProfiles
    verification: Verification
    links: KycLinks

    def families(self) -> Mapping[str, PayloadBuilder]:
        """Return the payload function of each family."""
        return {
            USER_KIND: self._from_snapshots(self._user),
            AGREEMENT_KIND: self._terms_links,
            kyc.KIND: self._from_snapshots(self._kyc_profile),
            verification.KIND: self._from_snapshots(self._status),
            onboarding.KIND: self._kyc_links,
        }

    def _from_snapshots(self, now: Callable[[Change], Awaitable[Any]]) -> PayloadBuilder:
        async def build_payloads(org_id: UUID, events: Sequence[Event]) -> Sequence[Any]:
            del org_id  # each change has it
            return await from_snapshots(self.database, self.vault, events, now)

        return build_payloads

    async def _user(self, change: Change) -> Any:
        org_id, user_id = change.org_id, change.object_id
        of_users = await self.wallets.of_users(org_id, [user_id])
        return user_reply(await self._card(org_id, user_id), of_users[user_id])

    async def _kyc_profile(self, change: Change) -> Any:
        card = await self._card(change.org_id, fact_id(change, "userId"))
        return kyc_reply(await self.kyc_profiles.get(change.org_id, card), frozenset())

    async def _status(self, change: Change) -> Any:
        user_id, rail = fact_id(change, "userId"), Rail(change.facts["rail"])
        case = await self.verification.status(change.org_id, user_id, rail)
        return status_payload(user_id, rail, case)

    async def _terms_links(self, org_id: UUID, events: Sequence[Event]) -> Sequence[Any]:
        """Return the present links: accepted terms never change, except for erased addresses.

        They come without the token: keys that only read also read events, and it accepts terms.
        """
        ids = [fact_id(each.change, "id") for each in events]
        found = await self.terms.find_many(org_id, set(ids))
        return [_signed_link(found.get(each)) for each in ids]

    async def _kyc_links(self, org_id: UUID, events: Sequence[Event]) -> Sequence[Any]:
        """Return the links as they were logged: their other fields only change when erased."""
        found = await self.links.find_many(org_id, {each.change.object_id for each in events})
        return [_kyc_link(each.change, found.get(each.change.object_id)) for each in events]

    async def _card(self, org_id: UUID, user_id: UUID) -> UserCard:
        cards = await self.users.cards(org_id, [user_id])
        if user_id not in cards:
            raise UserNotFound
        return cards[user_id]


def _signed_link(agreement: Agreement | None) -> TermsLinkReply | None:
    return None if agreement is None else replace(link_reply(agreement), session_token="")


def _kyc_link(change: Change, link: KycLink | None) -> KycLinkReply | None:
    if link is None:
        return None
    user_id = change.facts["userId"]
    return kyc_link_reply(
        link,
        user_id=None if user_id is None else UUID(user_id),
        # A link has two changes: created and completed.
        completed_at=link.completed_at if change.seq > 1 else None,
    )

"""Portraits of users, their terms, their verification and the links that lead there."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from landbridge.changes.model import Change
from landbridge.db.pool import Database
from landbridge.events.model import Event
from landbridge.events.portraits.pictures import from_pictures, named
from landbridge.events.service import Portraits
from landbridge.kyc import model as kyc
from landbridge.kyc.model import Rail
from landbridge.kyc.service import Dossiers
from landbridge.kyc.shapes import kyc_reply
from landbridge.onboarding import model as onboarding
from landbridge.onboarding.model import Link
from landbridge.onboarding.service import Links
from landbridge.onboarding.shapes import KycLinkReply, kyc_link_reply
from landbridge.privacy.service import Vault
from landbridge.users.errors import UserNotFound
from landbridge.users.model import AGREEMENT_KIND, USER_KIND, UserCard
from landbridge.users.service import Users
from landbridge.users.shapes import user_reply
from landbridge.users.terms import Terms
from landbridge.users.terms_api import link_reply
from landbridge.verification import model as verification
from landbridge.verification.service import Verification
from landbridge.verification.shapes import told_status
from landbridge.wallets.service import Wallets


@dataclass(frozen=True, slots=True, kw_only=True)
class PeoplePortraits:
    """Portraits of people of all organisations."""

    database: Database
    vault: Vault
    users: Users
    wallets: Wallets
    terms: Terms
    dossiers: Dossiers
    verification: Verification
    links: Links

    def families(self) -> Mapping[str, Portraits]:
        """Whose portraits these are."""
        return {
            USER_KIND: self._from_pictures(self._user),
            AGREEMENT_KIND: self._terms_links,
            kyc.KIND: self._from_pictures(self._dossier),
            verification.KIND: self._from_pictures(self._status),
            onboarding.KIND: self._kyc_links,
        }

    def _from_pictures(self, now: Callable[[Change], Awaitable[Any]]) -> Portraits:
        async def portraits(org_id: UUID, events: Sequence[Event]) -> Sequence[Any]:
            del org_id  # each change has it
            return await from_pictures(self.database, self.vault, events, now)

        return portraits

    async def _user(self, change: Change) -> Any:
        org_id, user_id = change.org_id, change.object_id
        of_users = await self.wallets.of_users(org_id, [user_id])
        return user_reply(await self._card(org_id, user_id), of_users[user_id])

    async def _dossier(self, change: Change) -> Any:
        card = await self._card(change.org_id, named(change, "userId"))
        return kyc_reply(await self.dossiers.get(change.org_id, card), frozenset())

    async def _status(self, change: Change) -> Any:
        user_id, rail = named(change, "userId"), Rail(change.facts["rail"])
        case = await self.verification.status(change.org_id, user_id, rail)
        return told_status(user_id, rail, case)

    async def _terms_links(self, org_id: UUID, events: Sequence[Event]) -> Sequence[Any]:
        """As they are now: accepted terms change no more, but that their address is erased."""
        ids = [named(each.change, "id") for each in events]
        found = await self.terms.find_many(org_id, set(ids))
        return [link_reply(found[each]) if each in found else None for each in ids]

    async def _kyc_links(self, org_id: UUID, events: Sequence[Event]) -> Sequence[Any]:
        """As they were told: what else there is of a link does not change until it is erased."""
        found = await self.links.find_many(org_id, {each.change.object_id for each in events})
        return [_kyc_link(each.change, found.get(each.change.object_id)) for each in events]

    async def _card(self, org_id: UUID, user_id: UUID) -> UserCard:
        cards = await self.users.cards(org_id, [user_id])
        if user_id not in cards:
            raise UserNotFound
        return cards[user_id]


def _kyc_link(change: Change, link: Link | None) -> KycLinkReply | None:
    if link is None:
        return None
    told = change.facts["userId"]
    return kyc_link_reply(
        link,
        user_id=None if told is None else UUID(told),
        # A link has two changes: it is made, and completed.
        completed_at=link.completed_at if change.seq > 1 else None,
    )

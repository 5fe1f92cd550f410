"""Operations on KYC links. Source: contract, users 3.2.

Guarantees: a link is opened only by its token, which is stored nowhere in clear; after its
completion or expiry it accepts no data; its e-mail address, redirect and template are encrypted,
and deleted after it has expired or its user is erased. So is its URL, which is stored only for a
request with an idempotency key: a repeated one returns it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from msgspec import structs

from landbridge.customers.kyc.model import Rail
from landbridge.customers.onboarding import store
from landbridge.customers.onboarding.model import (
    ACTOR,
    KIND,
    LIFETIME,
    KycLink,
    KycLinkDetails,
    rail_names,
    token_hash,
)
from landbridge.customers.team.login_rate_limit import AttemptSubject, LoginRateLimit
from landbridge.customers.users.model import UserType, new_session_token
from landbridge.customers.users.service import Leaving, Users
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.encryption.user_keys import erased, key_of
from landbridge.platform.formats.people import check_email
from landbridge.platform.formats.texts import check_text, check_url
from landbridge.platform.http.caller import Caller, check_editor
from landbridge.platform.idempotency.model import Claim, no_claim
from landbridge.platform.mail.outbox import Outbox, SealedEmailContent

# Longer input is not hashed, because a token has 43 characters.
_TOKEN_LENGTH_MAX = 100
_SWEEP_LINKS_MAX = 100


@dataclass(frozen=True, slots=True)
class KycLinks:
    """KYC links of all organisations."""

    database: Database
    vault: Vault
    users: Users
    outbox: Outbox
    clock: Clock
    throttle: LoginRateLimit
    public_url: str

    async def make_for_new(
        self,
        caller: Caller,
        user_type: UserType,
        rails: Sequence[Rail],
        details: KycLinkDetails,
        *,
        claim: Claim = no_claim,
    ) -> str:
        """Return the URL of a new link that creates a user.

        Raises `FieldInvalid`, and `TooManyAttempts` after several e-mails to one address.
        """
        check_editor(caller)
        return await self._make(caller, user_type, rails, details, user_id=None, claim=claim)

    async def make_for(
        self,
        caller: Caller,
        user_id: UUID,
        rails: Sequence[Rail],
        details: KycLinkDetails,
        *,
        claim: Claim = no_claim,
    ) -> str:
        """Return the URL of a new link for a user.

        Raises as `make_for_new`, `UserNotFound`, and `UserFrozen` for an erased user.
        """
        check_editor(caller)
        if not rails:
            raise FieldInvalid("rails must name at least one rail", field="rails")
        user = await self.users.get(caller.org_id, user_id)
        if user.erased_at is not None:
            raise erased(user_id)
        return await self._make(caller, user.type, rails, details, user_id=user_id, claim=claim)

    async def url(self, org_id: UUID, link_id: UUID) -> str:
        """Return the URL of a link that was made with an idempotency key.

        Raises `ResourceConflict` once the link has expired or its user is erased.
        """

        async def read(tx: Tx) -> str | None:
            sealed = await store.sealed_details(tx, org_id, link_id)
            key = await self.vault.find(tx, org_id, link_id)
            if key is None or sealed is None:
                return None
            return key.open(sealed, context=_context(link_id), type=KycLinkDetails).url

        found = await self.database.read(read)
        if found is None:
            raise ResourceConflict(
                "the KYC link of this Idempotency-Key has expired; make another with another key"
            )
        return found

    async def find(self, token: str) -> KycLink | None:
        """Return the link with this token; None for malformed tokens."""
        if not (token.isascii() and token.isprintable() and len(token) <= _TOKEN_LENGTH_MAX):
            return None

        async def read(tx: Tx) -> KycLink | None:
            stored = await store.find(tx, token_hash(token))
            if stored is None or stored.sealed_details is None:
                return None if stored is None else stored.link
            link = stored.link
            key = await self.vault.find(tx, link.org_id, link.id)
            if key is None:
                return link
            context = _context(link.id)
            return replace(
                link, details=key.open(stored.sealed_details, context=context, type=KycLinkDetails)
            )

        return await self.database.read(read)

    async def find_many(self, org_id: UUID, link_ids: Collection[UUID]) -> Mapping[UUID, KycLink]:
        """Return the existing links among these ids, without their encrypted content."""
        found = await self.database.single(lambda tx: store.find_many(tx, org_id, link_ids))
        return {each.id: each for each in found}

    async def join(self, link: KycLink, user_id: UUID) -> KycLink:
        """Record the user created through the link."""
        await self.database.single(lambda tx: store.join(tx, link.org_id, link.id, user_id))
        return replace(link, user_id=user_id)

    async def enter(self, link: KycLink, names: Collection[str]) -> KycLink:
        """Record the names of fields submitted through the link, which shows these in full."""
        new = set(names) - link.entered
        if new:
            await self.database.single(lambda tx: store.enter(tx, link.org_id, link.id, new))
        return replace(link, entered=link.entered | new)

    async def complete(self, link: KycLink, clock_offset: timedelta) -> KycLink:
        """Complete the link; repeating it has no effect."""
        at = self.clock.stamp(clock_offset)

        async def work(tx: Tx) -> None:
            if await store.complete(tx, link.org_id, link.id, at):
                await _record_change(tx, link, seq=2, change_type="update", actor=ACTOR, at=at)

        await self.database.transact(work)
        return replace(link, completed_at=link.completed_at or at)

    async def sweep(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Delete the recipients of expired links; return whether more may remain."""
        clocks = self.clock.now_of(offsets)

        async def work(tx: Tx) -> int:
            found = await store.expired(tx, clocks, limit=_SWEEP_LINKS_MAX)
            for org_id, link_id in found:
                await _forget(tx, self.vault, org_id, [link_id], clocks[org_id])
            return len(found)

        return await self.database.transact(work) == _SWEEP_LINKS_MAX

    async def _make(
        self,
        caller: Caller,
        user_type: UserType,
        rails: Sequence[Rail],
        details: KycLinkDetails,
        *,
        user_id: UUID | None,
        claim: Claim,
    ) -> str:
        at, token = self.clock.stamp(caller.clock_offset), new_session_token()
        details = self._checked(details)
        if details.recipient_email is not None:
            recipient = f"{caller.org_id} {details.recipient_email.lower()}"
            await self.throttle.take(AttemptSubject.KYC_LINK, recipient)
        link = KycLink(
            org_id=caller.org_id,
            id=new_id(),
            user_type=user_type,
            creates_user=user_id is None,
            user_id=user_id,
            rails=tuple(dict.fromkeys(rails)),
            details=details,
            entered=frozenset(),
            created_at=at,
            expires_at=at + LIFETIME,
            completed_at=None,
        )
        url = f"{self.public_url}/kyc/{link.id}?session={token}"

        async def work(tx: Tx) -> None:
            key = await self.vault.make(tx, link.org_id, link.id)
            kept = details if claim is no_claim else structs.replace(details, url=url)
            sealed = key.seal(kept, context=_context(link.id))
            if not await store.add(tx, link, token_hash=token_hash(token), sealed_details=sealed):
                # The link exists if the commit was not acknowledged and this operation is a retry.
                return
            await claim(tx, link.id)
            # The foreign key to the user serialises this with an erasure: it has either committed
            # before, or waits for this transaction.
            if user_id is not None:
                await key_of(self.vault, tx, link.org_id, user_id)
            await _record_change(tx, link, seq=1, change_type="create", actor=caller.actor, at=at)
            if details.recipient_email is not None:
                email = invitation(details.recipient_email, url, link)
                await self.outbox.put(
                    tx, org_id=link.org_id, owner_id=link.id, key=key, email=email
                )

        await self.database.transact(work)
        return url

    def _checked(self, details: KycLinkDetails) -> KycLinkDetails:
        email, redirect, template = (
            details.recipient_email,
            details.redirect_url,
            details.template_id,
        )
        if email is not None:
            email = check_email("recipientEmail", email)
            if not self.outbox.can_send:
                raise FieldInvalid(
                    "recipientEmail: this installation sends no e-mail; send the link yourself",
                    field="recipientEmail",
                )
        return KycLinkDetails(
            recipient_email=email,
            redirect_url=None if redirect is None else check_url("redirectUrl", redirect),
            template_id=None if template is None else check_text("templateId", template),
        )


def erasing(vault: Vault) -> Leaving:
    """Return the operation that ends an erased user's links and deletes their recipients."""

    async def erase(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
        await _forget(tx, vault, org_id, await store.of_user(tx, org_id, user_id), at)

    return erase


async def _forget(
    tx: Tx, vault: Vault, org_id: UUID, link_ids: Collection[UUID], at: datetime
) -> None:
    await store.forget(tx, org_id, link_ids, at)
    await vault.destroy(tx, org_id, link_ids)


async def _record_change(
    tx: Tx, link: KycLink, *, seq: int, change_type: str, actor: str, at: datetime
) -> None:
    await append_change(
        tx,
        org_id=link.org_id,
        object_id=link.id,
        seq=seq,
        kind=KIND,
        change_type=change_type,
        actor=actor,
        at=at,
        facts={
            "userId": None if link.user_id is None else str(link.user_id),
            "userType": link.user_type.upper(),
            "rails": rail_names(link.rails),
        },
    )


def _context(link_id: UUID) -> str:
    return f"kyc_links.details:{link_id}"


def invitation(to: str, url: str, link: KycLink) -> SealedEmailContent:
    """Return the e-mail that invites its recipient to open the form."""
    until = link.expires_at.strftime("%-d %B %Y")
    return SealedEmailContent(
        to,
        "Complete your verification",
        "Hello,\n\n"
        "the company you are in contact with needs information and documents to make payments\n"
        "for you. Submit them on this page:\n\n"
        f"{url}\n\n"
        f"This link is personal: do not forward it. It expires on {until}. You can close the\n"
        "page and return to it.\n\n"
        "If you did not expect this request, ignore this e-mail.\n",
    )

"""Terms of service: create a link, show it, accept it. Source: contract, users 1."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from hmac import compare_digest
from uuid import UUID

from landbridge.customers.users import terms_store
from landbridge.customers.users.model import (
    AGREEMENT_KIND,
    AGREEMENT_LIFETIME,
    Agreement,
    new_session_token,
)
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.created_resource import CreatedResource
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict, ResourceNotFound
from landbridge.platform.core.ids import derived_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.formats.texts import URL_LENGTH_MAX, check_text, check_url
from landbridge.platform.http.caller import Caller, check_editor
from landbridge.platform.http.replays import note_replay


@dataclass(frozen=True, slots=True)
class TermsOfService:
    """Agreements of all organisations."""

    database: Database
    vault: Vault
    clock: Clock
    version: str

    async def link(
        self, caller: Caller, key: UUID, *, template_id: str | None, redirect_url: str | None
    ) -> Agreement:
        """Return the link of this idempotency key, created now or by an earlier call.

        Raises `ResourceConflict` if the key created a link with another template or redirect.
        """
        check_editor(caller)
        at = self.clock.stamp(caller.clock_offset)
        agreement = Agreement(
            org_id=caller.org_id,
            id=key,
            template_id=None if template_id is None else check_text("templateId", template_id),
            redirect_url=None if redirect_url is None else check_url("redirectUrl", redirect_url),
            session_token=new_session_token(),
            created_at=at,
            expires_at=at + AGREEMENT_LIFETIME,
            signed_at=None,
            signed_from=None,
            version=None,
        )

        async def work(tx: Tx) -> Agreement:
            await self._add(tx, agreement)
            stored = await self._get(tx, caller.org_id, key)
            for field, ours, theirs in (
                ("templateId", stored.template_id, agreement.template_id),
                ("redirectUrl", stored.redirect_url, agreement.redirect_url),
            ):
                if ours != theirs:
                    raise ResourceConflict(
                        f"idempotencyKey {key} was already used with another {field}", field=field
                    )
            if stored.session_token != agreement.session_token:
                note_replay()
            return stored

        return await self.database.transact(work)

    async def get(self, org_id: UUID, agreement_id: UUID) -> Agreement:
        """Return a link; raise `ResourceNotFound`."""
        return await self.database.read(lambda tx: self._get(tx, org_id, agreement_id))

    async def find_many(
        self, org_id: UUID, agreement_ids: Collection[UUID]
    ) -> Mapping[UUID, Agreement]:
        """Return the existing links among these, by id."""

        async def read(tx: Tx) -> Mapping[UUID, Agreement]:
            found = await terms_store.find_many(tx, org_id, agreement_ids)
            return {each.id: each for each in await self._opened(tx, org_id, found)}

        return await self.database.read(read)

    async def find_session(self, session_token: str) -> Agreement | None:
        """Return the link for a page's session token; None for a malformed token."""
        if not (session_token.isascii() and session_token.isprintable()):
            return None

        async def read(tx: Tx) -> Agreement | None:
            found = await terms_store.find_session(tx, session_token[:URL_LENGTH_MAX])
            if found is None:
                return None
            (opened,) = await self._opened(tx, found.agreement.org_id, [found])
            return opened

        return await self.database.read(read)

    async def accept(
        self,
        agreement: Agreement,
        session_token: str,
        *,
        offset: timedelta,
        signed_from: str | None,
        actor: str,
    ) -> Agreement:
        """Accept the terms; a repeated call returns the first result.

        Raises `FieldInvalid` for a wrong token and `ResourceConflict` for a link that has expired.
        """
        if not compare_digest(session_token.encode(), agreement.session_token.encode()):
            raise FieldInvalid("sessionToken does not belong to this link", field="sessionToken")
        at = self.clock.stamp(offset)

        async def work(tx: Tx) -> bool:
            org_id, owner_id = agreement.org_id, _owner_id(agreement.id)
            sealed = None
            if signed_from is not None:
                key = await self.vault.make(tx, org_id, owner_id)
                sealed = key.seal(signed_from, context=_context("signed_from", agreement.id))
            signed = await terms_store.sign(
                tx,
                org_id,
                agreement.id,
                at=at,
                sealed_signed_from=sealed,
                version=self.version,
            )
            if signed:
                await append_change(
                    tx,
                    org_id=org_id,
                    # Derived, because the caller chooses the link's id, which may equal that of
                    # another resource.
                    object_id=owner_id,
                    seq=1,
                    kind=AGREEMENT_KIND,
                    change_type="update",
                    actor=actor,
                    at=at,
                    facts={"id": agreement.id, "version": self.version},
                )
            return signed

        if await self.database.transact(work):
            return replace(agreement, signed_at=at, signed_from=signed_from, version=self.version)
        stored = await self.get(agreement.org_id, agreement.id)
        if stored.signed_at is None:
            raise ResourceConflict("the terms link has expired; make a new one")
        return stored

    async def _add(self, tx: Tx, agreement: Agreement) -> None:
        sealed = None
        if agreement.redirect_url is not None:
            key = await self.vault.make(tx, agreement.org_id, _owner_id(agreement.id))
            context = _context("redirect_url", agreement.id)
            sealed = key.seal(agreement.redirect_url, context=context)
        await terms_store.add(tx, agreement, sealed)

    async def _get(self, tx: Tx, org_id: UUID, agreement_id: UUID) -> Agreement:
        found = await terms_store.get(tx, org_id, agreement_id)
        if found is None:
            raise ResourceNotFound(f"there is no terms link {agreement_id}")
        (opened,) = await self._opened(tx, org_id, [found])
        return opened

    async def _opened(
        self, tx: Tx, org_id: UUID, found: Collection[terms_store.StoredAgreement]
    ) -> list[Agreement]:
        """Return links with redirect and acceptance address; without both after erasure."""
        owners = {_owner_id(each.agreement.id) for each in found if each.has_sealed}
        keys = await self.vault.find_many(tx, org_id, owners) if owners else {}
        return [_open(each, keys.get(_owner_id(each.agreement.id))) for each in found]


async def check_signed(tx: Tx, org_id: UUID, agreement_id: UUID) -> None:
    """Raise `FieldInvalid` unless the agreement is signed."""
    found = await terms_store.get(tx, org_id, agreement_id)
    if found is None:
        raise FieldInvalid(
            "signedAgreementId names no terms link of yours; make one with POST /v2/tos-link",
            field="signedAgreementId",
        )
    if found.agreement.signed_at is None:
        raise FieldInvalid(
            "signedAgreementId: the terms have not been accepted yet; send the person to the "
            "link's url first",
            field="signedAgreementId",
        )


async def find_created(tx: Tx, org_id: UUID, key: UUID) -> CreatedResource | None:
    """Return the link that an idempotency key created, which is the link's id; else None."""
    found = await terms_store.get(tx, org_id, key)
    if found is None:
        return None
    agreement = found.agreement
    at = agreement.created_at
    return CreatedResource(id=agreement.id, created_at=at, updated_at=agreement.signed_at or at)


async def forget(tx: Tx, vault: Vault, org_id: UUID, agreement_ids: Collection[UUID]) -> None:
    """Erase redirect URLs and acceptance addresses of agreements; the acceptances are kept."""
    await terms_store.forget(tx, org_id, agreement_ids)
    await vault.destroy(tx, org_id, [_owner_id(each) for each in agreement_ids])


def _open(stored: terms_store.StoredAgreement, key: DataKey | None) -> Agreement:
    plain = stored.agreement

    def opened(column: str, sealed: bytes | None) -> str | None:
        if key is None or sealed is None:
            return None
        return key.open(sealed, context=_context(column, plain.id), type=str)

    return replace(
        plain,
        redirect_url=opened("redirect_url", stored.sealed_redirect_url),
        signed_from=opened("signed_from", stored.sealed_signed_from),
    )


def _owner_id(agreement_id: UUID) -> UUID:
    return derived_id(agreement_id, AGREEMENT_KIND)


def _context(column: str, agreement_id: UUID) -> str:
    return f"agreements.{column}:{agreement_id}"

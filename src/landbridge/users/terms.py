"""Terms of service: make a link, show it, accept it. Source: contract, users 1."""

from dataclasses import replace
from datetime import timedelta
from hmac import compare_digest
from urllib.parse import urlsplit
from uuid import UUID

from landbridge.changes.service import tell
from landbridge.core.clock import Clock
from landbridge.core.errors import FieldInvalid, ResourceConflict, ResourceNotFound
from landbridge.db.pool import Database, Tx
from landbridge.users import terms_store
from landbridge.users.model import AGREEMENT_KIND, AGREEMENT_LIFETIME, Agreement, new_session_token
from landbridge.web.caller import Caller

_URL_LENGTH_MAX = 2000
_TEMPLATE_LENGTH_MAX = 200


class Terms:
    """Agreements of all organisations."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def link(
        self, caller: Caller, key: UUID, *, template_id: str | None, redirect_url: str | None
    ) -> Agreement:
        """The link of this idempotency key: made now, or the one that it made before.

        Raises `ResourceConflict` if the key made a link with another template or redirect.
        """
        at = self._clock.stamp(caller.clock_offset)
        agreement = Agreement(
            org_id=caller.org_id,
            id=key,
            template_id=_checked_template(template_id),
            redirect_url=_checked_url(redirect_url),
            session_token=new_session_token(),
            created_at=at,
            expires_at=at + AGREEMENT_LIFETIME,
            signed_at=None,
            signed_from=None,
        )

        async def work(tx: Tx) -> Agreement:
            await terms_store.add(tx, agreement)
            stored = await terms_store.get(tx, caller.org_id, key)
            if stored is None:
                raise ResourceNotFound(f"there is no terms link {key}")
            for field, ours, theirs in (
                ("templateId", stored.template_id, agreement.template_id),
                ("redirectUrl", stored.redirect_url, agreement.redirect_url),
            ):
                if ours != theirs:
                    raise ResourceConflict(
                        f"idempotencyKey {key} was already used with another {field}", field=field
                    )
            return stored

        return await self._database.transact(work)

    async def get(self, org_id: UUID, agreement_id: UUID) -> Agreement:
        """A link; raises `ResourceNotFound`."""
        found = await self._database.single(lambda tx: terms_store.get(tx, org_id, agreement_id))
        if found is None:
            raise ResourceNotFound(f"there is no terms link {agreement_id}")
        return found

    async def find_session(self, session_token: str) -> Agreement | None:
        """The link behind a page's session token; what can't be a token has none."""
        if not (session_token.isascii() and session_token.isprintable()):
            return None
        return await self._database.single(
            lambda tx: terms_store.find_session(tx, session_token[:_URL_LENGTH_MAX])
        )

    async def accept(
        self,
        agreement: Agreement,
        session_token: str,
        *,
        offset: timedelta,
        signed_from: str | None,
        actor: str,
    ) -> Agreement:
        """Accept the terms; doing it again answers as the first time.

        Raises `FieldInvalid` for a wrong token and `ResourceConflict` for a link that has expired.
        """
        if not compare_digest(session_token.encode(), agreement.session_token.encode()):
            raise FieldInvalid("sessionToken does not belong to this link", field="sessionToken")
        at = self._clock.stamp(offset)

        async def work(tx: Tx) -> bool:
            signed = await terms_store.sign(
                tx, agreement.org_id, agreement.id, at=at, signed_from=signed_from
            )
            if signed:
                await tell(
                    tx,
                    org_id=agreement.org_id,
                    object_id=agreement.id,
                    seq=1,
                    kind=AGREEMENT_KIND,
                    what="accept",
                    actor=actor,
                    at=at,
                )
            return signed

        if await self._database.transact(work):
            return replace(agreement, signed_at=at, signed_from=signed_from)
        stored = await self.get(agreement.org_id, agreement.id)
        if stored.signed_at is None:
            raise ResourceConflict("the terms link has expired; make a new one")
        return stored


async def check_signed(tx: Tx, org_id: UUID, agreement_id: UUID) -> None:
    """Raise `FieldInvalid` unless the agreement is signed."""
    agreement = await terms_store.get(tx, org_id, agreement_id)
    if agreement is None:
        raise FieldInvalid(
            "signedAgreementId names no terms link of yours; make one with POST /v2/tos-link",
            field="signedAgreementId",
        )
    if agreement.signed_at is None:
        raise FieldInvalid(
            "signedAgreementId: the terms have not been accepted yet; send the person to the "
            "link's url first",
            field="signedAgreementId",
        )


def _checked_url(url: str | None) -> str | None:
    if url is None:
        return None
    try:
        parts = urlsplit(url)
        fits = parts.scheme in {"http", "https"} and bool(parts.hostname) and url.isprintable()
    except ValueError:
        fits = False
    if not fits or " " in url or len(url) > _URL_LENGTH_MAX:
        raise FieldInvalid("redirectUrl must be an http or https URL", field="redirectUrl")
    return url


def _checked_template(template_id: str | None) -> str | None:
    if template_id is not None and not 1 <= len(template_id) <= _TEMPLATE_LENGTH_MAX:
        raise FieldInvalid(
            f"templateId must have 1 to {_TEMPLATE_LENGTH_MAX} characters", field="templateId"
        )
    return template_id

"""Sumsub: persons and businesses are verified on Sumsub's own page, or by a share token.

Guarantees:
- our key is the applicant's `externalUserId`: an applicant is created only after Sumsub has said
  that there is none, and what a copy forgets when it is killed is found again by it. What else
  must be remembered is in the applicant's metadata; nothing is stored here;
- nothing is decided before our submission, and nothing is read out of a webhook;
- what is not in the tables of `messages.py` is no answer;
- a call is refused only by the settings, and by what Sumsub says about a share token.
"""

import time
from uuid import UUID

import msgspec

from landbridge.providers.packages.fields import read_our_key
from landbridge.providers.packages.http_client import NoAnswer, certain
from landbridge.providers.packages.interface import (
    ApplicationAnswer,
    ApplicationDocumentRequest,
    ApplicationKey,
    ApplicationRefusalCode,
    ApplicationRefused,
    ApplicationRequest,
    InboundWebhook,
    InboundWebhookNews,
    KeyConflict,
    NotDone,
    PackageSettings,
    ProviderPackage,
    SidecarDescription,
    VerificationLinkAnswer,
)
from landbridge_sumsub.applicant import applicant_body, applicant_items
from landbridge_sumsub.client import NOT_TAKEN, UNAUTHORIZED, SumsubApi, SumsubRefusal
from landbridge_sumsub.messages import CONTENT, SUBMITTED, SumsubApplicant, application_answer
from landbridge_sumsub.notification import SumsubEvent, verify_webhook
from landbridge_sumsub.sandbox import TEST_OUTCOMES, next_result
from landbridge_sumsub.settings import read_settings

# reference/reuse-applicant-for-reusable-kyc and /simulate-reusing-applicant-for-reusable-kyc: the
# token, its donor, or what the donor has, does not do. Another submission does without it.
SHARE_TOKEN_CODES = frozenset({*range(10_501, 10_520), 10_521})
_LINK_LENGTH_MAX = 2_000


class SumsubIdentity(ProviderPackage):
    """Adapter of Sumsub. Source: docs.sumsub.com."""

    def __init__(self, settings: PackageSettings) -> None:
        self._settings = read_settings(settings)
        self._options = self._settings.options
        self._api = SumsubApi(self._settings, self.now_s)

    def now_s(self) -> int:
        """Return the time by which requests are signed, in seconds since 1970."""
        return int(time.time())

    async def close(self) -> None:
        """Close idle connections."""
        await self._api.close()

    async def describe(self) -> SidecarDescription:
        """Return what the adapter serves. Only Sandbox mode can make up results."""
        return SidecarDescription(
            name="Sumsub",
            protocol=1,
            identity_outcomes=TEST_OUTCOMES if self._options.sandbox else (),
            never_run_live=True,
        )

    async def create_application(self, request: ApplicationRequest) -> ApplicationAnswer:
        """Create an applicant unless Sumsub has it, and return its state."""
        found = await self._find(request.key)
        if found is None:
            found = await self._created(request)
        items = applicant_items(request)
        kept = found.item(CONTENT)
        if kept is None:
            # Made by a share token, which takes no metadata.
            await self._set(found, items)
        elif kept != items[CONTENT]:
            raise KeyConflict
        return self._answer(request.key, found)

    async def attach_document(self, request: ApplicationDocumentRequest) -> ApplicationAnswer:
        """Return the state: documents are not sent, as Sumsub takes them on its page."""
        return self._answer(request.key, await self._known(request.key))

    async def submit_application(self, request: ApplicationKey) -> ApplicationAnswer:
        """Note that we have submitted. Sumsub begins once the person has done all on its page."""
        found = await self._known(request.key)
        if not found.item(SUBMITTED):
            await self._set(found, {SUBMITTED: "yes"})
            found = await certain(self._known(request.key))
            if not found.item(SUBMITTED):
                raise NoAnswer("Sumsub does not show a submission that it has")
        return self._answer(request.key, found)

    async def find_application(self, query: ApplicationKey) -> ApplicationAnswer | None:
        """Return the state of an application; in Sandbox mode a test outcome comes with it."""
        found = await self._find(query.key)
        if found is None:
            return None
        result = next_result(found) if self._options.sandbox else None
        if result is not None:
            try:
                await self._api.simulate(found, result)
            except SumsubRefusal as refused:
                raise _not_shown(refused) from None
            found = await self._known(query.key)
        return self._answer(query.key, found)

    async def open_link(self, query: ApplicationKey) -> VerificationLinkAnswer | None:
        """Return an address of Sumsub's page for the level that the applicant has."""
        found = await self._find(query.key)
        if found is None:
            return None
        level, ttl_s = found.review.level_name, self._options.link_ttl_s
        if level is None:
            raise NoAnswer("the applicant has no level")
        try:
            url = await self._api.link(query.key, level, ttl_s)
        except SumsubRefusal as refused:
            raise _not_shown(refused) from None
        if not url.startswith("https://") or len(url) > _LINK_LENGTH_MAX:
            raise NoAnswer("the link is no address")
        return VerificationLinkAnswer(key=query.key, url=url, expires_in_seconds=ttl_s)

    async def read_webhook(self, webhook: InboundWebhook) -> InboundWebhookNews:
        """Return the application that a webhook is about, by our key; it is queried afterwards."""
        verify_webhook(webhook, self._settings.webhook_secret)
        event = msgspec.json.decode(webhook.body, type=SumsubEvent)
        key = read_our_key(event.external_user_id)
        return InboundWebhookNews(keys=() if key is None else (key,))

    async def _created(self, request: ApplicationRequest) -> SumsubApplicant:
        """Create an applicant, of this call or another; returns it once Sumsub shows it.

        Raises `ApplicationRefused`, `NotDone` and `NoAnswer`.
        """
        level = self._level(request)
        refused: SumsubRefusal | None = None
        try:
            if request.share_token is None:
                body = applicant_body(request, is_cross_checked=self._options.cross_check)
                await self._api.create(level, body)
            else:
                await self._api.reuse(request.key, level, request.share_token)
        except SumsubRefusal as error:
            refused = error
        found = await certain(self._find(request.key))
        if found is not None:
            return found
        if refused is None:
            raise NoAnswer("Sumsub does not show an applicant that it has")
        if request.share_token is not None and _is_about_token(refused):
            raise ApplicationRefused(ApplicationRefusalCode.SHARE_TOKEN_INVALID)
        if refused.status in NOT_TAKEN:
            raise NotDone(f"Sumsub did not take an applicant: {refused}")
        raise NoAnswer(f"an applicant was answered with an error that decides nothing: {refused}")

    def _level(self, request: ApplicationRequest) -> str:
        """Return the level of an applicant; refuses what the settings do not have."""
        outcome = request.test_outcome
        level = self._options.level(request.rail, is_business=request.is_business)
        is_allowed = outcome is None or (self._options.sandbox and outcome in TEST_OUTCOMES)
        if level is None or not is_allowed:
            raise ApplicationRefused(ApplicationRefusalCode.UNSUPPORTED)
        if request.share_token is not None and not self._options.share_tokens:
            raise ApplicationRefused(ApplicationRefusalCode.SHARE_TOKEN_INVALID)
        return level

    async def _find(self, key: UUID) -> SumsubApplicant | None:
        try:
            return await self._api.find(key)
        except SumsubRefusal as refused:
            raise _not_shown(refused) from None

    async def _known(self, key: UUID) -> SumsubApplicant:
        """Return an applicant that exists; we are asked again about any other."""
        found = await self._find(key)
        if found is None:
            raise NotDone("there is no such applicant")
        return found

    async def _set(self, applicant: SumsubApplicant, items: dict[str, str]) -> None:
        try:
            await self._api.set_metadata(applicant, items)
        except SumsubRefusal as refused:
            raise _not_shown(refused) from None

    def _answer(self, key: UUID, applicant: SumsubApplicant) -> ApplicationAnswer:
        return application_answer(key, applicant, self._options.on_hold)


def _is_about_token(refused: SumsubRefusal) -> bool:
    """Return whether a share token was refused.

    A 401 without a code is about it: the same keys have just been accepted by a query.
    """
    if refused.status == UNAUTHORIZED:
        return refused.error_code is None
    return refused.error_code in SHARE_TOKEN_CODES


def _not_shown(refused: SumsubRefusal) -> NotDone | NoAnswer:
    """Return the error of a call that Sumsub refused and that may be sent again."""
    if refused.status in NOT_TAKEN:
        return NotDone(f"Sumsub did not take a call: {refused}")
    return NoAnswer(f"a call was answered with an error that decides nothing: {refused}")

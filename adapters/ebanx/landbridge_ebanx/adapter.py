"""Payouts by EBANX: PIX in Brazil and SPEI in Mexico, from the balance that the operator funds.

Guarantees:
- our key is the payout's `external_reference`, which EBANX accepts once; whatever a copy forgets
  when it is killed is found again by it. Nothing is stored here;
- a payout is ordered only after EBANX has said that it does not have it;
- nothing is `NotDone` or refused once an order was sent or found;
- what is not in the tables of `messages.py` is no answer.
"""

from collections.abc import Sequence
from decimal import Decimal
from urllib.parse import urlencode
from uuid import UUID

from landbridge.providers.packages.fields import read_our_key
from landbridge.providers.packages.http_client import NoAnswer, ProviderHttp, certain
from landbridge.providers.packages.interface import (
    FailureCode,
    InboundWebhook,
    InboundWebhookNews,
    KeyConflict,
    PackageSettings,
    PayoutAnswer,
    PayoutQuery,
    PayoutRefused,
    PayoutRequest,
    ProviderPackage,
    RequestedOutcome,
    SidecarDescription,
)
from landbridge_ebanx.messages import (
    DUPLICATE_CODE,
    OPEN_STATUS,
    EbanxAnswer,
    EbanxPayout,
    exact_amount,
    payout_answer,
)
from landbridge_ebanx.notification import hash_codes, verify_notification
from landbridge_ebanx.order import order_form
from landbridge_ebanx.settings import read_settings

_FORM = {"Content-Type": "application/x-www-form-urlencoded"}
_OK, _SERVER_ERROR = 200, 500
_SUCCESS = "success"
_Found = tuple[EbanxPayout, FailureCode]


class EbanxPayouts(ProviderPackage):
    """Adapter of EBANX payouts. Source: docs.ebanx.com/docs/payout."""

    def __init__(self, settings: PackageSettings) -> None:
        self._settings = read_settings(settings)
        self._options = self._settings.options
        self._http = ProviderHttp(self._options.base_url, timeout_s=self._options.timeout_s)

    async def close(self) -> None:
        """Close idle connections."""
        await self._http.close()

    async def describe(self) -> SidecarDescription:
        """Return what the adapter serves. Of the test outcomes, EBANX's sandbox has only one."""
        outcomes = (RequestedOutcome.SETTLE,) if self._options.sandbox else ()
        return SidecarDescription(
            name="EBANX", protocol=1, test_outcomes=outcomes, never_run_live=True
        )

    async def pay(self, request: PayoutRequest) -> PayoutAnswer:
        """Order a payout unless EBANX has it, and return its state."""
        found = await self._retrieve("external_reference", str(request.key))
        if found is None:
            await self._create(request)
            found = await self._after_order(request.key)
            if found is None:
                raise NoAnswer("EBANX does not show an order that it has")
        _check_content(found[0], request)
        return await self._committed(request.key, found)

    async def find_payout(self, query: PayoutQuery) -> PayoutAnswer | None:
        """Return the state of a payout; an open one is committed, if the settings say so."""
        found = await self._retrieve("external_reference", str(query.key))
        return None if found is None else await self._committed(query.key, found)

    async def read_webhook(self, webhook: InboundWebhook) -> InboundWebhookNews:
        """Return the payouts of a notification, which EBANX names by its own identifiers."""
        verify_notification(webhook, self._settings.certificate)
        keys: list[UUID] = []
        for uid in hash_codes(webhook.body):
            found = await self._retrieve("uid", uid)
            if found is None or found[0].uid != uid:
                continue
            if key := read_our_key(found[0].external_reference):
                keys.append(key)
        return InboundWebhookNews(keys=tuple(dict.fromkeys(keys)))

    async def _create(self, request: PayoutRequest) -> None:
        """Send an order; returns once EBANX has one, of this call or another.

        Raises `PayoutRefused`, `NotDone` if no byte was written, and `NoAnswer`.
        """
        if request.returns is not None or not self._allows(request.test_outcome):
            raise PayoutRefused(FailureCode.UNSUPPORTED)
        form = order_form(request, self._options.payee_email)
        answer = await self._call("/ws/payout/create", form)
        if answer.type == _SUCCESS or answer.code == DUPLICATE_CODE:
            return
        refused = self._settings.refusals.get(answer.code or "")
        if refused is None:
            raise NoAnswer("an order was answered with an error that is not in the tables")
        raise PayoutRefused(refused)

    def _allows(self, outcome: RequestedOutcome | None) -> bool:
        return outcome is None or (self._options.sandbox and outcome is RequestedOutcome.SETTLE)

    async def _after_order(self, key: UUID) -> _Found | None:
        """Query after an order: that the query was not sent says nothing about the order."""
        return await certain(self._retrieve("external_reference", str(key)))

    async def _committed(self, key: UUID, found: _Found) -> PayoutAnswer:
        """Return the state of a payout, and commit it before if it is open and ours to commit."""
        answer = payout_answer(key, *found)
        if found[0].status != OPEN_STATUS or not self._options.commit:
            return answer
        await certain(self._call("/ws/payout/commit", [("uid", found[0].uid)]))
        again = await self._after_order(key)
        if again is None or again[0].uid != found[0].uid:
            raise NoAnswer("a payout is gone after it was committed")
        return payout_answer(key, *again)

    async def _retrieve(self, name: str, value: str) -> _Found | None:
        """Return a payout; None only if EBANX says that it does not have it.

        Raises `NotDone` and `NoAnswer`.
        """
        answer = await self._call("/ws/payout/retrieve", [(name, value)])
        if answer.type == _SUCCESS:
            return answer.read_payout()
        if answer.code in self._options.unknown_codes:
            return None
        raise NoAnswer("a query was answered with an error that is not in the settings")

    async def _call(self, path: str, form: Sequence[tuple[str, str]]) -> EbanxAnswer:
        fields = [("integration_key", self._settings.integration_key), *form]
        answer = await self._http.send("POST", path, body=urlencode(fields).encode(), headers=_FORM)
        if answer.status >= _SERVER_ERROR:
            raise NoAnswer(f"EBANX answered with status {answer.status}")
        read = answer.read(EbanxAnswer)
        if read.type == _SUCCESS and answer.status != _OK:
            raise NoAnswer(f"a success with status {answer.status}")
        return read


def _check_content(payout: EbanxPayout, request: PayoutRequest) -> None:
    """Raise `KeyConflict` unless EBANX pays the amount and currency of the request."""
    is_same = exact_amount(payout) == Decimal(request.amount)
    if not is_same or payout.request_currency != request.currency.upper():
        raise KeyConflict

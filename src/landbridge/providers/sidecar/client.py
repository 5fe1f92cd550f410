"""Client of one sidecar: its calls, and the meaning of the answers; see also `transport.py`.

An answer counts only if it has the same key, amount and currency. Any other answer leaves the
outcome unknown.
"""

from collections.abc import Sequence
from http import HTTPStatus
from uuid import UUID

from landbridge.platform.core.errors import Rejected
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.money import AmountError, Money
from landbridge.platform.formats.texts import shorten
from landbridge.providers.kyt.port import ScreenedTransfer
from landbridge.providers.rails.port import (
    DepositCoordinates,
    PayeeMatch,
    PayeeVerification,
    PaymentTracking,
    PayoutDestination,
    RailPayment,
)
from landbridge.providers.sidecar.credits import (
    DepositAccount,
    ProviderCreditPage,
    read_credit,
    replace_half_characters,
)
from landbridge.providers.sidecar.model import (
    AnswerUnusable,
    NothingDone,
    OrderProblem,
    PayoutReport,
)
from landbridge.providers.sidecar.payee_protocol import PAYEES_PATH, PayeeAnswer, PayeeRequest
from landbridge.providers.sidecar.protocol import (
    ACCOUNTS_PATH,
    CREDITS_PATH,
    DESCRIBE_PATH,
    FAILURES,
    PAYOUTS_PATH,
    QUERY_PATH,
    SCREENING_QUERY_PATH,
    SCREENINGS_PATH,
    TEST_CREDITS_PATH,
    CreditsQuery,
    DepositAccountAnswer,
    DepositAccountRequest,
    DescribeRequest,
    ErrorCode,
    PayoutAnswer,
    PayoutQuery,
    PayoutRefusal,
    PayoutRequest,
    RawCreditsAnswer,
    RequestedCredit,
    RequestedOutcome,
    RequestedScreening,
    ScreenedSender,
    ScreeningAnswer,
    ScreeningQuery,
    ScreeningRequest,
    SidecarDescription,
    SidecarError,
)
from landbridge.providers.sidecar.rates_protocol import RATES_PATH, RatesAnswer, RatesQuery
from landbridge.providers.sidecar.transport import counted_call
from landbridge.providers.sidecar.travel_protocol import TravelClient

# Bytes of a page of credits, which is fifty times as long as another answer.
_PAGE_BYTES_MAX = 1024 * 1024
# Characters of a text from a bank.
_NAME_LENGTH_MAX = 500


class SidecarClient(TravelClient):
    """Client of one sidecar, with every call of the protocol."""

    @counted_call
    async def pay(
        self,
        payment: RailPayment,
        *,
        returns: str | None = None,
        test_outcome: RequestedOutcome | None = None,
    ) -> PayoutReport:
        """Submit a payout; see `PayoutProvider`. Real providers refuse a test outcome."""
        request = copy_fields(
            payment,
            PayoutRequest,
            amount=str(payment.money),
            currency=payment.money.asset.currency,
            payee=dict(payment.payee) if returns is None else None,
            texts=dict(payment.texts) if returns is None else {},
            returns=returns,
            test_outcome=test_outcome,
        )
        status, body = await self._call(PAYOUTS_PATH, request)
        match status:
            case HTTPStatus.OK:
                return self._report(body, payment.key, payment.money, payment.rail)
            case HTTPStatus.UNPROCESSABLE_ENTITY:
                refusal = self._decoded(body, PayoutRefusal)
                self._check_key(refusal.key, payment.key)
                raise Rejected(FAILURES[refusal.failure_code])
            case HTTPStatus.SERVICE_UNAVAILABLE:
                if self._decoded(body, SidecarError).code is ErrorCode.NOT_DONE:
                    raise NothingDone(f"provider {self.name} did nothing, and asks to try again")
            case _:
                self._check_conflict(status, f"the key {payment.key} with another payment")
        raise self._unusable(f"HTTP status {status}")

    @counted_call
    async def find(self, org_id: UUID, key: UUID, money: Money, rail: str) -> PayoutReport | None:
        """Return the state of a payout; see `PayoutProvider`."""
        del org_id
        status, body = await self._call(QUERY_PATH, PayoutQuery(key=key))
        if status == HTTPStatus.NOT_FOUND:
            self._check_unknown(status, body)
            return None
        self._check_answered(status)
        return self._report(body, key, money, rail)

    @counted_call
    async def open_account(self, org_id: UUID, currency: str, key: UUID) -> DepositAccount:
        """Return the account for deposits of this key; every call returns the same account.

        Raises `Unavailable`, `AnswerUnusable` and `Unclear`.
        """
        request = DepositAccountRequest(key=key, org_id=org_id, currency=currency)
        status, body = await self._call(ACCOUNTS_PATH, request)
        self._check_answered(status, unavailable="gives no account now")
        answer = self._decoded(body, DepositAccountAnswer)
        self._check_key(answer.key, key)
        if answer.currency != currency:
            raise self._unusable("an account in another currency")
        numbers = {
            "ach": answer.rails.ach,
            "wire": answer.rails.wire,
            "rtp": answer.rails.rtp,
        }
        return DepositAccount(
            answer.account_number,
            copy_fields(
                answer,
                DepositCoordinates,
                rails={
                    name: (each.routing_number, each.account_number)
                    for name, each in numbers.items()
                    if each is not None
                },
            ),
        )

    @counted_call
    async def credits(self, after: str | None, limit: int) -> ProviderCreditPage:
        """Return up to `limit` credits after this cursor, in the provider's order.

        Raises `Unavailable`, `AnswerUnusable` and `Unclear`.
        """
        query = CreditsQuery(after=after, limit=limit)
        status, body = await self._call(CREDITS_PATH, query, bytes_max=_PAGE_BYTES_MAX)
        self._check_answered(status)
        answer = self._decoded(replace_half_characters(body), RawCreditsAnswer)
        if max(len(answer.credits), len(answer.reversed)) > limit:
            raise self._unusable("more credits than the limit")
        is_last = answer.next is None or answer.next == after
        if is_last and (answer.credits or answer.reversed):
            raise self._unusable("credits without a next cursor")
        return ProviderCreditPage(
            credits=tuple(map(read_credit, answer.credits)),
            reversed=answer.reversed,
            next=None if is_last else answer.next,
        )

    @counted_call
    async def screen(
        self, transfer: ScreenedTransfer, *, test_outcome: RequestedScreening | None = None
    ) -> ScreeningAnswer:
        """Submit a deposit or payment once per key, and return the state of its screening.

        Raises `Unavailable`, `AnswerUnusable` and `Unclear`, after which it may be submitted again.
        """
        money, sender = transfer.money, transfer.sender
        request = copy_fields(
            transfer,
            ScreeningRequest,
            amount=str(money),
            currency=money.asset.currency,
            sender=None if sender is None else copy_fields(sender, ScreenedSender),
            payee=None if transfer.payee is None else dict(transfer.payee),
            test_outcome=test_outcome,
        )
        status, body = await self._call(SCREENINGS_PATH, request)
        self._check_conflict(status, f"the key {transfer.key} with something else")
        return self._screening(status, body, transfer.key)

    @counted_call
    async def find_screening(self, key: UUID) -> ScreeningAnswer | None:
        """Return the state of a screening; None if the key is unknown. Raises as `screen` does."""
        status, body = await self._call(SCREENING_QUERY_PATH, ScreeningQuery(key=key))
        if status == HTTPStatus.NOT_FOUND:
            self._check_unknown(status, body)
            return None
        return self._screening(status, body, key)

    def _screening(self, status: int, body: bytes, key: UUID) -> ScreeningAnswer:
        self._check_answered(status)
        answer = self._decoded(body, ScreeningAnswer)
        self._check_key(answer.key, key)
        return answer

    @counted_call
    async def verify_payee(
        self, destination: PayoutDestination, *, test_outcome: PayeeMatch | None = None
    ) -> PayeeVerification:
        """Verify a payee; see `PayoutProvider`. Returns `unavailable` if the sidecar can't say."""
        request = copy_fields(
            destination, PayeeRequest, payee=dict(destination.payee), test_outcome=test_outcome
        )
        status, body = await self._call(PAYEES_PATH, request)
        if status in {HTTPStatus.NOT_FOUND, HTTPStatus.SERVICE_UNAVAILABLE}:
            return PayeeVerification(match=PayeeMatch.UNAVAILABLE)
        if status != HTTPStatus.OK:
            raise self._unusable(f"HTTP status {status}")
        answer = self._decoded(body, PayeeAnswer)
        is_close = answer.match is PayeeMatch.CLOSE_MATCH
        name = shorten(answer.name or "", length_max=_NAME_LENGTH_MAX) if is_close else None
        if name == "":
            raise self._unusable("a close match without a name")
        return PayeeVerification(match=answer.match, name=name)

    @counted_call
    async def read_rates(self, currencies: Sequence[str]) -> RatesAnswer:
        """Return values of currencies in dollars; raises `Unavailable` and `Unclear`."""
        status, body = await self._call(RATES_PATH, RatesQuery(currencies=tuple(currencies)))
        self._check_answered(status, unavailable="has no rates now")
        return self._decoded(body, RatesAnswer)

    async def make_test_credit(self, request: RequestedCredit) -> None:
        """Let a sidecar under test create a credit; raises `Unavailable` and `Unclear`."""
        status, _ = await self._call(TEST_CREDITS_PATH, request)
        if status != HTTPStatus.OK:
            raise self._unusable(f"HTTP status {status}")

    async def describe(self) -> SidecarDescription:
        """Return the sidecar's description of itself; raises `Unavailable` and `Unclear`."""
        status, body = await self._call(DESCRIBE_PATH, DescribeRequest())
        if status != HTTPStatus.OK:
            raise self._unusable(f"HTTP status {status}")
        return self._decoded(body, SidecarDescription)

    def _report(self, body: bytes, key: UUID, money: Money, rail: str) -> PayoutReport:
        answer = self._decoded(body, PayoutAnswer)
        self._check_key(answer.key, key)
        try:
            answered = Money.parse(answer.amount, money.asset)
        except AmountError:
            answered = None
        if answered != money or answer.currency != money.asset.currency:
            raise AnswerUnusable(
                OrderProblem.AMOUNT_DIFFERS,
                f"provider {self.name} answered another amount or currency for {key}",
            )
        return PayoutReport(
            state=answer.state,
            money=money,
            provider_reference=answer.provider_reference,
            tracking=copy_fields(
                answer.references, PaymentTracking, payment_rail=rail, fed_batch_id=None
            ),
            expected_in_s=answer.expected_in_seconds,
            failure=answer.failure_code,
        )

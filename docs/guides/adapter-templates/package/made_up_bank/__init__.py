"""Package of a made-up bank, for Landbridge: copy it, and replace `Bank`.

Its order of work is what makes it safe: an order is stored before the bank is called, and the bank
is called with our key, so that a crash or a repeated call never pays twice. Credits are a log with
one entry for each, so that any page can be read again.

Several copies of it run at once. They share one database: here a file, so all on one machine.
"""

import asyncio
import hashlib
import hmac
import json
import sqlite3
import time
from datetime import UTC, datetime
from uuid import UUID

import msgspec

from landbridge.providers.packages.interface import (
    ApplicationAnswer,
    ApplicationDocumentRequest,
    ApplicationKey,
    ApplicationRefusalCode,
    ApplicationRefused,
    ApplicationRequest,
    ApplicationState,
    CreditsAnswer,
    CreditsQuery,
    DepositAccountAnswer,
    DepositAccountRequest,
    DepositNumbers,
    DepositRails,
    FailureCode,
    InboundWebhook,
    InboundWebhookNews,
    KeyConflict,
    NotDone,
    PackageSettings,
    PackageSettingsInvalid,
    PayeeAnswer,
    PayeeMatch,
    PayeeRequest,
    PayoutAnswer,
    PayoutQuery,
    PayoutRefused,
    PayoutRequest,
    PayoutState,
    ProviderCredit,
    ProviderPackage,
    RatesAnswer,
    RatesQuery,
    RequestedCredit,
    RequestedOutcome,
    RequestedScreening,
    RequestedTravel,
    RequestedVerification,
    RiskCategory,
    ScreeningAnswer,
    ScreeningQuery,
    ScreeningRequest,
    ScreeningState,
    SidecarDescription,
    TravelAcceptance,
    TravelConfirmationRequest,
    TravelInboundConfirmation,
    TravelInboundInquiry,
    TravelInboxAnswer,
    TravelInboxQuery,
    TravelInquiryAnswer,
    TravelInquiryRequest,
    TravelResolutionRequest,
    TravelState,
    VerificationLinkAnswer,
    WebhookInvalid,
)

# Of the made-up bank. Silence is longer than any caller waits.
SETTLES_AFTER_S, RETURNS_AFTER_S, SILENCE_S = 0.3, 1.0, 35
VALUES = {"usdc": "0.9999", "usdt": "1.0002", "eur": "1.17", "brl": "0.1825", "mxn": "0.0557"}

TABLES = """
create table if not exists orders (key text primary key, request blob not null, refusal text,
    calls integer not null default 0, submitted integer not null default 0, at real not null);
create table if not exists screenings (key text primary key, request blob not null,
    calls integer not null default 0, at real not null);
create table if not exists applications (key text primary key, request blob not null,
    calls integer not null default 0, submitted_at real);
create table if not exists inquiries (key text primary key, request blob not null,
    calls integer not null, at real not null, confirmation blob);
-- What other providers sent: an inquiry, or what became of its transfer.
create table if not exists inbox (place integer primary key, is_inquiry integer not null,
    id text not null, body blob not null, is_received integer not null default 0, resolution blob,
    unique (is_inquiry, id));
create table if not exists accounts (key text primary key, request blob not null, answer blob);
-- A credit has one return that has not failed.
create table if not exists returns (credit text primary key, key text not null);
-- The place is the cursor. It only grows, and a credit keeps its own; a reversal has no body.
create table if not exists log (place integer primary key autoincrement, credit text not null,
    is_reversal integer not null, body blob, unique (credit, is_reversal));
"""


class Bank:
    """Made-up bank. Replace it: each method calls the real one, with `key` as idempotency key."""

    async def pay(self, key: UUID, request: PayoutRequest) -> FailureCode | None:
        """Submit a payment; safe to repeat with the same key.

        Return a failure only if the bank has refused it and can't carry it out any more.
        """

    async def open_account(self, key: UUID, currency: str) -> DepositAccountAnswer:
        """Open an account for deposits; safe to repeat with the same key."""
        number = f"9{int(hashlib.sha256(key.bytes).hexdigest(), 16) % 10**15:015d}"
        numbers = DepositNumbers(routing_number="123456780", account_number=number)
        is_usd = currency == "usd"
        return DepositAccountAnswer(
            key=key,
            currency=currency,
            account_number=number,
            bank_name="Made-up Bank",
            bank_address="1 Example Street, Springfield",
            beneficiary_name="Example Platform",
            beneficiary_address="2 Example Street, Springfield",
            rails=DepositRails(ach=numbers, wire=numbers) if is_usd else DepositRails(),
            instruction=None if is_usd else f"Pay to account {number}.",
        )

    async def state(
        self, request: PayoutRequest, accepted_at: float
    ) -> tuple[PayoutState, FailureCode | None]:
        """Return the state at the bank, and the failure code if there is one."""
        age_s, outcome = time.time() - accepted_at, request.test_outcome
        if age_s < SETTLES_AFTER_S:
            return PayoutState.PENDING, None
        if outcome is RequestedOutcome.FAIL:
            return PayoutState.FAILED, FailureCode.ACCOUNT_CLOSED
        if outcome is RequestedOutcome.RETURN and age_s > RETURNS_AFTER_S:
            return PayoutState.RETURNED, None
        return PayoutState.SETTLED, None

    async def screen(
        self, request: ScreeningRequest, asked_at: float
    ) -> tuple[ScreeningState, tuple[RiskCategory, ...]]:
        """Return the state of a screening, and what a hit is about.

        A final answer must be the same for ever: store it if the real provider changes its mind.
        """
        outcome = request.test_outcome
        if outcome is RequestedScreening.LATE and time.time() - asked_at < SETTLES_AFTER_S:
            return ScreeningState.PENDING, ()
        if outcome is RequestedScreening.HIT:
            return ScreeningState.HIT, (RiskCategory.SANCTIONS,)
        return ScreeningState.CLEAR, ()

    async def send_inquiry(self, key: UUID, request: TravelInquiryRequest) -> None:
        """Send an inquiry about a transfer to another provider; safe to repeat."""

    async def inquiry_state(
        self, request: TravelInquiryRequest, sent_at: float
    ) -> tuple[TravelState, str | None]:
        """Return the state of an inquiry of ours, and the reason of a rejection.

        A final answer must be the same for ever: store it if the real provider changes its mind.
        """
        outcome = request.test_outcome or RequestedTravel.UNKNOWN
        if outcome is RequestedTravel.REFUSE:
            return TravelState.REFUSED, None
        if outcome is RequestedTravel.UNKNOWN:
            return TravelState.UNKNOWN_COUNTERPARTY, None
        if time.time() - sent_at < SETTLES_AFTER_S:
            return TravelState.PENDING, None
        if outcome is RequestedTravel.REJECT:
            return TravelState.REJECTED, "No such wallet."
        return TravelState.APPROVED, None

    async def resolve_inquiry(self, request: TravelResolutionRequest) -> None:
        """Answer an inquiry of another provider; safe to repeat."""

    async def confirm_transfer(self, request: TravelConfirmationRequest) -> None:
        """Report what became of a transfer; safe to repeat."""

    async def create_applicant(self, key: UUID, request: ApplicationRequest) -> None:
        """Create the applicant of a verification; safe to repeat with the same key."""

    async def attach(self, key: UUID, document: ApplicationDocumentRequest) -> None:
        """Add a document; safe to repeat with the same `document_id`."""

    async def submit(self, key: UUID) -> None:
        """Start the verification; safe to repeat."""

    async def review(
        self, key: UUID, request: ApplicationRequest, submitted_at: float
    ) -> ApplicationAnswer:
        """Return the state of a submitted verification, and what its review says.

        A final answer must be the same for ever: store it if the real provider changes its mind.
        """
        pending = answer(key, ApplicationState.PENDING)
        if time.time() - submitted_at < SETTLES_AFTER_S:
            return msgspec.structs.replace(pending, expected_in_seconds=1)
        match request.test_outcome:
            case RequestedVerification.RETRY:
                found = answer(key, ApplicationState.RETRY)
                return msgspec.structs.replace(
                    found, reject_reasons=("BLURRED",), fields=("lastName",)
                )
            case RequestedVerification.DECLINE:
                found = answer(key, ApplicationState.DECLINED)
                return msgspec.structs.replace(found, reject_reasons=("FORGED",))
            case RequestedVerification.INFORMATION:
                found = answer(key, ApplicationState.INFORMATION)
                return msgspec.structs.replace(found, comment="Say where the funds come from.")
            case RequestedVerification.REVIEW:
                return answer(key, ApplicationState.REVIEW)
            case _:
                return answer(key, ApplicationState.APPROVED)

    async def link(self, key: UUID) -> str | None:
        """Return the provider's own page for the person; None if it has none."""
        return f"https://bank.example.com/verify/{hashlib.sha256(key.bytes).hexdigest()}"


class Store:
    """Orders, screenings, accounts and credits by key: the memory that makes calls repeatable."""

    def __init__(self, path: str) -> None:
        self.db = sqlite3.connect(path, isolation_level=None, timeout=5)
        self.db.execute("pragma synchronous = full")
        self.db.executescript(TABLES)

    def one(self, statement: str, *values: object) -> tuple | None:
        return self.db.execute(statement, values).fetchone()

    def add_order(self, key: str, body: bytes, refusal: str | None) -> tuple:
        """Store an order unless it is known, and count the call; return it as stored."""
        self.one(
            "insert into orders (key, request, refusal, at) values (?, ?, ?, ?) "
            "on conflict do nothing",
            *(key, body, refusal, time.time()),
        )
        stored = self.one(
            "update orders set calls = calls + 1 where key = ? "
            "returning request, refusal, calls, submitted",
            key,
        )
        assert stored is not None
        return stored

    def add_screening(self, key: str, body: bytes) -> tuple:
        """Store a screening unless it is known, and count the call; return it as stored."""
        self.one(
            "insert into screenings (key, request, at) values (?, ?, ?) on conflict do nothing",
            *(key, body, time.time()),
        )
        stored = self.one(
            "update screenings set calls = calls + 1 where key = ? returning request, calls", key
        )
        assert stored is not None
        return stored

    def add_application(self, key: str, body: bytes) -> tuple:
        """Store an application unless it is known, and count the call; return it as stored."""
        self.one(
            "insert into applications (key, request) values (?, ?) on conflict do nothing",
            key,
            body,
        )
        stored = self.one(
            "update applications set calls = calls + 1 where key = ? returning request, calls", key
        )
        assert stored is not None
        return stored

    def add_inquiry(self, key: str, body: bytes) -> tuple:
        """Store an inquiry of ours unless it is known, and count the call; return it as stored."""
        stored = self.one(
            "insert into inquiries (key, request, calls, at) values (?, ?, 1, ?) "
            "on conflict (key) do update set calls = calls + 1 returning request, calls, at",
            *(key, body, time.time()),
        )
        assert stored is not None
        return stored

    def put_message(self, message: TravelInboundInquiry | TravelInboundConfirmation) -> None:
        """Add a message of another provider; a known one stays as it is."""
        self.one(
            "insert into inbox (is_inquiry, id, body) values (?, ?, ?) on conflict do nothing",
            *(isinstance(message, TravelInboundInquiry), message.id, encoded(message)),
        )

    def read_messages(self, query: TravelInboxQuery, *, is_inquiry: bool) -> list[bytes]:
        """Mark those that are named as received; return others, the oldest first."""
        for each in query.inquiries if is_inquiry else query.confirmations:
            self.one(
                "update inbox set is_received = 1 where is_inquiry = ? and id = ?", is_inquiry, each
            )
        page = self.db.execute(
            "select body from inbox where is_inquiry = ? and not is_received "
            "order by place limit ?",
            (is_inquiry, query.limit),
        )
        return [body for (body,) in page]

    def claim_return(self, credit: str, key: str) -> bool:
        """Have this order return a credit; False if another one does."""
        self.one("insert into returns values (?, ?) on conflict do nothing", credit, key)
        return self.one("select key from returns where credit = ?", credit) == (key,)

    def find_credit(self, credit: str) -> ProviderCredit | None:
        """Return a credit, unless it was reversed."""
        rows = self.db.execute("select body from log where credit = ?", (credit,)).fetchall()
        if len(rows) != 1:
            return None
        return msgspec.json.decode(rows[0][0], type=ProviderCredit)


class MadeUpBank(ProviderPackage):
    """Payouts, deposits, screenings, verifications and travel rule messages at the made-up bank."""

    def __init__(self, settings: PackageSettings) -> None:
        path = settings.options.get("data")
        if not isinstance(path, str):
            raise PackageSettingsInvalid("options must have data, the path of a file")
        self.store, self.bank = Store(path), Bank()
        # Real money and tests exclude each other: without it there are no test outcomes.
        self.is_test = settings.options.get("test") is True
        self.webhook_secret = settings.secrets.get("webhook")

    async def describe(self) -> SidecarDescription:
        if not self.is_test:
            return SidecarDescription(
                name="Made-up bank",
                protocol=1,
                deposits=("usd", "eur", "brl", "mxn"),
                rates=tuple(VALUES),
            )
        return SidecarDescription(
            name="Made-up bank",
            protocol=1,
            deposits=("usd", "eur", "brl", "mxn"),
            test_outcomes=tuple(RequestedOutcome),
            screening_outcomes=tuple(RequestedScreening),
            payee_outcomes=tuple(PayeeMatch),
            identity_outcomes=tuple(RequestedVerification),
            travel_outcomes=tuple(RequestedTravel),
            rates=tuple(VALUES),
        )

    async def pay(self, request: PayoutRequest) -> PayoutAnswer:
        key, body = str(request.key), encoded(request)
        is_known = self.store.one("select 1 from orders where key = ?", key) is not None
        refusal = None if is_known else self.refusal(request)
        known_body, refusal, calls, submitted = self.store.add_order(key, body, refusal)
        if known_body != body:
            raise KeyConflict
        if refusal is not None:
            raise PayoutRefused(FailureCode(refusal))
        if request.test_outcome is RequestedOutcome.NOT_DONE and calls == 1:
            raise NotDone
        if not submitted:
            if refused := await self.bank.pay(request.key, request):
                self.store.one("update orders set refusal = ? where key = ?", refused, key)
                raise PayoutRefused(refused)
            self.store.one("update orders set submitted = 1 where key = ?", key)
        if request.test_outcome is RequestedOutcome.SILENCE and calls == 1:
            await asyncio.sleep(SILENCE_S)
        answer = await self.find_payout(PayoutQuery(key=request.key))
        assert answer is not None
        return answer

    def refusal(self, request: PayoutRequest) -> FailureCode | None:
        """Return why a new order is refused for good, if it is."""
        if request.test_outcome is not None and not self.is_test:
            return FailureCode.UNSUPPORTED
        if request.test_outcome is RequestedOutcome.REFUSE:
            return FailureCode.ACCOUNT_INVALID
        if request.returns is None:
            return None if request.payee else FailureCode.UNSUPPORTED
        credit = self.store.find_credit(request.returns)
        if credit is None:
            return FailureCode.CREDIT_GONE
        if (credit.amount, credit.currency) != (request.amount, request.currency):
            return FailureCode.UNSUPPORTED
        is_claimed = self.store.claim_return(request.returns, str(request.key))
        return None if is_claimed else FailureCode.CREDIT_GONE

    async def find_payout(self, query: PayoutQuery) -> PayoutAnswer | None:
        key = str(query.key)
        stored = self.store.one(
            "select request, at from orders where key = ? and submitted = 1", key
        )
        if stored is None:
            return None
        request = msgspec.json.decode(stored[0], type=PayoutRequest)
        state, failure = await self.bank.state(request, stored[1])
        if state in {PayoutState.FAILED, PayoutState.RETURNED}:
            self.store.one("delete from returns where key = ?", key)
        return PayoutAnswer(
            key=query.key,
            state=state,
            amount=request.amount,
            currency=request.currency,
            provider_reference=f"bank-{key}",
            expected_in_seconds=1,
            failure_code=failure,
        )

    async def verify_payee(self, request: PayeeRequest) -> PayeeAnswer:
        match = request.test_outcome if self.is_test else None
        name = "A. Holder" if match is PayeeMatch.CLOSE_MATCH else None
        return PayeeAnswer(match=match or PayeeMatch.UNAVAILABLE, name=name)

    async def read_rates(self, query: RatesQuery) -> RatesAnswer:
        usd = {each: VALUES[each] for each in query.currencies if each in VALUES}
        return RatesAnswer(at=datetime.now(UTC), usd=usd)

    async def open_account(self, request: DepositAccountRequest) -> DepositAccountAnswer:
        key, body = str(request.key), encoded(request)
        self.store.one("insert into accounts values (?, ?, null) on conflict do nothing", key, body)
        stored = self.store.one("select request, answer from accounts where key = ?", key)
        assert stored is not None
        if stored[0] != body:
            raise KeyConflict
        if stored[1] is None:
            opened = await self.bank.open_account(request.key, request.currency)
            self.store.one(
                "update accounts set answer = ? where key = ? and answer is null",
                *(encoded(opened), key),
            )
            stored = self.store.one("select request, answer from accounts where key = ?", key)
            assert stored is not None
        return msgspec.json.decode(stored[1], type=DepositAccountAnswer)

    async def read_credits(self, query: CreditsQuery) -> CreditsAnswer:
        after = int(query.after or 0)
        page = self.store.db.execute(
            "select place, credit, body from log where place > ? order by place limit ?",
            (after, query.limit),
        ).fetchall()
        return CreditsAnswer(
            credits=tuple(
                msgspec.json.decode(body, type=ProviderCredit)
                for _, _, body in page
                if body is not None
            ),
            reversed=tuple(credit for _, credit, body in page if body is None),
            next=str(page[-1][0] if page else after),
        )

    async def make_test_credit(self, request: RequestedCredit) -> None:
        """Also what reads the bank's own list of credits does: each once, reversals behind."""
        if not self.is_test:
            raise NotDone
        self.store.one(
            "insert into log (credit, is_reversal, body) values (?, ?, ?) on conflict do nothing",
            request.credit.id,
            request.is_reversed,
            None if request.is_reversed else encoded(request.credit),
        )

    async def screen(self, request: ScreeningRequest) -> ScreeningAnswer:
        if request.test_outcome is not None and not self.is_test:
            raise NotDone
        known_body, calls = self.store.add_screening(str(request.key), encoded(request))
        if known_body != encoded(request):
            raise KeyConflict
        if request.test_outcome is RequestedScreening.SILENCE and calls == 1:
            await asyncio.sleep(SILENCE_S)
        answer = await self.find_screening(ScreeningQuery(key=request.key))
        assert answer is not None
        return answer

    async def find_screening(self, query: ScreeningQuery) -> ScreeningAnswer | None:
        stored = self.store.one("select request, at from screenings where key = ?", str(query.key))
        if stored is None:
            return None
        request = msgspec.json.decode(stored[0], type=ScreeningRequest)
        state, categories = await self.bank.screen(request, stored[1])
        return ScreeningAnswer(
            key=query.key,
            state=state,
            categories=categories,
            provider_reference=f"screening-{query.key}",
            expected_in_seconds=1,
        )

    async def create_application(self, request: ApplicationRequest) -> ApplicationAnswer:
        if request.test_outcome is not None and not self.is_test:
            raise NotDone
        body = encoded(request)
        known_body, calls = self.store.add_application(str(request.key), body)
        if known_body != body:
            raise KeyConflict
        if request.test_outcome is RequestedVerification.REFUSE:
            raise ApplicationRefused(ApplicationRefusalCode.UNSUPPORTED)
        await self.bank.create_applicant(request.key, request)
        if request.test_outcome is RequestedVerification.SILENCE and calls == 1:
            await asyncio.sleep(SILENCE_S)
        return await self.known_application(request.key)

    async def attach_document(self, request: ApplicationDocumentRequest) -> ApplicationAnswer:
        found = await self.known_application(request.key)
        await self.bank.attach(request.key, request)
        return found

    async def submit_application(self, request: ApplicationKey) -> ApplicationAnswer:
        await self.known_application(request.key)
        await self.bank.submit(request.key)
        self.store.one(
            "update applications set submitted_at = ? where key = ? and submitted_at is null",
            *(time.time(), str(request.key)),
        )
        return await self.known_application(request.key)

    async def find_application(self, query: ApplicationKey) -> ApplicationAnswer | None:
        stored = self.store.one(
            "select request, submitted_at from applications where key = ?", str(query.key)
        )
        if stored is None:
            return None
        if stored[1] is None:
            return answer(query.key, ApplicationState.CREATED)
        request = msgspec.json.decode(stored[0], type=ApplicationRequest)
        return await self.bank.review(query.key, request, stored[1])

    async def known_application(self, key: UUID) -> ApplicationAnswer:
        """Return an application that is known; we are asked again about any other."""
        found = await self.find_application(ApplicationKey(key=key))
        if found is None:
            raise NotDone
        return found

    async def open_link(self, query: ApplicationKey) -> VerificationLinkAnswer | None:
        found = await self.find_application(query)
        url = None if found is None else await self.bank.link(query.key)
        if url is None:
            return None
        return VerificationLinkAnswer(key=query.key, url=url, expires_in_seconds=600)

    async def send_inquiry(self, request: TravelInquiryRequest) -> TravelInquiryAnswer:
        if request.test_outcome is not None and not self.is_test:
            raise NotDone
        body = encoded(request)
        known_body, calls, sent_at = self.store.add_inquiry(str(request.key), body)
        if known_body != body:
            raise KeyConflict
        await self.bank.send_inquiry(request.key, request)
        if request.test_outcome is RequestedTravel.INQUIRE:
            same = TravelInboundInquiry(
                id=f"inquiry-{request.key}",
                org_id=request.org_id,
                counterparty=request.counterparty,
                token=request.token,
                amount=request.amount,
                ivms101=request.ivms101,
                wallet_address=request.wallet_address,
            )
            self.store.put_message(same)
        if request.test_outcome is RequestedTravel.SILENCE and calls == 1:
            await asyncio.sleep(SILENCE_S)
        state, comment = await self.bank.inquiry_state(request, sent_at)
        return TravelInquiryAnswer(key=request.key, state=state, comment=comment)

    async def resolve_inquiry(self, request: TravelResolutionRequest) -> TravelAcceptance:
        body = encoded(request)
        self.store.one(
            "update inbox set resolution = ? where is_inquiry and id = ? and resolution is null",
            *(body, request.id),
        )
        stored = self.store.one(
            "select resolution, body from inbox where is_inquiry and id = ?", request.id
        )
        if stored is None:
            raise NotDone
        if stored[0] != body:
            raise KeyConflict
        await self.bank.resolve_inquiry(request)
        if self.is_test and request.is_approved:
            inquiry = msgspec.json.decode(stored[1], type=TravelInboundInquiry)
            made_up = TravelInboundConfirmation(
                id=inquiry.id,
                org_id=inquiry.org_id,
                counterparty=inquiry.counterparty,
                transaction_hash=f"0x{hashlib.sha256(inquiry.id.encode()).hexdigest()}",
            )
            self.store.put_message(made_up)
        return TravelAcceptance(id=request.id)

    async def confirm_transfer(self, request: TravelConfirmationRequest) -> TravelAcceptance:
        key, body = str(request.key), encoded(request)
        self.store.one(
            "update inquiries set confirmation = ? where key = ? and confirmation is null",
            *(body, key),
        )
        stored = self.store.one("select confirmation from inquiries where key = ?", key)
        if stored is None:
            raise NotDone
        if stored[0] != body:
            raise KeyConflict
        await self.bank.confirm_transfer(request)
        return TravelAcceptance(id=key)

    async def read_inbox(self, query: TravelInboxQuery) -> TravelInboxAnswer:
        return TravelInboxAnswer(
            inquiries=tuple(
                msgspec.json.decode(each, type=TravelInboundInquiry)
                for each in self.store.read_messages(query, is_inquiry=True)
            ),
            confirmations=tuple(
                msgspec.json.decode(each, type=TravelInboundConfirmation)
                for each in self.store.read_messages(query, is_inquiry=False)
            ),
        )

    async def read_webhook(self, webhook: InboundWebhook) -> InboundWebhookNews:
        given = webhook.headers.get("x-bank-signature", "")
        secret = self.webhook_secret
        expected = hmac.digest((secret or "").encode(), webhook.body, "sha256").hex()
        if secret is None or not hmac.compare_digest(expected.encode(), given.encode()):
            raise WebhookInvalid
        event = json.loads(webhook.body)
        if event["type"] == "credit":
            return InboundWebhookNews(credits=True)
        # The bank repeats the idempotency key of the payment, or the applicant's.
        return InboundWebhookNews(keys=(UUID(event["key"]),))


def encoded(message: msgspec.Struct) -> bytes:
    return msgspec.json.encode(message, order="deterministic")


def answer(key: UUID, state: ApplicationState) -> ApplicationAnswer:
    return ApplicationAnswer(key=key, state=state, provider_reference=f"application-{key}")

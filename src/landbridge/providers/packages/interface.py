"""Interface of provider packages. A package imports this, `http_client.py` and `fields.py`.

A package declares an entry point of the group `landbridge.providers`: a function, or a class, that
takes `PackageSettings` and returns a `ProviderPackage`. Its verbs are the calls of the provider
protocol, with the same messages. See docs/guides/write-an-adapter.md.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any, Protocol, TypeVar
from uuid import UUID

import msgspec

from landbridge.providers.identity.port import ApplicationSection
from landbridge.providers.kyt.port import RiskCategory, ScreenedKind, ScreeningDirection
from landbridge.providers.rails.port import PayeeMatch
from landbridge.providers.sidecar.identity_protocol import (
    ApplicationAnswer,
    ApplicationDocumentRequest,
    ApplicationKey,
    ApplicationOwner,
    ApplicationRefusalCode,
    ApplicationRequest,
    ApplicationState,
    PartState,
    ReviewedPart,
    VerificationLinkAnswer,
)
from landbridge.providers.sidecar.payee_protocol import PayeeAnswer, PayeeRequest
from landbridge.providers.sidecar.protocol import (
    CreditRail,
    CreditsAnswer,
    CreditsQuery,
    DepositAccountAnswer,
    DepositAccountRequest,
    DepositNumbers,
    DepositRails,
    FailureCode,
    PayoutAnswer,
    PayoutQuery,
    PayoutReferences,
    PayoutRequest,
    PayoutState,
    ProviderCredit,
    ProviderCreditSender,
    RequestedCredit,
    RequestedOutcome,
    RequestedScreening,
    ScreenedSender,
    ScreeningAnswer,
    ScreeningQuery,
    ScreeningRequest,
    ScreeningState,
    SidecarDescription,
    SidecarMessage,
)
from landbridge.providers.sidecar.rates_protocol import RatesAnswer, RatesQuery
from landbridge.providers.sidecar.requested_outcomes import RequestedTravel, RequestedVerification
from landbridge.providers.sidecar.travel_protocol import (
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
)

__all__ = [
    "ApplicationAnswer",
    "ApplicationDocumentRequest",
    "ApplicationKey",
    "ApplicationOwner",
    "ApplicationRefusalCode",
    "ApplicationRefused",
    "ApplicationRequest",
    "ApplicationSection",
    "ApplicationState",
    "CreditRail",
    "CreditsAnswer",
    "CreditsQuery",
    "DepositAccountAnswer",
    "DepositAccountRequest",
    "DepositNumbers",
    "DepositRails",
    "FailureCode",
    "InboundWebhook",
    "InboundWebhookNews",
    "KeyConflict",
    "NotDone",
    "PackageSettings",
    "PackageSettingsInvalid",
    "PartState",
    "PayeeAnswer",
    "PayeeMatch",
    "PayeeRequest",
    "PayoutAnswer",
    "PayoutQuery",
    "PayoutReferences",
    "PayoutRefused",
    "PayoutRequest",
    "PayoutState",
    "ProviderCredit",
    "ProviderCreditSender",
    "ProviderPackage",
    "RatesAnswer",
    "RatesQuery",
    "RequestedCredit",
    "RequestedOutcome",
    "RequestedScreening",
    "RequestedTravel",
    "RequestedVerification",
    "ReviewedPart",
    "RiskCategory",
    "ScreenedKind",
    "ScreenedSender",
    "ScreeningAnswer",
    "ScreeningDirection",
    "ScreeningQuery",
    "ScreeningRequest",
    "ScreeningState",
    "SidecarDescription",
    "TravelAcceptance",
    "TravelConfirmationRequest",
    "TravelInboundConfirmation",
    "TravelInboundInquiry",
    "TravelInboxAnswer",
    "TravelInboxQuery",
    "TravelInquiryAnswer",
    "TravelInquiryRequest",
    "TravelResolutionRequest",
    "TravelState",
    "VerificationLinkAnswer",
    "WebhookInvalid",
]

_KEYS_MAX = 100
_SECRET = re.compile(r"[!-~]{8,200}")

_T = TypeVar("_T")


class PackageSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a package: only its own table in the providers file.

    `options` are unchanged from the file. `secrets` are the contents of the files in
    `secret_files`, by the same names.
    """

    name: str
    options: Mapping[str, Any]
    secrets: Mapping[str, str]

    def __repr__(self) -> str:
        return f"PackageSettings({self.name})"

    def read_options(self, kind: type[_T]) -> _T:
        """Return the options converted to this type; raises `PackageSettingsInvalid`."""
        try:
            return msgspec.convert(dict(self.options), kind)
        except msgspec.ValidationError as error:
            raise PackageSettingsInvalid(f"options are not valid: {error}") from None

    def check_secret_names(self, known: Collection[str]) -> None:
        """Raise `PackageSettingsInvalid` if there is a secret with a name other than these."""
        if unknown := set(self.secrets).difference(known):
            names = ", ".join(sorted(unknown))
            raise PackageSettingsInvalid(f"secret_files has names that are not known: {names}")

    def read_secret(self, name: str) -> str | None:
        """Return a secret without the space around it; None if it is not set.

        Raises `PackageSettingsInvalid` unless it has 8 to 200 characters, none of them a space.
        """
        text = self.secrets.get(name)
        if text is None:
            return None
        if not _SECRET.fullmatch(text.strip()):
            raise PackageSettingsInvalid(f"{name} must have 8 to 200 characters without spaces")
        return text.strip()


class InboundWebhook(SidecarMessage, frozen=True):
    """Webhook of the provider, as it arrived: not verified. Names of headers are in lower case."""

    headers: Mapping[str, str]
    body: bytes


class InboundWebhookNews(SidecarMessage, frozen=True):
    """What a webhook is about: payouts, screenings and applications by our keys, or new credits.

    It says never how they changed: they are queried.
    """

    keys: tuple[UUID, ...] = ()
    credits: bool = False

    def __post_init__(self) -> None:
        if len(self.keys) > _KEYS_MAX:
            raise ValueError(f"a webhook is about {_KEYS_MAX} keys at most")


class PackageSettingsInvalid(Exception):
    """The settings of a package are invalid.

    The operator reads the sentence, so it has no secret.
    """


class PayoutRefused(Exception):
    """A payout is refused for good: nothing was paid under its key, and nothing will be."""

    def __init__(self, failure_code: FailureCode) -> None:
        self.failure_code = failure_code
        super().__init__(failure_code.value)


class ApplicationRefused(Exception):
    """A call about an application is refused for good; declining a person is no refusal."""

    def __init__(self, code: ApplicationRefusalCode) -> None:
        self.code = code
        super().__init__(code.value)


class NotDone(Exception):
    """The provider certainly did nothing, or can't answer a query now."""


class KeyConflict(Exception):
    """The provider has another request under this key."""


class WebhookInvalid(Exception):
    """The webhook has no valid signature of the provider."""


class ProviderPackage(Protocol):
    """Adapter of a provider: a base class. A package defines only the verbs that it serves.

    - Any other exception, a value of another type, and a missing answer decide nothing: the call is
      repeated.
    - A call is cancelled after `timeout_s` in the providers file.
    - Several copies run at once, on one machine or more. State must be kept at the provider under
      our key, or in a database that all copies share.
    """

    async def describe(self) -> SidecarDescription:
        """Return what the package serves, with `protocol=1`, without calling the provider."""
        ...

    async def pay(self, request: PayoutRequest) -> PayoutAnswer:
        """Submit a payout once per key, however often it is called; return its state.

        Raises `PayoutRefused`, `NotDone` and `KeyConflict`.
        """
        ...

    async def find_payout(self, query: PayoutQuery) -> PayoutAnswer | None:
        """Return the state of a payout; None if the key is unknown. Raises `NotDone`."""
        ...

    async def verify_payee(self, request: PayeeRequest) -> PayeeAnswer:
        """Return whether the payee's bank knows the account under this name. Raises `NotDone`."""
        ...

    async def open_account(self, request: DepositAccountRequest) -> DepositAccountAnswer:
        """Return the account of a key, always the same. Raises `NotDone` and `KeyConflict`."""
        ...

    async def read_credits(self, query: CreditsQuery) -> CreditsAnswer:
        """Return the credits after a cursor, in an order that never changes. Raises `NotDone`."""
        ...

    async def screen(self, request: ScreeningRequest) -> ScreeningAnswer:
        """Screen a deposit or payment once per key. Raises `NotDone` and `KeyConflict`."""
        ...

    async def find_screening(self, query: ScreeningQuery) -> ScreeningAnswer | None:
        """Return the state of a screening; None if the key is unknown. Raises `NotDone`."""
        ...

    async def create_application(self, request: ApplicationRequest) -> ApplicationAnswer:
        """Create an application once per key, and return its state.

        Raises `ApplicationRefused`, `NotDone` and `KeyConflict`.
        """
        ...

    async def attach_document(self, request: ApplicationDocumentRequest) -> ApplicationAnswer:
        """Add a document, once per `document_id`. Raises `ApplicationRefused` and `NotDone`."""
        ...

    async def submit_application(self, request: ApplicationKey) -> ApplicationAnswer:
        """Start the verification, once. Raises `ApplicationRefused` and `NotDone`."""
        ...

    async def find_application(self, query: ApplicationKey) -> ApplicationAnswer | None:
        """Return the state of an application; None if the key is unknown. Raises `NotDone`."""
        ...

    async def open_link(self, query: ApplicationKey) -> VerificationLinkAnswer | None:
        """Return a link to the provider's page for the person, None without one.

        Raises `NotDone`.
        """
        ...

    async def read_rates(self, query: RatesQuery) -> RatesAnswer:
        """Return dollars per unit of each currency, and the time of these values.

        Raises `NotDone`.
        """
        ...

    async def send_inquiry(self, request: TravelInquiryRequest) -> TravelInquiryAnswer:
        """Send an inquiry to another VASP once per key, and return its current state.

        Raises `NotDone` and `KeyConflict`.
        """
        ...

    async def resolve_inquiry(self, request: TravelResolutionRequest) -> TravelAcceptance:
        """Send the answer to another VASP's inquiry, once. Raises `NotDone` and `KeyConflict`."""
        ...

    async def confirm_transfer(self, request: TravelConfirmationRequest) -> TravelAcceptance:
        """Report the result of a transfer, once. Raises `NotDone` and `KeyConflict`."""
        ...

    async def read_inbox(self, query: TravelInboxQuery) -> TravelInboxAnswer:
        """Return messages of other VASPs that are not acknowledged yet. Raises `NotDone`."""
        ...

    async def read_webhook(self, webhook: InboundWebhook) -> InboundWebhookNews:
        """Verify a webhook of the provider, and return its content.

        Raises `WebhookInvalid`: anybody can send requests to the route.
        """
        ...

    async def make_test_credit(self, request: RequestedCredit) -> None:
        """Create a credit for the contract suite; never served if real money is moved."""
        ...

"""Verbs of a package by their paths in the provider protocol."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from inspect import iscoroutinefunction
from types import NoneType

from landbridge.providers.packages.interface import (
    ApplicationAnswer,
    ApplicationDocumentRequest,
    ApplicationKey,
    ApplicationRequest,
    CreditsAnswer,
    CreditsQuery,
    DepositAccountAnswer,
    DepositAccountRequest,
    InboundWebhook,
    InboundWebhookNews,
    PayeeAnswer,
    PayeeRequest,
    PayoutAnswer,
    PayoutQuery,
    PayoutRequest,
    ProviderPackage,
    RatesAnswer,
    RatesQuery,
    RequestedCredit,
    ScreeningAnswer,
    ScreeningQuery,
    ScreeningRequest,
    SidecarDescription,
    TravelAcceptance,
    TravelConfirmationRequest,
    TravelInboxAnswer,
    TravelInboxQuery,
    TravelInquiryAnswer,
    TravelInquiryRequest,
    TravelResolutionRequest,
    VerificationLinkAnswer,
)
from landbridge.providers.sidecar.identity_protocol import (
    APPLICATION_DOCUMENTS_PATH,
    APPLICATION_QUERY_PATH,
    APPLICATIONS_PATH,
    SUBMISSIONS_PATH,
    VERIFICATION_LINKS_PATH,
)
from landbridge.providers.sidecar.payee_protocol import PAYEES_PATH
from landbridge.providers.sidecar.protocol import (
    ACCOUNTS_PATH,
    CREDITS_PATH,
    DESCRIBE_PATH,
    PAYOUTS_PATH,
    QUERY_PATH,
    SCREENING_QUERY_PATH,
    SCREENINGS_PATH,
    TEST_CREDITS_PATH,
    DescribeRequest,
    SidecarMessage,
)
from landbridge.providers.sidecar.rates_protocol import RATES_PATH
from landbridge.providers.sidecar.travel_protocol import (
    TRAVEL_CONFIRMATIONS_PATH,
    TRAVEL_INBOX_PATH,
    TRAVEL_INQUIRIES_PATH,
    TRAVEL_RESOLUTIONS_PATH,
)

# Used only between our own processes: a sidecar gets its provider's webhooks directly.
INBOUND_WEBHOOKS_PATH = "/v1/inbound-webhooks"


@dataclass(frozen=True, slots=True)
class PackageVerb:
    """Verb with the types of its request and its answers; None is the answer for an unknown key."""

    name: str
    request: type[SidecarMessage]
    answers: tuple[type[object], ...]


VERBS: Mapping[str, PackageVerb] = {
    DESCRIBE_PATH: PackageVerb("describe", DescribeRequest, (SidecarDescription,)),
    PAYOUTS_PATH: PackageVerb("pay", PayoutRequest, (PayoutAnswer,)),
    QUERY_PATH: PackageVerb("find_payout", PayoutQuery, (PayoutAnswer, NoneType)),
    PAYEES_PATH: PackageVerb("verify_payee", PayeeRequest, (PayeeAnswer,)),
    ACCOUNTS_PATH: PackageVerb("open_account", DepositAccountRequest, (DepositAccountAnswer,)),
    CREDITS_PATH: PackageVerb("read_credits", CreditsQuery, (CreditsAnswer,)),
    TEST_CREDITS_PATH: PackageVerb("make_test_credit", RequestedCredit, (NoneType,)),
    SCREENINGS_PATH: PackageVerb("screen", ScreeningRequest, (ScreeningAnswer,)),
    SCREENING_QUERY_PATH: PackageVerb(
        "find_screening", ScreeningQuery, (ScreeningAnswer, NoneType)
    ),
    APPLICATIONS_PATH: PackageVerb("create_application", ApplicationRequest, (ApplicationAnswer,)),
    APPLICATION_DOCUMENTS_PATH: PackageVerb(
        "attach_document", ApplicationDocumentRequest, (ApplicationAnswer,)
    ),
    SUBMISSIONS_PATH: PackageVerb("submit_application", ApplicationKey, (ApplicationAnswer,)),
    APPLICATION_QUERY_PATH: PackageVerb(
        "find_application", ApplicationKey, (ApplicationAnswer, NoneType)
    ),
    VERIFICATION_LINKS_PATH: PackageVerb(
        "open_link", ApplicationKey, (VerificationLinkAnswer, NoneType)
    ),
    RATES_PATH: PackageVerb("read_rates", RatesQuery, (RatesAnswer,)),
    TRAVEL_INQUIRIES_PATH: PackageVerb(
        "send_inquiry", TravelInquiryRequest, (TravelInquiryAnswer,)
    ),
    TRAVEL_RESOLUTIONS_PATH: PackageVerb(
        "resolve_inquiry", TravelResolutionRequest, (TravelAcceptance,)
    ),
    TRAVEL_CONFIRMATIONS_PATH: PackageVerb(
        "confirm_transfer", TravelConfirmationRequest, (TravelAcceptance,)
    ),
    TRAVEL_INBOX_PATH: PackageVerb("read_inbox", TravelInboxQuery, (TravelInboxAnswer,)),
    INBOUND_WEBHOOKS_PATH: PackageVerb("read_webhook", InboundWebhook, (InboundWebhookNews,)),
}


def served_verbs(package: object) -> Collection[str]:
    """Return the names of the verbs that an object has, whether async functions or not."""
    names = (each.name for each in VERBS.values())
    return [
        name
        for name in names
        if getattr(type(package), name, None) not in {None, getattr(ProviderPackage, name)}
    ]


def wrong_verbs(package: object) -> Collection[str]:
    """Return the names of the verbs of an object that are not async functions."""
    return [
        each for each in served_verbs(package) if not iscoroutinefunction(getattr(package, each))
    ]

"""The OpenAPI document of a sidecar's side is what the messages are decoded as."""

import json
import os
from pathlib import Path
from typing import Any

import msgspec

from landbridge.providers.sidecar.identity_protocol import (
    APPLICATION_DOCUMENTS_PATH,
    APPLICATION_QUERY_PATH,
    APPLICATIONS_PATH,
    SUBMISSIONS_PATH,
    VERIFICATION_LINKS_PATH,
    ApplicationAnswer,
    ApplicationDocumentRequest,
    ApplicationKey,
    ApplicationRefusal,
    ApplicationRequest,
    VerificationLinkAnswer,
)
from landbridge.providers.sidecar.payee_protocol import PAYEES_PATH, PayeeAnswer, PayeeRequest
from landbridge.providers.sidecar.protocol import (
    ACCOUNTS_PATH,
    CREDITS_PATH,
    DESCRIBE_PATH,
    PAYOUTS_PATH,
    QUERY_PATH,
    SCREENING_QUERY_PATH,
    SCREENINGS_PATH,
    TEST_CREDITS_PATH,
    CreditsAnswer,
    CreditsQuery,
    DepositAccountAnswer,
    DepositAccountRequest,
    DescribeRequest,
    PayoutAnswer,
    PayoutQuery,
    PayoutRefusal,
    PayoutRequest,
    RawCreditsAnswer,
    RequestedCredit,
    ScreeningAnswer,
    ScreeningQuery,
    ScreeningRequest,
    SidecarDescription,
    SidecarError,
    SidecarWebhook,
)
from landbridge.providers.sidecar.rates_protocol import RATES_PATH, RatesAnswer, RatesQuery
from landbridge.providers.sidecar.travel_protocol import (
    TRAVEL_CONFIRMATIONS_PATH,
    TRAVEL_INBOX_PATH,
    TRAVEL_INQUIRIES_PATH,
    TRAVEL_RESOLUTIONS_PATH,
    RawTravelInbox,
    TravelAcceptance,
    TravelConfirmationRequest,
    TravelInboxAnswer,
    TravelInboxQuery,
    TravelInquiryAnswer,
    TravelInquiryRequest,
    TravelResolutionRequest,
)

DOCUMENT = Path(__file__).parents[3] / "docs/reference/provider-openapi.json"
MESSAGES = (
    ApplicationAnswer,
    ApplicationDocumentRequest,
    ApplicationKey,
    ApplicationRefusal,
    ApplicationRequest,
    CreditsAnswer,
    CreditsQuery,
    DepositAccountAnswer,
    DepositAccountRequest,
    DescribeRequest,
    PayeeAnswer,
    PayeeRequest,
    PayoutAnswer,
    PayoutQuery,
    PayoutRefusal,
    PayoutRequest,
    RatesAnswer,
    RatesQuery,
    RequestedCredit,
    ScreeningAnswer,
    ScreeningQuery,
    ScreeningRequest,
    SidecarDescription,
    SidecarError,
    SidecarWebhook,
    VerificationLinkAnswer,
    TravelConfirmationRequest,
    TravelInboxAnswer,
    TravelInboxQuery,
    TravelInquiryAnswer,
    TravelInquiryRequest,
    TravelAcceptance,
    TravelResolutionRequest,
)
ANSWER_HEADERS = ("Landbridge-Key", "Landbridge-Timestamp", "Landbridge-Signature")


def content(kind: type[msgspec.Struct]) -> dict[str, Any]:
    reference = {"$ref": f"#/components/schemas/{kind.__name__}"}
    return {"application/json": {"schema": reference}}


def answer(description: str, kind: type[msgspec.Struct] | None = None) -> dict[str, Any]:
    headers = {name: {"$ref": f"#/components/headers/{name}"} for name in ANSWER_HEADERS}
    reply: dict[str, Any] = {"description": description, "headers": headers}
    return reply if kind is None else {**reply, "content": content(kind)}


def operation(
    name: str, summary: str, request: type[msgspec.Struct], **answers: dict[str, Any]
) -> dict[str, Any]:
    parameters = [{"$ref": f"#/components/parameters/{each}"} for each in ANSWER_HEADERS]
    return {
        "post": {
            "operationId": name,
            "summary": summary,
            "parameters": parameters,
            "requestBody": {"required": True, "content": content(request)},
            "responses": {
                **{status.removeprefix("_"): each for status, each in answers.items()},
                "401": answer("The request is not validly signed; nothing was done."),
            },
        }
    }


def deposit_operations() -> dict[str, Any]:
    return {
        ACCOUNTS_PATH: operation(
            "openAccount",
            "Give an account for deposits, once per key",
            DepositAccountRequest,
            _200=answer("The account.", DepositAccountAnswer),
            _503=answer("It can't be given now.", SidecarError),
        ),
        CREDITS_PATH: operation(
            "credits",
            "Query the credits behind a cursor",
            CreditsQuery,
            _200=answer("Credits in the provider's order.", CreditsAnswer),
            _503=answer("It can't be said now.", SidecarError),
        ),
        TEST_CREDITS_PATH: operation(
            "makeTestCredit",
            "Make up a credit, or reverse it; only where no real money moves",
            RequestedCredit,
            _200=answer("It is in the next answer to a query."),
            _404=answer("This sidecar moves real money.", SidecarError),
        ),
    }


def screening_operations() -> dict[str, Any]:
    return {
        SCREENINGS_PATH: operation(
            "screen",
            "Screen a deposit from outside, once per key",
            ScreeningRequest,
            _200=answer("The screening as it is now.", ScreeningAnswer),
            _409=answer("The key has another deposit.", SidecarError),
            _503=answer("It can't be said now.", SidecarError),
        ),
        SCREENING_QUERY_PATH: operation(
            "queryScreening",
            "Query a screening",
            ScreeningQuery,
            _200=answer("The screening as it is now.", ScreeningAnswer),
            _404=answer("The key is unknown.", SidecarError),
            _503=answer("It can't be said now.", SidecarError),
        ),
    }


def payee_operations() -> dict[str, Any]:
    return {
        PAYEES_PATH: operation(
            "verifyPayee",
            "Say whether a bank knows an account under the name of its holder",
            PayeeRequest,
            _200=answer("What the payee's bank says.", PayeeAnswer),
            _503=answer("It can't be said now.", SidecarError),
        ),
    }


def rates_operations() -> dict[str, Any]:
    return {
        RATES_PATH: operation(
            "queryRates",
            "Give the value of currencies in dollars",
            RatesQuery,
            _200=answer("Dollars per unit, without those that it does not price.", RatesAnswer),
            _503=answer("It can't be said now.", SidecarError),
        ),
    }


def travel_operations() -> dict[str, Any]:
    conflict = answer("The key is known with another message.", SidecarError)
    not_now = answer("It can't be done or said now.", SidecarError)
    accepted = answer("The provider has it.", TravelAcceptance)
    return {
        TRAVEL_INQUIRIES_PATH: operation(
            "sendInquiry",
            "Ask another VASP whether coins may be sent, once per key, and give the state",
            TravelInquiryRequest,
            _200=answer("The state as it is now.", TravelInquiryAnswer),
            _409=conflict,
            _503=not_now,
        ),
        TRAVEL_RESOLUTIONS_PATH: operation(
            "resolveInquiry",
            "Answer an inquiry of another VASP, once",
            TravelResolutionRequest,
            _200=accepted,
            _409=conflict,
            _503=not_now,
        ),
        TRAVEL_CONFIRMATIONS_PATH: operation(
            "confirmTransfer",
            "Report what became of a transfer, once",
            TravelConfirmationRequest,
            _200=accepted,
            _409=conflict,
            _503=not_now,
        ),
        TRAVEL_INBOX_PATH: operation(
            "readInbox",
            "Give the messages of other VASPs that were not received yet",
            TravelInboxQuery,
            _200=answer("Messages, the oldest first.", TravelInboxAnswer),
            _503=not_now,
        ),
    }


def identity_operations() -> dict[str, Any]:
    application = answer("The application as it is now.", ApplicationAnswer)
    unknown = answer("The key is unknown.", SidecarError)
    refused = answer("Refused for good; nobody is declined by it.", ApplicationRefusal)
    not_now = answer("It can't be done or said now.", SidecarError)
    changes = {"_200": application, "_404": unknown, "_422": refused, "_503": not_now}
    return {
        APPLICATIONS_PATH: operation(
            "createApplication",
            "Create an application of a person or business, once per key",
            ApplicationRequest,
            _200=application,
            _409=answer("The key has another applicant.", SidecarError),
            _422=refused,
            _503=not_now,
        ),
        APPLICATION_DOCUMENTS_PATH: operation(
            "attachDocument",
            "Add a document to an application, once per documentId",
            ApplicationDocumentRequest,
            **changes,
        ),
        SUBMISSIONS_PATH: operation(
            "submitApplication", "Start the verification, once", ApplicationKey, **changes
        ),
        APPLICATION_QUERY_PATH: operation(
            "queryApplication",
            "Query an application",
            ApplicationKey,
            _200=application,
            _404=unknown,
            _503=not_now,
        ),
        VERIFICATION_LINKS_PATH: operation(
            "openVerificationLink",
            "Give the address of the provider's own page for the person",
            ApplicationKey,
            _200=answer("The address.", VerificationLinkAnswer),
            _404=answer("There is no such page, or no such application.", SidecarError),
            _503=not_now,
        ),
    }


def payout_operations() -> dict[str, Any]:
    return {
        PAYOUTS_PATH: operation(
            "pay",
            "Order a payout, once per key",
            PayoutRequest,
            _200=answer("The payout as it is now.", PayoutAnswer),
            _409=answer("The key has another payment.", SidecarError),
            _422=answer("Refused for good; nothing was paid.", PayoutRefusal),
            _503=answer("Nothing was done; the order may come again.", SidecarError),
        ),
        QUERY_PATH: operation(
            "query",
            "Query a payout",
            PayoutQuery,
            _200=answer("The payout as it is now.", PayoutAnswer),
            _404=answer("The key is unknown.", SidecarError),
            _503=answer("It can't be said now.", SidecarError),
        ),
    }


def document() -> dict[str, Any]:
    _, schemas = msgspec.json.schema_components(
        MESSAGES, ref_template="#/components/schemas/{name}"
    )
    texts = {
        "Landbridge-Key": "Id of the secret that signs.",
        "Landbridge-Timestamp": "Unix time in seconds; at most 300 s from the receiver's.",
        "Landbridge-Signature": "HMAC-SHA256 in hexadecimal digits; see provider-protocol.md.",
    }
    string = {"type": "string"}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Landbridge provider protocol: the sidecar's side",
            "version": "1",
            "description": "Signatures, repetition and time: docs/reference/provider-protocol.md.",
        },
        "paths": {
            DESCRIBE_PATH: operation(
                "describe",
                "Say who answers",
                DescribeRequest,
                _200=answer("The sidecar.", SidecarDescription),
            ),
            **payout_operations(),
            **deposit_operations(),
            **screening_operations(),
            **payee_operations(),
            **rates_operations(),
            **travel_operations(),
            **identity_operations(),
        },
        "components": {
            "schemas": schemas,
            "parameters": {
                name: {
                    "name": name,
                    "in": "header",
                    "required": True,
                    "description": text,
                    "schema": string,
                }
                for name, text in texts.items()
            },
            "headers": {
                name: {"description": text, "schema": string} for name, text in texts.items()
            },
        },
    }


def test_credits_are_decoded_one_by_one_from_the_same_answer() -> None:
    assert RawCreditsAnswer.__struct_fields__ == CreditsAnswer.__struct_fields__
    assert RawTravelInbox.__struct_fields__ == TravelInboxAnswer.__struct_fields__


def test_document_equals_the_messages() -> None:
    text = json.dumps(document(), indent=2, sort_keys=True) + "\n"
    # JavaScript has no `\Z`, and its `$` is only the end.
    text = text.replace(r"\\Z", "$")
    if os.environ.get("WRITE_OPENAPI"):
        DOCUMENT.write_text(text)
    assert DOCUMENT.read_text() == text

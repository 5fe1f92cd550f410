"""Webhooks of the OpenAPI document: every type of event with the schema of its payload.

Source: contract, webhooks 3 and 4.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from landbridge.customers.bank_accounts.model import Ramp, kind_of
from landbridge.customers.kyc.model import KIND as KYC_KIND
from landbridge.customers.onboarding.model import KIND as LINK_KIND
from landbridge.customers.onboarding.schemas import KycLinkReply
from landbridge.customers.travel_rule.model import MISSING_CHANGE_KIND
from landbridge.customers.users.model import AGREEMENT_KIND, USER_KIND
from landbridge.customers.verification.model import KIND as VERIFICATION_KIND
from landbridge.developers.events.envelopes import Envelope
from landbridge.developers.events.names import CATALOGUE, DEPOSITS, published_types
from landbridge.payments.batches.model import KIND as BATCH_KIND
from landbridge.payments.bridges.model import KIND as BRIDGE_KIND
from landbridge.payments.offramps.model import KIND as OFFRAMP_KIND
from landbridge.payments.onramps.model import KIND as ONRAMP_KIND
from landbridge.payments.swaps.model import KIND as SWAP_KIND
from landbridge.payments.transfers.model import KIND as TRANSFER_KIND
from landbridge.payments.virtual_accounts.model import KIND as VIRTUAL_ACCOUNT_KIND
from landbridge.platform.http.openapi import REF, reference
from landbridge.reporting.schedules.model import KIND as REPORT_KIND

# Schema of an event by the kind of its change, and the schemas of its object, as its retrieve route
# returns it.
_BANK_ACCOUNT = ("BankAccountEvent", ("AccountReply",))
_EVENTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    SWAP_KIND: ("SwapEvent", ("SwapReply",)),
    TRANSFER_KIND: ("TransferEvent", ("WalletTransferReply",)),
    BATCH_KIND: ("BatchEvent", ("BatchReply",)),
    BRIDGE_KIND: ("BridgeEvent", ("BridgeReply",)),
    ONRAMP_KIND: ("OnrampEvent", ("OnrampReply",)),
    OFFRAMP_KIND: ("OfframpEvent", ("OfframpReply",)),
    f"{ONRAMP_KIND}.RFI": ("OnrampEvent", ("OnrampReply",)),
    f"{OFFRAMP_KIND}.RFI": ("OfframpEvent", ("OfframpReply",)),
    DEPOSITS: ("DepositEvent", ("DepositReply",)),
    USER_KIND: ("UserEvent", ("UserReply",)),
    AGREEMENT_KIND: ("TermsEvent", ("TermsLinkReply",)),
    KYC_KIND: ("KycEvent", ("KycIndividual", "KycBusiness")),
    VERIFICATION_KIND: (
        "VerificationEvent",
        ("IndividualStatus", "BusinessStatus", "BriefStatus", "RailStatus"),
    ),
    LINK_KIND: ("KycLinkEvent", ("KycLinkReply",)),
    **{kind_of(ramp): _BANK_ACCOUNT for ramp in Ramp},
    VIRTUAL_ACCOUNT_KIND: ("VirtualAccountEvent", ("VirtualAccountReply",)),
    MISSING_CHANGE_KIND: ("TravelRuleEvent", ("WaitingTransferReply",)),
    REPORT_KIND: ("ReportEvent", ("RunShape",)),
    "WEBHOOK": ("WebhookTestEvent", ("WebhookReply",)),
}
_HEADERS: Mapping[str, str] = {
    "Authorization": "`Bearer` and a JSON Web Token, RS256, whose `bodySha256` is of this body.",
    "Landbridge-Event-Id": "As `eventId` in the body.",
    "Landbridge-Event-Type": "As `eventType` in the body.",
    "Landbridge-Attempt": "1, 2, 3 and so on for this delivery.",
}
_RESPONSES = {
    "2XX": {"description": "The event was received and is not sent again."},
    "4XX": {"description": "The event is refused, permanently."},
    "5XX": {"description": "The event is sent again, for 24 hours."},
}


def event_schemas() -> dict[str, Any]:
    """Return the schema of each kind of event, and of objects that no route returns."""
    (_, link), (_, envelopes) = (
        msgspec.json.schema_components([each], ref_template=REF)
        for each in (KycLinkReply, Envelope)
    )
    types: dict[str, list[str]] = {}
    for each in CATALOGUE:
        types.setdefault(_EVENTS[each.kind][0], []).extend(published_types(each))
    return {**link, **dict(_event_schemas(envelopes["Envelope"], types))}


def webhooks(tag: str) -> dict[str, Any]:
    """Return the requests that Landbridge sends to webhook endpoints, by type of event."""
    parameters = [
        {"name": name, "in": "header", "required": True, "description": text, "schema": _TEXT}
        for name, text in _HEADERS.items()
    ]
    return {
        each.type: {
            "post": {
                "operationId": f"webhook.{each.type}",
                "tags": [tag],
                "summary": each.meaning,
                "description": f"Sent to endpoints that receive `{each.type}`. {each.meaning}",
                "security": [],
                "parameters": parameters,
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": reference(_EVENTS[each.kind][0])}},
                },
                "responses": _RESPONSES,
            }
        }
        for each in CATALOGUE
    }


_TEXT = {"type": "string"}


def _event_schemas(
    envelope: Mapping[str, Any], types: Mapping[str, list[str]]
) -> Iterator[tuple[str, Any]]:
    for name, objects in _EVENTS.values():
        choices = [reference(each) for each in objects]
        whole = choices[0] if len(choices) == 1 else {"anyOf": choices}
        members = {
            **envelope["properties"],
            "eventType": {**_TEXT, "enum": [*dict.fromkeys(types[name])]},
            "data": {"anyOf": [whole, {"type": "null"}]},
        }
        yield name, {**envelope, "title": name, "properties": members}


def add_verification_data(schemas: dict[str, Any]) -> None:
    """Add the schemas of `data` in events of verifications.

    It is the status as it is retrieved, and what a retrieve has in its path and query.
    """
    event, statuses = _EVENTS[VERIFICATION_KIND]
    for name in statuses:
        status = schemas[name]
        schemas[_data_of(name)] = {
            **status,
            "title": _data_of(name),
            "properties": {**_SUBJECT, **status["properties"]},
            "required": [*_SUBJECT, *status["required"]],
        }
    choices = [reference(_data_of(name)) for name in statuses]
    schemas[event]["properties"]["data"] = {"anyOf": [*choices, {"type": "null"}]}


def _data_of(status: str) -> str:
    return f"{status}Data"


_SUBJECT: Mapping[str, Any] = {"userId": {**_TEXT, "format": "uuid"}, "rails": _TEXT}

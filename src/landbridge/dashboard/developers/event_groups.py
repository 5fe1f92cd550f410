"""Event types in groups, for selection in forms."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from landbridge.dashboard.page_request import Form
from landbridge.developers.events.names import CATALOGUE, EventName
from landbridge.developers.webhooks.model import ALL_EVENTS
from landbridge.developers.webhooks.schemas import WebhookReply
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.translations import later as _

FIELD: Final = "eventTypes"


@dataclass(frozen=True, slots=True)
class EventGroup:
    """A group of event types; the patterns match all of them, including future ones."""

    title: str
    patterns: Sequence[str]
    names: Sequence[EventName]


def _group(title: str, *patterns: str) -> EventGroup:
    prefixes = tuple(each.removesuffix("*") for each in patterns)
    return EventGroup(
        title, patterns, [each for each in CATALOGUE if each.type.startswith(prefixes)]
    )


GROUPS: Final = (
    _group(_("Users and terms"), "USER.*", "TOS_LINK.*"),
    _group(_("Verification"), "KYC.*", "KYC_LINK.*"),
    _group(_("Accounts"), "ACCOUNT.*"),
    _group(_("Onramps"), "ONRAMP.*"),
    _group(_("Offramps"), "OFFRAMP.*"),
    _group(_("Swaps"), "WALLET.SWAP.*"),
    _group(_("Transfers and batches"), "WALLET.TRANSFER.*"),
    _group(_("Bridges"), "WALLET.BRIDGE.*"),
    _group(_("Deposits"), "WALLET.TOKEN.*"),
    _group(_("Travel rule"), "TRAVEL_RULE.*"),
    _group(_("Reports"), "REPORT.*"),
)
_SELECTABLE = frozenset(
    text for each in GROUPS for text in (*each.patterns, *(name.type for name in each.names))
)

# Filter options: groups first, then each type.
TYPES: Final = (
    *(pattern for each in GROUPS for pattern in each.patterns),
    *(each.type for each in CATALOGUE),
)


@dataclass(frozen=True, slots=True)
class EndpointFormValues:
    """Values of an endpoint's form."""

    url: str = ""
    description: str = ""
    is_everything: bool = True
    types: Collection[str] = ()
    # Patterns without a checkbox, such as `*.RFI.OPEN`.
    patterns: str = ""
    spelling: str = "CREATE"
    has_standard_headers: bool = False


def endpoint_values(webhook: WebhookReply) -> EndpointFormValues:
    """Return the form values of an existing endpoint."""
    types = webhook.event_types
    return EndpointFormValues(
        url=webhook.url,
        description=webhook.description or "",
        is_everything=ALL_EVENTS in types,
        types=[each for each in types if each in _SELECTABLE],
        patterns="\n".join(
            each for each in types if each not in _SELECTABLE and each != ALL_EVENTS
        ),
        spelling=webhook.create_event_spelling,
        has_standard_headers=webhook.standard_webhooks,
    )


def submitted_values(form: Form) -> EndpointFormValues:
    """Return the form values as submitted."""
    return EndpointFormValues(
        url=form.text("url"),
        description=form.text("description"),
        is_everything=form.text("which") != "chosen",
        types=form.texts(FIELD),
        patterns=form.text("patterns"),
        spelling=form.text("createEventSpelling"),
        has_standard_headers=form.is_ticked("standardWebhooks"),
    )


def body_of(values: EndpointFormValues) -> Mapping[str, object]:
    """Return the body to create or change an endpoint; raise `FieldInvalid` without any type."""
    chosen = [*values.types, *values.patterns.replace(",", " ").split()]
    if not values.is_everything and not chosen:
        raise FieldInvalid("Select at least one event type.", field=FIELD)
    return {
        "url": values.url,
        "description": values.description,
        FIELD: [ALL_EVENTS] if values.is_everything else chosen,
        "createEventSpelling": values.spelling,
        "standardWebhooks": values.has_standard_headers,
    }

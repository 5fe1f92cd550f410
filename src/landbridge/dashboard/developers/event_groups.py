"""The catalogue of events in groups, as people choose from it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from landbridge.core.errors import FieldInvalid
from landbridge.dashboard.forms import Form
from landbridge.dashboard.words import later as _
from landbridge.events.names import CATALOGUE, Name
from landbridge.webhooks.model import EVERYTHING

FIELD: Final = "eventTypes"
# Goes to the endpoint that asked for it, whatever its types are: nobody chooses it.
_UNCHOSEN = "WEBHOOK."


@dataclass(frozen=True, slots=True)
class Group:
    """Events that belong together; the patterns are for all of them, those to come too."""

    title: str
    patterns: Sequence[str]
    names: Sequence[Name]


def _group(title: str, *patterns: str) -> Group:
    begins = tuple(each.removesuffix("*") for each in patterns)
    return Group(title, patterns, [each for each in CATALOGUE if each.type.startswith(begins)])


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
    _group(_("Reports"), "REPORT.*"),
)
_OFFERED = frozenset(
    text for each in GROUPS for text in (*each.patterns, *(name.type for name in each.names))
)

# For filters: groups first, then each type.
TYPES: Final = (
    *(pattern for each in GROUPS for pattern in each.patterns),
    *(each.type for each in CATALOGUE),
)


@dataclass(frozen=True, slots=True)
class Filled:
    """What the form of an endpoint holds."""

    url: str = ""
    description: str = ""
    is_everything: bool = True
    types: Collection[str] = ()
    # Those that no box stands for, such as `*.RFI.OPEN`.
    patterns: str = ""
    spelling: str = "CREATE"
    has_standard_headers: bool = False


def filled_with(webhook: Mapping[str, Any]) -> Filled:
    """As an endpoint is."""
    types: Sequence[str] = webhook["eventTypes"]
    return Filled(
        url=webhook["url"],
        description=webhook["description"] or "",
        is_everything=EVERYTHING in types,
        types=[each for each in types if each in _OFFERED],
        patterns="\n".join(each for each in types if each not in _OFFERED and each != EVERYTHING),
        spelling=webhook["createEventSpelling"],
        has_standard_headers=webhook["standardWebhooks"],
    )


def filled_by(form: Form) -> Filled:
    """As somebody filled it in."""
    return Filled(
        url=form.text("url"),
        description=form.text("description"),
        is_everything=form.text("which") != "chosen",
        types=form.texts(FIELD),
        patterns=form.text("patterns"),
        spelling=form.text("createEventSpelling"),
        has_standard_headers=form.is_ticked("standardWebhooks"),
    )


def body_of(filled: Filled) -> Mapping[str, Any]:
    """The body that makes or changes an endpoint; raises `FieldInvalid` if no type was chosen."""
    chosen = [*filled.types, *filled.patterns.replace(",", " ").split()]
    if not filled.is_everything and not chosen:
        raise FieldInvalid("choose at least one type of event", field=FIELD)
    return {
        "url": filled.url,
        "description": filled.description,
        FIELD: [EVERYTHING] if filled.is_everything else chosen,
        "createEventSpelling": filled.spelling,
        "standardWebhooks": filled.has_standard_headers,
    }

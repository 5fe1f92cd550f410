"""Event names and the changes that produce them. Source: contract, webhooks 4 and 5.

Names depend on the change alone, so an event has the same id and name at each read. In patterns,
`*` stands for one or more parts, as in `ONRAMP.STATUS.*`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import structlog

from landbridge.customers.bank_accounts.model import Ramp
from landbridge.customers.kyc.model import KIND as KYC_KIND
from landbridge.customers.onboarding.model import KIND as LINK_KIND
from landbridge.customers.travel_rule.model import MISSING_CHANGE, MISSING_CHANGE_KIND
from landbridge.customers.users.model import AGREEMENT_KIND, USER_KIND
from landbridge.customers.verification.model import KIND as VERIFICATION_KIND
from landbridge.developers.events.model import PARTS_MAX, Event
from landbridge.ledger.corrections import KIND as CORRECTION_KIND
from landbridge.payments.batches import model as batches
from landbridge.payments.bridges import model as bridges
from landbridge.payments.offramps import model as offramps
from landbridge.payments.onramps import model as onramps
from landbridge.payments.swaps import model as swaps
from landbridge.payments.transfers import model as wallet_transfers
from landbridge.payments.virtual_accounts.model import KIND as VIRTUAL_ACCOUNT_KIND
from landbridge.platform.changes.model import Change
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.constraints import Keywords, one_of, pattern_schema, schema_reference
from landbridge.providers.evm.gas.model import KIND as GAS_COST_KIND
from landbridge.reporting.reconciliation.adjustments import KIND as ADJUSTMENT_KIND
from landbridge.reporting.schedules.model import KIND as REPORT_KIND

_log = structlog.stdlib.get_logger()


@dataclass(frozen=True, slots=True)
class EventName:
    """A type of event; `kind` is the kind of change that produces it (`changes.kind`).

    It is `DEPOSITS` for events that records of any kind may produce.
    """

    type: str
    category: str
    kind: str
    meaning: str

    @property
    def action(self) -> str:
        """Return the envelope's action: CREATE, UPDATE or a status."""
        return self.type.rpartition(".")[2]


# Family of the events that show a deposit, whatever record created it.
DEPOSITS = "DEPOSITS"
# Endpoints are logged by the webhooks package, which imports this one.
_WEBHOOK_KIND, _TEST = "WEBHOOK", "test"

# Kinds with an event for each status, and the names of their records.
_BY_STATUS: Mapping[str, tuple[type[StrEnum], str]] = {
    onramps.KIND: (onramps.OnrampStatus, "onramp"),
    offramps.KIND: (offramps.OfframpStatus, "offramp"),
    swaps.KIND: (swaps.SwapStatus, "swap"),
}
# Listed for swaps only: a created ramp moves on to its next status at once.
_UNSENT = {
    (onramps.KIND, onramps.OnrampStatus.CREATED),
    (offramps.KIND, offramps.OfframpStatus.CREATED),
}
_BY_UPDATE: Mapping[str, str] = {
    wallet_transfers.KIND: "transfer",
    batches.KIND: "batch",
    bridges.KIND: "bridge",
}
# Records without a status: names by kind and logged action.
_NAMES_BY_CHANGE: Mapping[tuple[str, str], str] = {
    (USER_KIND, "create"): "A user was created.",
    (USER_KIND, "update"): "A user was changed, frozen, unfrozen or erased.",
    (AGREEMENT_KIND, "update"): "A user accepted the terms.",
    (KYC_KIND, "update"): "The KYC data of a user was changed.",
    (VERIFICATION_KIND, "create"): "A user was submitted for a rail for the first time.",
    (VERIFICATION_KIND, "update"): "The status of a user's verification for a rail changed.",
    (LINK_KIND, "create"): "A KYC link was created.",
    (LINK_KIND, "update"): "The form of a KYC link was submitted.",
    **{
        (f"ACCOUNT.{ramp.upper()}", change_type): f"A bank account for {ramp}s was {outcome}."
        for ramp in Ramp
        for change_type, outcome in (("create", "registered"), ("update", "changed or deleted"))
    },
    (VIRTUAL_ACCOUNT_KIND, "create"): "A virtual account was opened.",
    (VIRTUAL_ACCOUNT_KIND, "update"): "A virtual account was changed.",
    (MISSING_CHANGE_KIND, MISSING_CHANGE): (
        "A payment to an external wallet, or a deposit from one, waits for travel rule data."
    ),
    (REPORT_KIND, "ready"): "A scheduled report was created and can be downloaded.",
    (REPORT_KIND, "failed"): "A scheduled report could not be created.",
    (_WEBHOOK_KIND, _TEST): "A test event was requested; it is sent to that endpoint only.",
}
_RFIS: Mapping[tuple[str, str], tuple[str, str]] = {
    (f"{kind}.RFI", change_type): (
        f"{kind}.RFI.{state}",
        f"A request for information on an {kind.lower()} was {outcome}.",
    )
    for kind in (onramps.KIND, offramps.KIND)
    for change_type, state, outcome in (("open", "OPEN", "opened"), ("closed", "CLOSED", "closed"))
}
_CATEGORIES = {AGREEMENT_KIND: "USER", LINK_KIND: "KYC"}

# Source: contract, webhooks 4: the pages other than spec.md use this spelling.
_OTHER_SPELLINGS = {
    f"{kind}.TRANSACTION.CREATE": f"{kind}.TRANSACTION.CREATED"
    for kind in (onramps.KIND, offramps.KIND)
}

# Retired names and their replacements. Source: contract, webhooks 4 and 5.
_LEGACY: Mapping[str, str] = {
    "ONRAMP.CREATE": "ONRAMP.TRANSACTION.CREATE",
    "ONRAMP.UPDATE": "ONRAMP.STATUS.*",
    "OFFRAMP.CREATE": "OFFRAMP.TRANSACTION.CREATE",
    "OFFRAMP.UPDATE": "OFFRAMP.STATUS.*",
    "USER.STATUS": "USER.*",
    "USER.STATUS.CREATE": "USER.CREATE",
    "USER.STATUS.UPDATE": "USER.UPDATE",
    "SWAP.CREATE": "WALLET.SWAP.TRANSACTION.CREATE",
    "SWAP.UPDATE": "WALLET.SWAP.STATUS.*",
    "TRANSFER.CRYPTO_TO_CRYPTO": "WALLET.TRANSFER.*",
    "TRANSFER.CRYPTO_TO_CRYPTO.UPDATE": "WALLET.TRANSFER.UPDATE",
    "TRANSFER.CRYPTO_TO_FIAT": "OFFRAMP.*",
    "TRANSFER.CRYPTO_TO_FIAT.UPDATE": "OFFRAMP.STATUS.*",
    "TRANSFER.FIAT_TO_CRYPTO": "ONRAMP.*",
    "TRANSFER.FIAT_TO_CRYPTO.UPDATE": "ONRAMP.STATUS.*",
}

# Retired names that an endpoint may list: it receives the events under these names then.
# Source: contract, webhooks 5: a setting for them is off by default (decision 0062).
_LEGACY_SENT = {
    f"{kind}.{verb}": _LEGACY[f"{kind}.{verb}"]
    for kind in (onramps.KIND, offramps.KIND)
    for verb in ("CREATE", "UPDATE")
}

PATTERNS_MAX = 100
# Names that a request may use, in the form that `schemas` describes.
EVENT_TYPE = schema_reference("EventPattern")
_RETIRED = pattern_schema(f"^({'|'.join(_LEGACY_SENT)})$".replace(".", "[.]"))
SUBSCRIPTION = {"type": "string", "anyOf": [EVENT_TYPE, _RETIRED]}
EVENT_TYPES = {"type": "array", "items": EVENT_TYPE, "minItems": 1, "maxItems": PATTERNS_MAX}
_PATTERN_LENGTH_MAX = 100
_PART = r"[A-Z0-9_]+"
_PATTERN = re.compile(rf"(?:{_PART}|\*)(?:\.(?:{_PART}|\*))*")


def _catalogue() -> Iterator[EventName]:
    for kind, (statuses, noun) in _BY_STATUS.items():
        category = _category(kind)
        article = "A" if noun == "swap" else "An"
        meaning = f"{article} {noun} was created."
        yield EventName(f"{kind}.TRANSACTION.CREATE", category, kind, meaning)
        for status in statuses:
            if (kind, status) not in _UNSENT:
                meaning = f"The status of {article.lower()} {noun} changed to {status}."
                yield EventName(f"{kind}.STATUS.{status}", category, kind, meaning)
    for (kind, _), (type_, meaning) in _RFIS.items():
        yield EventName(type_, _category(kind), kind, meaning)
    for kind, noun in _BY_UPDATE.items():
        yield EventName(f"{kind}.CREATE", _category(kind), kind, f"A {noun} was created.")
        meaning = f"The status of a {noun} changed."
        yield EventName(f"{kind}.UPDATE", _category(kind), kind, meaning)
    yield EventName(
        "WALLET.TOKEN.BALANCE.UPDATE", "WALLET", DEPOSITS, "Coins arrived in a user's wallet."
    )
    for (kind, change_type), meaning in _NAMES_BY_CHANGE.items():
        yield EventName(f"{kind}.{change_type.upper()}", _category(kind), kind, meaning)


def _category(kind: str) -> str:
    return _CATEGORIES.get(kind) or kind.partition(".")[0]


CATALOGUE: tuple[EventName, ...] = tuple(_catalogue())
_NAMES: Mapping[str, EventName] = {each.type: each for each in CATALOGUE}
_BALANCE = _NAMES["WALLET.TOKEN.BALANCE.UPDATE"]
_WITHOUT_DEPOSITS = (ADJUSTMENT_KIND, CORRECTION_KIND, GAS_COST_KIND)


def events_of(change: Change, *, deposits: int = 0) -> tuple[Event, ...]:
    """Return the events of a change; `deposits` counts the wallet deposits its journal made.

    A change without a name, or without a free index, is skipped and logged: it must not block later
    changes.
    """
    names = _names_of(change)
    if deposits:
        names += (_BALANCE,) * deposits
    if len(names) > PARTS_MAX:
        _log.error("events.too_many", id=str(change.object_id), count=len(names))
        names = names[:PARTS_MAX]
    # Numbered so that the events of later changes follow all possible events of this one.
    before = (change.seq - 1) * PARTS_MAX + 1
    return tuple(
        Event(change, part, name.type, name.category, name.action, before + part)
        for part, name in enumerate(names)
    )


def makes_deposits(change: Change) -> bool:
    """Return whether the change's record may pay wallets; corrections and the like do not."""
    return change.status_after is not None and change.kind not in _WITHOUT_DEPOSITS


def family(event: Event) -> str:
    """Return the payload family: `DEPOSITS` for a deposit's event, else the kind of its change."""
    return DEPOSITS if event.type == _BALANCE.type else event.change.kind


def deposit_index(event: Event) -> int:
    """Which of its change's deposits a deposit's event is of: 0 for the first."""
    return event.part - len(_names_of(event.change))


def in_spelling(type_: str, *, is_created: bool) -> str:
    """Return the type in the endpoint's spelling; `is_created` selects the other published one."""
    return _OTHER_SPELLINGS.get(type_, type_) if is_created else type_


def sent_type(type_: str, patterns: Sequence[str], *, is_created: bool) -> str:
    """Return the type as an endpoint with these patterns receives it: `in_spelling`, or retired."""
    for pattern in patterns:
        if pattern in _LEGACY_SENT and matches_any((pattern,), type_):
            return pattern
    return in_spelling(type_, is_created=is_created)


def published_types(name: EventName) -> tuple[str, ...]:
    """Return every name under which endpoints may receive this event."""
    retired = [each for each in _LEGACY_SENT if matches_any((each,), name.type)]
    spellings = (in_spelling(name.type, is_created=each) for each in (False, True))
    return tuple(dict.fromkeys((*spellings, *retired)))


def check_patterns(
    texts: Sequence[str], *, field: str, is_subscription: bool = False
) -> tuple[str, ...]:
    """Return patterns as they are stored; raises `FieldInvalid`, which names replacements.

    Duplicates are removed, and `ONRAMP.TRANSACTION.CREATED` is stored in the spelling of spec.md.
    Only a subscription may have the retired names that are still sent.
    """
    if not 1 <= len(texts) <= PATTERNS_MAX:
        raise FieldInvalid(f"{field} must name 1 to {PATTERNS_MAX} types of events", field=field)
    spellings = {other: type_ for type_, other in _OTHER_SPELLINGS.items()}
    patterns = [spellings.get(text, text) for text in texts]
    for pattern in patterns:
        if not (is_subscription and pattern in _LEGACY_SENT):
            _check_pattern(pattern, field)
    return tuple(dict.fromkeys(patterns))


def check_subscription(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the patterns of an endpoint as they are stored; raises `FieldInvalid`."""
    return check_patterns(texts, field="eventTypes", is_subscription=True)


def all_patterns() -> tuple[str, ...]:
    """Return every pattern that `check_patterns` accepts, the names of types first."""
    names = [*_NAMES, *_OTHER_SPELLINGS.values()]
    found = {".".join(each) for name in _NAMES for each in _patterns_of(name.split("."))}
    return (*names, *sorted(found - set(names)))


def _patterns_of(parts: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the patterns that match these parts: each `*` stands for one or more of them."""
    if not parts:
        yield ()
        return
    for following in _patterns_of(parts[1:]):
        yield (parts[0], *following)
    for covered in range(1, len(parts) + 1):
        for following in _patterns_of(parts[covered:]):
            yield ("*", *following)


def schemas() -> Mapping[str, Keywords]:
    """Return the schemas of the OpenAPI document that requests refer to."""
    described = "A type of event, or a pattern: each `*` stands for one or more parts of a type."
    return {"EventPattern": {**one_of(all_patterns()), "description": described}}


def matches_any(patterns: Sequence[str], type_: str) -> bool:
    """Return whether one of these patterns matches this type, in the spelling of spec.md."""
    return type_ in _matching_types(tuple(patterns))


def _names_of(change: Change) -> tuple[EventName, ...]:
    return _names(
        change.kind,
        change.change_type,
        change.seq == 1,
        None if change.status_after == change.status_before else change.status_after,
    )


# There are about a hundred combinations.
@lru_cache(maxsize=1024)
def _names(
    kind: str,
    change_type: str,
    is_first: bool,  # noqa: FBT001  a cache's key
    status: str | None,
) -> tuple[EventName, ...]:
    """Return a change's names except its deposits'; `status` is the new one, None if unchanged."""
    if kind in _BY_STATUS:
        types = [f"{kind}.TRANSACTION.CREATE"] if is_first else []
        if status is not None and (kind, status) not in _UNSENT:
            types.append(f"{kind}.STATUS.{status}")
    elif kind in _BY_UPDATE:
        later = [] if status is None else [f"{kind}.UPDATE"]
        types = [f"{kind}.CREATE"] if is_first else later
    elif (kind, change_type) in _RFIS:
        types = [_RFIS[kind, change_type][0]]
    elif (kind, change_type) in _NAMES_BY_CHANGE:
        types = [f"{kind}.{change_type.upper()}"]
    else:
        types = []
    for each in types:
        if each not in _NAMES:
            # A newer release, running at the same time, may know it.
            _log.error("events.unknown", kind=each)
    return tuple(_NAMES[each] for each in types if each in _NAMES)


def _check_pattern(pattern: str, field: str) -> None:
    if len(pattern) > _PATTERN_LENGTH_MAX or not _PATTERN.fullmatch(pattern):
        raise FieldInvalid(
            f"{field}: {pattern[:50]!r} is no type of event; name one as in "
            "ONRAMP.TRANSACTION.CREATE, or many as in ONRAMP.STATUS.* or *",
            field=field,
        )
    if pattern not in _LEGACY_SENT and _matching_types((pattern,)):
        return
    shape = _shape(pattern)
    newer = dict.fromkeys(each for name, each in _LEGACY.items() if shape.fullmatch(name))
    if newer:
        raise FieldInvalid(
            f"{field}: {pattern} is an older name; use {', '.join(newer)}",
            field=field,
        )
    raise FieldInvalid(f"{field}: no type of event is named {pattern}", field=field)


@lru_cache(maxsize=1024)
def _matching_types(patterns: tuple[str, ...]) -> frozenset[str]:
    """Return every type that these patterns match."""
    shapes = [_shape(_LEGACY_SENT.get(each, each)) for each in patterns]
    return frozenset(
        name for name in _NAMES if any(shape.fullmatch(name) is not None for shape in shapes)
    )


def _shape(pattern: str) -> re.Pattern[str]:
    any_parts = rf"{_PART}(?:\.{_PART})*"
    return re.compile(r"\.".join(any_parts if each == "*" else each for each in pattern.split(".")))

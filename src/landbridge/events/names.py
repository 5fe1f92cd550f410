"""Every name of an event, and which change has which. Source: contract, webhooks 4 and 5.

Names depend on the change alone, so that an event has the same id and the same name whenever it
is read. Patterns are names in which `*` stands for one or more parts, as in `ONRAMP.STATUS.*`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import structlog

from landbridge.accounts.model import Ramp
from landbridge.changes.model import Change
from landbridge.core.errors import FieldInvalid
from landbridge.events.model import PARTS_MAX, Event
from landbridge.flows.batches import model as batches
from landbridge.flows.bridges import model as bridges
from landbridge.flows.offramps import model as offramps
from landbridge.flows.onramps import model as onramps
from landbridge.flows.swaps import model as swaps
from landbridge.flows.wallet_transfers import model as wallet_transfers
from landbridge.kyc.model import KIND as KYC_KIND
from landbridge.ledger.corrections import KIND as CORRECTION_KIND
from landbridge.onboarding.model import KIND as LINK_KIND
from landbridge.reporting.schedules.model import KIND as REPORT_KIND
from landbridge.users.model import AGREEMENT_KIND, USER_KIND
from landbridge.verification.model import KIND as VERIFICATION_KIND
from landbridge.virtual_accounts.model import KIND as VIRTUAL_ACCOUNT_KIND

_log = structlog.stdlib.get_logger()


@dataclass(frozen=True, slots=True)
class Name:
    """A type of event: `kind` is that of the changes which it comes from (`changes.kind`).

    It is `DEPOSITS` for what records of any kind may lead to.
    """

    type: str
    category: str
    kind: str
    meaning: str

    @property
    def action(self) -> str:
        """What stands in the envelope: CREATE, UPDATE, or a status."""
        return self.type.rpartition(".")[2]


# The family of events that show a deposit, whatever record has made it.
DEPOSITS = "DEPOSITS"
# Of endpoints, which are told of further up.
_WEBHOOK_KIND, _TEST = "WEBHOOK", "test"

# What has an event for each status, and what its record is called.
_BY_STATUS: Mapping[str, tuple[type[StrEnum], str]] = {
    onramps.KIND: (onramps.Status, "onramp"),
    offramps.KIND: (offramps.Status, "offramp"),
    swaps.KIND: (swaps.Status, "swap"),
}
# Listed for swaps only: a ramp that is CREATED goes on at once.
_UNSENT = {(onramps.KIND, onramps.Status.CREATED), (offramps.KIND, offramps.Status.CREATED)}
_BY_UPDATE: Mapping[str, str] = {
    wallet_transfers.KIND: "transfer",
    batches.KIND: "batch",
    bridges.KIND: "bridge",
}
# Records without a status: by kind and what was done, as the log has it.
_TOLD: Mapping[tuple[str, str], str] = {
    (USER_KIND, "create"): "A user was created.",
    (USER_KIND, "update"): "A user was changed, frozen, set free or erased.",
    (AGREEMENT_KIND, "update"): "A user accepted the terms.",
    (KYC_KIND, "update"): "The data of a user's verification was changed.",
    (VERIFICATION_KIND, "create"): "A user was submitted for a rail for the first time.",
    (VERIFICATION_KIND, "update"): "The status of a user's verification for a rail changed.",
    (LINK_KIND, "create"): "A link to the form of a verification was made.",
    (LINK_KIND, "update"): "The form behind such a link was sent in.",
    **{
        (f"ACCOUNT.{ramp.upper()}", what): f"A bank account for {ramp}s was {done}."
        for ramp in Ramp
        for what, done in (("create", "registered"), ("update", "changed or deleted"))
    },
    (VIRTUAL_ACCOUNT_KIND, "create"): "A virtual account was opened.",
    (VIRTUAL_ACCOUNT_KIND, "update"): "A virtual account was changed.",
    (REPORT_KIND, "ready"): "A report was made on its schedule, and can be downloaded.",
    (REPORT_KIND, "failed"): "A report that was due could not be made.",
    (_WEBHOOK_KIND, _TEST): "Somebody asked for a test event; for that endpoint only.",
}
_RFIS: Mapping[tuple[str, str], tuple[str, str]] = {
    (f"{kind}.RFI", what): (
        f"{kind}.RFI.{state}",
        f"A request for information on an {kind.lower()} was {done}.",
    )
    for kind in (onramps.KIND, offramps.KIND)
    for what, state, done in (("open", "OPEN", "opened"), ("closed", "CLOSED", "closed"))
}
_CATEGORIES = {AGREEMENT_KIND: "USER", LINK_KIND: "KYC"}

# Source: contract, webhooks 4: pages beside spec.md have this spelling.
_OTHER_SPELLINGS = {
    f"{kind}.TRANSACTION.CREATE": f"{kind}.TRANSACTION.CREATED"
    for kind in (onramps.KIND, offramps.KIND)
}

# Names of before, and what stands in their place. Source: contract, webhooks 4 and 5.
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

PATTERNS_MAX = 100
_PATTERN_LENGTH_MAX = 100
_PART = r"[A-Z0-9_]+"
_PATTERN = re.compile(rf"(?:{_PART}|\*)(?:\.(?:{_PART}|\*))*")


def _catalogue() -> Iterator[Name]:
    for kind, (statuses, noun) in _BY_STATUS.items():
        category = _category(kind)
        article = "A" if noun == "swap" else "An"
        meaning = f"{article} {noun} was asked for."
        yield Name(f"{kind}.TRANSACTION.CREATE", category, kind, meaning)
        for status in statuses:
            if (kind, status) not in _UNSENT:
                meaning = f"{article} {noun} is {status} now."
                yield Name(f"{kind}.STATUS.{status}", category, kind, meaning)
    for (kind, _), (type_, meaning) in _RFIS.items():
        yield Name(type_, _category(kind), kind, meaning)
    for kind, noun in _BY_UPDATE.items():
        yield Name(f"{kind}.CREATE", _category(kind), kind, f"A {noun} was asked for.")
        meaning = f"The status of a {noun} changed."
        yield Name(f"{kind}.UPDATE", _category(kind), kind, meaning)
    yield Name(
        "WALLET.TOKEN.BALANCE.UPDATE", "WALLET", DEPOSITS, "Coins arrived in a user's wallet."
    )
    for (kind, what), meaning in _TOLD.items():
        yield Name(f"{kind}.{what.upper()}", _category(kind), kind, meaning)


def _category(kind: str) -> str:
    return _CATEGORIES.get(kind) or kind.partition(".")[0]


CATALOGUE: tuple[Name, ...] = tuple(_catalogue())
_NAMES: Mapping[str, Name] = {each.type: each for each in CATALOGUE}
_BALANCE = _NAMES["WALLET.TOKEN.BALANCE.UPDATE"]


def events_of(change: Change, *, deposits: int = 0) -> tuple[Event, ...]:
    """The events of a change; `deposits` is how many deposits its journal made in wallets.

    What has no name here, or none left, is left out and logged: it must not stop what comes after.
    """
    names = _names_of(change)
    if deposits:
        names += (_BALANCE,) * deposits
    if len(names) > PARTS_MAX:
        _log.error("events.too_many", id=str(change.object_id), count=len(names))
        names = names[:PARTS_MAX]
    # Numbered so that the events of later changes come after all that this one can have.
    before = (change.seq - 1) * PARTS_MAX + 1
    return tuple(
        Event(change, part, name.type, name.category, name.action, before + part)
        for part, name in enumerate(names)
    )


def makes_deposits(change: Change) -> bool:
    """Whether this is a change of a record that may pay wallets; what corrects books does not."""
    return change.status_after is not None and change.kind != CORRECTION_KIND


def family(event: Event) -> str:
    """Whose portraits show it: `DEPOSITS` for a deposit's event, else the kind of its change."""
    return DEPOSITS if event.type == _BALANCE.type else event.change.kind


def deposit_place(event: Event) -> int:
    """Which of its change's deposits a deposit's event is of: 0 for the first."""
    return event.part - len(_names_of(event.change))


def spelled(type_: str, *, is_created: bool) -> str:
    """A type of event as an endpoint has it: with `is_created` in the other published spelling."""
    return _OTHER_SPELLINGS.get(type_, type_) if is_created else type_


def check_patterns(texts: Sequence[str], *, field: str) -> tuple[str, ...]:
    """Patterns as an endpoint keeps them; raises `FieldInvalid`, for older names with the newer.

    Each is there once, and `ONRAMP.TRANSACTION.CREATED` is kept in the spelling of spec.md.
    """
    if not 1 <= len(texts) <= PATTERNS_MAX:
        raise FieldInvalid(f"{field} must name 1 to {PATTERNS_MAX} types of events", field=field)
    spellings = {other: type_ for type_, other in _OTHER_SPELLINGS.items()}
    kept = [spellings.get(text, text) for text in texts]
    for pattern in kept:
        _check_pattern(pattern, field)
    return tuple(dict.fromkeys(kept))


def is_wanted(patterns: Sequence[str], type_: str) -> bool:
    """Whether one of these patterns is for this type of event, in the spelling of spec.md."""
    return type_ in _wanted(tuple(patterns))


def _names_of(change: Change) -> tuple[Name, ...]:
    return _names(
        change.kind,
        change.what,
        change.seq == 1,
        None if change.status_after == change.status_before else change.status_after,
    )


# There are some hundred such changes.
@lru_cache(maxsize=1024)
def _names(kind: str, what: str, is_first: bool, status: str | None) -> tuple[Name, ...]:  # noqa: FBT001  a cache's key
    """The names of a change but for its deposits; `status` is the new one, None if it stayed."""
    if kind in _BY_STATUS:
        types = [f"{kind}.TRANSACTION.CREATE"] if is_first else []
        if status is not None and (kind, status) not in _UNSENT:
            types.append(f"{kind}.STATUS.{status}")
    elif kind in _BY_UPDATE:
        later = [] if status is None else [f"{kind}.UPDATE"]
        types = [f"{kind}.CREATE"] if is_first else later
    elif (kind, what) in _RFIS:
        types = [_RFIS[kind, what][0]]
    elif (kind, what) in _TOLD:
        types = [f"{kind}.{what.upper()}"]
    else:
        types = []
    for each in types:
        if each not in _NAMES:
            # A newer version of ours, beside which this one still runs, may know it.
            _log.error("events.unknown", kind=each)
    return tuple(_NAMES[each] for each in types if each in _NAMES)


def _check_pattern(pattern: str, field: str) -> None:
    if len(pattern) > _PATTERN_LENGTH_MAX or not _PATTERN.fullmatch(pattern):
        raise FieldInvalid(
            f"{field}: {pattern[:50]!r} is no type of event; name one as in "
            "ONRAMP.TRANSACTION.CREATE, or many as in ONRAMP.STATUS.* or *",
            field=field,
        )
    if _wanted((pattern,)):
        return
    shape = _shape(pattern)
    newer = dict.fromkeys(each for name, each in _LEGACY.items() if shape.fullmatch(name))
    if newer:
        raise FieldInvalid(
            f"{field}: {pattern} is an older name that is not sent any more; use "
            f"{', '.join(newer)}",
            field=field,
        )
    raise FieldInvalid(f"{field}: no type of event is named {pattern}", field=field)


@lru_cache(maxsize=1024)
def _wanted(patterns: tuple[str, ...]) -> frozenset[str]:
    """Every type that these patterns are for."""
    shapes = [_shape(each) for each in patterns]
    return frozenset(
        name for name in _NAMES if any(shape.fullmatch(name) is not None for shape in shapes)
    )


def _shape(pattern: str) -> re.Pattern[str]:
    any_parts = rf"{_PART}(?:\.{_PART})*"
    return re.compile(r"\.".join(any_parts if each == "*" else each for each in pattern.split(".")))

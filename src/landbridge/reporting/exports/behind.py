"""Which records a result is made of, for the templates that count records."""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from functools import cache
from uuid import UUID

from landbridge.chains.tokens import ASSETS
from landbridge.core.errors import FieldInvalid
from landbridge.flows.batches.model import KIND as BATCH
from landbridge.flows.bridges.model import KIND as BRIDGE
from landbridge.flows.bridges.model import Status as BridgeStatus
from landbridge.flows.offramps.model import KIND as OFFRAMP
from landbridge.flows.offramps.model import Status as OfframpStatus
from landbridge.flows.onramps.model import KIND as ONRAMP
from landbridge.flows.onramps.model import Status as OnrampStatus
from landbridge.flows.swaps.model import KIND as SWAP
from landbridge.flows.swaps.model import Status as SwapStatus
from landbridge.flows.wallet_transfers.model import KIND as TRANSFER
from landbridge.payments.remittances import Status as RemittanceStatus
from landbridge.reporting.exports.transaction_store import Wanted
from landbridge.reporting.metrics.contract_templates import TYPES, counted_status
from landbridge.reporting.metrics.model import Question, Template
from landbridge.reporting.metrics.ours import kinds as our_kinds

# What was given by the name of a dimension, or the template's default.
Filters = Mapping[str, tuple[str, ...]]

_COMPLETED = "COMPLETED"
# Every status of every kind of record that templates count.
_STATUSES: Mapping[str, type[StrEnum]] = {
    ONRAMP: OnrampStatus,
    OFFRAMP: OfframpStatus,
    TRANSFER: RemittanceStatus,
    BATCH: RemittanceStatus,
    SWAP: SwapStatus,
    BRIDGE: BridgeStatus,
}
_CONTRACT_KINDS = frozenset(kind for kinds in TYPES.values() for kind in kinds)


def behind(template: Template, question: Question) -> Wanted:
    """The records that a result is made of, apart from when they were created.

    Raises `FieldInvalid`, which names `content`, for templates that are made of something else.
    """
    choose = _BY_TEMPLATE.get(template.name)
    if choose is None:
        raise FieldInvalid(
            f"content: {template.name} is not made of transactions; download its results",
            field="content",
        )
    return choose({**template.defaults, **question.filters})


@cache
def counted_as(kind: str, status: str) -> tuple[str, str | None]:
    """Type and status under which templates count a record; swaps and bridges have no status."""
    is_counted = kind in _CONTRACT_KINDS
    return our_kinds.TYPES[kind], counted_status(kind, status) if is_counted else None


def _volume(filters: Filters) -> Wanted:
    kinds = _kinds(filters, TYPES)
    return Wanted(kinds=kinds, user_ids=_users(filters), states=_completed(kinds))


def _count(filters: Filters) -> Wanted:
    kinds, statuses = _kinds(filters, TYPES), filters.get("transactionStatus")
    states = None
    if statuses is not None:
        states = [each for each in _every_state(kinds) if counted_status(*each) in statuses]
    return Wanted(kinds=kinds, user_ids=_users(filters), states=states)


def _swaps(filters: Filters) -> Wanted:
    chains = filters.get("chain")
    return Wanted(
        kinds=(SWAP,),
        states=_completed((SWAP,)),
        source_assets=_assets(filters.get("sourceCurrency"), chains),
        destination_assets=_assets(filters.get("destinationCurrency"), chains),
    )


def _outcomes(filters: Filters) -> Wanted:
    """All that are counted; where failures for some reasons are asked for, these."""
    kinds, reasons = _kinds(filters, _our_types()), filters.get("reason")
    if reasons is None:
        return Wanted(kinds=kinds)
    failed = [
        each
        for each, outcome in our_kinds.OUTCOME_OF.items()
        if outcome == our_kinds.FAILED and each[0] in kinds
    ]
    return Wanted(kinds=kinds, reasons=reasons, states=failed)


def _completions(filters: Filters) -> Wanted:
    kinds = _kinds(filters, _our_types())
    return Wanted(kinds=kinds, states=_completed(kinds))


def _kinds(filters: Filters, types: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    asked = filters.get("transactionType", tuple(types))
    return tuple(kind for each in asked for kind in types[each])


def _users(filters: Filters) -> tuple[UUID, ...] | None:
    users = filters.get("userId")
    return None if users is None else tuple(UUID(each) for each in users)


def _completed(kinds: Iterable[str]) -> list[tuple[str, str]]:
    return [(kind, _COMPLETED) for kind in kinds]


def _every_state(kinds: Iterable[str]) -> list[tuple[str, str]]:
    return [(kind, status) for kind in kinds for status in _STATUSES[kind]]


@cache
def _our_types() -> Mapping[str, tuple[str, ...]]:
    """Kinds by the types of our own templates."""
    types = dict.fromkeys(our_kinds.TYPES.values())
    return {
        each: tuple(kind for kind, type_ in our_kinds.TYPES.items() if type_ == each)
        for each in types
    }


def _assets(currencies: tuple[str, ...] | None, chains: tuple[str, ...] | None) -> list[str] | None:
    """Codes of the coins of these currencies on these chains; None for any."""
    if currencies is None and chains is None:
        return None
    return [
        code
        for code, asset in ASSETS.items()
        if (currencies is None or asset.currency in currencies)
        and (chains is None or asset.chain in chains)
    ]


_BY_TEMPLATE: Mapping[str, Callable[[Filters], Wanted]] = {
    "GROSS_VOLUME": _volume,
    "TRANSACTION_COUNT": _count,
    "SWAP_VOLUME": _swaps,
    "OUTCOMES": _outcomes,
    "COMPLETION_TIME": _completions,
}

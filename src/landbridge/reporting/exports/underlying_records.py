"""Records behind a result, for the templates that count records."""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from functools import cache
from uuid import UUID

from landbridge.payments.batches.model import KIND as BATCH
from landbridge.payments.bridges.model import KIND as BRIDGE
from landbridge.payments.bridges.model import BridgeStatus
from landbridge.payments.engine.outgoing_transfers import OutgoingTransferStatus
from landbridge.payments.offramps.model import KIND as OFFRAMP
from landbridge.payments.offramps.model import OfframpStatus
from landbridge.payments.onramps.model import KIND as ONRAMP
from landbridge.payments.onramps.model import OnrampStatus
from landbridge.payments.swaps.model import KIND as SWAP
from landbridge.payments.swaps.model import SwapStatus
from landbridge.payments.transfers.model import KIND as TRANSFER
from landbridge.platform.core.errors import FieldInvalid
from landbridge.providers.chains.tokens import ASSETS
from landbridge.reporting.exports.transaction_store import RecordFilter
from landbridge.reporting.metrics.builtin import kinds as our_kinds
from landbridge.reporting.metrics.contract_templates import TYPES, counted_status
from landbridge.reporting.metrics.model import MetricQuery, MetricTemplate

# Values by dimension: those in the request, otherwise the template's default.
Filters = Mapping[str, tuple[str, ...]]

_COMPLETED = "COMPLETED"
# Every status of every kind of record that templates count.
_STATUSES: Mapping[str, type[StrEnum]] = {
    ONRAMP: OnrampStatus,
    OFFRAMP: OfframpStatus,
    TRANSFER: OutgoingTransferStatus,
    BATCH: OutgoingTransferStatus,
    SWAP: SwapStatus,
    BRIDGE: BridgeStatus,
}
_CONTRACT_KINDS = frozenset(kind for kinds in TYPES.values() for kind in kinds)


def record_filter(template: MetricTemplate, query: MetricQuery) -> RecordFilter:
    """Return the filter of the records behind a result, apart from their creation time.

    Raises `FieldInvalid`, which names `content`, for templates that do not count records.
    """
    if template.match is not None:
        filters = {**template.defaults, **query.filters}
        kinds = _kinds(filters, _our_types())
        return RecordFilter(kinds=kinds, user_ids=_users(filters))
    choose = _BY_TEMPLATE.get(template.name)
    if choose is None:
        raise FieldInvalid(
            f"content: {template.name} is not made of transactions; download its results",
            field="content",
        )
    return choose({**template.defaults, **query.filters})


@cache
def counted_as(kind: str, status: str) -> tuple[str, str | None]:
    """Return type and status as templates count them; the status is None for swaps, bridges."""
    is_counted = kind in _CONTRACT_KINDS
    return our_kinds.TYPES[kind], counted_status(kind, status) if is_counted else None


def _volume(filters: Filters) -> RecordFilter:
    kinds = _kinds(filters, TYPES)
    return RecordFilter(kinds=kinds, user_ids=_users(filters), states=_completed(kinds))


def _count(filters: Filters) -> RecordFilter:
    kinds, statuses = _kinds(filters, TYPES), filters.get("transactionStatus")
    states = None
    if statuses is not None:
        states = [each for each in _every_state(kinds) if counted_status(*each) in statuses]
    return RecordFilter(kinds=kinds, user_ids=_users(filters), states=states)


def _swaps(filters: Filters) -> RecordFilter:
    chains = filters.get("chain")
    return RecordFilter(
        kinds=(SWAP,),
        states=_completed((SWAP,)),
        source_assets=_assets(filters.get("sourceCurrency"), chains),
        destination_assets=_assets(filters.get("destinationCurrency"), chains),
    )


def _outcomes(filters: Filters) -> RecordFilter:
    """Return the filter for all counted states, or only failures if reasons are filtered."""
    kinds, reasons = _kinds(filters, _our_types()), filters.get("reason")
    if reasons is None:
        return RecordFilter(kinds=kinds)
    failed = [
        each
        for each, outcome in our_kinds.OUTCOME_OF.items()
        if outcome == our_kinds.FAILED and each[0] in kinds
    ]
    return RecordFilter(kinds=kinds, reasons=reasons, states=failed)


def _completions(filters: Filters) -> RecordFilter:
    kinds = _kinds(filters, _our_types())
    return RecordFilter(kinds=kinds, states=_completed(kinds))


def _kinds(filters: Filters, types: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    names = filters.get("transactionType", tuple(types))
    return tuple(kind for each in names for kind in types[each])


def _users(filters: Filters) -> tuple[UUID, ...] | None:
    users = filters.get("userId")
    return None if users is None else tuple(UUID(each) for each in users)


def _completed(kinds: Iterable[str]) -> list[tuple[str, str]]:
    return [(kind, _COMPLETED) for kind in kinds]


def _every_state(kinds: Iterable[str]) -> list[tuple[str, str]]:
    return [(kind, status) for kind in kinds for status in _STATUSES[kind]]


@cache
def _our_types() -> Mapping[str, tuple[str, ...]]:
    """Return the kinds of records of each type of our own templates."""
    types = dict.fromkeys(our_kinds.TYPES.values())
    return {
        each: tuple(kind for kind, type_ in our_kinds.TYPES.items() if type_ == each)
        for each in types
    }


def _assets(currencies: tuple[str, ...] | None, chains: tuple[str, ...] | None) -> list[str] | None:
    """Return the asset codes of currencies on chains; None if neither is filtered."""
    if currencies is None and chains is None:
        return None
    return [
        code
        for code, asset in ASSETS.items()
        if (currencies is None or asset.currency in currencies)
        and (chains is None or asset.chain in chains)
    ]


_BY_TEMPLATE: Mapping[str, Callable[[Filters], RecordFilter]] = {
    "GROSS_VOLUME": _volume,
    "TRANSACTION_COUNT": _count,
    "SWAP_VOLUME": _swaps,
    "OUTCOMES": _outcomes,
    "COMPLETION_TIME": _completions,
}

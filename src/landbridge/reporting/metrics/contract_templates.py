"""Templates of the contract: gross volume, transaction count, new users. Source: reporting 3.

Transactions are onramps, offramps and transfers (single and batch), not swaps and bridges. A
transaction counts in the period of its creation, with its current status.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from uuid import UUID

from landbridge.customers.users.model import USER_KIND
from landbridge.payments.batches.model import KIND as BATCH
from landbridge.payments.offramps.model import KIND as OFFRAMP
from landbridge.payments.onramps.model import KIND as ONRAMP
from landbridge.payments.transfers.model import KIND as TRANSFER
from landbridge.platform.core.money import units_as_decimal
from landbridge.reporting.metrics.model import (
    Dimension,
    MetricFact,
    MetricQuery,
    MetricSources,
    MetricTemplate,
    Tally,
    Values,
)
from landbridge.reporting.metrics.user_options import users_within_limit
from landbridge.reporting.rollups.model import RollupMeasure, RollupSum

TYPES: Mapping[str, tuple[str, ...]] = {
    "onramp": (ONRAMP,),
    "offramp": (OFFRAMP,),
    "transfer": (TRANSFER, BATCH),
}
STATUSES = (
    "AWAITING_FUNDS",
    "FIAT_INITIATED",
    "FIAT_PENDING",
    "FIAT_PROCESSED",
    "CRYPTO_INITIATED",
    "CRYPTO_PENDING",
    "FIAT_FAILED",
    "CRYPTO_FAILED",
    "QUOTE_FAILED",
    "NOT_INITIATED",
    "FIAT_RETURNED",
    "COMPLETED",
    "PENDING_APPROVAL",
    "INITIATED",
    "PENDING",
    "FAILED",
    "REJECTED",
)
# Listed status of the contract under which each other status is counted, by meaning: not started,
# in progress, returned, not approved.
COUNTED_UNDER: Mapping[str, str] = {
    "CREATED": "NOT_INITIATED",
    "OPEN_QUOTE": "NOT_INITIATED",
    "IN_REVIEW": "PENDING",
    "CRYPTO_PROCESSED": "CRYPTO_PENDING",
    "CRYPTO_RETURNED": "FIAT_FAILED",
    "EXPIRED": "REJECTED",
}
# Listed status for transactions that the chain has not confirmed for a day.
_UNKNOWN = "UNKNOWN"
_UNKNOWN_OF = {ONRAMP: "CRYPTO_PENDING", TRANSFER: "PENDING", BATCH: "PENDING"}
_COMPLETED = "COMPLETED"

_TYPE_OF = {kind: name for name, kinds in TYPES.items() for kind in kinds}

TYPE = Dimension(
    name="transactionType",
    param="transactionTypes",
    options=tuple(TYPES),
    description="Only transactions of these types; all if left out.",
)
_VOLUME_TYPE = replace(
    TYPE,
    description="Only transactions of these types; onramps and offramps if left out.",
)
STATUS = Dimension(
    name="transactionStatus",
    param="transactionStatuses",
    options=STATUSES,
    description="Only transactions in these statuses; all if left out.",
)
USER = Dimension(
    name="userId",
    param="userIds",
    options=None,
    description="Only transactions of these users, by id; all if left out.",
)


async def _states(
    sources: MetricSources,
    org_id: UUID,
    query: MetricQuery,
    statuses: Collection[str] | None,
    *,
    has_amounts: bool,
) -> Sequence[RollupSum]:
    """Return sums of records of the queried types and these statuses; None is all statuses.

    The sums are broken down by kind, status and user only as far as the query needs it.
    """
    kinds = _kinds(query)
    by: set[str] = {"a"} if TYPE.name in query.breakdowns else set()
    # Break down by kind too, because for one status the listed status depends on the kind.
    if STATUS.name in query.breakdowns or (statuses is not None and _UNKNOWN in statuses):
        by = {"a", "b"}
    only = None if statuses is None else {"b": statuses}
    if USER.name in query.filters:
        users: Collection[UUID | str] = query.filters[USER.name]
    elif USER.name in query.breakdowns:
        users = await sources.users.ids(org_id)
    else:
        return await sources.rollups.sums(
            *(org_id, RollupMeasure.STATE, kinds, query.span),
            by=by,
            only=only,
            has_amounts=has_amounts,
        )
    if USER.name in query.breakdowns:
        by = {"user", *by}
    return await sources.rollups.sums_of_users(
        org_id, users, kinds, query.span, by=by, only=only, has_amounts=has_amounts
    )


def _kinds(query: MetricQuery) -> list[str]:
    types = query.filters.get(TYPE.name, tuple(TYPES))
    return [kind for each in types for kind in TYPES[each]]


def _counted_statuses(query: MetricQuery) -> Collection[str] | None:
    counted = query.filters.get(STATUS.name)
    return None if counted is None else _statuses_under(counted)


async def _volume_users(sources: MetricSources, org_id: UUID, query: MetricQuery) -> Sequence[UUID]:
    return await users_within_limit(sources, org_id, query, _kinds(query), (_COMPLETED,))


async def _count_users(
    sources: MetricSources, org_id: UUID, query: MetricQuery
) -> Sequence[UUID] | None:
    statuses = _counted_statuses(query)
    if statuses is not None and _UNKNOWN in statuses:
        return None
    return await users_within_limit(sources, org_id, query, _kinds(query), statuses)


def _user_names(sums: Iterable[RollupSum], query: MetricQuery) -> Mapping[UUID | None, str]:
    """Return the label of each user; empty unless users are broken down."""
    is_broken_down = USER.name in query.breakdowns
    users = {each.user_id for each in sums}
    return {each: str(each) if is_broken_down and each is not None else "" for each in users}


@cache
def _type(kind: str) -> str:
    return kind and _TYPE_OF[kind]


@cache
def _counted_status(kind: str, status: str) -> str:
    return counted_status(kind, status) if kind and status else ""


def counted_status(kind: str, status: str) -> str:
    """Return the status of the contract's list under which a record is counted."""
    if status == _UNKNOWN:
        return _UNKNOWN_OF[kind]
    return COUNTED_UNDER.get(status, status)


def _statuses_under(counted: Collection[str]) -> set[str]:
    """Return the statuses of records that may be counted under these."""
    found = {status for status, under in COUNTED_UNDER.items() if under in counted}
    if not set(counted).isdisjoint(_UNKNOWN_OF.values()):
        found.add(_UNKNOWN)
    return {*counted, *found}


async def _volumes(
    sources: MetricSources, org_id: UUID, query: MetricQuery
) -> Sequence[MetricFact]:
    sums = await _states(sources, org_id, query, (_COMPLETED,), has_amounts=True)
    users = _user_names(sums, query)
    return [
        MetricFact(each.period, (_type(each.a), users[each.user_id]), {"usd_cents": each.usd_cents})
        for each in sums
    ]


def _volume(tally: Tally) -> Values:
    dollars = units_as_decimal(tally.get("usd_cents", 0), 2)
    return {"grossVolume": dollars, "grossVolumeUsd": dollars}


async def _counts(sources: MetricSources, org_id: UUID, query: MetricQuery) -> Sequence[MetricFact]:
    statuses = _counted_statuses(query)
    sums = await _states(sources, org_id, query, statuses, has_amounts=False)
    users = _user_names(sums, query)
    return [
        MetricFact(
            each.period,
            (_type(each.a), _counted_status(each.a, each.b), users[each.user_id]),
            {"count": each.count},
        )
        for each in sums
    ]


def _count(tally: Tally) -> Values:
    return {"transactionCount": tally.get("count", 0)}


async def _arrivals(
    sources: MetricSources, org_id: UUID, query: MetricQuery
) -> Sequence[MetricFact]:
    found = await sources.rollups.sums(org_id, RollupMeasure.USER, [USER_KIND], query.span, by=())
    return [MetricFact(each.period, (), {"count": each.count}) for each in found]


def _arrived(tally: Tally) -> Values:
    return {"newUserCount": tally.get("count", 0)}


CONTRACT_TEMPLATES = (
    MetricTemplate(
        name="GROSS_VOLUME",
        display_name="Gross Volume",
        description="USD value of completed onramps and offramps, by the time they were created; "
        "transfers too if transactionTypes has them.",
        dimensions=(_VOLUME_TYPE, USER),
        fields=("grossVolume", "grossVolumeUsd"),
        read=_volumes,
        read_users=_volume_users,
        values=_volume,
        defaults={TYPE.name: ("onramp", "offramp")},
        tolerates=frozenset({STATUS.param}),
    ),
    MetricTemplate(
        name="TRANSACTION_COUNT",
        display_name="Transaction Count",
        description="Number of transactions by status and type.",
        dimensions=(TYPE, STATUS, USER),
        fields=("transactionCount",),
        read=_counts,
        read_users=_count_users,
        values=_count,
        defaults={},
    ),
    MetricTemplate(
        name="NEW_USERS",
        display_name="New Users",
        description="Number of users created.",
        dimensions=(),
        fields=("newUserCount",),
        read=_arrivals,
        values=_arrived,
        defaults={},
    ),
)

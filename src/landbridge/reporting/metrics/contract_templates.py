"""The templates of the contract: gross volume, transaction count, new users. Source: reporting 3.

Transactions are onramps, offramps and transfers (single ones and batches); swaps and bridges are
none. A transaction belongs to the period in which it was created, in the status that it has now.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from uuid import UUID

from landbridge.core.money import units_as_decimal
from landbridge.flows.batches.model import KIND as BATCH
from landbridge.flows.offramps.model import KIND as OFFRAMP
from landbridge.flows.onramps.model import KIND as ONRAMP
from landbridge.flows.wallet_transfers.model import KIND as TRANSFER
from landbridge.reporting.metrics.model import (
    Dimension,
    Fact,
    Question,
    Sources,
    Tally,
    Template,
    Values,
)
from landbridge.reporting.rollups.model import Measure, Sum
from landbridge.users.model import USER_KIND

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
# Statuses that are not in the contract's list are counted under the one that says most nearly the
# same: what was not begun, what is still under way, what came back, what was not approved.
COUNTED_UNDER: Mapping[str, str] = {
    "CREATED": "NOT_INITIATED",
    "OPEN_QUOTE": "NOT_INITIATED",
    "IN_REVIEW": "PENDING",
    "CRYPTO_PROCESSED": "CRYPTO_PENDING",
    "CRYPTO_RETURNED": "FIAT_FAILED",
    "EXPIRED": "REJECTED",
}
# As above: no word from the chain for a day.
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
    sources: Sources, org_id: UUID, question: Question, statuses: Collection[str] | None
) -> Sequence[Sum]:
    """Records of the types in question, and of these statuses; all statuses if None.

    By kind, status and user, as far as the question tells them apart.
    """
    types = question.filters.get(TYPE.name, tuple(TYPES))
    kinds = [kind for each in types for kind in TYPES[each]]
    by: set[str] = {"a"} if TYPE.name in question.breakdowns else set()
    # What a status counts as goes by kind, of one of them.
    if STATUS.name in question.breakdowns or (statuses is not None and _UNKNOWN in statuses):
        by = {"a", "b"}
    only = None if statuses is None else {"b": statuses}
    if USER.name in question.filters:
        users = [UUID(each) for each in question.filters[USER.name]]
    elif USER.name in question.breakdowns:
        users = await sources.users.ids(org_id)
    else:
        return await sources.rollups.sums(
            org_id, Measure.STATE, kinds, question.span, by=by, only=only
        )
    if USER.name in question.breakdowns:
        by = {"user", *by}
    return await sources.rollups.sums_of_users(
        org_id, users, kinds, question.span, by=by, only=only
    )


def _user_names(sums: Iterable[Sum], question: Question) -> Mapping[UUID | None, str]:
    """How users are told; not at all unless they are told apart."""
    is_told = USER.name in question.breakdowns
    users = {each.user_id for each in sums}
    return {each: str(each) if is_told and each is not None else "" for each in users}


@cache
def _type(kind: str) -> str:
    return kind and _TYPE_OF[kind]


@cache
def _counted_status(kind: str, status: str) -> str:
    return counted_status(kind, status) if kind and status else ""


def counted_status(kind: str, status: str) -> str:
    """The status of the contract's list under which a record is counted."""
    if status == _UNKNOWN:
        return _UNKNOWN_OF[kind]
    return COUNTED_UNDER.get(status, status)


def _statuses_under(counted: Collection[str]) -> set[str]:
    """The statuses of records that may be counted under these."""
    found = {status for status, under in COUNTED_UNDER.items() if under in counted}
    if not set(counted).isdisjoint(_UNKNOWN_OF.values()):
        found.add(_UNKNOWN)
    return {*counted, *found}


async def _volumes(sources: Sources, org_id: UUID, question: Question) -> Sequence[Fact]:
    sums = await _states(sources, org_id, question, (_COMPLETED,))
    users = _user_names(sums, question)
    return [
        Fact(each.period, (_type(each.a), users[each.user_id]), {"usd_cents": each.usd_cents})
        for each in sums
    ]


def _volume(tally: Tally) -> Values:
    dollars = units_as_decimal(tally.get("usd_cents", 0), 2)
    return {"grossVolume": dollars, "grossVolumeUsd": dollars}


async def _counts(sources: Sources, org_id: UUID, question: Question) -> Sequence[Fact]:
    counted = question.filters.get(STATUS.name)
    statuses = None if counted is None else _statuses_under(counted)
    sums = await _states(sources, org_id, question, statuses)
    users = _user_names(sums, question)
    return [
        Fact(
            each.period,
            (_type(each.a), _counted_status(each.a, each.b), users[each.user_id]),
            {"count": each.count},
        )
        for each in sums
    ]


def _count(tally: Tally) -> Values:
    return {"transactionCount": tally.get("count", 0)}


async def _arrivals(sources: Sources, org_id: UUID, question: Question) -> Sequence[Fact]:
    found = await sources.rollups.sums(org_id, Measure.USER, [USER_KIND], question.span, by=())
    return [Fact(each.period, (), {"count": each.count}) for each in found]


def _arrived(tally: Tally) -> Values:
    return {"newUserCount": tally.get("count", 0)}


CONTRACT_TEMPLATES = (
    Template(
        name="GROSS_VOLUME",
        display_name="Gross Volume",
        description="USD value of completed onramps and offramps, by the time they were created; "
        "transfers too if transactionTypes has them.",
        dimensions=(_VOLUME_TYPE, USER),
        fields=("grossVolume", "grossVolumeUsd"),
        read=_volumes,
        values=_volume,
        defaults={TYPE.name: ("onramp", "offramp")},
        tolerates=frozenset({STATUS.param}),
    ),
    Template(
        name="TRANSACTION_COUNT",
        display_name="Transaction Count",
        description="Number of transactions by status and type.",
        dimensions=(TYPE, STATUS, USER),
        fields=("transactionCount",),
        read=_counts,
        values=_count,
        defaults={},
    ),
    Template(
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

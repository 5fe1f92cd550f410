"""Summaries of users for their list: verification, balance in dollars, last payment, flags."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Final
from uuid import UUID

from landbridge.customers.bank_accounts.account_lists import BankAccountLists
from landbridge.customers.users.model import UserCard, UserType
from landbridge.customers.users.search import fold
from landbridge.customers.verification.model import KycStatus
from landbridge.payments.transactions.model import KINDS
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database, Row
from landbridge.providers.chains.tokens import ASSETS
from landbridge.providers.rates.valuation import Valuation

# Makes some index lookups for each user, as a page has few users.
SUMMARIES = """
select i.id, k.statuses, b.assets, b.units, p.last_at
from unnest($2::uuid[]) as i (id)
cross join lateral (
    select coalesce(array_agg(status), '{}') as statuses
    from kyc_cases
    where org_id = $1 and user_id = i.id
) k
cross join lateral (
    select coalesce(array_agg(s.asset), '{}') as assets, coalesce(array_agg(s.units), '{}') as units
    from (
        select a.asset, sum(a.available + a.held) as units
        from wallets w
        join accounts a on a.org_id = w.org_id and a.wallet_id = w.id
        where w.org_id = $1 and w.user_id = i.id
        group by a.asset
    ) s
) b
cross join lateral (
    select max(t.created_at) as last_at
    from unnest($3::text[]) as n (kind)
    cross join lateral (
        select created_at
        from transfers
        where org_id = $1 and user_id = i.id and kind = n.kind
        order by created_at desc, id desc
        limit 1
    ) t
) p
"""

FROZEN = """
select id
from users
where org_id = $1 and frozen_at is not null and erased_at is null and created_at < $2
    and ($3::text is null or type = $3)
order by created_at desc, id desc
limit $4
"""

# Among the newest $6 users, finds those with a case in status $4 and none in the statuses $5, which
# take precedence. 'INACTIVE' means no case. Returns one row, with the last user that was read.
BY_STATUS = """
with scanned as (
    select id, created_at, frozen_at
    from users
    where org_id = $1 and erased_at is null and created_at < $2 and ($3::text is null or type = $3)
    order by created_at desc, id desc
    limit $6
),
matching as (
    select s.id, s.created_at
    from scanned s
    cross join lateral (
        select coalesce(array_agg(status), '{}') as statuses
        from kyc_cases
        where org_id = $1 and user_id = s.id
    ) k
    where case when $4 = 'INACTIVE' then k.statuses = '{}'
        else $4 = any(k.statuses) and not k.statuses && $5::text[] end
        and (not $7::boolean or s.frozen_at is not null)
    order by s.created_at desc, s.id desc
    limit $8
)
select
    array(select id from matching order by created_at desc, id desc) as ids,
    (select min(created_at) from matching) as last_at,
    (select min(created_at) from scanned) as end_at,
    (select count(*) from scanned) as count
"""

# Order in which a user's cases are shown: those that wait for a person, then those in progress.
_PRECEDENCE: Final = (
    *(KycStatus.MANUAL_REVIEW, KycStatus.RFI_PENDING, KycStatus.INCOMPLETE),
    *(KycStatus.CONTACT_SUPPORT, KycStatus.PENDING, KycStatus.CREATED),
    *(KycStatus.ACTIVE, KycStatus.REJECTED),
)
# Most users that are read for one page, which takes some milliseconds.
_SCAN_MAX: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSummary:
    """Summary of one user.

    `kyc_status` is None before the first submission; `balance_usd` is the value of all wallets in
    dollars, rounded down to cents, and None without a rate. `has_other_holder` is True if an active
    bank account has a holder with another name than the user.
    """

    user: UserCard
    kyc_status: KycStatus | None
    balance_usd: Decimal | None
    last_payment_at: datetime | None
    has_other_holder: bool


@dataclass(frozen=True, slots=True)
class UserIdPage:
    """Ids of users. More may have been created before `next_before`, which is None at the end."""

    ids: Sequence[UUID]
    next_before: datetime | None


@dataclass(frozen=True, slots=True)
class UserSummaries:
    """Reads the summaries of a page of users."""

    database: Database
    valuation: Valuation
    accounts: BankAccountLists

    async def of(self, users: Sequence[UserCard], today: date) -> Sequence[UserSummary]:
        """Return the summaries of these users of one organisation, in this order."""
        if not users:
            return []
        org_id, ids = users[0].org_id, [each.id for each in users]
        rows = await self.database.read_on_replica(
            lambda tx: tx.fetch(SUMMARIES, org_id, ids, list(KINDS))
        )
        holders = await self.accounts.holders(org_id, ids)
        by_id = {row["id"]: row for row in rows}
        return [await self._summary(each, by_id[each.id], holders, today) for each in users]

    async def frozen(
        self, org_id: UUID, *, type_: UserType | None, before: datetime, limit: int
    ) -> Sequence[UUID]:
        """Return the ids of frozen users created before a moment, newest first."""
        rows = await self.database.read_on_replica(
            lambda tx: tx.fetch(FROZEN, org_id, before, type_, limit)
        )
        return [row["id"] for row in rows]

    async def by_status(
        self,
        org_id: UUID,
        status: KycStatus,
        *,
        is_frozen: bool,
        type_: UserType | None,
        before: datetime,
        limit: int,
    ) -> UserIdPage:
        """Return users with this status in their summary, created before a moment, newest first.

        `INACTIVE` is the status before the first submission. `is_frozen` leaves only frozen ones.
        """
        row = await self.database.single(
            lambda tx: tx.fetchrow(
                BY_STATUS,
                *(org_id, before, type_, status, list(_preceding(status))),
                *(_SCAN_MAX, is_frozen, limit),
            )
        )
        if row is None:
            raise InvariantBroken("an aggregate has no row")
        if len(row["ids"]) == limit:
            return UserIdPage(row["ids"], row["last_at"])
        return UserIdPage(row["ids"], row["end_at"] if row["count"] == _SCAN_MAX else None)

    async def _summary(
        self, user: UserCard, row: Row, holders: Mapping[UUID, Collection[str]], today: date
    ) -> UserSummary:
        worth: Decimal | None = Decimal()
        for asset, units in zip(row["assets"], row["units"], strict=True):
            value = await self.valuation.in_usd(Money(int(units), ASSETS[asset]), today)
            worth = None if worth is None or value is None else worth + value
        statuses = {KycStatus(each) for each in row["statuses"]}
        return UserSummary(
            user=user,
            kyc_status=next((each for each in _PRECEDENCE if each in statuses), None),
            balance_usd=worth,
            last_payment_at=row["last_at"],
            has_other_holder=any(differs(user.name, each) for each in holders.get(user.id, ())),
        )


def _preceding(status: KycStatus) -> Sequence[KycStatus]:
    """Return the statuses that take precedence over this one."""
    if status not in _PRECEDENCE:
        return ()
    return _PRECEDENCE[: _PRECEDENCE.index(status)]


def differs(name: str, other: str) -> bool:
    """Return whether two names are those of different holders.

    Order, case and additional words, such as a middle name, make no difference. A missing name does
    not differ from any other.
    """
    words, others = (set(fold(each).replace(".", " ").split()) for each in (name, other))
    return bool(words and others) and not (words <= others or others <= words)

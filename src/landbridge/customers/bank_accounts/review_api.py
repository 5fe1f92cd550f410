"""Routes for reviewers of pending accounts; not part of the contract."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.customers.bank_accounts.api import known_account
from landbridge.customers.bank_accounts.model import (
    AccountDecision,
    BankAccount,
    NameMatch,
    ScreeningComparison,
)
from landbridge.customers.bank_accounts.schemas import (
    AccountStatusReply,
    RailReply,
    rail_reply,
    status_reply,
)
from landbridge.customers.bank_accounts.service import REASON_LENGTH_MAX, BankAccounts
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.formats.schemas import line
from landbridge.platform.http.caller import ApiRequest, check_reviewer
from landbridge.platform.http.constraints import with_schema
from landbridge.platform.http.list_query import cursor_after
from landbridge.platform.http.responses import Moment, WireStruct, moment, reply_of
from landbridge.providers.screening.model import ListCategory, category_of


class ScreeningHit(WireStruct, frozen=True):
    """An entry of a list that a name is like; `score` is 0 to 100.

    `category` says what the list names: sanctions, or politically exposed persons.
    """

    name: str
    listed_name: str
    entry_id: str
    program: str
    score: int
    list: str
    category: ListCategory


class ReviewedHolder(WireStruct, frozen=True):
    """Holder data that can be compared with a sanctions entry; other data is not shown."""

    type: str
    name: str
    nationality: str | None
    date_of_birth: date | None
    formation_date: date | None
    city: str | None
    country: str | None


class ReviewedAccount(WireStruct, frozen=True):
    """Account under review; its number is masked."""

    type: str
    account_number: str | None
    bank_name: str | None
    bank_country: str | None
    rail: RailReply
    account_holder: ReviewedHolder | None


class AccountReview(WireStruct, frozen=True):
    """An account that waits, and the entries that its holder's name is like.

    `unread` are names in a script that the list is not written in, which only a person can compare.
    """

    account_id: UUID
    user_id: UUID
    created_at: Moment
    account: ReviewedAccount
    list_version: str | None
    hits: list[ScreeningHit]
    unread: list[str]


class AccountReviewPage(WireStruct, frozen=True):
    """Page of pending accounts, oldest first; pass `nextCursor` as `cursor`."""

    count: int
    reviews: list[AccountReview]
    next_cursor: str | msgspec.UnsetType = msgspec.UNSET


class AccountDecisionRequest(WireStruct, frozen=True):
    """Submitted decision; on rejection `reason` is stored as the account's reason."""

    decision: AccountDecision
    reason: Annotated[str, with_schema(line(REASON_LENGTH_MAX))] | None = None


class AccountReviewRoutes(Controller):
    """Queue of bank accounts that wait for a reviewer."""

    path = "/v2/reviews/accounts"
    tags = ("Reviews",)

    @get(summary="List accounts that wait for a decision", operation_id="accountReviews.list")
    async def page(
        self,
        request: ApiRequest,
        bank_accounts: NamedDependency[BankAccounts],
        queue: NamedDependency[QueueWindow],
    ) -> AccountReviewPage:
        """Oldest first; needs a key that may review."""
        check_reviewer(request.user)
        found = await bank_accounts.pending(request.user.org_id, queue)
        return AccountReviewPage(
            count=len(found),
            reviews=[_review(account) for account in found],
            next_cursor=cursor_after(found),
        )

    @post(
        "/{accountId:str}",
        status_code=200,
        summary="Decide on a bank account",
        operation_id="accountReviews.decide",
    )
    async def decide(
        self,
        request: ApiRequest,
        accountId: FromPath[str],
        data: JSONBody[AccountDecisionRequest],
        bank_accounts: NamedDependency[BankAccounts],
    ) -> AccountStatusReply:
        """Approve (the account is then active) or reject; requires a key with the review role."""
        check_reviewer(request.user)
        account_id = known_account(accountId)
        account = await bank_accounts.decide(
            request.user, account_id, data.decision, reason=data.reason
        )
        return status_reply(account)


def _review(account: BankAccount) -> AccountReview:
    comparison = ScreeningComparison() if account.secret is None else account.secret.comparison
    return AccountReview(
        account_id=account.id,
        user_id=account.user_id,
        created_at=moment(account.created_at),
        account=_reviewed(account),
        list_version=comparison.list_version,
        hits=[_hit(each) for each in comparison.likenesses],
        unread=list(comparison.unread),
    )


def _reviewed(account: BankAccount) -> ReviewedAccount:
    return ReviewedAccount(
        type=account.type,
        account_number=account.number,
        bank_name=account.bank_name,
        bank_country=account.bank_country,
        rail=rail_reply(account),
        account_holder=None if account.holder is None else _holder(account.holder),
    )


def _holder(holder: Mapping[str, Any]) -> ReviewedHolder:
    address: Mapping[str, str] = holder.get("address", {})
    days = {
        name: None if (value := holder.get(name)) is None else date.fromisoformat(value)
        for name in ("dateOfBirth", "formationDate")
    }
    return ReviewedHolder(
        type=holder["type"],
        name=holder["name"],
        nationality=holder.get("nationality"),
        date_of_birth=days["dateOfBirth"],
        formation_date=days["formationDate"],
        city=address.get("city"),
        country=address.get("country"),
    )


def _hit(likeness: NameMatch) -> ScreeningHit:
    category = category_of(likeness.list)
    return reply_of(likeness, ScreeningHit, name=likeness.asked_name, category=category)

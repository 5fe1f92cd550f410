"""Validation of batch lines: resolves payees and checks each line with the API."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, localcontext
from typing import Final
from uuid import UUID

from landbridge.customers.users.api import FreezeReply, UserPageReply
from landbridge.customers.users.errors import UserNotFound
from landbridge.customers.users.schemas import UserReply
from landbridge.dashboard.page_request import Form
from landbridge.dashboard.payments.batch_files import BatchFileRow, amount_error
from landbridge.dashboard.payments.kinds import BATCH
from landbridge.dashboard.payments.parties import wallet
from landbridge.dashboard.payments.reviews import PaymentReview, review_of
from landbridge.dashboard.payments.submission import ALREADY_USED, create
from landbridge.platform.core.errors import Refused, UserFrozen
from landbridge.platform.http.internal_client import InternalClient

_CONCURRENCY: Final = 5
_SAME_EMAIL_MAX: Final = 100
_EXACT_DIGITS = 200
_ITEM = re.compile(r"destination\.batch\[([0-9]+)\]")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44}")


@dataclass(frozen=True, slots=True)
class BatchLine:
    """A row and its resolved payee; `error` is empty if it can be paid."""

    row: BatchFileRow
    user: UserReply | None = None
    address: str | None = None
    error: str = ""
    # Number of the first line with the same payee: shown as a warning, not refused.
    duplicate_of: int | None = None

    @property
    def item(self) -> Mapping[str, object]:
        """Return the line as an item of the request body."""
        to = {"walletAddress": self.address} if self.user is None else {"userId": self.user.id}
        return {**to, "amount": self.row.amount}

    @property
    def key(self) -> str | None:
        """Return a key of the payee, to find duplicates."""
        return str(self.user.id) if self.user is not None else self.address and self.address.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPreview:
    """Preview of a batch: all lines, and the review of the payment."""

    lines: Sequence[BatchLine]
    chain: str
    currency: str
    body: Mapping[str, object] = field(default_factory=dict[str, object])
    review: PaymentReview | None = None
    # Error of the whole batch, such as an insufficient balance.
    problem: Refused | None = None
    # Id of the batch that this form already created.
    created_id: UUID | None = None

    @property
    def is_good(self) -> bool:
        """Return whether the whole batch can be paid."""
        return self.problem is None and not any(each.error for each in self.lines)

    @property
    def error_count(self) -> int:
        """Return how many lines cannot be paid."""
        return sum(1 for each in self.lines if each.error)

    @property
    def users(self) -> Sequence[UserReply]:
        """Return the users who are paid."""
        return [each.user for each in self.lines if each.user is not None]

    @property
    def total(self) -> Decimal | None:
        """Return the sum of all amounts; None while one is invalid."""
        if any(amount_error(each.row.amount) for each in self.lines):
            return None
        with localcontext() as exact:
            exact.prec = _EXACT_DIGITS
            return sum((Decimal(each.row.amount) for each in self.lines), Decimal())


async def preview(
    interface: InternalClient,
    user: UserReply,
    form: Form,
    rows: Sequence[BatchFileRow],
    plan: str | None,
) -> BatchPreview:
    """Validate every line with a dry run."""
    chain, currency = wallet(form)
    lines = _with_duplicates(
        await _resolved(interface, [_row_checked(each, currency) for each in rows])
    )
    draft = BatchPreview(lines=lines, chain=chain, currency=currency)
    head = {
        "requestId": str(form.uuid("requestId")),
        "source": {"userId": user.id},
        "chain": chain,
        "currency": currency,
        "requireApproval": form.is_ticked("requireApproval"),
    }
    return await _dry_run(interface, draft, head, plan)


def _row_checked(row: BatchFileRow, currency: str) -> BatchFileRow:
    if not row.error and row.currency and row.currency.casefold() != currency.casefold():
        return replace(
            row, error=f"This batch pays {currency}, but the line has {row.currency[:50]}."
        )
    return row


async def _resolved(interface: InternalClient, rows: Sequence[BatchFileRow]) -> Sequence[BatchLine]:
    """Resolve the payees; each is looked up once, a few concurrently."""
    semaphore = asyncio.Semaphore(_CONCURRENCY)

    async def find_payee(payee: str) -> BatchLine:
        async with semaphore:
            return await _payee(interface, payee)

    payees = list(dict.fromkeys(each.payee for each in rows if each.payee))
    found = dict(
        zip(payees, await asyncio.gather(*(find_payee(each) for each in payees)), strict=True)
    )
    unresolved = BatchLine(BatchFileRow(0, "", ""))
    return [
        replace(resolved, row=row, error=row.error or resolved.error)
        for row in rows
        for resolved in (found.get(row.payee, unresolved),)
    ]


async def _payee(interface: InternalClient, text: str) -> BatchLine:
    row = BatchFileRow(0, text, "")
    if _ADDRESS.fullmatch(text):
        return BatchLine(row, address=text)
    if "@" in text:
        reply = await interface.read(
            UserPageReply, "/v2/users", email=text[:200], limit=_SAME_EMAIL_MAX
        )
        found = [each for each in reply.users if each.email.casefold() == text.casefold()]
        if len(found) == 1:
            return BatchLine(row, user=found[0])
        error = "No user has this e-mail."
        if found:
            error = f"{len(found)} users have this e-mail. Enter a user ID instead."
        return BatchLine(row, error=error)
    try:
        user_id = UUID(text)
    except ValueError:
        return BatchLine(row, error="Enter an e-mail, a user ID or an address.")
    try:
        return BatchLine(row, user=await interface.read(UserReply, f"/v2/users/{user_id}"))
    except UserNotFound:
        return BatchLine(row, error="No user has this ID.")


def _with_duplicates(lines: Sequence[BatchLine]) -> Sequence[BatchLine]:
    """Return the lines with the number of the first line that has the same payee."""
    first: dict[str, int] = {}
    found: list[BatchLine] = []
    for each in lines:
        key = each.key
        found.append(each if key is None else replace(each, duplicate_of=first.get(key)))
        if key is not None:
            first.setdefault(key, each.row.line)
    return found


async def _dry_run(
    interface: InternalClient, draft: BatchPreview, head: Mapping[str, object], plan: str | None
) -> BatchPreview:
    """Dry-run the valid lines until the API finds no further error."""
    lines = list(draft.lines)
    while valid := [position for position, each in enumerate(lines) if not each.error]:
        body = {**head, "destination": {"batch": [lines[position].item for position in valid]}}
        try:
            reply = await create(interface, BATCH, body, plan=plan, is_dry=True)
        except Refused as refusal:
            match = _ITEM.match(refusal.field or "") or _ITEM.match(refusal.message)
            if refusal.name == ALREADY_USED:
                raise
            if match is None or int(match[1]) >= len(valid):
                frozen = await _frozen(interface, [lines[each] for each in valid], refusal)
                if not 0 < len(frozen) < len(valid):
                    return replace(draft, lines=lines, problem=refusal)
                for each, sentence in frozen.items():
                    lines[valid[each]] = replace(lines[valid[each]], error=sentence)
                continue
            position = valid[int(match[1])]
            lines[position] = replace(lines[position], error=_item_message(refusal, match[0]))
            continue
        review = review_of(reply)
        is_whole = len(valid) == len(lines)
        return replace(
            draft,
            lines=lines,
            body=body,
            review=review if is_whole else None,
            created_id=reply.transfer_details.id if review is None else None,
        )
    return replace(draft, lines=lines)


async def _frozen(
    interface: InternalClient, lines: Sequence[BatchLine], refusal: Refused
) -> Mapping[int, str]:
    """Return errors for the lines of frozen users; that refusal does not name its item."""
    if refusal.name != UserFrozen.name:
        return {}
    users = {each.user.id for each in lines if each.user is not None}
    semaphore = asyncio.Semaphore(_CONCURRENCY)

    async def find_payee(user_id: UUID) -> bool:
        async with semaphore:
            return (await interface.read(FreezeReply, f"/v2/users/{user_id}/freeze")).frozen

    ordered = sorted(users)
    is_frozen = dict(zip(ordered, await asyncio.gather(*map(find_payee, ordered)), strict=True))
    return {
        position: "This user is frozen."
        for position, each in enumerate(lines)
        if each.user is not None and is_frozen[each.user.id]
    }


def _item_message(refusal: Refused, item: str) -> str:
    """Return the refusal's message without the item's path, as the line shows its number."""
    return refusal.message.replace(f"{item}.", "").replace(f"{item}:", "").strip()

"""The lines of a batch, each looked at: who is meant, and what the interface says of it."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, localcontext
from typing import Any, Final
from uuid import UUID

from landbridge.core.errors import Refused, UserFrozen
from landbridge.dashboard.forms import Form
from landbridge.dashboard.payments.batch_files import Row, why_no_amount
from landbridge.dashboard.payments.creating import ALREADY_USED, create
from landbridge.dashboard.payments.ends import wallet
from landbridge.dashboard.payments.kinds import BATCH
from landbridge.dashboard.payments.reviews import Review, review_of
from landbridge.users.errors import UserNotFound
from landbridge.web.inside import Interface

_AT_ONCE: Final = 5
_SAME_EMAIL_MAX: Final = 100
_EXACT_DIGITS = 200
_ITEM = re.compile(r"destination\.batch\[([0-9]+)\]")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44}")


@dataclass(frozen=True, slots=True)
class Line:
    """A row, and who is meant by it; `wrong` is empty if it can be paid."""

    row: Row
    user: Mapping[str, Any] | None = None
    address: str | None = None
    wrong: str = ""
    # The line that pays the same payee before, if there is one: said, not refused.
    same_as: int | None = None

    @property
    def item(self) -> Mapping[str, Any]:
        """As the interface takes it."""
        to = {"walletAddress": self.address} if self.user is None else {"userId": self.user["id"]}
        return {**to, "amount": self.row.amount}

    @property
    def key(self) -> str | None:
        """Who is paid, to find the same payee again."""
        return self.user["id"] if self.user is not None else self.address and self.address.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """All lines, and what would be made of them."""

    lines: Sequence[Line]
    chain: str
    currency: str
    body: Mapping[str, Any] = field(default_factory=dict[str, Any])
    review: Review | None = None
    # What is wrong with the whole, such as too small a balance.
    problem: Refused | None = None
    # The batch that was made of this form already.
    made: str | None = None

    @property
    def is_good(self) -> bool:
        """Whether all of it can be paid."""
        return self.problem is None and not any(each.wrong for each in self.lines)

    @property
    def wrong_count(self) -> int:
        """How many lines can't be paid."""
        return sum(1 for each in self.lines if each.wrong)

    @property
    def users(self) -> Sequence[Mapping[str, Any]]:
        """Every user who is paid."""
        return [each.user for each in self.lines if each.user is not None]

    @property
    def total(self) -> Decimal | None:
        """The sum of all amounts; None while one of them is none."""
        if any(why_no_amount(each.row.amount) for each in self.lines):
            return None
        with localcontext() as exact:
            exact.prec = _EXACT_DIGITS
            return sum((Decimal(each.row.amount) for each in self.lines), Decimal())


async def preview(
    interface: Interface,
    user: Mapping[str, Any],
    form: Form,
    rows: Sequence[Row],
    plan: str | None,
) -> Preview:
    """Every line judged; nothing is made."""
    chain, currency = wallet(form)
    lines = _same(await _resolved(interface, [_row_checked(each, currency) for each in rows]))
    seen = Preview(lines=lines, chain=chain, currency=currency)
    head = {
        "requestId": str(form.uuid("requestId")),
        "source": {"userId": user["id"]},
        "chain": chain,
        "currency": currency,
        "requireApproval": form.is_ticked("requireApproval"),
    }
    return await _tried(interface, seen, head, plan)


def _row_checked(row: Row, currency: str) -> Row:
    if not row.wrong and row.currency and row.currency.casefold() != currency.casefold():
        return replace(row, wrong=f"This batch pays {currency}; the line says {row.currency[:50]}.")
    return row


async def _resolved(interface: Interface, rows: Sequence[Row]) -> Sequence[Line]:
    """Who is meant by each; every payee is looked up once, a few at a time."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def look_up(payee: str) -> Line:
        async with gate:
            return await _payee(interface, payee)

    payees = list(dict.fromkeys(each.payee for each in rows if each.payee))
    found = dict(
        zip(payees, await asyncio.gather(*(look_up(each) for each in payees)), strict=True)
    )
    nobody = Line(Row(0, "", ""))
    return [
        replace(known, row=row, wrong=row.wrong or known.wrong)
        for row in rows
        for known in (found.get(row.payee, nobody),)
    ]


async def _payee(interface: Interface, text: str) -> Line:
    row = Row(0, text, "")
    if _ADDRESS.fullmatch(text):
        return Line(row, address=text)
    if "@" in text:
        told = await interface.get("/v2/users", email=text[:200], limit=_SAME_EMAIL_MAX)
        found = [each for each in told["users"] if each["email"].casefold() == text.casefold()]
        if len(found) == 1:
            return Line(row, user=found[0])
        wrong = "No user has this e-mail."
        if found:
            wrong = f"{len(found)} users have this e-mail. Write the id of the one who is meant."
        return Line(row, wrong=wrong)
    try:
        user_id = UUID(text)
    except ValueError:
        return Line(row, wrong="This is no e-mail, user id or address.")
    try:
        return Line(row, user=await interface.get(f"/v2/users/{user_id}"))
    except UserNotFound:
        return Line(row, wrong="No user has this id.")


def _same(lines: Sequence[Line]) -> Sequence[Line]:
    """The lines, with the first one that pays the same payee."""
    first: dict[str, int] = {}
    found: list[Line] = []
    for each in lines:
        key = each.key
        found.append(each if key is None else replace(each, same_as=first.get(key)))
        if key is not None:
            first.setdefault(key, each.row.line)
    return found


async def _tried(
    interface: Interface, seen: Preview, head: Mapping[str, Any], plan: str | None
) -> Preview:
    """What the interface says of the lines that are good so far, until it finds no other."""
    lines = list(seen.lines)
    while good := [place for place, each in enumerate(lines) if not each.wrong]:
        body = {**head, "destination": {"batch": [lines[place].item for place in good]}}
        try:
            reply = await create(interface, BATCH, body, plan=plan, is_dry=True)
        except Refused as error:
            told = _ITEM.match(error.field or "") or _ITEM.match(error.message)
            if error.name == ALREADY_USED:
                raise
            if told is None or int(told[1]) >= len(good):
                frozen = await _frozen(interface, [lines[each] for each in good], error)
                if not 0 < len(frozen) < len(good):
                    return replace(seen, lines=lines, problem=error)
                for each, sentence in frozen.items():
                    lines[good[each]] = replace(lines[good[each]], wrong=sentence)
                continue
            place = good[int(told[1])]
            lines[place] = replace(lines[place], wrong=_sentence(error, told[0]))
            continue
        review = review_of(reply)
        is_whole = len(good) == len(lines)
        return replace(
            seen,
            lines=lines,
            body=body,
            review=review if is_whole else None,
            made=reply["transferDetails"]["id"] if review is None else None,
        )
    return replace(seen, lines=lines)


async def _frozen(interface: Interface, lines: Sequence[Line], error: Refused) -> Mapping[int, str]:
    """Which of these pay a frozen user: that refusal doesn't say which item it is about."""
    if error.name != UserFrozen.name:
        return {}
    users = {each.user["id"] for each in lines if each.user is not None}
    gate = asyncio.Semaphore(_AT_ONCE)

    async def look_up(user_id: str) -> bool:
        async with gate:
            return bool((await interface.get(f"/v2/users/{user_id}/freeze"))["frozen"])

    ordered = sorted(users)
    told = dict(zip(ordered, await asyncio.gather(*map(look_up, ordered)), strict=True))
    return {
        place: "This user is frozen."
        for place, each in enumerate(lines)
        if each.user is not None and told[each.user["id"]]
    }


def _sentence(error: Refused, item: str) -> str:
    """The refusal without the place in the request, which the line tells."""
    return error.message.replace(f"{item}.", "").replace(f"{item}:", "").strip()

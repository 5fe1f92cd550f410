"""Deposits at Increase: an account number for each key, and credits from the list of transactions.

Guarantees:
- a transaction never changes, and none is read before `delay_s` have passed: so the entries of a
  moment are the same whenever they are read, and a cursor is a moment and a number of entries;
- only money on account numbers that were opened here is reported;
- a return that was ordered here is no reversal.
"""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from landbridge.providers.packages.http_client import NoAnswer, path_segment
from landbridge.providers.packages.interface import (
    CreditsAnswer,
    CreditsQuery,
    DepositAccountAnswer,
    DepositAccountRequest,
    DepositNumbers,
    DepositRails,
    KeyConflict,
    NotDone,
    ProviderCredit,
    ProviderCreditSender,
)
from landbridge_increase.client import KEY_USED, IncreaseApi, IncreaseRefusal
from landbridge_increase.inbound import (
    CREDITS,
    REVERSALS,
    IncreaseAccountNumber,
    IncreaseInbound,
    IncreaseTransaction,
    clean,
)
from landbridge_increase.messages import dollars
from landbridge_increase.settings import IncreaseDeposits, IncreaseOptions

_ACCOUNT_NUMBERS = "/account_numbers"
# Transactions are listed by windows of time; a smaller one is taken if there are too many pages.
_WINDOW = timedelta(days=1)
_PAGES_MAX = 5
_PAGE_SIZE = 100
_SHRINK = 24
_KNOWN_NUMBERS_MAX = 10_000
# Each entry is one or two calls, and a page is read within the timeout of the providers file.
_ENTRIES_MAX, _CALLS_AT_ONCE = 25, 8

_Entry = ProviderCredit | str | None


class IncreaseAccounts:
    """Account numbers and credits of one account."""

    def __init__(
        self,
        api: IncreaseApi,
        options: IncreaseOptions,
        deposits: IncreaseDeposits,
        now: Callable[[], datetime],
    ) -> None:
        self._api, self._options, self._deposits = api, options, deposits
        self._now = now
        self._numbers: dict[str, IncreaseAccountNumber] = {}
        self._calls = asyncio.Semaphore(_CALLS_AT_ONCE)

    async def open(self, request: DepositAccountRequest) -> DepositAccountAnswer:
        """Return the account number of a key, the same one for ever."""
        if request.currency != "usd":
            raise NotDone("Increase has accounts in US dollars only")
        opened = await self._open(request.key)
        if opened.idempotency_key != str(request.key):
            raise NoAnswer("the answer is about another account number")
        if opened.account_id != self._options.account_id:
            raise KeyConflict
        numbers = DepositNumbers(
            routing_number=opened.routing_number, account_number=opened.account_number
        )
        of, networks = self._deposits, self._deposits.networks
        return DepositAccountAnswer(
            key=request.key,
            currency=request.currency,
            account_number=opened.account_number,
            bank_name=of.bank_name,
            bank_address=of.bank_address,
            beneficiary_name=of.beneficiary_name,
            beneficiary_address=of.beneficiary_address,
            rails=DepositRails(
                ach=numbers if "ach" in networks else None,
                wire=numbers if "wire" in networks else None,
                rtp=numbers if "rtp" in networks else None,
            ),
        )

    async def _open(self, key: UUID) -> IncreaseAccountNumber:
        """Source: api/account-numbers. Nobody can debit it, or pay checks from it."""
        body = {
            "account_id": self._options.account_id,
            "name": f"Landbridge {key}",
            "inbound_ach": {"debit_status": "blocked"},
            "inbound_checks": {"status": "check_transfers_only"},
        }
        try:
            return await self._api.create(_ACCOUNT_NUMBERS, body, IncreaseAccountNumber, key=key)
        except IncreaseRefusal as refused:
            found = await self._api.find(_ACCOUNT_NUMBERS, key, IncreaseAccountNumber)
            if found is not None:
                return found
            if refused.kind == KEY_USED:
                raise NoAnswer("the key is used, and no account number has it") from None
            raise NotDone(f"Increase opened no account number: {refused.kind}") from None

    async def read(self, query: CreditsQuery) -> CreditsAnswer:
        """Return the credits behind a cursor: a moment, and how many of its entries were read."""
        since, read = _cursor(query.after, self._deposits.since)
        until = self._now() - timedelta(seconds=self._deposits.delay_s)
        if since >= until:
            return CreditsAnswer(credits=())
        end, listed = await self._listed(since, until)
        skipped = sum(each.created_at == since for each in listed[:read])
        if skipped != read:
            raise NoAnswer("transactions that were listed before are missing")
        page = listed[read : read + min(query.limit, _ENTRIES_MAX)]
        if not page:
            return CreditsAnswer(credits=(), next=None if end == until else _written(end, 0))
        entries = await asyncio.gather(*map(self._bounded, page))
        last = page[-1].created_at
        at_last = sum(each.created_at == last for each in listed[: read + len(page)])
        return CreditsAnswer(
            credits=tuple(each for each in entries if isinstance(each, ProviderCredit)),
            reversed=tuple(each for each in entries if isinstance(each, str)),
            next=_written(last, at_last),
        )

    async def _listed(
        self, since: datetime, until: datetime
    ) -> tuple[datetime, Sequence[IncreaseTransaction]]:
        """Return the end of a window, and what was listed in it, in an order that never changes."""
        window = _WINDOW
        while window >= timedelta(seconds=1):
            end = min(since + window, until)
            found = await self._list(since, end)
            if found is not None:
                return end, sorted(found, key=_order)
            window /= _SHRINK
        raise NoAnswer("more transactions within a second than can be read")

    async def _list(self, since: datetime, end: datetime) -> list[IncreaseTransaction] | None:
        """Return the transactions of a window; None if there are too many."""
        query = {
            "account_id": self._options.account_id,
            "category.in": ",".join((*CREDITS, *REVERSALS)),
            "created_at.on_or_after": _moment(since),
            "created_at.before": _moment(end),
            "limit": str(_PAGE_SIZE),
        }
        found: list[IncreaseTransaction] = []
        for _ in range(_PAGES_MAX):
            page = await self._api.page("/transactions", query)
            found += page.read(IncreaseTransaction)
            if page.next_cursor is None:
                break
            query["cursor"] = page.next_cursor
        else:
            return None
        if not all(since <= each.created_at < end for each in found):
            raise NoAnswer("transactions of another time were listed")
        return found

    async def _bounded(self, of: IncreaseTransaction) -> _Entry:
        async with self._calls:
            return await self._entry(of)

    async def _entry(self, of: IncreaseTransaction) -> _Entry:
        """Return what a transaction is: a credit, the id of a reversed one, or neither."""
        reversal = REVERSALS.get(of.category)
        network = reversal or CREDITS.get(of.category)
        if network is None or not of.transfer_id:
            raise NoAnswer("a transaction of another category, or without a transfer")
        if reversal is None and of.amount <= 0:
            return None  # a debit, which account numbers opened here refuse
        inbound = await self._api.get(
            f"{network.path}/{path_segment(of.transfer_id)}", IncreaseInbound
        )
        if inbound.id != of.transfer_id:
            raise NoAnswer("the answer is about another transfer")
        number = await self._number(inbound.account_number_id)
        if not _is_key(number.idempotency_key):
            return None
        if reversal is not None:
            return None if inbound.reason == network.reason else of.transfer_id
        return ProviderCredit(
            id=of.transfer_id,
            account_number=number.account_number,
            amount=dollars(of.amount),
            currency="usd",
            rail=network.rail,
            received_at=of.created_at,
            reference=inbound.message,
            sender=ProviderCreditSender(
                name=inbound.sender_name,
                routing_number=inbound.sender_routing_number,
                account_number=clean(inbound.debtor_account_number),
            ),
        )

    async def _number(self, identifier: str) -> IncreaseAccountNumber:
        """Return an account number, of which these members never change."""
        known = self._numbers.get(identifier)
        if known is None:
            path = f"{_ACCOUNT_NUMBERS}/{path_segment(identifier)}"
            known = await self._api.get(path, IncreaseAccountNumber)
            if known.id != identifier:
                raise NoAnswer("the answer is about another account number")
            if len(self._numbers) >= _KNOWN_NUMBERS_MAX:
                self._numbers.clear()
            self._numbers[identifier] = known
        return known


def _order(of: IncreaseTransaction) -> tuple[datetime, bool, str]:
    """A reversal is behind the credits of its moment."""
    return of.created_at, of.category in REVERSALS, of.id


def _cursor(after: str | None, since: datetime) -> tuple[datetime, int]:
    if after is None:
        return since, 0
    moment, _, read = after.partition("/")
    try:
        since, count = datetime.fromisoformat(moment), int(read)
    except ValueError:
        count = -1
    if count < 0 or since.tzinfo is None:
        raise NoAnswer("the cursor is none of ours")
    return since, count


def _written(moment: datetime, read: int) -> str:
    return f"{_moment(moment)}/{read}"


def _moment(of: datetime) -> str:
    return of.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _is_key(text: str | None) -> bool:
    try:
        return text is not None and str(UUID(text)) == text
    except ValueError:
        return False

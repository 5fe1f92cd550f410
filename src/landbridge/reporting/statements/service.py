"""Generates account statements.

Guarantees:
- A statement agrees with the ledger: its opening balance and lines add up to its closing balance,
  which equals the sum of the account's entries and, for a range up to the present, its balance.
  If they do not, `lines` raises `InvariantBroken`.
- A whole statement is read as of one point in the log, page by page: later commits are not
  included, even if their times are within the range.
- No connection is held between two pages, and at most one page is in memory.

A line is a payment at the time of its last step, with all its credits and debits within the
statement; or, on request, one of its steps. Lines are ordered by time, record and change. So a
balance between two lines may be one that the account never had: earlier steps of a payment count
only at its line. Changes of different processes can also be committed in another order than that of
their times.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from uuid import UUID

from landbridge.customers.users.errors import UserNotFound
from landbridge.customers.users.service import Users
from landbridge.customers.wallets.errors import WalletNotFound
from landbridge.customers.wallets.model import Wallet
from landbridge.customers.wallets.service import Wallets
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, InvariantBroken
from landbridge.platform.core.extras import Extra, missing
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.fair_semaphore import FairSemaphore
from landbridge.providers.chains.tokens import ASSETS
from landbridge.reporting.statements import store
from landbridge.reporting.statements.model import (
    AccountMovement,
    AccountStatement,
    Statement,
    StatementFormat,
    StatementRequest,
    StatementRow,
)
from landbridge.reporting.statements.pdf_file import pdf
from landbridge.reporting.statements.store import JournalPosition

# Entries of one page, which takes 10 ms in the database, 20 ms here, and half a megabyte.
PAGE_SIZE = 1_000
# Most lines of a statement that is built as a whole: a response of three megabytes, or 250 pages.
LINES_MAX = 10_000
# Most characters of metadata in the lines of such a statement.
METADATA_MAX = 3_000_000

_PRINTING_MAX = 2
_LEAST_ID = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Statements:
    """Statements of users and of their wallets."""

    database: Database
    clock: Clock
    users: Users
    wallets: Wallets
    # Printing holds all lines in memory and keeps a CPU busy, so it is limited in total, and to one
    # at a time for each organisation, so that its long statements delay no other organisation.
    printing: FairSemaphore = field(default_factory=lambda: FairSemaphore(_PRINTING_MAX, each=1))

    async def open(self, caller: Caller, request: StatementRequest) -> Statement:
        """Open a statement of a user, also a frozen or erased one, without its lines.

        Accounts with zero balances at both ends and no movement are left out. Raises
        `UserNotFound`, and `WalletNotFound` unless the wallet is this user's.
        """
        org_id = caller.org_id
        card = (await self.users.cards(org_id, [request.user_id])).get(request.user_id)
        if card is None:
            raise UserNotFound(f"there is no user {request.user_id}")
        wallets = await self._wallets(org_id, request)
        name = await self.database.read_on_replica(lambda tx: store.org_name(tx, org_id))
        found, view = await self.database.read_on_replica(
            lambda tx: store.balances(tx, org_id, list(wallets), request)
        )
        parts = [_part(wallets[each.wallet_id], each) for each in found if _has_anything(each)]
        return Statement(
            org_id=org_id,
            org_name=name,
            user=card,
            request=request,
            parts=sorted(parts, key=lambda part: (part.wallet.chain, part.asset.currency)),
            view=view,
        )

    async def lines(
        self, statement: Statement, part: AccountStatement, *, page_size: int = PAGE_SIZE
    ) -> AsyncIterator[list[StatementRow]]:
        """Yield the lines of a part, oldest first, page by page."""
        balance = part.opening
        after = JournalPosition(statement.request.after, _LEAST_ID, 0)
        is_more = True
        while is_more:
            journals = await self.database.read_on_replica(
                lambda tx, after=after: store.journals(
                    tx, statement, part.account_id, after=after, limit=page_size
                )
            )
            page: list[StatementRow] = []
            for each in journals:
                if each.is_line:
                    balance += Money(each.received - each.spent, part.asset)
                    page.append(
                        copy_fields(
                            each,
                            StatementRow,
                            at=each.place.at,
                            record_id=each.place.record_id,
                            received=_moved(each.received, part.asset),
                            spent=_moved(each.spent, part.asset),
                            balance=balance,
                        )
                    )
            if page:
                yield page
            if journals:
                after = journals[-1].place
            is_more = sum(each.entries for each in journals) >= page_size
        if balance != part.closing:
            raise InvariantBroken(
                f"a statement of account {part.account_id} ends with {balance.units} units, its "
                f"entries with {part.closing.units}"
            )

    async def whole(
        self, statement: Statement
    ) -> list[tuple[AccountStatement, list[StatementRow]]]:
        """Return all parts with all lines; raises `FieldInvalid` if there are too many.

        Lines for printing have no metadata.
        """
        if statement.line_count > LINES_MAX:
            raise FieldInvalid(
                f"format: the statement has {statement.line_count} lines, and this format takes "
                f"{LINES_MAX}; request csv, which has no such limit, or a shorter time",
                field="format",
            )
        is_printed = statement.request.format is StatementFormat.PDF
        parts: list[tuple[AccountStatement, list[StatementRow]]] = []
        metadata_size = 0
        for part in statement.parts:
            lines: list[StatementRow] = []
            async for page in self.lines(statement, part):
                if is_printed:
                    lines += [replace(line, metadata={}) for line in page]
                    continue
                metadata_size += sum(map(_metadata_size, page))
                if metadata_size > METADATA_MAX:
                    raise FieldInvalid(
                        f"format: the metadata of the lines have more than {METADATA_MAX:,} "
                        "characters; request csv, which has no such limit, or a shorter time",
                        field="format",
                    )
                lines += page
            parts.append((part, lines))
        return parts

    async def printed(self, statement: Statement) -> bytes:
        """Return the statement as PDF; raises as `whole`, and without the extra `pdf` installed."""
        if reason := missing(Extra.PDF):
            raise FieldInvalid(f"format: pdf {reason}, or request csv", field="format")
        await self.printing.acquire(statement.org_id)
        try:
            return await asyncio.to_thread(pdf, statement, await self.whole(statement))
        finally:
            self.printing.release(statement.org_id)

    async def _wallets(self, org_id: UUID, request: StatementRequest) -> dict[UUID, Wallet]:
        found = await self.wallets.of_users(org_id, [request.user_id])
        wallets = {each.id: each for each in found[request.user_id]}
        if request.wallet_id is None:
            return wallets
        if request.wallet_id not in wallets:
            raise WalletNotFound(f"user {request.user_id} has no wallet {request.wallet_id}")
        return {request.wallet_id: wallets[request.wallet_id]}


def _metadata_size(line: StatementRow) -> int:
    return sum(len(key) + len(value) for key, value in line.metadata.items())


def _moved(units: int, asset: Asset) -> Money | None:
    return Money(units, asset) if units else None


def _has_anything(balances: AccountMovement) -> bool:
    return bool(balances.opening or balances.closing or balances.lines)


def _part(wallet: Wallet, balance: AccountMovement) -> AccountStatement:
    asset = ASSETS[balance.asset]
    return AccountStatement(
        account_id=balance.account_id,
        wallet=wallet,
        asset=asset,
        opening=Money(balance.opening, asset),
        received=Money(balance.received, asset),
        spent=Money(balance.spent, asset),
        closing=Money(balance.closing, asset),
        lines=balance.lines,
    )

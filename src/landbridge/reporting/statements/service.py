"""Makes account statements.

Guarantees:
- a statement ties to the ledger: its opening balance and its lines make its closing balance, which
  is what the account's entries say; of a range that reaches the present, it is what the account
  holds. `lines` raises `Broken` rather than end with another one;
- all of a statement is of one moment of the log, though it is read page by page: what is committed
  meanwhile is not in it, with whatever time;
- no connection is held between two pages, and no more than one page is kept.

Lines are ordered by time, record and change. Records of different processes can be committed in
another order than they are stamped: between two lines of the same instant a balance can be shown
that the account never had, even one below zero.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from uuid import UUID

from landbridge.chains.tokens import ASSETS
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, FieldInvalid
from landbridge.core.money import Money
from landbridge.db.pool import Database
from landbridge.reporting.statements import store
from landbridge.reporting.statements.model import Asked, Balances, Line, Part, Statement
from landbridge.reporting.statements.pdf_file import pdf
from landbridge.reporting.statements.store import Place
from landbridge.users.errors import UserNotFound
from landbridge.users.service import Users
from landbridge.wallets.errors import WalletNotFound
from landbridge.wallets.model import Wallet
from landbridge.wallets.service import Wallets
from landbridge.web.caller import Caller

# Entries of one page: some 10 ms of the database, 20 ms of this process, and half a megabyte.
PAGE_SIZE = 1_000
# Lines of a statement that is made as a whole: a reply of three megabytes, or 250 pages.
LINES_MAX = 10_000

_PRINTING_MAX = 2
_LEAST_ID = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Statements:
    """Statements of users and of their wallets."""

    database: Database
    clock: Clock
    users: Users
    wallets: Wallets
    # Who prints has all lines in memory, and keeps a processor busy.
    printing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_PRINTING_MAX))

    async def open(self, caller: Caller, asked: Asked) -> Statement:
        """A statement of a user, frozen and erased ones too, without its lines.

        Accounts that held nothing at either end and moved nothing are left out. Raises
        `UserNotFound`, and `WalletNotFound` unless the wallet is this user's.
        """
        org_id = caller.org_id
        card = (await self.users.cards(org_id, [asked.user_id])).get(asked.user_id)
        if card is None:
            raise UserNotFound(f"there is no user {asked.user_id}")
        wallets = await self._wallets(org_id, asked)
        name = await self.database.single(lambda tx: store.org_name(tx, org_id))
        found, view = await self.database.single(
            lambda tx: store.balances(
                tx,
                org_id,
                list(wallets),
                asked.currency,
                after=asked.after,
                before=asked.before,
            )
        )
        parts = [_part(wallets[each.wallet_id], each) for each in found if _has_anything(each)]
        return Statement(
            org_id=org_id,
            org_name=name,
            user=card,
            asked=asked,
            parts=sorted(parts, key=lambda part: (part.wallet.chain, part.asset.currency)),
            view=view,
        )

    async def lines(
        self, statement: Statement, part: Part, *, page_size: int = PAGE_SIZE
    ) -> AsyncIterator[list[Line]]:
        """The lines of a part, oldest first, page by page."""
        asked, balance = statement.asked, part.opening
        behind = Place(asked.after, _LEAST_ID, 0)
        is_more = True
        while is_more:
            journals = await self.database.single(
                lambda tx, behind=behind: store.journals(
                    tx,
                    statement.org_id,
                    part.account_id,
                    behind=behind,
                    before=asked.before,
                    limit=page_size,
                    view=statement.view,
                )
            )
            page: list[Line] = []
            for each in journals:
                if each.is_seen and each.units:
                    change = Money(each.units, part.asset)
                    balance += change
                    page.append(
                        Line(
                            at=each.place.at,
                            kind=each.kind,
                            record_id=each.place.record_id,
                            request_id=each.request_id,
                            status=each.status,
                            change=change,
                            balance=balance,
                        )
                    )
            if page:
                yield page
            if journals:
                behind = journals[-1].place
            is_more = sum(each.entries for each in journals) >= page_size
        if balance != part.closing:
            raise Broken(
                f"a statement of account {part.account_id} ends with {balance.units} units, its "
                f"entries with {part.closing.units}"
            )

    async def whole(self, statement: Statement) -> list[tuple[Part, list[Line]]]:
        """All parts with all lines; raises `FieldInvalid` if they are too many to be kept."""
        if statement.line_count > LINES_MAX:
            raise FieldInvalid(
                f"format: the statement has {statement.line_count} lines, and this format takes "
                f"{LINES_MAX}; ask for csv, which has no such limit, or for less time",
                field="format",
            )
        return [
            (part, [line async for page in self.lines(statement, part) for line in page])
            for part in statement.parts
        ]

    async def printed(self, statement: Statement) -> bytes:
        """The statement as PDF; raises as `whole` does."""
        async with self.printing:
            return await asyncio.to_thread(pdf, statement, await self.whole(statement))

    async def _wallets(self, org_id: UUID, asked: Asked) -> dict[UUID, Wallet]:
        found = await self.wallets.of_users(org_id, [asked.user_id])
        wallets = {each.id: each for each in found[asked.user_id]}
        if asked.wallet_id is None:
            return wallets
        if asked.wallet_id not in wallets:
            raise WalletNotFound(f"user {asked.user_id} has no wallet {asked.wallet_id}")
        return {asked.wallet_id: wallets[asked.wallet_id]}


def _has_anything(balances: Balances) -> bool:
    return bool(balances.opening or balances.closing or balances.lines)


def _part(wallet: Wallet, told: Balances) -> Part:
    asset = ASSETS[told.asset]
    return Part(
        account_id=told.account_id,
        wallet=wallet,
        asset=asset,
        opening=Money(told.opening, asset),
        received=Money(told.received, asset),
        spent=Money(told.spent, asset),
        closing=Money(told.closing, asset),
        lines=told.lines,
    )

"""Reconciliation of accounts at banks, by their statements.

A run sums the movements in statement lines and in the ledger's OUTSIDE account, compares both sides
by reference, and then compares the closing balance of the latest statement with the ledger's.
Guarantees:

- A line is counted once, under the reference it has by now: a record, a deposit, a file, or itself.
- The balance is the bank's own. Gaps between statements are differences of their own.
- The first comparison is the baseline: it accepts the account's balance, and keeps only those
  movements for comparison that had not ended by then.
- If a bank sends no statement, a run still compares earlier ones.
- An account that the settings exclude, or with statements without balances, is not compared.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from landbridge.ledger.house_accounts import find_step_end
from landbridge.payments.bank_files import counted_lines
from landbridge.payments.bank_files.counted_lines import ClosingBalance
from landbridge.payments.bank_files.funding_accounts import FundingAccounts, FundingAccountView
from landbridge.platform.changes.placing import place_changes
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.chains.records import RecordedBlock
from landbridge.providers.rails.currencies import FIAT
from landbridge.reporting.reconciliation import (
    bank_store,
    close_store,
    difference_store,
    ledger_store,
    run_store,
    store,
)
from landbridge.reporting.reconciliation.bank_days import covered_day, silent_from
from landbridge.reporting.reconciliation.bank_model import (
    GAP_PREFIX,
    BankReferences,
    closing_day,
    find_bank_difference,
    find_overdue,
    line_ids,
    sum_lines,
)
from landbridge.reporting.reconciliation.close_model import end_of_day, ended_day
from landbridge.reporting.reconciliation.findings import add_findings
from landbridge.reporting.reconciliation.model import (
    OF_POSITION,
    ComparedPosition,
    DifferenceKind,
    FoundDifference,
    compare,
    find_position_differences,
    sum_booked,
)
from landbridge.reporting.reconciliation.sources import ReconSourceName, bank_source
from landbridge.reporting.reconciliation.unread import has_unread_adjustment

# Most ledger changes, statement lines and matches that one SQL statement reads.
_PAGE_CHANGES, _PAGE_LINES, _PAGE_MATCHES = 2_000, 500, 1_000
# Attempts of a run that begins again because a file was read in the meantime.
_ATTEMPTS = 3
_START = ("", "")
_EXCLUDED = "the settings of the account exclude it"


@dataclass(frozen=True, slots=True, kw_only=True)
class _ComparedAccount:
    """Bank account that is compared."""

    org_id: UUID
    id: UUID
    currency: str

    @property
    def source(self) -> ReconSourceName:
        return bank_source(self.currency)

    @property
    def asset(self) -> str:
        return FIAT[self.currency].code


@dataclass(frozen=True, slots=True)
class BankComparison:
    """Compares the accounts of organisations that exchange files with their banks."""

    database: Database
    accounts: FundingAccounts

    async def sources(self, org_id: UUID) -> list[ReconSourceName]:
        """Return the accounts to compare, whether they have statements or not."""
        found = await self.accounts.list_all([org_id])
        return [bank_source(each.currency) for each in found if each.settings.reconciled]

    async def run(self, org_id: UUID, now: datetime, zone: str) -> None:
        """Compare the accounts of an organisation."""
        for view in await self.accounts.list_all([org_id]):
            account = _account(view)
            if view.settings.reconciled:
                await self._run(account, now, zone)
            else:
                await self._exclude(account, now)

    async def _run(self, account: _ComparedAccount, now: datetime, zone: str) -> None:
        """Compare an account; repeat this if a file is read in the meantime."""
        if not await self._open(account, now):
            return
        for _ in range(_ATTEMPTS):
            await self._count_lines(account, now)
            # Read the ledger after the lines, so that it has booked what the lines have settled.
            await self._read_ledger(account, now)
            if await self._compare(account, now, zone):
                return

    async def _open(self, account: _ComparedAccount, now: datetime) -> bool:
        """Open the source of an account with a current statement; False without one."""

        async def work(tx: Tx) -> bool:
            closing = await counted_lines.find_closing_balance(tx, account.org_id, account.id)
            if closing is None:
                return False
            known = await store.lock_source(tx, account.org_id, account.source)
            if known is None:
                if _is_silent(account, closing, now):
                    return False
                await store.add_source(tx, account.org_id, account.source, _block(closing), now)
            return True

        return await self.database.transact(work)

    async def _exclude(self, account: _ComparedAccount, now: datetime) -> None:
        """Resolve the SOURCE_SILENT difference of an account that is no longer compared."""
        org_id, source = account.org_id, account.source

        async def work(tx: Tx) -> None:
            if await store.lock_source(tx, org_id, source) is not None:
                silence = (DifferenceKind.SOURCE_SILENT,)
                await difference_store.resolve_cleared(
                    tx, org_id, source, now, kinds=silence, besides=()
                )
                await store.mark_failed(tx, org_id, source, now, _EXCLUDED)

        await self.database.transact(work)

    async def _count_lines(self, account: _ComparedAccount, now: datetime) -> None:
        """Add the lines of completely read files to the bank's sums."""
        org_id, source, asset = account.org_id, account.source, account.asset

        async def work(tx: Tx) -> bool:
            await store.lock_source(tx, org_id, source)
            lines = await counted_lines.lock_uncounted(tx, org_id, account.id, limit=_PAGE_LINES)
            taken_back = [each for line in lines for each in line.taken_back]
            if taken_back:
                await bank_store.take_back(tx, org_id, source, asset, taken_back, at=now)
            if sums := sum_lines([each for line in lines for each in line.movements], asset):
                await store.add_sums(tx, org_id, [(source, each) for each in sums], now)
            await counted_lines.mark_counted(tx, org_id, lines)
            return len(lines) == _PAGE_LINES

        while await self.database.transact(work):
            pass

    async def _read_ledger(self, account: _ComparedAccount, now: datetime) -> None:
        """Add entries of the OUTSIDE account to the ledger's sums."""
        org_id, source = account.org_id, account.source
        await place_changes(self.database, [org_id])

        async def work(tx: Tx) -> bool:
            read_place = await bank_store.lock_read_place(tx, org_id, source)
            end = await find_step_end(tx, org_id, read_place, changes_max=_PAGE_CHANGES)
            if end is None:
                return False
            booked = await ledger_store.bank_booked(
                tx, org_id, account.asset, since=read_place, until=end
            )
            if booked:
                units = sum(each.units for each in booked)
                await store.add_ledger_units(tx, org_id, {(source, account.asset): units})
                sums = [(source, each) for each in sum_booked(booked)]
                await store.add_sums(tx, org_id, sums, now)
            await bank_store.move_read_place(tx, org_id, source, end)
            return True

        while await self.database.transact(work):
            pass

    async def _compare(self, account: _ComparedAccount, now: datetime, zone: str) -> bool:
        """Compare matches and the closing balance; False if more was read or booked."""
        org_id, source = account.org_id, account.source

        async def work(tx: Tx) -> bool:
            known = await store.lock_source(tx, org_id, source)
            closing = await counted_lines.find_closing_balance(tx, org_id, account.id)
            # Check after reading the balance: if no line is uncounted, all lines up to it are.
            if await counted_lines.has_uncounted(tx, org_id, account.id):
                return False
            if known is None or closing is None:
                return True
            if await has_unread_adjustment(tx, org_id, source, [account.asset]):
                return False
            is_first = known.last_good_at is None
            if is_first:
                await _forget_ended(tx, account)
            else:
                await _find_gaps(tx, account, now)
            position = await _position(tx, account, closing, now, is_first=is_first)
            await difference_store.resolve_matched(tx, org_id, source, now)
            await _find_unmatched(tx, account, now)
            await _find_unbooked(tx, account, now)
            is_silent = not is_first and _is_silent(account, closing, now)
            found = find_position_differences([position], now)
            if is_silent:
                found.append(FoundDifference(kind=DifferenceKind.SOURCE_SILENT, due_at=now))
            await difference_store.resolve_cleared(
                tx, org_id, source, now, kinds=OF_POSITION, besides=[each.asset for each in found]
            )
            await add_findings(tx, org_id, source, found, now)
            await _end(tx, account, closing, now, is_silent=is_silent)
            await _keep_cut(tx, account, closing, position, now=now, zone=zone)
            return True

        return await self.database.transact(work)


async def _forget_ended(tx: Tx, account: _ComparedAccount) -> None:
    """Remove matches that ended before the first comparison: only the balance covers them."""
    unequal = await bank_store.unequal(tx, account.org_id, account.source)
    references = await _references(tx, account, list(unequal))
    kept = references.kept(unequal)
    await bank_store.keep_matches(tx, account.org_id, account.source, kept)


async def _find_gaps(tx: Tx, account: _ComparedAccount, now: datetime) -> None:
    since = await store.opened_at(tx, account.org_id, account.source)
    found = await counted_lines.gaps(tx, account.org_id, account.id, since=since)
    gaps = {f"{GAP_PREFIX}{each}": units for each, units in found.items()}
    await bank_store.set_gaps(tx, account.org_id, account.source, account.asset, gaps, at=now)


async def _position(
    tx: Tx, account: _ComparedAccount, closing: ClosingBalance, now: datetime, *, is_first: bool
) -> ComparedPosition:
    """Store the position; the first one is the baseline."""
    org_id, source = account.org_id, account.source
    booked = await store.booked_positions(tx, org_id, source, [account.asset])
    (position,) = compare(booked, {account.asset: closing.units})
    await store.set_positions(tx, org_id, source, [position], now)
    if not is_first:
        return position
    await bank_store.set_baseline(tx, org_id, source)
    return replace(position, accepted_units=position.unexplained_units)


async def _find_unmatched(tx: Tx, account: _ComparedAccount, now: datetime) -> None:
    """Store a difference for each match with unequal sides."""
    org_id, source, after = account.org_id, account.source, _START
    while matches := await store.open_matches(tx, org_id, source, after=after, limit=_PAGE_MATCHES):
        references = await _references(tx, account, [each.reference for each in matches])
        found = [find_bank_difference(each, references, account.currency, now) for each in matches]
        await add_findings(tx, org_id, source, [each for each in found if each], now)
        after = matches[-1].reference, matches[-1].asset


async def _find_unbooked(tx: Tx, account: _ComparedAccount, now: datetime) -> None:
    """Store a difference for each payout that a statement should have by now."""
    org_id, source = account.org_id, account.source
    payouts = await counted_lines.unbooked_payouts(tx, org_id, account.id)
    found = find_overdue(payouts, account.asset, account.currency, now)
    await difference_store.resolve_unbooked(
        tx, org_id, source, now, besides=[each.reference for each in found]
    )
    await add_findings(tx, org_id, source, found, now)


async def _references(tx: Tx, account: _ComparedAccount, references: list[str]) -> BankReferences:
    org_id = account.org_id
    return BankReferences(
        ach_files=await counted_lines.ach_files(tx, org_id, references),
        lines=await counted_lines.waiting_lines(tx, org_id, line_ids(references)),
    )


async def _end(
    tx: Tx, account: _ComparedAccount, closing: ClosingBalance, now: datetime, *, is_silent: bool
) -> None:
    """Store the run, as failed if the bank is silent."""
    org_id, source, block = account.org_id, account.source, _block(closing)
    failure = None
    await store.move_source(tx, org_id, source, block)
    if not is_silent:
        await store.mark_good(tx, org_id, source, now)
    else:
        day = closing_day(account.currency, closing, now)
        failure = f"the bank has sent no statement after that of {day}"
        await store.mark_failed(tx, org_id, source, now, failure)
    await run_store.add(tx, org_id, source, now, block=block, failure=failure)


async def _keep_cut(
    tx: Tx,
    account: _ComparedAccount,
    closing: ClosingBalance,
    position: ComparedPosition,
    *,
    now: datetime,
    zone: str,
) -> None:
    """Store the position for the daily close of the last ended day that the statement covers."""
    covered = covered_day(account.currency, closing_day(account.currency, closing, now))
    day = min(ended_day(now, zone), covered)
    await close_store.add_cutoff(
        *(tx, account.org_id, account.source, day),
        ended_at=end_of_day(day, zone),
        block=_block(closing),
        compared_at=now,
        positions=[position],
    )


def _account(view: FundingAccountView) -> _ComparedAccount:
    return copy_fields(view, _ComparedAccount)


def _block(closing: ClosingBalance) -> RecordedBlock:
    return RecordedBlock(closing.number or 0, closing.statement_id)


def _is_silent(account: _ComparedAccount, closing: ClosingBalance, now: datetime) -> bool:
    day = closing_day(account.currency, closing, now)
    return now >= silent_from(account.currency, day)

"""Ingestion: stores a file's lines and balances, in transactions of some dozens of lines.

Guarantees:
- A file is ingested once, by its digest, unless it was refused or some of its accounts were not set
  up yet. A line is stored once, in whichever files it appears (statement_events.py).
- An interrupted ingestion can be repeated and does the rest. A file is marked as ingested after all
  of its lines are stored, and no line is applied before that.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

import structlog

from landbridge.payments.bank_files import (
    funding_account_store,
    inbound_file_store,
    statement_events,
    statement_line_store,
)
from landbridge.payments.bank_files.file_contents import BankFileContent, group_by_account
from landbridge.payments.bank_files.funding_accounts import FundingAccountView
from landbridge.payments.bank_files.inbound_file_store import SealedInboundFile
from landbridge.payments.bank_files.payments import ACTOR
from landbridge.payments.bank_files.statement_events import ParsedStatement
from landbridge.payments.bank_files.statement_line_model import (
    InboundFile,
    StatementHead,
    StatementLineDraft,
    StatementLineKind,
    StatementLineStatus,
)
from landbridge.payments.bank_files.statement_line_store import NewStatementLine
from landbridge.payments.bank_files.statement_lines import line_context, record_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.providers.rails.currencies import FIAT

_log = structlog.stdlib.get_logger()

T = TypeVar("T")

# Lines per transaction, so that locks are held for a few milliseconds.
_CHUNK = 50


@dataclass(frozen=True, slots=True)
class Ingestion:
    """Ingests files of all organisations."""

    database: Database
    vault: Vault
    clock: Clock

    async def ingest(
        self,
        account: FundingAccountView,
        content: BankFileContent,
        name: str,
        digest: bytes,
        offset: timedelta,
    ) -> InboundFile:
        """Ingest a file from this account's transport; `name` is the bank's file name."""
        org_id = account.org_id
        file_id = derived_id(account.id, f"answer/{digest.hex()}")
        at = self.clock.stamp(offset)

        async def begin(tx: Tx) -> SealedInboundFile:
            key = await self.vault.make(tx, org_id, org_id)
            sealed_name = key.seal(name, context=name_context(file_id))
            await inbound_file_store.add(
                tx, _new(file_id, account, content, digest, sealed_name=sealed_name, at=at)
            )
            return await _found(tx, org_id, file_id)

        file = await self.database.transact(begin)
        if file.ingested_at is not None:
            return build_inbound_file(file, name)
        for owner, drafts in group_by_account(content.drafts):
            for chunk in _chunks(drafts):
                await self._add(owner, file_id, chunk, offset)
        ended_at = self.clock.stamp(offset)

        async def end(tx: Tx) -> SealedInboundFile:
            for owner, statement in content.statements:
                await self._store_balances(tx, owner, file_id, statement, offset)
            await inbound_file_store.set_ingested(tx, org_id, file_id, ended_at)
            return await _found(tx, org_id, file_id)

        file = await self.database.transact(end)
        _log.info(
            "bank_files.ingested",
            org_id=str(org_id),
            id=str(file_id),
            kind=file.format,
            count=file.line_count,
        )
        return build_inbound_file(file, name)

    async def _add(
        self,
        account: FundingAccountView,
        file_id: UUID,
        drafts: Sequence[StatementLineDraft],
        offset: timedelta,
    ) -> None:
        """Store the lines of an account that no earlier file contained.

        A line needs a manual review if it has no reference and another statement contains the same
        line, if another page of its statement contains it, or if another statement contains the
        same money on another day.
        """
        stamps = [self._row(account, each, offset) for each in drafts]

        async def work(tx: Tx) -> None:
            # Another worker may be storing the same money from another file, booked on another day.
            await funding_account_store.lock(tx, account.org_id, account.id)
            again = await _find_rebooked(tx, account, drafts)
            rows = [
                (line_id, statement_events.rebooked(each), at) if each.fingerprint in again else row
                for row in stamps
                for line_id, each, at in [row]
            ]
            added = await self._add_in(tx, account, file_id, rows)
            known = list(_not_added(drafts, added))
            sources = await statement_line_store.sources(
                tx, account.org_id, account.id, [each.fingerprint for each in known]
            )
            doubtful = [
                self._row(account, doubt, offset)
                for each in known
                if (doubt := _find_doubt(each, sources[each.fingerprint])) is not None
            ]
            await self._add_in(tx, account, file_id, doubtful)

        await self.database.transact(work)

    async def _add_in(
        self,
        tx: Tx,
        account: FundingAccountView,
        file_id: UUID,
        rows: Collection[tuple[UUID, StatementLineDraft, datetime]],
    ) -> set[bytes]:
        if not rows:
            return set()
        key = await self.vault.make(tx, account.org_id, account.org_id)
        lines = [
            copy_fields(
                draft,
                NewStatementLine,
                id=line_id,
                units=None if draft.money is None else draft.money.units,
                status=StatementLineStatus.NEW
                if draft.reason is None
                else StatementLineStatus.UNMATCHED,
                sealed_texts=key.seal(draft.texts, context=line_context(line_id)),
                rank=0 if draft.is_back else 1,
                created_at=at,
            )
            for line_id, draft, at in rows
        ]
        added = await statement_line_store.add(
            tx,
            account.org_id,
            account.id,
            file_id,
            asset_code=FIAT[account.currency].code,
            lines=lines,
        )
        for each in lines:
            if each.reason is not None and each.fingerprint in added:
                line = await statement_line_store.get(tx, account.org_id, each.id)
                if line is not None:
                    await record_change(tx, line, change_type="hold", actor=ACTOR)
        return added

    def _row(
        self, account: FundingAccountView, draft: StatementLineDraft, offset: timedelta
    ) -> tuple[UUID, StatementLineDraft, datetime]:
        # The id is derived, so that a line which is read again after a backup was restored creates
        # the same credit.
        line_id = derived_id(account.id, f"line/{draft.fingerprint.hex()}")
        return line_id, draft, self.clock.stamp(offset)

    async def _store_balances(
        self,
        tx: Tx,
        account: FundingAccountView,
        file_id: UUID,
        statement: ParsedStatement,
        offset: timedelta,
    ) -> None:
        """Store a statement's balances, and report a gap to the balances before it.

        A page has the balances of the whole statement, so pages are not checked for gaps.
        """
        head = statement.head
        if statement.is_partial or head.opening_units is None:
            return
        if not await inbound_file_store.is_continuous(tx, account.org_id, account.id, head):
            last = await inbound_file_store.find_latest_statement(tx, account.org_id, account.id)
            gap = statement_events.statement_review(
                statement, _GAP, note=_note(account, statement, last)
            )
            await self._add_in(tx, account, file_id, [self._row(account, gap, offset)])
        await inbound_file_store.add_statement(tx, account.org_id, account.id, file_id, head)


def _not_added(
    drafts: Sequence[StatementLineDraft], added: Collection[bytes]
) -> Iterator[StatementLineDraft]:
    """Yield the drafts that were not stored; of drafts with equal fingerprints, all but the first.

    `added` are the fingerprints that were stored.
    """
    left = set(added)
    for each in drafts:
        if each.fingerprint in left:
            left.remove(each.fingerprint)
        else:
            yield each


def _find_doubt(draft: StatementLineDraft, known_source: bytes) -> StatementLineDraft | None:
    """Return the line to review if a known line may be different money; None if it is the same."""
    if draft.has_reference:
        is_other = statement_events.is_on_other_page(draft.source, known_source)
        return statement_events.repeated(draft) if is_other else None
    return None if draft.source == known_source else statement_events.alike(draft)


async def _find_rebooked(
    tx: Tx, account: FundingAccountView, drafts: Sequence[StatementLineDraft]
) -> set[bytes]:
    """Return the fingerprints of drafts that another statement contains on another day."""
    near = {each.fingerprint: statement_events.on_other_days(each) for each in drafts}
    candidates = {each for found in near.values() for each in found}
    if not candidates:
        return set()
    sources = dict(
        await statement_line_store.sources(tx, account.org_id, account.id, list(candidates))
    )
    again: set[bytes] = set()
    for draft in drafts:
        known = {sources[each] for each in near[draft.fingerprint] if each in sources}
        if known - {draft.source}:
            again.add(draft.fingerprint)
        sources.setdefault(draft.fingerprint, draft.source)
    return again


def build_inbound_file(row: SealedInboundFile, name: str) -> InboundFile:
    """Return the file of a row, with its name decrypted."""
    return copy_fields(row, InboundFile, name=name)


def name_context(file_id: UUID) -> str:
    """Encryption context of a file's name."""
    return f"bank_inbound_files.name:{file_id}"


_GAP = "the statement begins with another balance than the ones before it ended with"


def _new(
    file_id: UUID,
    account: FundingAccountView,
    content: BankFileContent,
    digest: bytes,
    *,
    sealed_name: bytes,
    at: datetime,
) -> SealedInboundFile:
    def units(kind: StatementLineKind) -> int:
        return sum(
            draft.money.units
            for _, draft in content.drafts
            if draft.kind is kind and draft.money is not None
        )

    return SealedInboundFile(
        org_id=account.org_id,
        id=file_id,
        account_id=account.id,
        digest=digest,
        sealed_name=sealed_name,
        format=content.kind,
        line_count=sum(
            draft.kind is not StatementLineKind.STATEMENT for _, draft in content.drafts
        ),
        known_count=0,
        omitted_count=content.omitted_count,
        credit_units=units(StatementLineKind.CREDIT),
        debit_units=units(StatementLineKind.DEBIT),
        started_at=at,
        ingested_at=None,
    )


async def _found(tx: Tx, org_id: UUID, file_id: UUID) -> SealedInboundFile:
    found = await inbound_file_store.find(tx, org_id, file_id)
    if found is None:
        raise InvariantBroken(f"file {file_id} was not stored")
    return found


def _chunks(drafts: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(drafts), _CHUNK):
        yield drafts[start : start + _CHUNK]


def _note(
    account: FundingAccountView, statement: ParsedStatement, last: StatementHead | None
) -> str:
    """Return a note with the balances on both sides of a gap, for its reviewer."""

    def amount(units: int | None) -> str:
        return "nothing" if units is None else str(Money(units, FIAT[account.currency]))

    ended = "" if last is None else f" {last.statement_id} ended with {amount(last.closing_units)};"
    return f"{account.currency}:{ended} this one begins with {amount(statement.head.opening_units)}"

"""What a file says, taken: its lines and balances stored, in transactions of some dozens of lines.

Guarantees:
- a file is taken once, by its digest; a line once, whatever file tells of it (telling.py);
- broken off anywhere, it is done again and does the rest. A file is noted as taken after all of its
  lines, and none is applied before.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

import structlog

from landbridge.bank_files import answer_store, line_store, telling
from landbridge.bank_files.accounts import OwnAccount
from landbridge.bank_files.answer_store import SealedAnswer
from landbridge.bank_files.contents import Content, by_account
from landbridge.bank_files.line_model import (
    Answer,
    Draft,
    LineKind,
    LineStatus,
    StatementHead,
)
from landbridge.bank_files.line_store import NewLine
from landbridge.bank_files.lines import line_context, tell_of
from landbridge.bank_files.payments import ACTOR
from landbridge.bank_files.telling import ToldStatement
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken
from landbridge.core.ids import derived_id, new_id
from landbridge.core.money import Money
from landbridge.db.pool import Database, Tx
from landbridge.privacy.service import Vault
from landbridge.rails.currencies import FIAT

_log = structlog.stdlib.get_logger()

T = TypeVar("T")

# Lines of one transaction: a few milliseconds' worth of locks.
_CHUNK = 50


@dataclass(frozen=True, slots=True)
class Taking:
    """Takes files of all organisations."""

    database: Database
    vault: Vault
    clock: Clock

    async def take(
        self, account: OwnAccount, content: Content, name: str, digest: bytes, offset: timedelta
    ) -> Answer:
        """Take a file that lay at the place of this account; `name` is the bank's for it."""
        org_id = account.org_id
        answer_id = derived_id(account.id, f"answer/{digest.hex()}")
        at = self.clock.stamp(offset)

        async def begin(tx: Tx) -> SealedAnswer:
            key = await self.vault.make(tx, org_id, org_id)
            sealed_name = key.seal(name, context=name_context(answer_id))
            await answer_store.add(
                tx, _new(answer_id, account, content, digest, sealed_name=sealed_name, at=at)
            )
            return await _found(tx, org_id, answer_id)

        answer = await self.database.transact(begin)
        if answer.taken_at is not None:
            return answer_of(answer, name)
        for owner, drafts in by_account(content.drafts):
            for chunk in _chunks(drafts):
                await self._add(owner, answer_id, chunk, offset)
        ended_at = self.clock.stamp(offset)

        async def end(tx: Tx) -> SealedAnswer:
            for owner, told in content.statements:
                await self._keep_balances(tx, owner, answer_id, told, offset)
            await answer_store.taken(tx, org_id, answer_id, ended_at)
            return await _found(tx, org_id, answer_id)

        answer = await self.database.transact(end)
        _log.info(
            "bank_files.taken",
            org_id=str(org_id),
            id=str(answer_id),
            kind=answer.format,
            count=answer.line_count,
        )
        return answer_of(answer, name)

    async def _add(
        self, account: OwnAccount, file_id: UUID, drafts: Sequence[Draft], offset: timedelta
    ) -> None:
        """Store lines; what has no reference and stood in another statement is for a person."""
        rows = [self._row(each, offset) for each in drafts]

        async def work(tx: Tx) -> None:
            added = await self._add_in(tx, account, file_id, rows)
            known = [each for each in drafts if each.fingerprint not in added]
            bare = [each for each in known if not each.has_reference]
            sources = await line_store.sources(
                tx, account.org_id, account.id, [each.fingerprint for each in bare]
            )
            doubtful = [
                self._row(telling.alike(each), offset)
                for each in bare
                if sources[each.fingerprint] != each.source
            ]
            await self._add_in(tx, account, file_id, doubtful)

        await self.database.transact(work)

    async def _add_in(
        self,
        tx: Tx,
        account: OwnAccount,
        file_id: UUID,
        rows: Collection[tuple[UUID, Draft, datetime]],
    ) -> set[bytes]:
        if not rows:
            return set()
        key = await self.vault.make(tx, account.org_id, account.org_id)
        lines = [
            NewLine(
                id=line_id,
                fingerprint=draft.fingerprint,
                source=draft.source,
                kind=draft.kind,
                units=None if draft.money is None else draft.money.units,
                booked_on=draft.booked_on,
                status=LineStatus.NEW if draft.reason is None else LineStatus.UNMATCHED,
                reason=draft.reason,
                sealed_words=key.seal(draft.words, context=line_context(line_id)),
                rank=0 if draft.is_back else 1,
                created_at=at,
            )
            for line_id, draft, at in rows
        ]
        added = await line_store.add(
            tx,
            account.org_id,
            account.id,
            file_id,
            asset_code=FIAT[account.currency].code,
            lines=lines,
        )
        for each in lines:
            if each.reason is not None and each.fingerprint in added:
                line = await line_store.get(tx, account.org_id, each.id)
                if line is not None:
                    await tell_of(tx, line, what="hold", actor=ACTOR)
        return added

    def _row(self, draft: Draft, offset: timedelta) -> tuple[UUID, Draft, datetime]:
        return new_id(), draft, self.clock.stamp(offset)

    async def _keep_balances(
        self, tx: Tx, account: OwnAccount, file_id: UUID, told: ToldStatement, offset: timedelta
    ) -> None:
        """A page's balances are the whole statement's, and say nothing of what is missing."""
        head = told.head
        if told.is_partial or head.opening_units is None:
            return
        if not await answer_store.is_continuous(tx, account.org_id, account.id, head):
            last = await answer_store.latest(tx, account.org_id, account.id)
            gap = telling.about(told, _GAP, note=_note(account, told, last))
            await self._add_in(tx, account, file_id, [self._row(gap, offset)])
        await answer_store.add_statement(tx, account.org_id, account.id, file_id, head)


def answer_of(row: SealedAnswer, name: str) -> Answer:
    """The file of a row, with its name opened."""
    return Answer(
        org_id=row.org_id,
        id=row.id,
        account_id=row.account_id,
        name=name,
        digest=row.digest,
        format=row.format,
        line_count=row.line_count,
        known_count=row.known_count,
        left_out_count=row.left_out_count,
        credit_units=row.credit_units,
        debit_units=row.debit_units,
        began_at=row.began_at,
        taken_at=row.taken_at,
    )


def name_context(answer_id: UUID) -> str:
    """The place of a file's sealed name."""
    return f"bank_answers.name:{answer_id}"


_GAP = "the statement begins with another balance than the ones before it ended with"


def _new(
    answer_id: UUID,
    account: OwnAccount,
    content: Content,
    digest: bytes,
    *,
    sealed_name: bytes,
    at: datetime,
) -> SealedAnswer:
    def units(kind: LineKind) -> int:
        return sum(
            draft.money.units
            for _, draft in content.drafts
            if draft.kind is kind and draft.money is not None
        )

    return SealedAnswer(
        org_id=account.org_id,
        id=answer_id,
        account_id=account.id,
        digest=digest,
        sealed_name=sealed_name,
        format=content.told,
        line_count=sum(draft.kind is not LineKind.STATEMENT for _, draft in content.drafts),
        known_count=0,
        left_out_count=content.left_out_count,
        credit_units=units(LineKind.CREDIT),
        debit_units=units(LineKind.DEBIT),
        began_at=at,
        taken_at=None,
    )


async def _found(tx: Tx, org_id: UUID, answer_id: UUID) -> SealedAnswer:
    found = await answer_store.find(tx, org_id, answer_id)
    if found is None:
        raise Broken(f"file {answer_id} was not stored")
    return found


def _chunks(drafts: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(drafts), _CHUNK):
        yield drafts[start : start + _CHUNK]


def _note(account: OwnAccount, told: ToldStatement, last: StatementHead | None) -> str:
    """Both balances, for the person who looks for what is missing."""

    def amount(units: int | None) -> str:
        return "nothing" if units is None else str(Money(units, FIAT[account.currency]))

    ended = "" if last is None else f" {last.statement_id} ended with {amount(last.closing_units)};"
    return f"{account.currency}:{ended} this one begins with {amount(told.head.opening_units)}"

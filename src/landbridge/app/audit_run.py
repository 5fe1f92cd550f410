"""The audit of a whole database, as `landbridge check` runs it.

Guarantees:
- The organisations of a large database are audited one by one, each in a snapshot of its own:
  neither memory nor the age of a snapshot grows with their number.
- Several processes audit organisations side by side; the result is that of one.
- With a file of notes, organisations without findings are written down, and left out next time: an
  audit that was stopped goes on. An organisation with findings is audited again.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from datetime import datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Final
from uuid import UUID

import click
import msgspec

from landbridge.app.cli_runtime import patient
from landbridge.app.container.registry import AUDIT_RULES, TRANSITIONS
from landbridge.ledger.audit import LedgerAudit, audit, merged, organisation_sizes
from landbridge.platform.core.clock import Clock

# A database with fewer changes is audited at once: thousands of small organisations, one by one,
# take longer (some 40 ms each).
_SMALL_CHANGES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class AuditRun:
    """What is audited, and how: `jobs` processes, and `notes` of what was found clean before."""

    only: UUID | None = None
    jobs: int = 1
    notes: Path | None = None


class AuditNote(msgspec.Struct, frozen=True):
    """Line of the file of notes: an organisation without findings, with its rows by table."""

    at: datetime
    organisation: UUID
    rows: dict[str, int]


def run_audit(dsn: str, run: AuditRun, print_progress: Callable[[str], None]) -> LedgerAudit:
    """Audit a database; `print_progress` is given a line after each organisation.

    Raises `UsageError` for an organisation without rows, and for a file that has no notes.
    """
    sizes, is_distributed = asyncio.run(_sizes(dsn))
    if run.only is not None and run.only not in sizes:
        raise click.UsageError("There is no such organisation, or it has nothing to check.")
    # The statements of an audit need one node only if they have one organisation.
    is_small = sum(sizes.values()) < _SMALL_CHANGES and not is_distributed
    if run == AuditRun() and is_small:
        return _audit(dsn, None)
    org_ids = list(sizes) if run.only is None else [run.only]
    notes = {each.organisation: each for each in _read(run.notes)}
    # Of an organisation that does not exist: it has the names of all checks, and no rows.
    nothing = _audit(dsn, UUID(int=0))
    audits = [nothing, *(_as_audit(nothing, notes[each]) for each in org_ids if each in notes)]
    wrong = 0
    for org_id, audited in _audits(dsn, [each for each in org_ids if each not in notes], run.jobs):
        audits.append(audited)
        wrong += sum(check.wrong for check in audited.checks)
        if run.notes is not None and audited.is_clean:
            _write(run.notes, org_id, audited)
        print_progress(
            f"{len(audits) - 1:,} of {len(org_ids):,} organisations audited, {wrong:,} wrong rows"
        )
    return merged(audits)


def _audits(dsn: str, org_ids: Sequence[UUID], jobs: int) -> Iterator[tuple[UUID, LedgerAudit]]:
    """Yield each organisation with its audit, in the order in which they end."""
    if jobs == 1 or len(org_ids) <= 1:
        for org_id in org_ids:
            yield org_id, _audit(dsn, org_id)
        return
    with ProcessPoolExecutor(min(jobs, len(org_ids)), mp_context=get_context("spawn")) as pool:
        futures = {pool.submit(_audit, dsn, org_id): org_id for org_id in org_ids}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _audit(dsn: str, org_id: UUID | None) -> LedgerAudit:
    async def run() -> LedgerAudit:
        async with patient(dsn, name="check") as database:
            return await audit(database, TRANSITIONS, AUDIT_RULES, org_id=org_id)

    return asyncio.run(run())


async def _sizes(dsn: str) -> tuple[Mapping[UUID, int], bool]:
    """Return the sizes of all organisations, and whether they are on several nodes."""
    async with patient(dsn, name="check") as database:
        return await organisation_sizes(database, _SMALL_CHANGES), database.is_distributed


def _as_audit(nothing: LedgerAudit, note: AuditNote) -> LedgerAudit:
    """Return the audit that a note was written of."""
    checks = [replace(each, rows=note.rows.get(each.table_name, 0)) for each in nothing.checks]
    return LedgerAudit(checks, [])


def _read(path: Path | None) -> list[AuditNote]:
    if path is None or not path.exists():
        return []
    notes: list[AuditNote] = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            notes.append(msgspec.json.decode(line, type=AuditNote))
        except msgspec.MsgspecError as error:
            raise click.UsageError(f"Line {number} of {path} is no note of a check.") from error
    return notes


def _write(path: Path, org_id: UUID, audited: LedgerAudit) -> None:
    rows = {check.table_name: check.rows for check in audited.checks}
    with path.open("ab") as file:
        file.write(msgspec.json.encode(AuditNote(Clock(0).now(), org_id, rows)) + b"\n")

"""Writes the finished months of organisations to a folder.

A month is finished once it is over, each payment that was created before its end has ended, and a
checkpoint covers its changes.
"""

import fcntl
import os
import shutil
import tempfile
from base64 import b64encode
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import msgspec

from landbridge.platform.changes.model import UNPLACED, LogPosition
from landbridge.platform.changes.placing import place_changes
from landbridge.platform.changes.service import SPREAD, append_next_change, history
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.folder_sync import sync_folder
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Database, Tx
from landbridge.reporting.archive.model import (
    FORMAT,
    MANIFEST,
    ArchivedMonth,
    ArchiveInvalid,
    EndedRecord,
    MonthFolder,
    MonthManifest,
    MonthNotFinished,
    beginning,
    month_name,
    next_month,
)
from landbridge.reporting.archive.month_files import MonthBalances, written_month
from landbridge.reporting.archive.verification import (
    MonthReplay,
    check_chain,
    check_place,
    encoded_parts,
    read_manifest,
)
from landbridge.reporting.proofs.model import BookLeaf, StoredCheckpoint
from landbridge.reporting.proofs.segments import BookSegments
from landbridge.reporting.proofs.verifier import fixed

_BEGINNING = """
select min(occurred_at)
from changes
where org_id = $1 and is_settled
"""

# Records that have not ended are due, or wait for people. Each part of the union uses an index.
_WAITING = """
select w.id, w.kind, w.status
from (
    select t.id, t.kind, t.status, t.created_at
    from transfers t
    where t.org_id = $1 and t.due_at is not null
    union all
    select t.id, t.kind, t.status, t.created_at
    from transfers t
    where t.org_id = $1 and t.due_at is null and t.status = 'IN_REVIEW'
    union all
    select t.id, t.kind, t.status, t.created_at
    from transfers t
    where t.org_id = $1 and t.due_at is null and t.status = 'OPEN'
) w
where w.created_at < $2
order by w.created_at, w.id
"""

_RECORDS = """
select t.id::text as id, t.kind, t.user_id::text as user_id, t.request_id::text as request_id,
    t.status, t.version, t.source_asset, t.source_units::text as source_units,
    t.destination_asset, t.destination_units::text as destination_units, t.created_at,
    t.updated_at, t.request::text as request, t.details::text as details, t.facts::text as facts
from transfers t
where t.org_id = $1 and t.id = any($2::uuid[])
"""

# Kind of the archive's changes in the change log, for which no event is sent.
KIND: Final = "ARCHIVE"

_ACTOR = "cli"
_DRAFT = ".partial-"
_MANIFEST_MODE = 0o600
_FOLDER_MODE = 0o700
# Most unfinished payments that an error names.
_NAMED_MAX = 3


@dataclass(frozen=True, slots=True)
class ArchiveRequest:
    """Request to archive an organisation's months before `before`, in the folder of all."""

    org_id: UUID
    offset: timedelta
    folder: Path
    before: date

    @property
    def months(self) -> MonthFolder:
        """Return the folder of the organisation."""
        return MonthFolder(self.folder / str(self.org_id))


@dataclass(frozen=True, slots=True)
class MonthArchive:
    """Archive of all organisations."""

    database: Database
    clock: Clock
    segments: BookSegments
    transitions: Mapping[str, Transitions[Any]]

    async def plan(self, request: ArchiveRequest) -> AsyncIterator[date]:
        """Yield the months that would be written; raises `MonthNotFinished` at the first other."""
        await place_changes(self.database, [request.org_id])
        months = request.months.months()
        month = await self._first(request.org_id, months[-1] if months else None)
        while month is not None and month < request.before:
            await self._check_finished(request, month)
            yield month
            month = next_month(month)

    async def write(self, request: ArchiveRequest) -> AsyncGenerator[ArchivedMonth]:
        """Write the months that the folder lacks, and yield each one.

        Raises `MonthNotFinished` at the first one that may still change, `ArchiveInvalid` for a
        folder that was changed, and `BooksForked` or `BooksDiffer` for a database that does not
        agree with its checkpoints and tree.
        """
        checkpoint = await self.segments.checkpoint(request.org_id, request.offset)
        if checkpoint is None:
            return
        keys = "\n".join(await self.segments.signing.verifier_keys(request.org_id))
        _make_folder(request.months.path)
        with _locked(request.months.path):
            last, replay = await self._last(request)
            month = await self._first(request.org_id, last)
            while month is not None and month < request.before:
                end = await self._check_finished(request, month)
                with _draft(request.months.path) as draft:
                    await self._write_month(request, (month, end, checkpoint), replay, draft)
                    found = replay.append(draft, keys)
                    _publish(draft, request.months.month(month))
                await self._record(request, found)
                yield found
                month = next_month(month)

    async def _last(self, request: ArchiveRequest) -> tuple[date | None, MonthReplay]:
        """Return the last month of a folder, and the books at its end.

        This also records the month in the change log, if a killed command has not done so.
        """
        months = check_chain(request.months)
        if not months:
            return None, MonthReplay()
        folder = request.months.month(months[-1])
        found = read_manifest(folder)
        check_place(request.months, months[-1], found.manifest)
        root = await self.segments.root(request.org_id, found.manifest.size)
        if root != fixed(found.manifest.root):
            raise ArchiveInvalid(
                f"{folder} is not of this database. If a backup was restored, move the months that "
                "follow it away: they are written again."
            )
        replay = MonthReplay.behind(folder)
        await self._record(request, found)
        return months[-1], replay

    async def _first(self, org_id: UUID, last: date | None) -> date | None:
        """Return the month after `last`, or the month of the first change if `last` is None."""
        if last is not None:
            return next_month(last)
        at = await self.database.single(lambda tx: tx.fetchval(_BEGINNING, org_id))
        return None if at is None else at.astimezone(UTC).date().replace(day=1)

    async def _check_finished(self, request: ArchiveRequest, month: date) -> LogPosition:
        """Return the log position at the end of a month; raises `MonthNotFinished`."""
        name, until = month_name(month), beginning(next_month(month))
        if self.clock.now(request.offset) < until + SPREAD:
            raise MonthNotFinished(f"{name} is not over yet.")
        waiting = await self.database.single(lambda tx: tx.fetch(_WAITING, request.org_id, until))
        unfinished = [
            f"{row['kind']} {row['id']} ({row['status']})"
            for row in waiting
            if not self._is_final(row["kind"], row["status"])
        ]
        if unfinished:
            raise MonthNotFinished(
                f"{name} is not finished: {len(unfinished):,} payments from before its end have "
                f"not ended, the oldest are {', '.join(unfinished[:_NAMED_MAX])}."
            )
        end = await self.segments.end(request.org_id, until)
        if end.place == UNPLACED:
            raise MonthNotFinished(f"{name} has changes without a place in the log: try again.")
        return end

    def _is_final(self, kind: str, status: str) -> bool:
        return self.transitions[kind].is_terminal(status)

    async def _write_month(
        self,
        request: ArchiveRequest,
        part: tuple[date, LogPosition, StoredCheckpoint],
        replay: MonthReplay,
        draft: Path,
    ) -> None:
        """Write the files and the manifest of the month that follows a replay."""
        month, end, checkpoint = part
        books, tree = replay.books, replay.tree
        balances = MonthBalances(books.assets, books.balances)
        with written_month(draft) as writer:
            async for leaves in self.segments.leaves(request.org_id, books.size, end):
                writer.add(leaves, await self._records(request.org_id, leaves))
                balances.add(leaves)
                for each in leaves:
                    tree.grow(each.hash)
            files = writer.end(balances.rows())
        growth = await self.segments.growth(request.org_id, tree.size, checkpoint)
        manifest = MonthManifest(
            format=FORMAT,
            organisation=request.org_id,
            month=month_name(month),
            first=books.size,
            size=tree.size,
            root=b64encode(tree.root).decode(),
            parts=encoded_parts(tree),
            checkpoint=checkpoint.note,
            growth=[b64encode(each).decode() for each in growth],
            turnover=balances.turnover(),
            files=files,
        )
        _write_file(draft / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")

    async def _records(self, org_id: UUID, leaves: list[BookLeaf]) -> Mapping[UUID, EndedRecord]:
        """Return the records that these changes create; raises `MonthNotFinished`."""
        ids = [each.change.position.object_id for each in leaves if each.change.opening is not None]
        if not ids:
            return {}
        rows = await self.database.single(lambda tx: tx.fetch(_RECORDS, org_id, ids))
        # The statement's columns are the values of an `EndedRecord`, in order.
        found = {
            UUID(row["id"]): EndedRecord(tuple(value for _, value in row.items())) for row in rows
        }
        for id_, each in found.items():
            if not self._is_final(each.kind, each.status):
                raise MonthNotFinished(f"{each.kind} {id_} has not ended ({each.status}).")
        return found

    async def _record(self, request: ArchiveRequest, archived: ArchivedMonth) -> None:
        """Record the month with the digest of its manifest in the change log, once."""
        manifest = archived.manifest
        object_id = derived_id(request.org_id, f"{KIND}/{manifest.month}")

        async def work(tx: Tx) -> None:
            known = (await history(tx, request.org_id, [object_id])).get(object_id, ())
            if any(each.facts.get("manifest") == archived.digest for each in known):
                return
            await append_next_change(
                tx,
                org_id=request.org_id,
                object_id=object_id,
                kind=KIND,
                change_type="create",
                actor=_ACTOR,
                at=self.clock.stamp(request.offset),
                facts={"month": manifest.month, "manifest": archived.digest},
            )

        await self.database.transact(work)


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
    except OSError as error:
        raise ArchiveInvalid(f"{path} can't be made ({error.strerror}).") from error


@contextmanager
def _locked(folder: Path) -> Generator[None]:
    """Lock a folder against other commands, and remove drafts that killed ones have left."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for each in folder.glob(f"{_DRAFT}*"):
            shutil.rmtree(each)
        yield
    except BlockingIOError as error:
        raise ArchiveInvalid(f"Another command writes to {folder}.") from error
    finally:
        os.close(descriptor)


@contextmanager
def _draft(folder: Path) -> Generator[Path]:
    """Yield a new temporary folder for a month; it is removed at the end unless renamed."""
    path = Path(tempfile.mkdtemp(prefix=_DRAFT, dir=folder))
    try:
        yield path
    except OSError as error:
        raise ArchiveInvalid(f"{folder} could not be written ({error.strerror}).") from error
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _publish(draft: Path, folder: Path) -> None:
    """Rename a draft to the month's folder, and flush the folders to disk."""
    sync_folder(draft)
    draft.rename(folder)
    sync_folder(folder.parent)


def _write_file(path: Path, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, _MANIFEST_MODE), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())

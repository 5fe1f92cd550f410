"""Inbox: finds, reads, ingests and archives the bank's files.

    rename     Give a file a unique name, so that a later file of the same name is distinct.
    read       Decode the whole file before any line is stored; an invalid file is rejected.
    ingest     Store its lines and balances (ingestion.py).
    move       Move the file out of the polled folder.
    apply      Apply each line separately (reconciliation.py).

Guarantees:
- If a worker crashes at any point, its successor does the remaining steps and repeats none.
- No file is lost or overwritten, whatever its name.
- An unreachable transport, or a broken account or file, does not stop the others. A slow transport
  does not delay the others: the transports are scanned concurrently.
- A file is applied to an account only if it was in that account's transport.
- All files that were present at an account's `statements_read_at` are read and applied.
"""

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import groupby
from uuid import UUID

import structlog

from landbridge.payments.bank_files import (
    funding_account_store,
    inbound_file_store,
    statement_events,
    statement_line_store,
)
from landbridge.payments.bank_files.file_contents import BankFileContent, decode_content
from landbridge.payments.bank_files.funding_accounts import FundingAccounts, FundingAccountView
from landbridge.payments.bank_files.ingestion import Ingestion, build_inbound_file, name_context
from landbridge.payments.bank_files.reconciliation import Reconciliation
from landbridge.payments.bank_files.statement_line_model import (
    InboundFile,
    InboundFileKind,
    StatementLineStatus,
)
from landbridge.payments.bank_files.transports.connect import inbox_path, open_transport
from landbridge.payments.bank_files.transports.port import (
    FileTransport,
    TransportFolder,
    archive_name,
    claimed_name,
    original_name,
)
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.end_tasks import end_tasks
from landbridge.platform.core.errors import Unavailable
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.formats.file_errors import FileRejected
from landbridge.platform.http.fair_semaphore import FairSemaphore

_log = structlog.stdlib.get_logger()

# Files that one run reads from a transport; the rest follows in the next run.
FILES_MAX = 50
# Seconds after which a scan starts no further file, because a server may be slow with each one.
_SCAN_S = 300
# Files in memory at a time, each of up to 50 MB: in all, and of one organisation.
_CONCURRENT_FILES = 4
_CONCURRENT_FILES_EACH = 1
# Seconds for which a poll waits for the scans that it has started.
_POLL_S = 4.0
# Retry interval of an unreachable transport.
_PAUSE_S = 60


@dataclass(frozen=True, slots=True)
class _Inbox:
    """Transport of an organisation, with the accounts that share it."""

    path: str
    accounts: tuple[FundingAccountView, ...]

    @property
    def org_id(self) -> UUID:
        return self.accounts[0].org_id

    @property
    def poll_s(self) -> int:
        return min(each.settings.transport.poll_seconds for each in self.accounts)


@dataclass(slots=True)
class _InboxScan:
    """Result of a scan: files, and whether all files present were ingested."""

    inbox: _Inbox
    at: datetime
    files: list[InboundFile] = field(default_factory=list[InboundFile])
    is_through: bool = False


@dataclass(frozen=True, slots=True)
class InboxReader:
    """Reads inbound files of all organisations."""

    database: Database
    vault: Vault
    accounts: FundingAccounts
    applying: Reconciliation
    clock: Clock
    # Next scan of each transport, on this process' monotonic clock.
    _next_s: dict[tuple[UUID, str], float] = field(default_factory=dict[tuple[UUID, str], float])
    # Running scans that polls of this process have started, by organisation and inbox path.
    _scans: dict[tuple[UUID, str], asyncio.Task[_InboxScan]] = field(
        default_factory=dict[tuple[UUID, str], "asyncio.Task[_InboxScan]"]
    )
    _memory: FairSemaphore = field(
        default_factory=lambda: FairSemaphore(_CONCURRENT_FILES, each=_CONCURRENT_FILES_EACH)
    )

    async def run(self, offsets: Mapping[UUID, timedelta]) -> Sequence[InboundFile]:
        """Ingest every file in the inboxes and apply all new lines; return the ingested files."""
        inboxes = _inboxes(await self.accounts.list_all(list(offsets)))
        scans = await asyncio.gather(*(self._scan(each, offsets[each.org_id]) for each in inboxes))
        return await self._apply(scans, offsets)

    async def poll(self, offsets: Mapping[UUID, timedelta]) -> Sequence[InboundFile]:
        """Start to scan each transport that this process has not scanned for `poll_seconds`.

        Apply the lines of all scans that have ended, including scans that earlier polls started,
        and return their files.
        """
        now_s = time.monotonic()
        inboxes = _inboxes(await self.accounts.list_all(list(offsets)))
        begun = {
            _key(each): asyncio.create_task(self._scan(each, offsets[each.org_id]))
            for each in inboxes
            if _key(each) not in self._scans and self._next_s.get(_key(each), now_s) <= now_s
        }
        self._scans.update(begun)
        if begun:
            await asyncio.wait(begun.values(), timeout=_POLL_S)
        ended = [each for each, scan in self._scans.items() if scan.done()]
        return await self._apply([self._scans.pop(each).result() for each in ended], offsets)

    async def close(self) -> None:
        """Wait a while for running scans; the next worker does the rest of a cancelled one."""
        await end_tasks(self._scans.values())

    async def files(self, account: FundingAccountView, limit: int) -> Sequence[InboundFile]:
        """Return the latest `limit` files of an account, newest first."""

        async def read(tx: Tx) -> list[InboundFile]:
            key = await self.vault.find(tx, account.org_id, account.org_id)
            rows = await inbound_file_store.list_latest(tx, account.org_id, account.id, limit)
            if key is None:
                return []  # no file was stored yet
            return [
                build_inbound_file(
                    each, key.open(each.sealed_name, context=name_context(each.id), type=str)
                )
                for each in rows
            ]

        return await self.database.read(read)

    async def counts(self, file: InboundFile) -> Mapping[StatementLineStatus, int]:
        """Return how many lines that first appeared in a file are in each status."""
        return await self.database.single(
            lambda tx: statement_line_store.counts(tx, file.org_id, file.id)
        )

    async def _apply(
        self, scans: Sequence[_InboxScan], offsets: Mapping[UUID, timedelta]
    ) -> Sequence[InboundFile]:
        """Apply new lines, and record which accounts were read; return the files of the scans."""
        await self.applying.run(offsets)
        for each in scans:
            if each.is_through:
                await self._note_read(each.inbox, each.at)
        return [file for each in scans for file in each.files]

    async def _scan(self, inbox: _Inbox, offset: timedelta) -> _InboxScan:
        """Ingest the files of a transport; an unreachable or broken one is retried later."""
        scan, pause_s = _InboxScan(inbox, self.clock.now(offset)), inbox.poll_s
        try:
            await self._read(inbox, scan, offset)
        except Unavailable as error:
            pause_s = max(pause_s, _PAUSE_S)
            _log.warning("bank_files.unreachable", **_log_fields(inbox), reason=str(error))
        except Exception as error:  # noqa: BLE001  one transport must not stop the others
            _log.error("bank_files.not_read", **_log_fields(inbox), exc_info=error)
        self._next_s[_key(inbox)] = time.monotonic() + pause_s
        return scan

    async def _read(self, inbox: _Inbox, scan: _InboxScan, offset: timedelta) -> None:
        transport = open_transport(inbox.accounts[0].settings.transport)
        until_s, names = time.monotonic() + _SCAN_S, await transport.names(TransportFolder.IN)
        is_through = len(names) <= FILES_MAX
        for name in names[:FILES_MAX]:
            file: InboundFile | None = None
            try:
                await self._memory.acquire(inbox.org_id)
                try:
                    if time.monotonic() < until_s:
                        file = await self._read_one(transport, inbox, name, offset)
                finally:
                    self._memory.release(inbox.org_id)
            except Unavailable as error:
                _log.warning("bank_files.unreachable", **_log_fields(inbox), reason=str(error))
            except Exception as error:  # noqa: BLE001  one file must not stop the others
                _log.error("bank_files.file_failed", **_log_fields(inbox), exc_info=error)
            if file is None:
                # Another worker may be reading it.
                is_through = False
            else:
                scan.files.append(file)
        scan.is_through = is_through

    async def _read_one(
        self, transport: FileTransport, inbox: _Inbox, name: str, offset: timedelta
    ) -> InboundFile | None:
        """Ingest a file and move it; None if another worker was faster."""
        claimed, account = claimed_name(name), inbox.accounts[0]
        if claimed != name and not await transport.move(
            TransportFolder.IN, name, TransportFolder.IN, claimed
        ):
            return None
        # An oversized file has no digest, so its unique name identifies it.
        digest, file_name = sha256(claimed.encode()).digest(), original_name(claimed)
        try:
            raw = await transport.read(TransportFolder.IN, claimed)
            if raw is None:
                return None
            digest = sha256(raw).digest()
            # Decoded in a thread, because that takes seconds for the largest files.
            content = await asyncio.to_thread(decode_content, raw, inbox.accounts)
        except FileRejected as error:
            draft = statement_events.refused(digest, file_name, str(error))
            content = BankFileContent(InboundFileKind.REFUSED, ((account, draft),))
        ingestion = Ingestion(self.database, self.vault, self.clock)
        file = await ingestion.ingest(account, content, file_name, digest, offset)
        folder = (
            TransportFolder.REFUSED
            if file.format is InboundFileKind.REFUSED
            else TransportFolder.DONE
        )
        await transport.move(TransportFolder.IN, claimed, folder, archive_name(claimed))
        return file

    async def _note_read(self, inbox: _Inbox, at: datetime) -> None:
        versions = {each.id: each.version for each in inbox.accounts}
        await self.database.single(
            lambda tx: funding_account_store.set_read(tx, inbox.org_id, versions, at)
        )


def _inboxes(accounts: Iterable[FundingAccountView]) -> list[_Inbox]:
    """Return each transport once, with all accounts of the organisation that share it."""

    def key(account: FundingAccountView) -> tuple[UUID, str]:
        return account.org_id, inbox_path(account.settings.transport)

    ordered = sorted(accounts, key=lambda each: (*key(each), each.currency))
    return [_Inbox(path, tuple(each)) for (_, path), each in groupby(ordered, key)]


def _key(inbox: _Inbox) -> tuple[UUID, str]:
    return inbox.org_id, inbox.path


def _log_fields(inbox: _Inbox) -> Mapping[str, str]:
    """Return log fields without a path or file name, which may contain a customer's name."""
    return {"org_id": str(inbox.org_id), "id": str(inbox.accounts[0].id)}

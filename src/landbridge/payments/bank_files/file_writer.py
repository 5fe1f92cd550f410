"""Bank file writer: claims, writes and delivers outbound files.

    claim      In one transaction that locks the account: select the due payments, create their
               file, assign its number. From here on they are in this file and in no other.
    write      Encode the claimed payments; store the bytes, encrypted, before anyone can see them.
    deliver    Upload the same bytes under the same name, then a report beside them.

Guarantees:
- A payment is in one file. The files of an account are numbered without gaps.
- If a worker crashes at any point, its successor continues there: a file is never rebuilt with
  other bytes, and a delivered file is not delivered again. There is one exception: if the crash
  comes between file and report, and the bank has fetched the file meanwhile, the file is uploaded
  again. It has the same name and ids, by which the bank rejects the duplicate.
- Two workers never work on one file at a time, as long as each step takes less than `LEASE`.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

import structlog
from prometheus_client import Gauge

from landbridge.payments.bank_files import file_store, funding_account_store, payment_store
from landbridge.payments.bank_files.file_builder import assemble, control_report
from landbridge.payments.bank_files.funding_accounts import FundingAccounts, FundingAccountView
from landbridge.payments.bank_files.held_payments import held_payments
from landbridge.payments.bank_files.model import FILE_KIND, BankFile, BankFileFormat, BankPayment
from landbridge.payments.bank_files.new_files import limit_total, new_file
from landbridge.payments.bank_files.orders import PaymentOrder
from landbridge.payments.bank_files.rails import order_context, prenote_closes_at
from landbridge.payments.bank_files.transports.connect import open_transport
from landbridge.payments.bank_files.transports.port import FileTransport, TransportFolder
from landbridge.payments.limits.service import Limits
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.end_tasks import end_tasks
from landbridge.platform.core.errors import InvariantBroken, Unavailable
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.providers.nacha.dates import effective_on, returns_end_at

_log = structlog.stdlib.get_logger()

ACTOR = "worker"
# Longer than any delivery: a file of 2,000 payments takes seconds, a bank's slow server minutes.
LEASE = timedelta(minutes=15)
# Timeout of a delivery: shorter than the lease, so that a slow server can't outlast the lease.
DELIVERY_S = 600
# Retry interval of an unreachable transport.
_PAUSE = timedelta(minutes=1)
# Payments per file: limits the transaction's size, and a person can still review the file. Further
# payments go into further files.
PAYMENTS_MAX = 2000
FILES_MAX = 50
SWEEP_MAX = 200
# Seconds for which a poll waits for the deliveries that it has started.
_POLL_S = 4.0

UNDELIVERED = Gauge(
    "landbridge_bank_files_undelivered",
    "Files that are claimed and not at the bank yet.",
    multiprocess_mode="mostrecent",
)


@dataclass(frozen=True, slots=True)
class BankFileWriter:
    """Writes due files of all organisations."""

    database: Database
    vault: Vault
    accounts: FundingAccounts
    clock: Clock
    limits: Limits
    # Running deliveries that polls of this process have started, by account.
    _deliveries: dict[UUID, asyncio.Task[list[BankFile]]] = field(
        default_factory=dict[UUID, "asyncio.Task[list[BankFile]]"]
    )

    async def run(
        self, offsets: Mapping[UUID, timedelta], *, is_early: bool = False
    ) -> Sequence[BankFile]:
        """Claim due payments and deliver every open file to its bank; return the delivered files.

        `is_early` includes all queued payments, regardless of cut-off.
        """
        begun = await self._begin(offsets, is_early=is_early)
        brought = await asyncio.gather(*begun.values())
        await self._count_open(offsets)
        return [file for files in brought for file in files]

    async def poll(self, offsets: Mapping[UUID, timedelta]) -> None:
        """Do the same as `run`, but skip accounts for which an earlier poll still delivers.

        Wait at most `_POLL_S` seconds, so that a slow bank does not delay the others' files.
        """
        begun = await self._begin(offsets, is_early=False)
        self._deliveries.update(begun)
        if begun:
            await asyncio.wait(begun.values(), timeout=_POLL_S)
        await self._count_open(offsets)

    async def close(self) -> None:
        """Wait a while for running deliveries; a cancelled one is repeated by the next worker."""
        await end_tasks(self._deliveries.values())

    async def next_due(self, org_id: UUID, *, after: datetime, until: datetime) -> datetime | None:
        """Return the first due time of an organisation's payments in this range; None if none."""
        return await self.database.single(
            lambda tx: payment_store.next_due(tx, org_id, after=after, until=until)
        )

    async def content(self, file: BankFile) -> bytes | None:
        """Return the content of a file; None before it is written, and after its retention ends."""

        async def read(tx: Tx) -> bytes | None:
            sealed = await file_store.get_content(tx, file.org_id, file.id)
            key = await self._key(tx, file.org_id)
            context = _content_context(file)
            return None if sealed is None else key.open_bytes(sealed, context=context)

        return await self.database.read(read)

    async def files(self, account: FundingAccountView, limit: int) -> Sequence[BankFile]:
        """Return the latest `limit` files of an account, newest first."""
        return await self.database.single(
            lambda tx: file_store.list_latest(tx, account.org_id, account.id, limit)
        )

    async def find(self, org_id: UUID, name: str) -> BankFile | None:
        """Return the file with this name; None if there is none."""
        return await self.database.single(lambda tx: file_store.find_by_name(tx, org_id, name))

    async def counts(
        self, account: FundingAccountView
    ) -> Mapping[str, tuple[int, datetime | None]]:
        """Return the number of payments by status, and the first due time."""
        rows = await self.database.single(
            lambda tx: payment_store.counts(tx, account.org_id, account.id)
        )
        return {status: (row["count"], row["first_due_at"]) for status, row in rows.items()}

    async def sweep(self, clocks: Mapping[UUID, datetime], kept: timedelta) -> bool:
        """Delete contents of delivered files older than `kept`; return whether more may remain."""
        until = {org_id: now - kept for org_id, now in clocks.items()}
        swept = await self.database.single(lambda tx: file_store.sweep(tx, until, limit=SWEEP_MAX))
        return swept == SWEEP_MAX

    async def _begin(
        self, offsets: Mapping[UUID, timedelta], *, is_early: bool
    ) -> dict[UUID, asyncio.Task[list[BankFile]]]:
        """Claim due payments; start one delivery task per account with undelivered files."""
        for each in [each for each, task in self._deliveries.items() if task.done()]:
            del self._deliveries[each]
        found = {each.id: each for each in await self.accounts.list_all(list(offsets))}
        for account in found.values():
            await self._claim_all(account, offsets, is_early=is_early)
        group_by_account: dict[UUID, list[BankFile]] = {}
        for file in await self._open(offsets):
            group_by_account.setdefault(file.account_id, []).append(file)
        return {
            each: asyncio.create_task(self._deliver_all(files, found[each], offsets))
            for each, files in group_by_account.items()
            if each in found
        }

    async def _count_open(self, offsets: Mapping[UUID, timedelta]) -> None:
        UNDELIVERED.set(
            await self.database.single(lambda tx: file_store.count_open(tx, list(offsets)))
        )

    async def _claim_all(
        self, account: FundingAccountView, offsets: Mapping[UUID, timedelta], *, is_early: bool
    ) -> None:
        held: set[UUID] = set()
        try:
            while await self._claim(
                account, self._stamp(offsets, account), is_early=is_early, held=held
            ):
                pass
        except Exception as error:  # noqa: BLE001  one account must not stop the others
            _log.error("bank_files.not_claimed", id=str(account.id), exc_info=error)

    async def _claim(
        self, account: FundingAccountView, at: datetime, *, is_early: bool, held: set[UUID]
    ) -> bool:
        """Create the next file of an account from its due payments, without the keys in `held`.

        Add the keys of payments that must wait to `held`. Return False if no payment is due.
        """

        async def work(tx: Tx) -> bool:
            last = await funding_account_store.lock(tx, account.org_id, account.id)
            due = await payment_store.list_due(
                tx,
                account.org_id,
                account.id,
                at=at,
                is_early=is_early,
                limit=PAYMENTS_MAX,
                skip=held,
            )
            held.update(await held_payments(tx, account.org_id, due, self.limits))
            payments = limit_total([each for each in due if each.key not in held])
            if not payments:
                return bool(due)
            # Created inside the transaction: a retry after a lost commit selects payments afresh.
            file = new_file(new_id(), account, payments, number=last + 1, at=at)
            await file_store.add(tx, file)
            await funding_account_store.set_last_number(tx, account.org_id, account.id, file.number)
            keys = [each.key for each in payments]
            await payment_store.assign_to_file(tx, file.org_id, file.id, keys, at)
            await _record_change(tx, file, seq=1, change_type="claim", at=at)
            return True

        return await self.database.transact(work)

    async def _open(self, org_ids: Collection[UUID]) -> Sequence[BankFile]:
        now = self.clock.now()
        return await self.database.single(
            lambda tx: file_store.list_undelivered(
                tx, list(org_ids), now=now, limit=FILES_MAX, except_accounts=self._deliveries
            )
        )

    async def _lease(self, file: BankFile) -> bool:
        now, claim_id = self.clock.now(), new_id()
        return await self.database.single(
            lambda tx: file_store.lease(
                tx, file.org_id, file.id, now=now, until=now + LEASE, by=claim_id
            )
        )

    async def _deliver_all(
        self,
        files: Sequence[BankFile],
        account: FundingAccountView,
        offsets: Mapping[UUID, timedelta],
    ) -> list[BankFile]:
        """Deliver an account's files in order, unless another worker has them.

        If its transport is unreachable, the remaining files wait with the failed one.
        """
        brought: list[BankFile] = []
        is_unreachable = False
        for file in files:
            try:
                if not await self._lease(file):
                    continue
                if not is_unreachable:
                    brought.append(await self._deliver(file, account, offsets))
                    continue
            except asyncio.CancelledError:
                await self._release(file)
                raise
            except (Unavailable, TimeoutError) as error:
                is_unreachable = True
                _log.warning("bank_files.not_delivered", id=str(file.id), reason=str(error))
            except Exception as error:  # noqa: BLE001  one file must not stop the others
                # The lease is kept, so that the file is retried and logged once per lease.
                _log.error("bank_files.failed", id=str(file.id), exc_info=error)
                continue
            await self._release(file)
        return brought

    async def _deliver(
        self, file: BankFile, account: FundingAccountView, offsets: Mapping[UUID, timedelta]
    ) -> BankFile:
        """Write and deliver a leased file."""
        content = await self._written(file, account)
        async with asyncio.timeout(DELIVERY_S):
            await deliver(
                open_transport(account.settings.transport), file, content, account.currency
            )
        # A slow server may have taken minutes, and the cut-off may have passed.
        at = self._stamp(offsets, account)
        await self.database.transact(lambda tx: self._note_delivered(tx, file, at))
        return replace(file, delivered_at=at, size=len(content))

    async def _release(self, file: BankFile) -> None:
        until = self.clock.now() + _PAUSE
        await self.database.single(lambda tx: file_store.release(tx, file.org_id, file.id, until))

    async def _written(self, file: BankFile, account: FundingAccountView) -> bytes:
        """Return the stored content of a file; build and store it if there is none."""
        if file.digest is None:
            payments = await self.database.transact(lambda tx: self._decrypt(tx, file))
            # The file is built in a thread and outside any transaction, because it takes a while.
            content = await asyncio.to_thread(assemble, file, account.settings, payments)
            await self.database.transact(lambda tx: self._keep(tx, file, content))
        retention = await self.content(file)
        if retention is None:
            raise InvariantBroken(f"file {file.name} was written, and its content is gone")
        return retention

    async def _decrypt(self, tx: Tx, file: BankFile) -> list[tuple[BankPayment, PaymentOrder]]:
        key = await self._key(tx, file.org_id)
        found: list[tuple[BankPayment, PaymentOrder]] = []
        for each in await payment_store.list_by_file(tx, file.org_id, file.id):
            if each.sealed_order is None:
                raise InvariantBroken(
                    f"payment {each.key} in {file.name} is blank before it is written"
                )
            context = order_context(each.key)
            found.append((each, key.open(each.sealed_order, context=context, type=PaymentOrder)))
        return found

    async def _keep(self, tx: Tx, file: BankFile, content: bytes) -> None:
        key = await self._key(tx, file.org_id)
        is_first = await file_store.set_content(
            tx,
            file.org_id,
            file.id,
            sealed_content=key.seal_bytes(content, context=_content_context(file)),
            digest=sha256(content).digest(),
            size=len(content),
        )
        if is_first:
            await payment_store.delete_orders(tx, file.org_id, file.id)

    async def _note_delivered(self, tx: Tx, file: BankFile, at: datetime) -> None:
        if await file_store.set_delivered(tx, file.org_id, file.id, at):
            if file.format is BankFileFormat.NACHA:
                await self._close(tx, file, at)
            await _record_change(tx, file, seq=2, change_type="deliver", at=at)

    async def _close(self, tx: Tx, file: BankFile, at: datetime) -> None:
        """Start the return window at the actual delivery, even if that is later than planned."""
        effective = max(file.execution_date, effective_on(at, is_same_day=file.is_same_day))
        await payment_store.close_at(
            tx,
            file.org_id,
            file.id,
            closes_at=returns_end_at(effective),
            prenotes_at=prenote_closes_at(at),
        )

    async def _key(self, tx: Tx, org_id: UUID) -> DataKey:
        key = await self.vault.find(tx, org_id, org_id)
        if key is None:
            raise InvariantBroken(f"organisation {org_id} has files and no data key")
        return key

    def _stamp(self, offsets: Mapping[UUID, timedelta], account: FundingAccountView) -> datetime:
        return self.clock.stamp(offsets[account.org_id])


async def deliver(transport: FileTransport, file: BankFile, content: bytes, currency: str) -> None:
    """Upload a file for its bank, then its report; a repeated call changes nothing.

    A report without a file means that the bank has fetched the file.
    """
    report = f"{file.name}.json"
    if await transport.read(TransportFolder.CONTROL, report) is not None:
        return
    if await transport.read(TransportFolder.OUT, file.name) != content:
        await transport.write(TransportFolder.OUT, file.name, content)
    await transport.write(TransportFolder.CONTROL, report, control_report(file, content, currency))


async def _record_change(
    tx: Tx, file: BankFile, *, seq: int, change_type: str, at: datetime
) -> None:
    await append_change(
        tx,
        org_id=file.org_id,
        object_id=file.id,
        seq=seq,
        kind=FILE_KIND,
        change_type=change_type,
        actor=ACTOR,
        at=at,
        facts={"number": file.number, "name": file.name, "count": file.count},
    )


def _content_context(file: BankFile) -> str:
    return f"bank_outbound_files.content:{file.id}"

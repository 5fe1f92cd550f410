"""Files for the bank: claimed, written, delivered.

    claim      one transaction that holds the account: the payments that are due, their file, its
               number. From here on they are in this file and in no other.
    write      its bytes, made from what was claimed, are kept (sealed) before anybody sees them.
    deliver    the same bytes under the same name, and a report beside them.

Guarantees:
- a payment is in one file; files of an account are numbered without gaps;
- a worker that dies anywhere is followed by one that goes on from there: a file is never made anew
  with other bytes, and one that was delivered is not delivered again. Only if it died in the moment
  between file and report, and the bank has fetched the file in between, the same file goes once
  more; its name and ids are the same, by which a bank refuses it;
- two workers never hold one file at a time, as long as each takes less than `LEASE`.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from hashlib import sha256
from itertools import accumulate
from uuid import UUID

import structlog
from prometheus_client import Gauge

from landbridge.bank_files import account_store, file_store, payment_store
from landbridge.bank_files.accounts import OwnAccount, OwnAccounts
from landbridge.bank_files.assembling import assemble, control_report
from landbridge.bank_files.model import FILE_KIND, BankFile, BankPayment, Format
from landbridge.bank_files.nacha.dates import effective_on, returns_end_at
from landbridge.bank_files.nacha.messages import BATCH_CENTS_MAX
from landbridge.bank_files.orders import Order
from landbridge.bank_files.places.opening import open_place
from landbridge.bank_files.places.port import Folder, Place
from landbridge.bank_files.rails import order_context, prenote_closes_at
from landbridge.changes.service import tell
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, Unavailable
from landbridge.core.ids import new_id
from landbridge.db.pool import Database, Tx
from landbridge.privacy.service import DataKey, Vault
from landbridge.rails.calendar import FRANKFURT, NEW_YORK, cut_off

_log = structlog.stdlib.get_logger()

ACTOR = "worker"
# Assembling and sending a file of 2,000 payments takes seconds; a bank's server may take minutes.
LEASE = timedelta(minutes=15)
# So that nobody takes it over while the bank's server takes its time.
DELIVERY_S = 600
# A place that can't be reached is tried again after this.
_PAUSE = timedelta(minutes=1)
# What one transaction claims, and what a person can still look through; more make more files.
PAYMENTS_MAX = 2000
FILES_MAX = 50
SWEEP_MAX = 200
_ENDINGS = {Format.NACHA: "ach", Format.PAIN_001: "xml"}

UNDELIVERED = Gauge(
    "landbridge_bank_files_undelivered",
    "Files that are claimed and not at the bank yet.",
    multiprocess_mode="mostrecent",
)


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes what is due, of all organisations."""

    database: Database
    vault: Vault
    accounts: OwnAccounts
    clock: Clock

    async def run(
        self, offsets: Mapping[UUID, timedelta], *, is_early: bool = False
    ) -> Sequence[BankFile]:
        """Claim what is due and bring every open file to its bank; answers what got there.

        `is_early` takes all that is queued, whenever its cut-off is.
        """
        found = {each.id: each for each in await self.accounts.of(list(offsets))}
        for account in found.values():
            await self._claim_all(account, offsets, is_early=is_early)
        by_account: dict[UUID, list[BankFile]] = {}
        for file in await self._open(offsets):
            by_account.setdefault(file.account_id, []).append(file)
        # One bank that is slow keeps no other waiting.
        brought = await asyncio.gather(
            *(
                self._bring_all(files, found[each], offsets)
                for each, files in by_account.items()
                if each in found
            )
        )
        UNDELIVERED.set(
            await self.database.single(lambda tx: file_store.count_open(tx, list(offsets)))
        )
        return [file for files in brought for file in files]

    async def next_due(self, org_id: UUID, *, after: datetime, until: datetime) -> datetime | None:
        """When the next payment of an organisation has to be written, between these."""
        return await self.database.single(
            lambda tx: payment_store.next_due(tx, org_id, after=after, until=until)
        )

    async def content(self, file: BankFile) -> bytes | None:
        """What is in a file; None before it is written, and once it was kept long enough."""

        async def read(tx: Tx) -> bytes | None:
            sealed = await file_store.content(tx, file.org_id, file.id)
            key = await self._key(tx, file.org_id)
            context = _content_context(file)
            return None if sealed is None else key.open_bytes(sealed, context=context)

        return await self.database.transact(read)

    async def files(self, account: OwnAccount, limit: int) -> Sequence[BankFile]:
        """The last files of an account, the last one first."""
        return await self.database.single(
            lambda tx: file_store.listed(tx, account.org_id, account.id, limit)
        )

    async def find(self, org_id: UUID, name: str) -> BankFile | None:
        """The file of this name."""
        return await self.database.single(lambda tx: file_store.by_name(tx, org_id, name))

    async def counts(self, account: OwnAccount) -> Mapping[str, tuple[int, datetime | None]]:
        """How many payments there are at each status, and when the first of them is due."""
        rows = await self.database.single(
            lambda tx: payment_store.counts(tx, account.org_id, account.id)
        )
        return {status: (row["count"], row["first_due_at"]) for status, row in rows.items()}

    async def sweep(self, clocks: Mapping[UUID, datetime], kept: timedelta) -> bool:
        """Forget the content of files that were kept long enough; whether there may be more."""
        until = {org_id: now - kept for org_id, now in clocks.items()}
        swept = await self.database.single(lambda tx: file_store.sweep(tx, until, limit=SWEEP_MAX))
        return swept == SWEEP_MAX

    async def _claim_all(
        self, account: OwnAccount, offsets: Mapping[UUID, timedelta], *, is_early: bool
    ) -> None:
        try:
            while await self._claim(account, self._stamp(offsets, account), is_early=is_early):
                pass
        except Exception as error:  # noqa: BLE001  one account must not stop the others
            _log.error("bank_files.not_claimed", id=str(account.id), exc_info=error)

    async def _claim(self, account: OwnAccount, at: datetime, *, is_early: bool) -> BankFile | None:
        """The next file of an account, with all that goes in it; None if nothing is due."""

        async def work(tx: Tx) -> BankFile | None:
            last = await account_store.lock(tx, account.org_id, account.id)
            due = await payment_store.due(
                tx, account.org_id, account.id, at=at, is_early=is_early, limit=PAYMENTS_MAX
            )
            payments = _that_fit(due)
            if not payments:
                return None
            # Made here: run again after a lost commit, this claims what is due then.
            file = _file(new_id(), account, payments, number=last + 1, at=at)
            await file_store.add(tx, file)
            await account_store.numbered(tx, account.org_id, account.id, file.number)
            keys = [each.key for each in payments]
            await payment_store.taken(tx, file.org_id, file.id, keys, at)
            await _tell(tx, file, seq=1, what="claim", at=at)
            return file

        return await self.database.transact(work)

    async def _open(self, org_ids: Collection[UUID]) -> Sequence[BankFile]:
        now = self.clock.now()
        return await self.database.single(
            lambda tx: file_store.undelivered(tx, list(org_ids), now=now, limit=FILES_MAX)
        )

    async def _lease(self, file: BankFile) -> bool:
        now, turn = self.clock.now(), new_id()
        return await self.database.single(
            lambda tx: file_store.lease(
                tx, file.org_id, file.id, now=now, until=now + LEASE, by=turn
            )
        )

    async def _bring_all(
        self, files: Sequence[BankFile], account: OwnAccount, offsets: Mapping[UUID, timedelta]
    ) -> list[BankFile]:
        """Those of an account in their order, as far as nobody else has them in hand.

        Once its place is away, the rest waits with the one that could not be delivered.
        """
        brought: list[BankFile] = []
        is_away = False
        for file in files:
            try:
                if not await self._lease(file):
                    continue
                if not is_away:
                    brought.append(await self._bring(file, account, self._stamp(offsets, account)))
                    continue
            except (Unavailable, TimeoutError) as error:
                is_away = True
                _log.warning("bank_files.not_delivered", file=file.name, reason=str(error))
            except Exception as error:  # noqa: BLE001  one file must not stop the others
                # It keeps its lease, so that what is wrong with it is tried and logged at times.
                _log.error("bank_files.failed", file=file.name, exc_info=error)
                continue
            await self._let_go(file)
        return brought

    async def _bring(self, file: BankFile, account: OwnAccount, at: datetime) -> BankFile:
        """Write and deliver a file that is in our hands."""
        content = await self._written(file, account)
        async with asyncio.timeout(DELIVERY_S):
            await deliver(open_place(account.told.place), file, content, account.currency)
        await self.database.transact(lambda tx: self._note_delivered(tx, file, at))
        return replace(file, delivered_at=at, size=len(content))

    async def _let_go(self, file: BankFile) -> None:
        until = self.clock.now() + _PAUSE
        await self.database.single(lambda tx: file_store.let_go(tx, file.org_id, file.id, until))

    async def _written(self, file: BankFile, account: OwnAccount) -> bytes:
        """The content of a file: what was kept, or what is assembled and kept now."""
        if file.digest is None:
            payments = await self.database.transact(lambda tx: self._opened(tx, file))
            # In a thread, and in no transaction: it takes a while.
            content = await asyncio.to_thread(assemble, file, account.told, payments)
            await self.database.transact(lambda tx: self._keep(tx, file, content))
        kept = await self.content(file)
        if kept is None:
            raise Broken(f"file {file.name} was written, and its content is gone")
        return kept

    async def _opened(self, tx: Tx, file: BankFile) -> list[tuple[BankPayment, Order]]:
        key = await self._key(tx, file.org_id)
        found: list[tuple[BankPayment, Order]] = []
        for each in await payment_store.of_file(tx, file.org_id, file.id):
            if each.sealed_order is None:
                raise Broken(f"payment {each.key} in {file.name} is blank before it is written")
            context = order_context(each.key)
            found.append((each, key.open(each.sealed_order, context=context, type=Order)))
        return found

    async def _keep(self, tx: Tx, file: BankFile, content: bytes) -> None:
        key = await self._key(tx, file.org_id)
        is_first = await file_store.written(
            tx,
            file.org_id,
            file.id,
            sealed_content=key.seal_bytes(content, context=_content_context(file)),
            digest=sha256(content).digest(),
            size=len(content),
        )
        if is_first:
            await payment_store.blank(tx, file.org_id, file.id)

    async def _note_delivered(self, tx: Tx, file: BankFile, at: datetime) -> None:
        if await file_store.delivered(tx, file.org_id, file.id, at):
            if file.format is Format.NACHA:
                await self._close(tx, file, at)
            await _tell(tx, file, seq=2, what="deliver", at=at)

    async def _close(self, tx: Tx, file: BankFile, at: datetime) -> None:
        """Time for returns runs from when the bank has a file, be it later than was meant."""
        effective = max(file.runs_on, effective_on(at, is_same_day=file.is_same_day))
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
            raise Broken(f"organisation {org_id} has files and no data key")
        return key

    def _stamp(self, offsets: Mapping[UUID, timedelta], account: OwnAccount) -> datetime:
        return self.clock.stamp(offsets[account.org_id])


async def deliver(place: Place, file: BankFile, content: bytes, currency: str) -> None:
    """Put a file where its bank fetches it, and the report after it; done again, nothing.

    The report says that the file was there: without the file, the bank has taken it.
    """
    report = f"{file.name}.json"
    if await place.read(Folder.CONTROL, report) is not None:
        return
    if await place.read(Folder.OUT, file.name) != content:
        await place.write(Folder.OUT, file.name, content)
    await place.write(Folder.CONTROL, report, control_report(file, content, currency))


def _that_fit(due: Sequence[BankPayment]) -> Sequence[BankPayment]:
    """As many as the sum of a file has digits for."""
    sums = accumulate(each.money.units for each in due)
    fit = [each for each, total in zip(due, sums, strict=True) if total <= BATCH_CENTS_MAX]
    return fit or due[:1]


def _file(
    file_id: UUID,
    account: OwnAccount,
    payments: Sequence[BankPayment],
    *,
    number: int,
    at: datetime,
) -> BankFile:
    first = payments[0]
    # The account's own mark, for several may share a place.
    mark = account.id.hex[-8:]
    name = f"{number:06d}-{account.currency}-{first.rail}-{mark}.{_ENDINGS[first.format]}"
    return BankFile(
        org_id=account.org_id,
        id=file_id,
        account_id=account.id,
        number=number,
        name=name,
        format=first.format,
        rail=first.rail,
        is_same_day=first.is_same_day,
        runs_on=_runs_on(first, account.currency, at),
        count=len(payments),
        units=sum(each.money.units for each in payments),
        digest=None,
        size=None,
        created_at=at,
        delivered_at=None,
    )


def _runs_on(payment: BankPayment, currency: str, at: datetime) -> date:
    """ACH: the day on which it shall settle; all else: the day on which the bank shall send it."""
    if payment.format is Format.NACHA:
        return effective_on(at, is_same_day=payment.is_same_day)
    zone = FRANKFURT if currency == "eur" else NEW_YORK
    return cut_off(payment.rail, at).astimezone(zone).date()


async def _tell(tx: Tx, file: BankFile, *, seq: int, what: str, at: datetime) -> None:
    await tell(
        tx,
        org_id=file.org_id,
        object_id=file.id,
        seq=seq,
        kind=FILE_KIND,
        what=what,
        actor=ACTOR,
        at=at,
        facts={"number": file.number, "name": file.name, "count": file.count},
    )


def _content_context(file: BankFile) -> str:
    return f"bank_files.content:{file.id}"

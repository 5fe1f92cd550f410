"""Files of the bank's: looked for, read, taken, and moved out of the way.

    rename     a file gets a name of its own, so that what comes under its name next is another.
    read       the whole file, before anything of it counts: one that can't be read is refused.
    take       its lines and balances (taking.py).
    move       the file, to where it is not looked for.
    apply      each line by itself (applying.py).

Guarantees:
- a worker that dies anywhere is followed by one that does the rest, and nothing twice;
- no file is lost or overwritten, whatever it is called;
- a place that is away, an account or a file that is broken stops no other;
- what a bank says of an account counts if the file lay at the place of that account;
- `read_at` of an account is a moment by which all that lay there is known and applied.
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

from landbridge.bank_files import account_store, answer_store, line_store, telling
from landbridge.bank_files.accounts import OwnAccount, OwnAccounts
from landbridge.bank_files.applying import Applying
from landbridge.bank_files.contents import Content, content_of
from landbridge.bank_files.errors import FileRefused
from landbridge.bank_files.line_model import Answer, LineStatus, Told
from landbridge.bank_files.places.opening import open_place, paths_of
from landbridge.bank_files.places.port import (
    Folder,
    Place,
    kept_name,
    plain_name,
    taken_name,
)
from landbridge.bank_files.taking import Taking, answer_of, name_context
from landbridge.core.clock import Clock
from landbridge.core.errors import Unavailable
from landbridge.db.pool import Database, Tx
from landbridge.privacy.service import Vault

_log = structlog.stdlib.get_logger()

# Files of one place at a time; the rest is there the next time.
FILES_MAX = 50
# And no other is begun after this, for a server may be slow with each of them.
_TURN_S = 300
# Places at a time: each may have a file of 50 MB in its hands.
_PLACES_AT_ONCE = 4
# One that can't be reached is not asked again before this.
_PAUSE_S = 60


@dataclass(frozen=True, slots=True)
class _Inbox:
    """A place of an organisation, with the accounts that share it."""

    path: str
    accounts: tuple[OwnAccount, ...]

    @property
    def org_id(self) -> UUID:
        return self.accounts[0].org_id

    @property
    def poll_s(self) -> int:
        return min(each.told.place.poll_seconds for each in self.accounts)


@dataclass(slots=True)
class _Look:
    """What came of a look at a place: files, and whether all that lay there was taken."""

    at: datetime
    answers: list[Answer] = field(default_factory=list[Answer])
    is_through: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """Reads what the banks of all organisations say."""

    database: Database
    vault: Vault
    accounts: OwnAccounts
    applying: Applying
    clock: Clock
    # When each place is looked at again, in this process's own seconds.
    _next_s: dict[tuple[UUID, str], float] = field(default_factory=dict[tuple[UUID, str], float])

    async def run(self, offsets: Mapping[UUID, timedelta]) -> Sequence[Answer]:
        """Take every file that is there, and apply what can be; answers the files."""
        return await self._look_at(_inboxes(await self.accounts.of(list(offsets))), offsets)

    async def poll(self, offsets: Mapping[UUID, timedelta]) -> Sequence[Answer]:
        """The same, of places whose `poll_seconds` are over since this process looked last."""
        now_s = time.monotonic()
        inboxes = _inboxes(await self.accounts.of(list(offsets)))
        due = [each for each in inboxes if self._next_s.get(_key(each), now_s) <= now_s]
        return await self._look_at(due, offsets)

    async def answers(self, account: OwnAccount, limit: int) -> Sequence[Answer]:
        """The last files of an account, the last one first."""

        async def read(tx: Tx) -> list[Answer]:
            key = await self.vault.make(tx, account.org_id, account.org_id)
            rows = await answer_store.listed(tx, account.org_id, account.id, limit)
            return [
                answer_of(each, key.open(each.sealed_name, context=name_context(each.id), type=str))
                for each in rows
            ]

        return await self.database.transact(read)

    async def counts(self, answer: Answer) -> Mapping[LineStatus, int]:
        """What has become of the lines that a file was the first to tell."""
        return await self.database.single(
            lambda tx: line_store.counts(tx, answer.org_id, answer.id)
        )

    async def _look_at(
        self, inboxes: Sequence[_Inbox], offsets: Mapping[UUID, timedelta]
    ) -> Sequence[Answer]:
        room = asyncio.Semaphore(_PLACES_AT_ONCE)

        async def look(inbox: _Inbox) -> _Look:
            async with room:
                return await self._look(inbox, offsets[inbox.org_id])

        looks = await asyncio.gather(*(look(each) for each in inboxes))
        await self.applying.run(offsets)
        for inbox, found in zip(inboxes, looks, strict=True):
            if found.is_through:
                await self._note_read(inbox, found.at)
        return [each for found in looks for each in found.answers]

    async def _look(self, inbox: _Inbox, offset: timedelta) -> _Look:
        """Take what lies at a place; one that is away, or broken, is looked at again."""
        found, pause_s = _Look(self.clock.now(offset)), inbox.poll_s
        try:
            await self._read(inbox, found, offset)
        except Unavailable as error:
            pause_s = max(pause_s, _PAUSE_S)
            _log.warning("bank_files.unreachable", **_named(inbox), reason=str(error))
        except Exception as error:  # noqa: BLE001  one place must not stop the others
            _log.error("bank_files.not_read", **_named(inbox), exc_info=error)
        self._next_s[_key(inbox)] = time.monotonic() + pause_s
        return found

    async def _read(self, inbox: _Inbox, found: _Look, offset: timedelta) -> None:
        place = open_place(inbox.accounts[0].told.place)
        until_s, names = time.monotonic() + _TURN_S, await place.names(Folder.IN)
        is_through = len(names) <= FILES_MAX
        for name in names[:FILES_MAX]:
            answer: Answer | None = None
            try:
                if time.monotonic() < until_s:
                    answer = await self._read_one(place, inbox, name, offset)
            except Unavailable as error:
                _log.warning("bank_files.unreachable", **_named(inbox), reason=str(error))
            except Exception as error:  # noqa: BLE001  one file must not stop the others
                _log.error("bank_files.file_failed", **_named(inbox), exc_info=error)
            if answer is None:
                # Somebody else may have it in hand.
                is_through = False
            else:
                found.answers.append(answer)
        found.is_through = is_through

    async def _read_one(
        self, place: Place, inbox: _Inbox, name: str, offset: timedelta
    ) -> Answer | None:
        """Take a file and move it; None if somebody else was faster."""
        taken, account = taken_name(name), inbox.accounts[0]
        if taken != name and not await place.move(Folder.IN, name, Folder.IN, taken):
            return None
        # Of one that is too large there is no other: it has this name alone.
        digest, told_name = sha256(taken.encode()).digest(), plain_name(taken)
        try:
            raw = await place.read(Folder.IN, taken)
            if raw is None:
                return None
            digest = sha256(raw).digest()
            # Aside: the largest of files takes seconds to be read.
            content = await asyncio.to_thread(content_of, raw, inbox.accounts)
        except FileRefused as error:
            draft = telling.refused(digest, told_name, str(error))
            content = Content(Told.REFUSED, ((account, draft),))
        taking = Taking(self.database, self.vault, self.clock)
        answer = await taking.take(account, content, told_name, digest, offset)
        folder = Folder.REFUSED if answer.format is Told.REFUSED else Folder.DONE
        await place.move(Folder.IN, taken, folder, kept_name(taken))
        return answer

    async def _note_read(self, inbox: _Inbox, at: datetime) -> None:
        versions = {each.id: each.version for each in inbox.accounts}
        await self.database.single(
            lambda tx: account_store.note_read(tx, inbox.org_id, versions, at)
        )


def _inboxes(accounts: Iterable[OwnAccount]) -> list[_Inbox]:
    """Each place once; of an organisation's accounts, several may share one."""

    def key(account: OwnAccount) -> tuple[UUID, str]:
        return account.org_id, paths_of(account.told.place)[Folder.IN]

    ordered = sorted(accounts, key=lambda each: (*key(each), each.currency))
    return [_Inbox(path, tuple(each)) for (_, path), each in groupby(ordered, key)]


def _key(inbox: _Inbox) -> tuple[UUID, str]:
    return inbox.org_id, inbox.path


def _named(inbox: _Inbox) -> Mapping[str, str]:
    """For the log: neither path nor name, which may tell of a customer."""
    return {"org_id": str(inbox.org_id), "id": str(inbox.accounts[0].id)}

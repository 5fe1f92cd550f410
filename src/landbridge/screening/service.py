"""Verbs on sanctions lists: load one, and compare names with it.

Guarantees:
- a load is one transaction: names are compared with the old version or the new one, never with a
  part of one, and a file that is refused changes nothing; of loads at once each sees what the one
  before it left;
- whoever was approved under `hold` was compared with the list that is active when that commits;
- every process compares with the version that is active when it is asked, from memory; only that
  one question goes to the database;
- arranging a list and comparing names happen in threads, one at a time in each process.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import structlog

from landbridge.core.clock import Clock
from landbridge.core.errors import Busy
from landbridge.core.ids import new_id
from landbridge.db.pool import Database, Tx
from landbridge.screening import store
from landbridge.screening.index import Index
from landbridge.screening.model import (
    Entry,
    EntryType,
    Hit,
    ListRefused,
    ListReplaced,
    Loaded,
    SanctionsList,
    Screened,
    Subject,
    Version,
)
from landbridge.screening.names import is_readable

_log = structlog.stdlib.get_logger()

# A list that has lost more than this part of its entries since the last one is rather half a file.
_LOSS_PERCENT_MAX = 20
# The publisher changes it several times a month, often within days.
_AGE_MAX = timedelta(days=7)
# Entries that are written at once: about a megabyte.
_BATCH_SIZE = 2_000


@dataclass(frozen=True, slots=True)
class _Arranged:
    """The active versions in memory."""

    ids: tuple[UUID, ...]
    label: str | None
    individuals: Index
    entities: Index


class Screening:
    """The sanctions lists of the installation."""

    def __init__(
        self, database: Database, clock: Clock, *, score_min: int, needs_list: bool = False
    ) -> None:
        """Take the score from which on a name is a hit, 1 to 100.

        `needs_list`: without a list everybody has to be looked at, as in production.
        """
        self._database = database
        self._clock = clock
        self._score_min = score_min
        self._needs_list = needs_list
        self._arranged: _Arranged | None = None
        self._turn = asyncio.Lock()

    async def screen(self, subjects: Sequence[Subject]) -> Screened:
        """Which listed names these are like. Without a list: no version and no hits."""
        async with self._turn:
            arranged = await self._current()
            if arranged is None:
                return Screened(None, (), lacks_list=self._needs_list)
            hits = await asyncio.to_thread(_find, arranged, subjects, self._score_min)
        unread = tuple(each.name for each in subjects if not is_readable(each.name))
        return Screened(arranged.label, hits, unread)

    async def hold(self, tx: Tx, list_version: str | None) -> None:
        """Keep the list from being replaced until `tx` ends; waits for a load that is under way.

        Raises `ListReplaced` if it is not the one that `screen` named as `list_version`.
        """
        if _label(await store.hold(tx)) != list_version:
            raise ListReplaced(f"names were compared with {list_version}, which was replaced")

    async def load(self, told: SanctionsList, *, is_forced: bool = False) -> Loaded:
        """Make a list the active version; raises `ListRefused` for one that has shrunk too much.

        The version before stays for reference, older ones go. The same list again changes nothing.
        Waits for a load or an approval that is under way; raises `Busy` if that takes too long.
        """
        version = Version(
            id=new_id(),
            list=told.name,
            digest=told.digest,
            published_on=told.published_on,
            entry_count=len(told.entries),
            loaded_at=self._clock.stamp(),
            is_active=True,
        )

        async def work(tx: Tx) -> Loaded:
            before = await store.lock(tx, told.name)
            if before is not None and before.digest == told.digest:
                return Loaded(before, added=0, removed=0, changed=0, was_there=True)
            if before is not None and not is_forced:
                _check_loss(before, told)
            known = {} if before is None else await _by_id(tx, before)
            await store.retire(tx, told.name)
            await store.add(tx, version)
            for at in range(0, len(told.entries), _BATCH_SIZE):
                await store.add_entries(tx, version.id, told.entries[at : at + _BATCH_SIZE])
            await store.forget(tx, told.name, but=version.id if before is None else before.id)
            return _changes(version, known, {each.id: each for each in told.entries})

        return await self._database.transact(work)

    async def versions(self) -> list[Version]:
        """Every version that is kept, the newest first."""
        return await self._database.single(store.versions)

    async def warn_of_lists(self) -> None:
        """Say in the log that names are compared with nothing, or with an old list, if so."""
        found = await self._database.single(store.active)
        if not found:
            _log.warning("screening.no_list", reason="no sanctions list is loaded")
        for version in found:
            if self._clock.now() - version.loaded_at > _AGE_MAX:
                _log.warning("screening.old_list", kind=version.list, reason="older than a week")

    async def _current(self) -> _Arranged | None:
        """The active versions, arranged anew if they have changed."""
        found = await self._database.single(store.active)
        ids = tuple(each.id for each in found)
        if self._arranged is None or self._arranged.ids != ids:
            self._arranged = None
            if found:
                self._arranged = await self._arrange(found)
        return self._arranged

    async def _arrange(self, found: Sequence[Version]) -> _Arranged:
        entries = [entry for version in found for entry in await self._entries(version)]
        if len(entries) != sum(version.entry_count for version in found):
            raise Busy("the sanctions list was replaced while it was read")
        people, others = await asyncio.to_thread(_indexes, entries)
        return _Arranged(
            ids=tuple(each.id for each in found),
            label=_label(found),
            individuals=people,
            entities=others,
        )

    async def _entries(self, version: Version) -> list[Entry]:
        """All that a version lists, read in parts, so that requests go on meanwhile."""
        read: list[Entry] = []
        while True:
            after = read[-1].id if read else ""
            part = await self._database.single(
                lambda tx, after=after: store.entries(
                    tx, version.id, after=after, limit=_BATCH_SIZE
                )
            )
            read += part
            if len(part) < _BATCH_SIZE:
                return read


def _label(found: Sequence[Version]) -> str | None:
    """As what was compared with is kept; None without a list."""
    return "; ".join(each.label for each in found) or None


def _indexes(entries: Sequence[Entry]) -> tuple[Index, Index]:
    return (
        Index((each for each in entries if each.type is EntryType.INDIVIDUAL), is_business=False),
        Index((each for each in entries if each.type is EntryType.ENTITY), is_business=True),
    )


def _find(arranged: _Arranged, subjects: Sequence[Subject], score_min: int) -> tuple[Hit, ...]:
    hits: list[Hit] = []
    for subject in subjects:
        hits += arranged.individuals.find(subject, score_min=score_min)
        if subject.type == "business":
            # Compared with people too: many a business has its owner's name.
            hits += arranged.entities.find(subject, score_min=score_min)
    return tuple(hits)


async def _by_id(tx: Tx, version: Version) -> dict[str, Entry]:
    found = await store.entries(tx, version.id, after="", limit=version.entry_count)
    return {each.id: each for each in found}


def _check_loss(before: Version, told: SanctionsList) -> None:
    lost = before.entry_count - len(told.entries)
    if lost * 100 > before.entry_count * _LOSS_PERCENT_MAX:
        raise ListRefused(
            f"The new {told.name} list has {len(told.entries)} entries, the present one "
            f"{before.entry_count}. If that is right, load it with --force."
        )


def _changes(version: Version, before: dict[str, Entry], after: dict[str, Entry]) -> Loaded:
    stayed = before.keys() & after.keys()
    return Loaded(
        version,
        added=len(after.keys() - before.keys()),
        removed=len(before.keys() - after.keys()),
        changed=sum(before[each] != after[each] for each in stayed),
        was_there=False,
    )

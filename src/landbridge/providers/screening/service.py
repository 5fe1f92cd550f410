"""Sanctions lists: load one, and screen names against it.

Guarantees:
- A load is one transaction: names are compared with the old version or the new one, never with a
  partial one. A rejected file changes nothing. Concurrent loads run one after the other.
- A user approved under `hold` was screened against the list that is active at that commit.
- Every process compares with the currently active version, from memory; only the version check
  queries the database.
- Indexing and comparing run in threads, one at a time per process.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import structlog

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.screening import store
from landbridge.providers.screening.index import NameIndex
from landbridge.providers.screening.model import (
    ListLoadResult,
    ListRejected,
    ListReplaced,
    SanctionsEntry,
    SanctionsEntryType,
    SanctionsList,
    SanctionsListVersion,
    ScreeningMatch,
    ScreeningResult,
    ScreeningSubject,
    comparable_address,
)
from landbridge.providers.screening.names import is_readable

_log = structlog.stdlib.get_logger()

# A list that lost more than this share of its entries is taken for a truncated file.
_LOSS_PERCENT_MAX = 20
# The publisher updates it several times a month, often within days.
_AGE_MAX = timedelta(days=7)
# Entries per statement: about a megabyte.
_BATCH_SIZE = 2_000


@dataclass(frozen=True, slots=True)
class _LoadedLists:
    """The active versions in memory."""

    ids: tuple[UUID, ...]
    label: str | None
    individuals: NameIndex
    entities: NameIndex


class Screening:
    """Sanctions lists of the installation."""

    def __init__(
        self, database: Database, clock: Clock, *, score_min: int, needs_list: bool = False
    ) -> None:
        """Take the minimum score of a hit, 1 to 100.

        `needs_list`: without a list everyone needs a manual review, as in production.
        """
        self._database = database
        self._clock = clock
        self._score_min = score_min
        self._needs_list = needs_list
        self._arranged: _LoadedLists | None = None
        self._lock = asyncio.Lock()

    async def screen(self, subjects: Sequence[ScreeningSubject]) -> ScreeningResult:
        """Return similar listed names. Without a list: no version and no hits."""
        async with self._lock:
            arranged = await self._current()
            if arranged is None:
                return ScreeningResult(None, (), lacks_list=self._needs_list)
            hits = await asyncio.to_thread(_find, arranged, subjects, self._score_min)
        unread = tuple(each.name for each in subjects if not is_readable(each.name))
        return ScreeningResult(arranged.label, hits, unread)

    async def blocked_addresses(self, addresses: Sequence[str]) -> frozenset[str]:
        """Return those of these addresses, as given, that an active list has.

        The case of EVM addresses is ignored. Always reads the version that is active now.
        """
        comparable = {each: comparable_address(each) for each in addresses}
        listed = await self._database.single(
            lambda tx: store.listed_addresses(tx, list(comparable.values()))
        )
        return frozenset(each for each, key in comparable.items() if key in listed)

    async def hold(self, tx: Tx, list_version: str | None) -> None:
        """Lock the list until `tx` ends; waits for a running load.

        Raises `ListReplaced` if it is not the version that `screen` returned as `list_version`.
        """
        if _label(await store.hold(tx)) != list_version:
            raise ListReplaced(f"names were compared with {list_version}, which was replaced")

    async def load(self, new_list: SanctionsList, *, is_forced: bool = False) -> ListLoadResult:
        """Make a list the active version; raises `ListRejected` if it shrank too much.

        The previous version stays for reference, older ones are deleted. Loading the same list
        again changes nothing. Waits for a running load or approval; raises `Busy` if that takes too
        long.
        """
        version = SanctionsListVersion(
            id=new_id(),
            list=new_list.name,
            digest=new_list.digest,
            published_on=new_list.published_on,
            entry_count=len(new_list.entries),
            loaded_at=self._clock.stamp(),
            is_active=True,
        )

        async def work(tx: Tx) -> ListLoadResult:
            before = await store.lock(tx, new_list.name)
            if before is not None and before.digest == new_list.digest:
                return ListLoadResult(before, added=0, removed=0, changed=0, was_loaded=True)
            if before is not None and not is_forced:
                _check_loss(before, new_list)
            known = {} if before is None else await _by_id(tx, before)
            await store.retire(tx, new_list.name)
            await store.add(tx, version)
            for at in range(0, len(new_list.entries), _BATCH_SIZE):
                await store.add_entries(tx, version.id, new_list.entries[at : at + _BATCH_SIZE])
            await store.forget(tx, new_list.name, but=version.id if before is None else before.id)
            return _changes(version, known, {each.id: each for each in new_list.entries})

        return await self._database.transact(work)

    async def versions(self) -> list[SanctionsListVersion]:
        """Return every stored version, newest first."""
        return await self._database.single(store.versions)

    async def warn_about_lists(self) -> None:
        """Log a warning if no list, or an old list, is loaded."""
        found = await self._database.single(store.active)
        if not found:
            _log.warning("screening.no_list", reason="no sanctions list is loaded")
        for version in found:
            if self._clock.now() - version.loaded_at > _AGE_MAX:
                _log.warning("screening.old_list", kind=version.list, reason="older than a week")

    async def _current(self) -> _LoadedLists | None:
        """Return the active versions, indexed again if they changed."""
        found = await self._database.single(store.active)
        ids = tuple(each.id for each in found)
        if self._arranged is None or self._arranged.ids != ids:
            self._arranged = None
            if found:
                self._arranged = await self._arrange(found)
        return self._arranged

    async def _arrange(self, found: Sequence[SanctionsListVersion]) -> _LoadedLists:
        entries = [entry for version in found for entry in await self._entries(version)]
        if len(entries) != sum(version.entry_count for version in found):
            raise Busy("the sanctions list was replaced while it was read")
        people, others = await asyncio.to_thread(_indexes, entries)
        return _LoadedLists(
            ids=tuple(each.id for each in found),
            label=_label(found),
            individuals=people,
            entities=others,
        )

    async def _entries(self, version: SanctionsListVersion) -> list[SanctionsEntry]:
        """Read a version's entries in batches, so that requests can run in between."""
        read: list[SanctionsEntry] = []
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


def _label(found: Sequence[SanctionsListVersion]) -> str | None:
    """Return the stored label of the compared versions; None without a list."""
    return "; ".join(each.label for each in found) or None


def _indexes(entries: Sequence[SanctionsEntry]) -> tuple[NameIndex, NameIndex]:
    return (
        NameIndex(
            (each for each in entries if each.type is SanctionsEntryType.INDIVIDUAL),
            is_business=False,
        ),
        NameIndex(
            (each for each in entries if each.type is SanctionsEntryType.ENTITY), is_business=True
        ),
    )


def _find(
    arranged: _LoadedLists, subjects: Sequence[ScreeningSubject], score_min: int
) -> tuple[ScreeningMatch, ...]:
    hits: list[ScreeningMatch] = []
    for subject in subjects:
        hits += arranged.individuals.find(subject, score_min=score_min)
        if subject.type == "business":
            # Also compared with individuals: many businesses carry their owner's name.
            hits += arranged.entities.find(subject, score_min=score_min)
    return tuple(hits)


async def _by_id(tx: Tx, version: SanctionsListVersion) -> dict[str, SanctionsEntry]:
    found = await store.entries(tx, version.id, after="", limit=version.entry_count)
    return {each.id: each for each in found}


def _check_loss(before: SanctionsListVersion, new_list: SanctionsList) -> None:
    removed_count = before.entry_count - len(new_list.entries)
    if removed_count * 100 > before.entry_count * _LOSS_PERCENT_MAX:
        raise ListRejected(
            f"The new {new_list.name} list has {len(new_list.entries)} entries, the present one "
            f"{before.entry_count}. If that is right, load it with --force."
        )


def _changes(
    version: SanctionsListVersion,
    before: dict[str, SanctionsEntry],
    after: dict[str, SanctionsEntry],
) -> ListLoadResult:
    stayed = before.keys() & after.keys()
    return ListLoadResult(
        version,
        added=len(after.keys() - before.keys()),
        removed=len(before.keys() - after.keys()),
        changed=sum(before[each] != after[each] for each in stayed),
        was_loaded=False,
    )

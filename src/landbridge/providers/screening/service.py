"""Sanctions lists: load one, and screen names against it.

Guarantees:
- A load is one transaction: names are compared with the old version or the new one, never with a
  partial one. A rejected file changes nothing. Concurrent loads run one after the other.
- A user approved under `hold` was screened against the lists that are active at that commit.
- Each list is loaded, replaced and removed separately. A name is compared with all lists.
- Every process compares with the currently active versions, from memory; only the version check
  queries the database. A replaced list is indexed again, the others are not.
- Indexing runs in a thread, one list at a time per process. Comparisons run in threads too, a few
  at a time and one for each organisation, so that many or long names of one organisation delay no
  other.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

import structlog

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.fair_semaphore import FairSemaphore
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

# Percentage of entries; a list that lost more is assumed to be a truncated file.
_LOSS_PERCENT_MAX = 20
# Age at which a list is old: publishers update lists several times a month, often within days.
_AGE_MAX = timedelta(days=7)
# Concurrent comparisons: a name of many common words occupies a thread for a second.
_COMPARISONS_AT_ONCE = 2
# Entries per statement, about a megabyte.
_BATCH_SIZE = 2_000


@dataclass(frozen=True, slots=True)
class _IndexedList:
    """Active version of a list, in memory."""

    individuals: NameIndex
    entities: NameIndex


@dataclass(frozen=True, slots=True)
class _LoadedLists:
    """Active versions of all lists, in memory."""

    label: str
    names: frozenset[str]
    lists: tuple[_IndexedList, ...]


class Screening:
    """Sanctions lists of the installation."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        score_min: int,
        required_lists: Sequence[str] = (),
    ) -> None:
        """`score_min` is the minimum score of a hit, 1 to 100.

        `required_lists`: if one of them is not loaded, everyone needs a manual review, as in
        production.
        """
        self._database = database
        self._clock = clock
        self._score_min = score_min
        self.required_lists = tuple(required_lists)
        self._indexed: dict[UUID, _IndexedList] = {}
        self._lock = asyncio.Lock()
        self._turns = FairSemaphore(_COMPARISONS_AT_ONCE, each=1)

    async def screen(
        self, subjects: Sequence[ScreeningSubject], *, org_id: UUID | None = None
    ) -> ScreeningResult:
        """Return similar names from every list; without any list there is no version and no hit.

        Comparisons of an organisation run one after the other, as do those without an organisation.
        """
        await self._turns.acquire(org_id)
        try:
            async with self._lock:
                loaded = await self._current()
            if loaded is None:
                return ScreeningResult(None, (), lacks_list=bool(self.required_lists))
            hits = await asyncio.to_thread(_find, loaded, subjects, self._score_min)
        finally:
            self._turns.release(org_id)
        unread = tuple(each.name for each in subjects if not is_readable(each.name))
        lacks_list = not loaded.names.issuperset(self.required_lists)
        return ScreeningResult(loaded.label, hits, unread, lacks_list)

    async def blocked_addresses(self, addresses: Sequence[str]) -> frozenset[str]:
        """Return those of these addresses that an active list has, as given.

        The case of EVM addresses is ignored. Always reads the currently active versions.
        """
        comparable = {each: comparable_address(each) for each in addresses}
        listed = await self._database.single(
            lambda tx: store.listed_addresses(tx, list(comparable.values()))
        )
        return frozenset(each for each, key in comparable.items() if key in listed)

    async def hold(self, tx: Tx, list_version: str | None) -> None:
        """Lock the lists until `tx` ends; waits for a running load.

        Raises `ListReplaced` if they are not the versions that `screen` returned as `list_version`.
        """
        if _label(await store.lock_active_versions(tx)) != list_version:
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
                return ListLoadResult(
                    before, added=0, removed=0, changed=0, was_already_loaded=True
                )
            if before is not None and not is_forced:
                _check_loss(before, new_list)
            await store.retire(tx, new_list.name)
            await store.add(tx, version)
            for at in range(0, len(new_list.entries), _BATCH_SIZE):
                await store.add_entries(tx, version.id, new_list.entries[at : at + _BATCH_SIZE])
            await store.delete_inactive_versions(
                tx, new_list.name, but=version.id if before is None else before.id
            )
            if before is None:
                return ListLoadResult(
                    version,
                    added=version.entry_count,
                    removed=0,
                    changed=0,
                    was_already_loaded=False,
                )
            added, removed, changed = await store.differences(tx, before.id, version.id)
            return ListLoadResult(version, added, removed, changed, was_already_loaded=False)

        return await self._database.transact(work)

    async def unload(self, name: str) -> SanctionsListVersion:
        """Delete every version of a list; return the active one, or raise `ListRejected`.

        Names are then compared with the remaining lists. Waits as `load` does.
        """

        async def work(tx: Tx) -> SanctionsListVersion:
            active = await store.lock(tx, name)
            if active is None:
                raise ListRejected(f"No list {name[:50]!r} is loaded.")
            await store.delete(tx, name)
            return active

        return await self._database.transact(work)

    async def versions(self) -> list[SanctionsListVersion]:
        """Return every stored version, newest first."""
        return await self._database.single(store.versions)

    async def warn_about_lists(self) -> None:
        """Log a warning for each required list that is missing, and each list that is old."""
        found = await self._database.single(store.active)
        for name in sorted({*self.required_lists} - {each.list for each in found}):
            _log.warning("screening.no_list", kind=name, reason="this required list is not loaded")
        for version in found:
            if self._clock.now() - version.loaded_at > _AGE_MAX:
                _log.warning("screening.old_list", kind=version.list, reason="older than a week")

    async def _current(self) -> _LoadedLists | None:
        """Return the active versions, None without any; new ones are indexed first."""
        found = await self._database.single(store.active)
        # Replaced versions are freed before their successors use memory.
        self._indexed = {
            each.id: self._indexed[each.id] for each in found if each.id in self._indexed
        }
        for version in found:
            if version.id not in self._indexed:
                self._indexed[version.id] = await self._index(version)
        label = _label(found)
        if label is None:
            return None
        return _LoadedLists(
            label=label,
            names=frozenset(each.list for each in found),
            lists=tuple(self._indexed[each.id] for each in found),
        )

    async def _index(self, version: SanctionsListVersion) -> _IndexedList:
        entries = await self._entries(version)
        if len(entries) != version.entry_count:
            raise Busy("the sanctions list was replaced while it was read")
        return await asyncio.to_thread(_indexes, version.list, entries)

    async def _entries(self, version: SanctionsListVersion) -> list[SanctionsEntry]:
        """Read a version's entries in batches, so that requests run in between."""
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
    """Return the label of these versions, as it is stored with decisions; None without a list."""
    return "; ".join(each.label for each in found) or None


def _indexes(list_name: str, entries: Sequence[SanctionsEntry]) -> _IndexedList:
    def index(type_: SanctionsEntryType, *, is_business: bool) -> NameIndex:
        selected = (each for each in entries if each.type is type_)
        return NameIndex(selected, list_name=list_name, is_business=is_business)

    return _IndexedList(
        individuals=index(SanctionsEntryType.INDIVIDUAL, is_business=False),
        entities=index(SanctionsEntryType.ENTITY, is_business=True),
    )


def _find(
    loaded: _LoadedLists, subjects: Sequence[ScreeningSubject], score_min: int
) -> tuple[ScreeningMatch, ...]:
    hits: list[ScreeningMatch] = []
    for subject in subjects:
        for each in loaded.lists:
            hits += each.individuals.find(subject, score_min=score_min)
            if subject.type == "business":
                # Businesses are compared with individuals too: many have the name of their owner.
                hits += each.entities.find(subject, score_min=score_min)
            elif subject.is_type_unverified:
                business = replace(subject, type="business", born=None)
                hits += each.entities.find(business, score_min=score_min)
    return tuple(hits)


def _check_loss(before: SanctionsListVersion, new_list: SanctionsList) -> None:
    removed_count = before.entry_count - len(new_list.entries)
    if removed_count * 100 > before.entry_count * _LOSS_PERCENT_MAX:
        raise ListRejected(
            f"The new {new_list.name} list has {len(new_list.entries)} entries, the present one "
            f"{before.entry_count}. If that is right, load it with --force."
        )

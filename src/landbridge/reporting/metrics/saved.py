"""The verbs of metrics that an organisation has saved.

Guarantees:
- what is saved could be calculated when it was: it passed all checks of a preview. A change of the
  name alone looks at no parameters, for what was good once need not be so still;
- changes are merged into what is there, parameter by parameter, and two that come at once both
  hold: the later one is checked again with what the earlier one made of the metric;
- an organisation has at most `METRICS_MAX`, with `PARAMS_BYTES_MAX` of parameters, however many are
  saved at once;
- every change is told in the log, under the metric's lock, without the name: people choose it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from landbridge.changes.service import tell
from landbridge.core.clock import Clock
from landbridge.core.errors import (
    Busy,
    FieldInvalid,
    FieldsInvalid,
    ResourceConflict,
    ResourceNotFound,
)
from landbridge.core.ids import new_id
from landbridge.db.pool import Database, Tx
from landbridge.formats.texts import check_text
from landbridge.reporting.metrics import saved_store as store
from landbridge.reporting.metrics.calculating import Calculator
from landbridge.reporting.metrics.model import Result
from landbridge.reporting.metrics.params_json import as_stored
from landbridge.reporting.metrics.saved_model import (
    KIND,
    METRICS_MAX,
    NAME_LENGTH_MAX,
    PARAMS_BYTES_MAX,
    SavedMetric,
)
from landbridge.web.caller import Caller, check_editor

# Each time that one is too late, another was not: so many at once for one metric are no people.
_TRIES_MAX = 20


@dataclass(frozen=True, slots=True)
class SavedMetrics:
    """Creates, lists, changes, deletes and calculates them, for all organisations."""

    database: Database
    clock: Clock
    calculator: Calculator

    async def create(
        self, caller: Caller, template: str, *, name: str, params: Mapping[str, Any]
    ) -> SavedMetric:
        """Save a metric; parameters that are None or empty count as left out.

        Raises `FieldsInvalid` with all that is wrong, `RoleNotAllowed`, and `ResourceConflict`
        where there are enough.
        """
        check_editor(caller)
        metric_id = new_id()
        kept, told = await self._checked(caller, template, name=name, params=params)
        assert told is not None  # as there were some
        at = self.clock.stamp(caller.clock_offset)
        metric = SavedMetric(
            org_id=caller.org_id,
            id=metric_id,
            template=template,
            name=kept,
            params=told,
            version=1,
            created_at=at,
            updated_at=at,
        )

        async def work(tx: Tx) -> SavedMetric:
            await store.lock_org(tx, caller.org_id)
            known = await store.get(tx, caller.org_id, metric_id)
            if known is not None:
                return known  # saved by an attempt whose commit was not heard of
            await _check_room(tx, metric)
            await store.add(tx, metric)
            await _tell(tx, metric, "create", actor=caller.actor, changed=["name", *told])
            return metric

        return await self.database.transact(work)

    async def update(
        self,
        caller: Caller,
        metric_id: UUID,
        *,
        name: str | None,
        params: Mapping[str, Any] | None,
    ) -> SavedMetric:
        """Change the name, or these parameters; others stay, and one that is None or empty goes.

        Nothing happens where all is so already. Raises as `create`, and `ResourceNotFound`.
        """
        check_editor(caller)
        for _ in range(_TRIES_MAX):
            before = await self.get(caller.org_id, metric_id)
            kept, told = await self._checked(
                caller,
                before.template,
                name=before.name if name is None else name,
                params={**before.params, **params} if params else None,
            )
            after = replace(before, name=kept, params=before.params if told is None else told)
            if after == before:
                return before
            at = self.clock.stamp(caller.clock_offset)
            after = replace(after, version=before.version + 1, updated_at=at)
            if await self._replace(before, after, actor=caller.actor):
                return after
        raise Busy("the metric is changed by many at once")

    async def delete(self, caller: Caller, metric_id: UUID) -> SavedMetric:
        """Let a metric be gone for good; the metric that it was.

        Raises `ResourceNotFound` and `RoleNotAllowed`.
        """
        check_editor(caller)
        at = self.clock.stamp(caller.clock_offset)
        deleted: SavedMetric | None = None

        async def work(tx: Tx) -> SavedMetric:
            nonlocal deleted
            metric = await store.lock(tx, caller.org_id, metric_id)
            if metric is None:
                if deleted is not None:
                    return deleted  # by an attempt whose commit was not heard of
                raise _unknown(metric_id)
            deleted = metric
            await store.delete(tx, caller.org_id, metric_id)
            gone = replace(metric, version=metric.version + 1, updated_at=at)
            await _tell(tx, gone, "delete", actor=caller.actor, changed=[])
            return metric

        return await self.database.transact(work)

    async def get(self, org_id: UUID, metric_id: UUID) -> SavedMetric:
        """A metric; raises `ResourceNotFound`."""
        found = await self.database.single(lambda tx: store.get(tx, org_id, metric_id))
        if found is None:
            raise _unknown(metric_id)
        return found

    async def page(self, org_id: UUID) -> Sequence[SavedMetric]:
        """All metrics of an organisation, newest first."""
        return await self.database.single(lambda tx: store.page(tx, org_id))

    async def results(self, caller: Caller, metric_id: UUID) -> tuple[SavedMetric, Result]:
        """A metric, and what it comes to now.

        Raises `ResourceNotFound`, and `FieldsInvalid` where its parameters are good no more, as
        those with a zone that was the organisation's once.
        """
        metric = await self.get(caller.org_id, metric_id)
        return metric, await self.calculator.calculate(caller, metric.template, metric.params)

    async def _checked(
        self, caller: Caller, template: str, *, name: str, params: Mapping[str, Any] | None
    ) -> tuple[str, Mapping[str, Any] | None]:
        """A name, and parameters if there are any, as they are kept.

        Raises `FieldsInvalid` with all that is wrong.
        """
        faults: dict[str, str] = {}
        kept, told = name, params
        try:
            kept = check_text("name", name, length_max=NAME_LENGTH_MAX)
        except FieldInvalid as error:
            faults["name"] = error.message
        try:
            if params is not None:
                question = await self.calculator.ask(caller, template, params)
                told = as_stored(question.told)
        except FieldsInvalid as error:
            faults |= error.fields
        if faults:
            raise FieldsInvalid(faults)
        return kept, told

    async def _replace(self, before: SavedMetric, after: SavedMetric, *, actor: str) -> bool:
        """Whether the metric was still as `before`; then it is as `after`."""

        async def work(tx: Tx) -> bool:
            await store.lock_org(tx, before.org_id)
            stored = await store.lock(tx, before.org_id, before.id)
            if stored is None:
                raise _unknown(before.id)
            if stored.updated_at == after.updated_at:
                return True  # changed by an attempt whose commit was not heard of
            if stored.version != before.version:
                return False
            if store.params_bytes(after) > store.params_bytes(before):
                await _check_room(tx, after)
            await store.update(tx, after)
            await _tell(tx, after, "update", actor=actor, changed=_changed(before, after))
            return True

        return await self.database.transact(work)


async def _check_room(tx: Tx, metric: SavedMetric) -> None:
    """Raise `ResourceConflict` if there can't be this one, too; the organisation is locked."""
    others = await store.others(tx, metric)
    if others.metrics >= METRICS_MAX:
        raise ResourceConflict(f"there are {METRICS_MAX:,} saved metrics already; delete one")
    if others.params_bytes + store.params_bytes(metric) > PARAMS_BYTES_MAX:
        raise ResourceConflict(
            "the parameters of all saved metrics have more than "
            f"{PARAMS_BYTES_MAX // 1_000_000} MB together; name fewer users, or delete one"
        )


async def _tell(
    tx: Tx, metric: SavedMetric, what: str, *, actor: str, changed: Sequence[str]
) -> None:
    await tell(
        tx,
        org_id=metric.org_id,
        object_id=metric.id,
        seq=metric.version,
        kind=KIND,
        what=what,
        actor=actor,
        at=metric.updated_at,
        facts={"template": metric.template, "changed": list(changed)},
    )


def _changed(before: SavedMetric, after: SavedMetric) -> list[str]:
    """The names of what is another, or is no more: of the parameters, and `name`."""
    names = ["name"] if before.name != after.name else []
    params = dict.fromkeys([*before.params, *after.params])
    return names + [each for each in params if before.params.get(each) != after.params.get(each)]


def _unknown(metric_id: UUID) -> ResourceNotFound:
    return ResourceNotFound(f"there is no metric {metric_id}")

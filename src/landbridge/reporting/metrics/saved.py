"""Manages saved metrics.

Guarantees:
- A saved metric has passed all checks of a preview. Renaming does not check parameters, because
  parameters that were valid when saved may be invalid later.
- Changes are merged parameter by parameter. Two concurrent changes both take effect: the later one
  is validated again on top of the earlier one.
- An organisation has at most `METRICS_MAX` metrics with `PARAMS_BYTES_MAX` of parameters, even
  after concurrent requests.
- Every change is recorded in the log, under the metric's lock, without the name, which may be
  personal data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from landbridge.platform.changes.service import append_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import (
    FieldInvalid,
    FieldsInvalid,
    ResourceConflict,
    ResourceNotFound,
)
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.optimistic_retry import optimistic_retry
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.formats.texts import check_text
from landbridge.platform.http.caller import Caller, check_editor
from landbridge.platform.idempotency.model import Claim, no_claim
from landbridge.reporting.metrics import saved_store as store
from landbridge.reporting.metrics.calculator import Calculator
from landbridge.reporting.metrics.custom.model import at_version
from landbridge.reporting.metrics.custom.service import check_exists
from landbridge.reporting.metrics.model import MetricResult
from landbridge.reporting.metrics.params import as_stored
from landbridge.reporting.metrics.saved_model import (
    KIND,
    METRICS_MAX,
    NAME_LENGTH_MAX,
    PARAMS_BYTES_MAX,
    SavedMetric,
)


@dataclass(frozen=True, slots=True)
class SavedMetrics:
    """Creates, lists, changes, deletes and calculates saved metrics of all organisations."""

    database: Database
    clock: Clock
    calculator: Calculator

    async def create(
        self,
        caller: Caller,
        template: str,
        *,
        name: str,
        params: Mapping[str, Any],
        claim: Claim = no_claim,
    ) -> SavedMetric:
        """Save a metric; parameters that are None or empty count as absent.

        Raises `FieldsInvalid` with every invalid field, `RoleNotAllowed`, and `ResourceConflict` at
        the maximum number or size of metrics.
        """
        check_editor(caller)
        metric_id, template = new_id(), await self._reference(caller.org_id, template)
        checked_name, checked_params = await self._checked(
            caller, template, name=name, params=params
        )
        assert checked_params is not None  # locks against concurrent additions
        at = self.clock.stamp(caller.clock_offset)
        metric = SavedMetric(
            org_id=caller.org_id,
            id=metric_id,
            template=template,
            name=checked_name,
            params=checked_params,
            version=1,
            created_at=at,
            updated_at=at,
        )

        async def work(tx: Tx) -> SavedMetric:
            await store.lock_org(tx, caller.org_id)
            known = await store.get(tx, caller.org_id, metric_id)
            if known is not None:
                return known  # saved by an attempt whose commit reply was lost
            await claim(tx, metric_id)
            await check_exists(tx, caller.org_id, template)
            await _check_bounds(tx, metric)
            await store.add(tx, metric)
            await _record_change(
                tx, metric, "create", actor=caller.actor, changed=["name", *checked_params]
            )
            return metric

        return await self.database.transact(work)

    @optimistic_retry("the metric was changed concurrently; try again")
    async def update(
        self,
        caller: Caller,
        metric_id: UUID,
        *,
        name: str | None,
        params: Mapping[str, Any] | None,
        template_version: int | None = None,
    ) -> SavedMetric | None:
        """Change the name or some parameters; a parameter that is None or empty is removed.

        `template_version` moves the metric to another version of its template.

        Has no effect if nothing changes. Raises the errors of `create`, and `ResourceNotFound`.
        """
        check_editor(caller)
        before = await self.get(caller.org_id, metric_id)
        template = at_version(before.template, template_version)
        is_moved = template != before.template
        checked_name, checked_params = await self._checked(
            caller,
            template,
            name=before.name if name is None else name,
            params={**before.params, **(params or {})} if params or is_moved else None,
        )
        after = replace(
            before,
            template=template,
            name=checked_name,
            params=before.params if checked_params is None else checked_params,
        )
        if after == before:
            return before
        at = self.clock.stamp(caller.clock_offset)
        after = replace(after, version=before.version + 1, updated_at=at)
        if await self._replace(before, after, actor=caller.actor):
            return after
        return None

    async def delete(self, caller: Caller, metric_id: UUID) -> SavedMetric:
        """Delete a metric permanently and return it.

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
                    return deleted  # by an attempt whose commit reply was lost
                raise _unknown(metric_id)
            deleted = metric
            await store.delete(tx, caller.org_id, metric_id)
            change = replace(metric, version=metric.version + 1, updated_at=at)
            await _record_change(tx, change, "delete", actor=caller.actor, changed=[])
            return metric

        return await self.database.transact(work)

    async def get(self, org_id: UUID, metric_id: UUID) -> SavedMetric:
        """Return a metric; raises `ResourceNotFound`."""
        found = await self.database.single(lambda tx: store.get(tx, org_id, metric_id))
        if found is None:
            raise _unknown(metric_id)
        return found

    async def page(self, org_id: UUID) -> Sequence[SavedMetric]:
        """Return all metrics of an organisation, newest first."""
        return await self.database.single(lambda tx: store.page(tx, org_id))

    async def results(self, caller: Caller, metric_id: UUID) -> tuple[SavedMetric, MetricResult]:
        """Return a metric and its result as of now.

        Raises `ResourceNotFound`, and `FieldsInvalid` if its parameters are no longer valid, for
        example because the organisation has replaced the time zone.
        """
        metric = await self.get(caller.org_id, metric_id)
        return metric, await self.calculator.calculate(caller, metric.template, metric.params)

    async def _reference(self, org_id: UUID, template: str) -> str:
        """Return the template's name with its newest version; unchanged if it does not exist."""
        try:
            return (await self.calculator.templates.template(org_id, template)).reference
        except FieldsInvalid:
            return template

    async def _checked(
        self, caller: Caller, template: str, *, name: str, params: Mapping[str, Any] | None
    ) -> tuple[str, Mapping[str, Any] | None]:
        """Validate a name, and parameters if given, and return them in the form to store.

        Raises `FieldsInvalid` with every invalid field.
        """
        faults: dict[str, str] = {}
        checked_name, checked_params = name, params
        try:
            checked_name = check_text("name", name, length_max=NAME_LENGTH_MAX)
        except FieldInvalid as error:
            faults["name"] = error.message
        try:
            if params is not None:
                query = await self.calculator.parse(caller, template, params)
                checked_params = as_stored(query.given)
        except FieldsInvalid as error:
            faults |= error.fields
        if faults:
            raise FieldsInvalid(faults)
        return checked_name, checked_params

    async def _replace(self, before: SavedMetric, after: SavedMetric, *, actor: str) -> bool:
        """Replace the metric if it still equals `before`; return whether it was replaced."""

        async def work(tx: Tx) -> bool:
            await store.lock_org(tx, before.org_id)
            stored = await store.lock(tx, before.org_id, before.id)
            if stored is None:
                raise _unknown(before.id)
            if stored.updated_at == after.updated_at:
                return True  # changed by an attempt whose commit reply was lost
            if stored.version != before.version:
                return False
            await check_exists(tx, after.org_id, after.template)
            if store.params_bytes(after) > store.params_bytes(before):
                await _check_bounds(tx, after)
            await store.update(tx, after)
            await _record_change(tx, after, "update", actor=actor, changed=_changed(before, after))
            return True

        return await self.database.transact(work)


async def _check_bounds(tx: Tx, metric: SavedMetric) -> None:
    """Raise `ResourceConflict` if this metric exceeds a limit; the organisation is locked."""
    others = await store.others(tx, metric)
    if others.metrics >= METRICS_MAX:
        raise ResourceConflict(f"there are {METRICS_MAX:,} saved metrics already; delete one")
    if others.params_bytes + store.params_bytes(metric) > PARAMS_BYTES_MAX:
        raise ResourceConflict(
            "the parameters of all saved metrics have more than "
            f"{PARAMS_BYTES_MAX // 1_000_000} MB together; name fewer users, or delete one"
        )


async def _record_change(
    tx: Tx, metric: SavedMetric, change_type: str, *, actor: str, changed: Sequence[str]
) -> None:
    await append_change(
        tx,
        org_id=metric.org_id,
        object_id=metric.id,
        seq=metric.version,
        kind=KIND,
        change_type=change_type,
        actor=actor,
        at=metric.updated_at,
        facts={"template": metric.template, "changed": list(changed)},
    )


def _changed(before: SavedMetric, after: SavedMetric) -> list[str]:
    """Return the names of changed or removed parameters, and `name`."""
    names = ["name"] if before.name != after.name else []
    if before.template != after.template:
        names.append("templateVersion")
    params = dict.fromkeys([*before.params, *after.params])
    return names + [each for each in params if before.params.get(each) != after.params.get(each)]


def _unknown(metric_id: UUID) -> ResourceNotFound:
    return ResourceNotFound(f"there is no metric {metric_id}")

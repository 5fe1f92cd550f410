"""Manages the templates of organisations, in versions.

Guarantees:
- A version never changes. Saved metrics and schedules name the version that they use, and keep it
  until they are changed.
- Names are unique in an organisation, and differ from Landbridge's own. There are at most
  `TEMPLATES_MAX` templates with `VERSIONS_MAX` versions each, even after concurrent requests.
- A template that a saved metric or a schedule uses is not deleted.
- Another organisation's template is treated like one that does not exist.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from landbridge.platform.changes.service import append_next_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import (
    FieldInvalid,
    FieldsInvalid,
    ResourceConflict,
    ResourceNotFound,
)
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.formats.texts import check_text
from landbridge.platform.http.caller import Caller, check_editor
from landbridge.platform.http.replays import note_replay
from landbridge.reporting.metrics.custom import store
from landbridge.reporting.metrics.custom.checks import check_definition
from landbridge.reporting.metrics.custom.definition import (
    DESCRIPTION_LENGTH_MAX,
    DISPLAY_NAME_LENGTH_MAX,
    NAME_LENGTH_MAX,
    NAME_PATTERN,
    TEMPLATES_MAX,
    VERSIONS_MAX,
    TemplateDefinition,
)
from landbridge.reporting.metrics.custom.model import KIND, CustomTemplate, split_reference
from landbridge.reporting.metrics.model import MetricTemplate
from landbridge.reporting.metrics.templates import TEMPLATES

_NAMED_MAX = 10


@dataclass(frozen=True, slots=True)
class CustomTemplates:
    """Creates, lists, changes and deletes templates, and finds them for calculations."""

    database: Database
    clock: Clock

    async def create(
        self,
        caller: Caller,
        *,
        name: str,
        display_name: str,
        description: str,
        definition: TemplateDefinition,
    ) -> CustomTemplate:
        """Create the first version of a template.

        A repeated request returns the same version. Raises `FieldsInvalid` with every invalid
        field, `RoleNotAllowed`, and `ResourceConflict` at the maximum number of templates.
        """
        check_editor(caller)
        texts = _checked(display_name, description, definition, name=name)
        template = CustomTemplate(
            org_id=caller.org_id,
            name=name,
            version=1,
            display_name=texts["displayName"],
            description=texts["description"],
            definition=definition,
            created_at=self.clock.stamp(caller.clock_offset),
        )

        async def work(tx: Tx) -> CustomTemplate:
            await store.lock_org(tx, caller.org_id)
            known = await store.find(tx, caller.org_id, name, None)
            if known is not None:
                if replace(template, created_at=known.created_at) == known:
                    note_replay()  # the same request again, or a lost reply to a commit
                    return known
                raise FieldsInvalid({"name": f"name {name} is taken by another template"})
            if len(await store.page(tx, caller.org_id)) >= TEMPLATES_MAX:
                raise ResourceConflict(
                    f"an organisation has at most {TEMPLATES_MAX} templates; delete one first",
                    field="name",
                )
            await store.add(tx, template)
            await _record_change(tx, template, "create", actor=caller.actor)
            return template

        return await self.database.transact(work)

    async def update(
        self,
        caller: Caller,
        name: str,
        *,
        display_name: str | None,
        description: str | None,
        definition: TemplateDefinition | None,
    ) -> CustomTemplate:
        """Add a version with these fields changed; without a change, add none.

        Raises as `create`, and `ResourceNotFound`.
        """
        check_editor(caller)
        _check_name(name)
        at = self.clock.stamp(caller.clock_offset)

        async def work(tx: Tx) -> CustomTemplate:
            await store.lock_org(tx, caller.org_id)
            before = await store.find(tx, caller.org_id, name, None)
            if before is None:
                raise unknown(name)
            after = replace(
                before,
                display_name=before.display_name if display_name is None else display_name,
                description=before.description if description is None else description,
                definition=before.definition if definition is None else definition,
            )
            texts = _checked(after.display_name, after.description, after.definition)
            after = replace(
                after, display_name=texts["displayName"], description=texts["description"]
            )
            if after == before:
                return before
            if before.version >= VERSIONS_MAX:
                raise ResourceConflict(f"a template has at most {VERSIONS_MAX} versions")
            after = replace(after, version=before.version + 1, created_at=at)
            await store.add(tx, after)
            await _record_change(tx, after, "update", actor=caller.actor)
            return after

        return await self.database.transact(work)

    async def delete(self, caller: Caller, name: str) -> CustomTemplate:
        """Delete all versions of a template and return the newest one.

        Raises `ResourceNotFound`, `RoleNotAllowed`, and `ResourceConflict` with the names of the
        saved metrics and schedules that use it.
        """
        check_editor(caller)
        _check_name(name)
        at = self.clock.stamp(caller.clock_offset)
        deleted: CustomTemplate | None = None

        async def work(tx: Tx) -> CustomTemplate:
            nonlocal deleted
            await store.lock_org(tx, caller.org_id)
            template = await store.find(tx, caller.org_id, name, None)
            if template is None:
                if deleted is not None:
                    return deleted  # by an attempt whose commit reply was lost
                raise unknown(name)
            uses = await store.uses(tx, caller.org_id, name)
            if uses:
                more = " and others" if len(uses) > _NAMED_MAX else ""
                raise ResourceConflict(
                    f"the template {name} is used by {', '.join(uses[:_NAMED_MAX])}{more}",
                    field="name",
                )
            deleted = template
            await store.delete(tx, caller.org_id, name)
            gone = replace(template, version=template.version + 1, created_at=at)
            await _record_change(tx, gone, "delete", actor=caller.actor)
            return template

        return await self.database.transact(work)

    async def page(self, org_id: UUID) -> Sequence[CustomTemplate]:
        """Return the newest version of every template, by name."""
        return await self.database.single(lambda tx: store.page(tx, org_id))

    async def get(self, org_id: UUID, reference: str) -> CustomTemplate:
        """Return a template, `NAME` or `NAME@2`; raises `ResourceNotFound`."""
        found = await self.find(org_id, reference)
        if found is None:
            raise unknown(reference)
        return found

    async def find(self, org_id: UUID, reference: str) -> CustomTemplate | None:
        """Return a template, `NAME` or `NAME@2`, or None."""
        name, version = split_reference(reference)
        if not _is_name(name):
            return None
        return await self.database.single(lambda tx: store.find(tx, org_id, name, version))

    async def template(self, org_id: UUID, reference: str) -> MetricTemplate:
        """Return the template to calculate; raises `FieldsInvalid`, which names `template`."""
        ours = TEMPLATES.get(reference)
        if ours is not None:
            return ours
        found = await self.find(org_id, reference)
        if found is None:
            known = ", ".join(TEMPLATES)
            raise FieldsInvalid(
                {"template": f"template must be one of {known}, or one of the organisation's own"}
            )
        return found.compiled()


async def check_exists(tx: Tx, org_id: UUID, reference: str) -> None:
    """Raise `ResourceConflict` if a template was deleted; the organisation is locked."""
    name, version = split_reference(reference)
    if reference not in TEMPLATES and await store.find(tx, org_id, name, version) is None:
        raise ResourceConflict(f"the template {name} was deleted in the meantime")


def _is_name(name: str) -> bool:
    return re.fullmatch(NAME_PATTERN, name) is not None and len(name) <= NAME_LENGTH_MAX


def _check_name(name: str) -> None:
    """Raise `ResourceNotFound` for a name that no template can have, or PostgreSQL refuses."""
    if not _is_name(name):
        raise unknown(name)


def _checked(
    display_name: str, description: str, definition: TemplateDefinition, *, name: str | None = None
) -> Mapping[str, str]:
    """Return the texts in the form to store; raises `FieldsInvalid` with all invalid fields."""
    faults: dict[str, str] = {}
    texts = {"displayName": display_name, "description": description}
    if name is not None and not _is_name(name):
        faults["name"] = (
            f"name must have 1 to {NAME_LENGTH_MAX} capital letters and digits, in words joined by"
            " underscores, as in NET_CARD_PAYOUTS"
        )
    elif name in TEMPLATES:
        faults["name"] = f"name {name} is taken by a template of Landbridge's own"
    for member, most in (
        ("displayName", DISPLAY_NAME_LENGTH_MAX),
        ("description", DESCRIPTION_LENGTH_MAX),
    ):
        try:
            if texts[member] or member == "displayName":
                texts[member] = check_text(member, texts[member], length_max=most)
        except FieldInvalid as error:
            faults[member] = error.message
    try:
        check_definition(definition)
    except FieldsInvalid as error:
        faults |= error.fields
    if faults:
        raise FieldsInvalid(faults)
    return texts


async def _record_change(tx: Tx, template: CustomTemplate, change_type: str, *, actor: str) -> None:
    facts: dict[str, Any] = {"version": template.version}
    await append_next_change(
        tx,
        org_id=template.org_id,
        object_id=template.log_id,
        kind=KIND,
        change_type=change_type,
        actor=actor,
        at=template.created_at,
        facts=facts,
    )


def unknown(name: str) -> ResourceNotFound:
    """Return the error for a template that does not exist."""
    return ResourceNotFound(f"there is no template {name[:100]}")

"""Statements on report_templates.

Writers lock the organisation's row first. So names are unique, the number of templates is limited,
and no metric or schedule can be saved for a template that is being deleted.
"""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.reporting.metrics.custom.definition import TemplateDefinition
from landbridge.reporting.metrics.custom.model import CustomTemplate

_LOCK_ORG = "select id from orgs where id = $1 for no key update"

_ADD = """
insert into report_templates (
    org_id, name, version, display_name, description, definition, created_at
)
values ($1, $2, $3, $4, $5, $6::text::jsonb, $7)
"""

# Returns version $3, or the newest one if $3 is null.
_FIND = """
select org_id, name, version, display_name, description, definition::text, created_at
from report_templates
where org_id = $1 and name = $2 and ($3::int is null or version = $3)
order by version desc
limit 1
"""

# Returns the newest version of each template, by name.
_PAGE = """
select distinct on (name) org_id, name, version, display_name, description, definition::text,
    created_at
from report_templates
where org_id = $1
order by name, version desc
"""

_DELETE = "delete from report_templates where org_id = $1 and name = $2"

# Returns saved metrics and schedules that use any version of a template.
_USES = """
select 'metric' as kind, m.name
from report_metrics m
where m.org_id = $1 and split_part(m.template, '@', 1) = $2
union all
select 'schedule', s.name
from report_schedules s
where s.org_id = $1 and split_part(s.template, '@', 1) = $2
order by 1, 2
limit 11
"""


async def lock_org(tx: Tx, org_id: UUID) -> None:
    """Lock the organisation against concurrent changes until the transaction ends."""
    await tx.execute(_LOCK_ORG, org_id)


async def add(tx: Tx, template: CustomTemplate) -> None:
    """Store a new version."""
    definition = msgspec.json.encode(template.definition).decode()
    await write_row(tx, _ADD, template, definition=definition)


async def find(tx: Tx, org_id: UUID, name: str, version: int | None) -> CustomTemplate | None:
    """Return a version of a template, the newest one if `version` is None; else None."""
    row = await tx.fetchrow(_FIND, org_id, name, version)
    return None if row is None else _template(row)


async def page(tx: Tx, org_id: UUID) -> Sequence[CustomTemplate]:
    """Return the newest version of every template, by name."""
    return [_template(row) for row in await tx.fetch(_PAGE, org_id)]


async def delete(tx: Tx, org_id: UUID, name: str) -> None:
    """Delete all versions of a template."""
    await tx.execute(_DELETE, org_id, name)


async def uses(tx: Tx, org_id: UUID, name: str) -> list[str]:
    """Return up to eleven saved metrics and schedules that use a template, as `metric "Name"`."""
    return [f'{row["kind"]} "{row["name"]}"' for row in await tx.fetch(_USES, org_id, name)]


def _template(row: Row) -> CustomTemplate:
    return read_row(
        row,
        CustomTemplate,
        definition=msgspec.json.decode(row["definition"], type=TemplateDefinition),
    )

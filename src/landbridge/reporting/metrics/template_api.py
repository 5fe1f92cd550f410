"""Routes of templates: /v2/reporting/templates. Source: spec.md and contract, reporting 1.

Ours: templates of the organisation's own, which the specification names without shapes.
"""

from datetime import date
from typing import Annotated, Any

from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.platform.core.clock import Clock
from landbridge.platform.formats.schemas import line
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import or_empty, with_schema
from landbridge.platform.http.responses import WireStruct
from landbridge.reporting.metrics.custom.definition import (
    DESCRIPTION_LENGTH_MAX,
    DISPLAY_NAME_LENGTH_MAX,
    NAME_LENGTH_MAX,
    NAME_PATTERN,
    TemplateDefinition,
)
from landbridge.reporting.metrics.custom.service import CustomTemplates
from landbridge.reporting.metrics.template_schemas import (
    TemplateReply,
    custom_template_reply,
    template_replies,
    template_reply,
)
from landbridge.reporting.metrics.templates import TEMPLATES

_Name = Annotated[str, with_schema({"pattern": NAME_PATTERN, "maxLength": NAME_LENGTH_MAX})]
_DisplayName = Annotated[str, with_schema(line(DISPLAY_NAME_LENGTH_MAX))]
_Description = Annotated[str, with_schema(or_empty(line(DESCRIPTION_LENGTH_MAX)))]


class NewTemplate(WireStruct, frozen=True):
    """Template to create; `name` is unique, as in `NET_CARD_PAYOUTS`, and never changes."""

    name: _Name
    display_name: _DisplayName
    definition: TemplateDefinition
    description: _Description = ""


class TemplateChange(WireStruct, frozen=True):
    """Changes to a template, which make a new version of it; the other members stay."""

    display_name: _DisplayName | None = None
    description: _Description | None = None
    definition: TemplateDefinition | None = None


class TemplateList(WireStruct, frozen=True):
    """`metadata.count` is the number of templates."""

    status: str
    data: list[TemplateReply]
    metadata: dict[str, int]


class TemplateEnvelope(WireStruct, frozen=True):
    """One template."""

    status: str
    data: TemplateReply
    metadata: dict[str, Any]


class TemplateRoutes(Controller):
    """Metric templates."""

    path = "/v2/reporting/templates"
    tags = ("Reporting",)

    @get(summary="List metric templates", operation_id="reportTemplates.list")
    async def list_all(
        self,
        request: ApiRequest,
        clock: NamedDependency[Clock],
        custom_templates: NamedDependency[CustomTemplates],
    ) -> TemplateList:
        """List every template with its parameters: Landbridge's own first, then yours."""
        today = clock.now(request.user.clock_offset).date()
        own = await custom_templates.page(request.user.org_id)
        found = [
            *template_replies(today),
            *(template_reply(each.compiled(), today) for each in own),
        ]
        return TemplateList(status="success", data=found, metadata={"count": len(found)})

    @post(
        status_code=201,
        summary="Create a metric template",
        operation_id="reportTemplates.create",
    )
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewTemplate],
        clock: NamedDependency[Clock],
        custom_templates: NamedDependency[CustomTemplates],
    ) -> TemplateEnvelope:
        """Create a template of the organisation's own. At most 100."""
        created = await custom_templates.create(
            request.user,
            name=data.name,
            display_name=data.display_name,
            description=data.description,
            definition=data.definition,
        )
        return _envelope(custom_template_reply(created, _today(clock, request)))

    @get(
        "/{name:str}", summary="Retrieve a metric template", operation_id="reportTemplates.retrieve"
    )
    async def retrieve(
        self,
        request: ApiRequest,
        name: FromPath[str],
        clock: NamedDependency[Clock],
        custom_templates: NamedDependency[CustomTemplates],
    ) -> TemplateEnvelope:
        """Return one template; your own with its definition, and as `NAME@2` in that version."""
        ours = TEMPLATES.get(name)
        if ours is not None:
            return _envelope(template_reply(ours, _today(clock, request)))
        found = await custom_templates.get(request.user.org_id, name)
        return _envelope(custom_template_reply(found, _today(clock, request)))

    @post(
        "/{name:str}",
        status_code=200,
        summary="Update a metric template",
        operation_id="reportTemplates.update",
    )
    async def update(
        self,
        request: ApiRequest,
        name: FromPath[str],
        data: JSONBody[TemplateChange],
        clock: NamedDependency[Clock],
        custom_templates: NamedDependency[CustomTemplates],
    ) -> TemplateEnvelope:
        """Add a version; saved metrics and schedules stay on theirs until they are moved."""
        changed = await custom_templates.update(
            request.user,
            name,
            display_name=data.display_name,
            description=data.description,
            definition=data.definition,
        )
        return _envelope(custom_template_reply(changed, _today(clock, request)))

    @delete(
        "/{name:str}",
        status_code=200,
        summary="Delete a metric template",
        operation_id="reportTemplates.delete",
    )
    async def delete(
        self,
        request: ApiRequest,
        name: FromPath[str],
        clock: NamedDependency[Clock],
        custom_templates: NamedDependency[CustomTemplates],
    ) -> TemplateEnvelope:
        """Delete all versions, unless a saved metric or a schedule uses one of them."""
        deleted = await custom_templates.delete(request.user, name)
        return _envelope(custom_template_reply(deleted, _today(clock, request)))


def _today(clock: Clock, request: ApiRequest) -> date:
    return clock.now(request.user.clock_offset).date()


def _envelope(template: TemplateReply) -> TemplateEnvelope:
    return TemplateEnvelope(status="success", data=template, metadata={})

"""Routes of reporting: /v2/reporting. Source: spec.md and contract, reporting 1."""

from typing import Any

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.core.clock import Clock
from landbridge.core.errors import ResourceNotFound
from landbridge.reporting.metrics.template_shapes import (
    TemplateReply,
    template_replies,
    template_reply,
)
from landbridge.reporting.metrics.templates import TEMPLATES
from landbridge.web.caller import ApiRequest
from landbridge.web.reply import WireStruct


class TemplateList(WireStruct, frozen=True):
    """`metadata.count` is the number of templates."""

    status: str
    data: list[TemplateReply]
    metadata: dict[str, int]


class TemplateAnswer(WireStruct, frozen=True):
    """One template."""

    status: str
    data: TemplateReply
    metadata: dict[str, Any]


class TemplateRoutes(Controller):
    """What can be measured."""

    path = "/v2/reporting/templates"
    tags = ("Reporting",)

    @get(summary="List metric templates")
    async def list_all(self, request: ApiRequest, clock: NamedDependency[Clock]) -> TemplateList:
        """Every template with its parameters."""
        found = template_replies(clock.now(request.user.clock_offset).date())
        return TemplateList(status="success", data=found, metadata={"count": len(found)})

    @get("/{name:str}", summary="Retrieve a metric template")
    async def retrieve(
        self, request: ApiRequest, name: FromPath[str], clock: NamedDependency[Clock]
    ) -> TemplateAnswer:
        """One template."""
        found = TEMPLATES.get(name)
        if found is None:
            raise ResourceNotFound(f"there is no template {name[:100]}", field="name")
        today = clock.now(request.user.clock_offset).date()
        return TemplateAnswer(status="success", data=template_reply(found, today), metadata={})

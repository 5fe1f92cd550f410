"""Saved metrics on the wire. Source: contract, reporting 1."""

from typing import Annotated, Any, TypeAlias
from uuid import UUID

import msgspec
from litestar.openapi.spec import OpenAPIFormat, OpenAPIType, Reference, Schema
from litestar.params import BodyKwarg

from landbridge.platform.formats.schemas import line
from landbridge.platform.http.constraints import ZONE_NAME, with_schema
from landbridge.platform.http.responses import Moment, WireStruct, reply_of
from landbridge.reporting.date_params import TIME_ZONE
from landbridge.reporting.metrics.custom.definition import VERSIONS_MAX, TemplateDefinition
from landbridge.reporting.metrics.custom.dimensions import DIMENSIONS
from landbridge.reporting.metrics.custom.model import split_reference
from landbridge.reporting.metrics.params import (
    AFTER,
    BEFORE,
    BREAKDOWNS,
    BREAKDOWNS_MAX,
    INTERVAL,
    LIMIT,
    ROWS_MAX,
    TEXT_LENGTH_MAX,
    VALUES_MAX,
)
from landbridge.reporting.metrics.saved_model import NAME_LENGTH_MAX, SavedMetric
from landbridge.reporting.metrics.templates import FILTERS, TEMPLATES
from landbridge.reporting.rollups.model import Interval


def _filter(name: str) -> Schema:
    """Return the schema of a filter: the values of all templates that have it."""
    dimensions = [
        each
        for template in TEMPLATES.values()
        for each in template.dimensions
        if each.param == name
    ]
    words = [each.options for each in dimensions]
    one = Schema(type=OpenAPIType.STRING, max_length=TEXT_LENGTH_MAX)
    if name.endswith("Ids"):
        one = Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.UUID)
    elif all(each is not None for each in words):
        known = dict.fromkeys(word for each in words for word in each or ())
        one = Schema(type=OpenAPIType.STRING, enum=[str(each) for each in known])
    return Schema(type=OpenAPIType.ARRAY, items=one, max_items=VALUES_MAX)


_DATE = Schema(type=OpenAPIType.STRING, all_of=[Reference(ref="#/components/schemas/DateOrTime")])
# Dimensions of Landbridge's own templates, and of those that organisations can define.
_DIMENSIONS = sorted(
    {
        each.name
        for one in (*(template.dimensions for template in TEMPLATES.values()), *DIMENSIONS.values())
        for each in one
    }
)
# Schemas for the OpenAPI document only. Bodies are not validated against them on decoding, because
# parameters depend on the template and all problems are reported at once.
_PARAMS = {
    AFTER: _DATE,
    BEFORE: _DATE,
    INTERVAL: Schema(type=OpenAPIType.STRING, enum=[str(each) for each in Interval]),
    TIME_ZONE: Schema(type=OpenAPIType.STRING, pattern=ZONE_NAME["pattern"]),
    **{name: _filter(name) for name in FILTERS},
    BREAKDOWNS: Schema(
        type=OpenAPIType.ARRAY,
        items=Schema(type=OpenAPIType.STRING, enum=_DIMENSIONS),
        max_items=BREAKDOWNS_MAX,
        unique_items=True,
    ),
    LIMIT: Schema(type=OpenAPIType.INTEGER, minimum=1, maximum=ROWS_MAX),
}
Params: TypeAlias = Annotated[
    dict[str, Any],
    BodyKwarg(
        description="What the template takes, by name: GET /v2/reporting/templates has them all.",
        schema_extra={"properties": _PARAMS},
    ),
]

# Name of a template of Landbridge or of the organisation; `NAME@2` is version 2.
_Template = Annotated[
    str, BodyKwarg(description=f"One of {', '.join(TEMPLATES)}, or the organisation's own.")
]
_Version = Annotated[int, msgspec.Meta(ge=1, le=VERSIONS_MAX)]
_Name = Annotated[str, with_schema(line(NAME_LENGTH_MAX))]


class NewMetric(WireStruct, frozen=True):
    """Metric to save: the name has 1 to 100 characters and need not be unique."""

    template: _Template
    name: _Name
    params: Params


class MetricChange(WireStruct, frozen=True):
    """Changes to a metric: of `params` only the given ones.

    A parameter that is null or an empty list is removed. `templateVersion` moves a metric of an
    organisation's own template to another version of it.
    """

    name: _Name | None = None
    params: Params | None = None
    template_version: _Version | None = None


class MetricPreview(WireStruct, frozen=True):
    """Metric to calculate without saving it: of a template, or of a definition not saved yet."""

    params: Params
    template: _Template | None = None
    definition: TemplateDefinition | None = None


class MetricReply(WireStruct, frozen=True):
    """Saved metric; `profileId` is the organisation.

    `templateVersion` is present for a template of the organisation's own.
    """

    id: UUID
    profile_id: UUID
    template: str
    name: str
    params: Params
    created_at: Moment
    updated_at: Moment
    template_version: int | msgspec.UnsetType = msgspec.UNSET


class MetricEnvelope(WireStruct, frozen=True):
    """One metric."""

    status: str
    data: MetricReply
    metadata: dict[str, Any]


class MetricListMetadata(WireStruct, frozen=True):
    """Number of metrics; `profileId` is the organisation."""

    count: int
    profile_id: UUID


class MetricList(WireStruct, frozen=True):
    """All metrics, newest first."""

    status: str
    data: list[MetricReply]
    metadata: MetricListMetadata


def metric_answer(metric: SavedMetric) -> MetricEnvelope:
    """Return the response with one metric."""
    return MetricEnvelope(status="success", data=metric_reply(metric), metadata={})


def metric_reply(metric: SavedMetric) -> MetricReply:
    """Return the wire form of a metric."""
    name, version = split_reference(metric.template)
    return reply_of(
        metric,
        MetricReply,
        profile_id=metric.org_id,
        template=name,
        params=dict(metric.params),
        template_version=msgspec.UNSET if version is None else version,
    )

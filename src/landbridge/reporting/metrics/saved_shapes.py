"""Saved metrics on the wire. Source: contract, reporting 1."""

from typing import Annotated, Any, TypeAlias
from uuid import UUID

from litestar.openapi.spec import OpenAPIFormat, OpenAPIType, Schema
from litestar.params import BodyKwarg

from landbridge.reporting.metrics.params import AFTER, BEFORE, BREAKDOWNS, INTERVAL, LIMIT
from landbridge.reporting.metrics.saved_model import SavedMetric
from landbridge.reporting.metrics.templates import FILTERS
from landbridge.reporting.moments import TIME_ZONE
from landbridge.reporting.rollups.model import Interval
from landbridge.web.reply import Moment, WireStruct, moment

_DATE = Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.DATE)
_TEXTS = Schema(type=OpenAPIType.ARRAY, items=Schema(type=OpenAPIType.STRING))
_IDS = Schema(
    type=OpenAPIType.ARRAY,
    items=Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.UUID),
)
# What templates take is theirs to say, and all that is wrong is said at once: so a body is not held
# against these when it is decoded. They stand in the OpenAPI document.
_PARAMS = {
    AFTER: _DATE,
    BEFORE: _DATE,
    INTERVAL: Schema(type=OpenAPIType.STRING, enum=[str(each) for each in Interval]),
    TIME_ZONE: Schema(type=OpenAPIType.STRING),
    **{name: _IDS if name.endswith("Ids") else _TEXTS for name in FILTERS},
    BREAKDOWNS: _TEXTS,
    LIMIT: Schema(type=OpenAPIType.INTEGER),
}
Params: TypeAlias = Annotated[
    dict[str, Any],
    BodyKwarg(
        description="What the template takes, by name: GET /v2/reporting/templates has them all.",
        schema_extra={"properties": _PARAMS},
    ),
]


class NewMetric(WireStruct, frozen=True):
    """A metric to be saved: the name has 1 to 100 characters and may be there already."""

    template: str
    name: str
    params: Params


class MetricChange(WireStruct, frozen=True):
    """What is to be different: of `params` those that are given.

    One that is null, or an empty list, is taken away.
    """

    name: str | None = None
    params: Params | None = None


class Preview(WireStruct, frozen=True):
    """What is to be calculated; nothing is saved."""

    template: str
    params: Params


class MetricReply(WireStruct, frozen=True):
    """A saved metric; `profileId` is the organisation."""

    id: UUID
    profile_id: UUID
    template: str
    name: str
    params: Params
    created_at: Moment
    updated_at: Moment


class MetricAnswer(WireStruct, frozen=True):
    """One metric."""

    status: str
    data: MetricReply
    metadata: dict[str, Any]


class MetricListMetadata(WireStruct, frozen=True):
    """How many there are; `profileId` is the organisation."""

    count: int
    profile_id: UUID


class MetricList(WireStruct, frozen=True):
    """All metrics, newest first."""

    status: str
    data: list[MetricReply]
    metadata: MetricListMetadata


def metric_answer(metric: SavedMetric) -> MetricAnswer:
    """One metric as an answer shows it."""
    return MetricAnswer(status="success", data=metric_reply(metric), metadata={})


def metric_reply(metric: SavedMetric) -> MetricReply:
    """A metric as it goes over the wire."""
    return MetricReply(
        id=metric.id,
        profile_id=metric.org_id,
        template=metric.template,
        name=metric.name,
        params=dict(metric.params),
        created_at=moment(metric.created_at),
        updated_at=moment(metric.updated_at),
    )

"""Routes of metrics: /v2/reporting/metrics. Source: contract, reporting 1 and 4."""

import asyncio
from typing import Annotated, Any
from uuid import UUID

from litestar import Controller, MediaType, Response, delete, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody, PathParameter

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.responses import ResponseEncoder, encode
from landbridge.platform.idempotency.service import IdempotencyKeys
from landbridge.reporting.metrics.calculator import Calculator
from landbridge.reporting.metrics.custom.preview import preview_template
from landbridge.reporting.metrics.model import MetricResult
from landbridge.reporting.metrics.saved import SavedMetrics
from landbridge.reporting.metrics.saved_schemas import (
    MetricChange,
    MetricEnvelope,
    MetricList,
    MetricListMetadata,
    MetricPreview,
    NewMetric,
    metric_answer,
    metric_reply,
)
from landbridge.reporting.metrics.schemas import MetricResultReply, result_reply

MetricId = Annotated[str, PathParameter(schema_extra={"format": "uuid"})]


class MetricRoutes(Controller):
    """Metrics: calculated at once, or saved and calculated later."""

    path = "/v2/reporting/metrics"
    tags = ("Reporting",)

    @post(status_code=201, summary="Save a metric", keyed=True, operation_id="metrics.create")
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewMetric],
        saved_metrics: NamedDependency[SavedMetrics],
        idempotency_keys: NamedDependency[IdempotencyKeys],
    ) -> MetricEnvelope:
        """Validate and save a metric without calculating it. At most 1,000 per organisation."""
        metric = await idempotency_keys.run(
            request,
            data,
            lambda claim: saved_metrics.create(
                request.user, data.template, name=data.name, params=data.params, claim=claim
            ),
            lambda key: saved_metrics.get(key.org_id, key.object_id),
        )
        return metric_answer(metric)

    @get(summary="List saved metrics", operation_id="metrics.list")
    async def page(
        self, request: ApiRequest, saved_metrics: NamedDependency[SavedMetrics]
    ) -> MetricList:
        """List all, newest first."""
        found = await saved_metrics.page(request.user.org_id)
        return MetricList(
            status="success",
            data=[metric_reply(each) for each in found],
            metadata=MetricListMetadata(count=len(found), profile_id=request.user.org_id),
        )

    @post(
        "/preview",
        status_code=200,
        summary="Calculate a metric",
        is_read=True,
        costly=True,
        operation_id="metrics.preview",
    )
    async def preview(
        self,
        request: ApiRequest,
        data: JSONBody[MetricPreview],
        calculator: NamedDependency[Calculator],
    ) -> Response[MetricResultReply]:
        """Calculate a metric without saving it."""
        template = preview_template(data.template, data.definition)
        return await _answer(await calculator.calculate(request.user, template, data.params))

    @get("/{metricId:str}", summary="Retrieve a saved metric", operation_id="metrics.retrieve")
    async def retrieve(
        self,
        request: ApiRequest,
        metricId: MetricId,
        saved_metrics: NamedDependency[SavedMetrics],
    ) -> MetricEnvelope:
        """Return one metric."""
        found = await saved_metrics.get(request.user.org_id, known_metric(metricId))
        return metric_answer(found)

    @post(
        "/{metricId:str}",
        status_code=200,
        summary="Update a saved metric",
        operation_id="metrics.update",
    )
    async def update(
        self,
        request: ApiRequest,
        metricId: MetricId,
        data: JSONBody[MetricChange],
        saved_metrics: NamedDependency[SavedMetrics],
    ) -> MetricEnvelope:
        """Change the name or the given parameters; the template cannot change."""
        changed = await saved_metrics.update(
            request.user,
            known_metric(metricId),
            name=data.name,
            params=data.params,
            template_version=data.template_version,
        )
        return metric_answer(changed)

    @delete(
        "/{metricId:str}",
        status_code=200,
        summary="Delete a saved metric",
        operation_id="metrics.delete",
    )
    async def delete(
        self,
        request: ApiRequest,
        metricId: MetricId,
        saved_metrics: NamedDependency[SavedMetrics],
    ) -> MetricEnvelope:
        """Delete permanently; returns the deleted metric."""
        return metric_answer(await saved_metrics.delete(request.user, known_metric(metricId)))

    @get(
        "/{metricId:str}/results",
        summary="Calculate a saved metric",
        costly=True,
        operation_id="metrics.retrieveResults",
    )
    async def results(
        self,
        request: ApiRequest,
        metricId: MetricId,
        saved_metrics: NamedDependency[SavedMetrics],
    ) -> Response[MetricResultReply]:
        """Calculate the metric now."""
        metric, result = await saved_metrics.results(request.user, known_metric(metricId))
        return await _answer(result, metric.name)


async def _answer(
    result: MetricResult, metric_name: str | None = None
) -> Response[MetricResultReply]:
    """Return a result as JSON, encoded in a thread because it may have ten thousand rows."""
    response: Any = await asyncio.to_thread(lambda: encode(result_reply(result, metric_name)))
    return ResponseEncoder(response, media_type=MediaType.JSON)


def known_metric(text: str) -> UUID:
    """Parse the metric id in a path; raises `FieldInvalid` if malformed (contract, 1)."""
    found = as_uuid(text)
    if found is None:
        raise FieldInvalid("metricId must be a UUID", field="metricId")
    return found

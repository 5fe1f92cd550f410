"""Routes of metrics: /v2/reporting/metrics. Source: contract, reporting 1 and 4."""

from uuid import UUID

from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import as_uuid
from landbridge.reporting.metrics.calculating import Calculator
from landbridge.reporting.metrics.saved import SavedMetrics
from landbridge.reporting.metrics.saved_shapes import (
    MetricAnswer,
    MetricChange,
    MetricList,
    MetricListMetadata,
    NewMetric,
    Preview,
    metric_answer,
    metric_reply,
)
from landbridge.reporting.metrics.shapes import ResultReply, result_reply
from landbridge.web.caller import ApiRequest


class MetricRoutes(Controller):
    """Metrics: calculated at once, or saved and calculated later."""

    path = "/v2/reporting/metrics"
    tags = ("Reporting",)

    @post(status_code=201, summary="Save a metric", unkeyed=True)
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewMetric],
        saved_metrics: NamedDependency[SavedMetrics],
    ) -> MetricAnswer:
        """It is checked as a preview is, and not calculated. At most 1,000 for an organisation."""
        made = await saved_metrics.create(
            request.user, data.template, name=data.name, params=data.params
        )
        return metric_answer(made)

    @get(summary="List saved metrics")
    async def page(
        self, request: ApiRequest, saved_metrics: NamedDependency[SavedMetrics]
    ) -> MetricList:
        """All of them, newest first."""
        found = await saved_metrics.page(request.user.org_id)
        return MetricList(
            status="success",
            data=[metric_reply(each) for each in found],
            metadata=MetricListMetadata(count=len(found), profile_id=request.user.org_id),
        )

    @post("/preview", status_code=200, summary="Calculate a metric", unkeyed=True, looks=True)
    async def preview(
        self,
        request: ApiRequest,
        data: JSONBody[Preview],
        calculator: NamedDependency[Calculator],
    ) -> ResultReply:
        """What it comes to now; nothing is saved."""
        return result_reply(await calculator.calculate(request.user, data.template, data.params))

    @get("/{metricId:str}", summary="Retrieve a saved metric")
    async def retrieve(
        self,
        request: ApiRequest,
        metricId: FromPath[str],
        saved_metrics: NamedDependency[SavedMetrics],
    ) -> MetricAnswer:
        """One of them."""
        found = await saved_metrics.get(request.user.org_id, known_metric(metricId))
        return metric_answer(found)

    @post("/{metricId:str}", status_code=200, summary="Update a saved metric", unkeyed=True)
    async def update(
        self,
        request: ApiRequest,
        metricId: FromPath[str],
        data: JSONBody[MetricChange],
        saved_metrics: NamedDependency[SavedMetrics],
    ) -> MetricAnswer:
        """Changes its name, or the parameters that are given; its template stays what it is."""
        changed = await saved_metrics.update(
            request.user, known_metric(metricId), name=data.name, params=data.params
        )
        return metric_answer(changed)

    @delete("/{metricId:str}", status_code=200, summary="Delete a saved metric")
    async def delete(
        self,
        request: ApiRequest,
        metricId: FromPath[str],
        saved_metrics: NamedDependency[SavedMetrics],
    ) -> MetricAnswer:
        """For good; answers the metric that it was."""
        return metric_answer(await saved_metrics.delete(request.user, known_metric(metricId)))

    @get("/{metricId:str}/results", summary="Calculate a saved metric")
    async def results(
        self,
        request: ApiRequest,
        metricId: FromPath[str],
        saved_metrics: NamedDependency[SavedMetrics],
    ) -> ResultReply:
        """What it comes to now."""
        metric, result = await saved_metrics.results(request.user, known_metric(metricId))
        return result_reply(result, metric_name=metric.name)


def known_metric(text: str) -> UUID:
    """The id of a metric in a path; raises `FieldInvalid` for what can't be one (contract, 1)."""
    found = as_uuid(text)
    if found is None:
        raise FieldInvalid("metricId must be a UUID", field="metricId")
    return found

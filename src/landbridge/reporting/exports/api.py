"""Routes of downloads: /v2/reporting/metrics/.../download. Ours."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency, Provide
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody

from landbridge.platform.core.errors import FieldsInvalid
from landbridge.platform.http.caller import ApiRequest, Caller
from landbridge.platform.http.constraints import one_of, query
from landbridge.reporting.exports.model import ExportContent, ExportFormat
from landbridge.reporting.exports.service import Exports
from landbridge.reporting.file_downloads import StreamedFile, file_headers
from landbridge.reporting.metrics.custom.preview import preview_template
from landbridge.reporting.metrics.metric_api import MetricId, known_metric
from landbridge.reporting.metrics.model import MetricTemplate
from landbridge.reporting.metrics.saved import SavedMetrics
from landbridge.reporting.metrics.saved_schemas import MetricPreview


class DownloadQuery(NamedTuple):
    """Query parameters of a download."""

    form: ExportFormat
    content: ExportContent


FormatAsked = Annotated[
    str | None,
    query("format", one_of(ExportFormat), description="csv, as it is if left out, or parquet."),
]
ContentAsked = Annotated[
    str | None,
    query(
        "content",
        one_of(ExportContent),
        description="results, as it is if left out, or transactions: those that the result is "
        "made of.",
    ),
]


def provide_download_query(form: FormatAsked = None, content: ContentAsked = None) -> DownloadQuery:
    """Return the requested file; raises `FieldsInvalid` with every invalid parameter."""
    faults = {
        name: f"{name} must be one of {', '.join(known)}"
        for name, requested, known in (
            ("format", form, ExportFormat),
            ("content", content, ExportContent),
        )
        if requested is not None and requested not in tuple(known)
    }
    if faults:
        raise FieldsInvalid(faults)
    return DownloadQuery(
        ExportFormat(form or ExportFormat.CSV), ExportContent(content or ExportContent.RESULTS)
    )


_FILE = {
    200: ResponseSpec(
        bytes,
        media_type="text/csv",
        description="The file, as CSV or Parquet.",
        generate_examples=False,
    ),
}


class DownloadRoutes(Controller):
    """Results, and the transactions behind them, as files."""

    path = "/v2/reporting/metrics"
    tags = ("Reporting",)
    dependencies = MappingProxyType(
        {"download": Provide(provide_download_query, sync_to_thread=False)}
    )

    @post(
        "/preview/download",
        status_code=200,
        summary="Calculate a metric into a file",
        responses=_FILE,
        is_read=True,
        costly=True,
        operation_id="metrics.downloadPreview",
    )
    async def preview(
        self,
        request: ApiRequest,
        data: JSONBody[MetricPreview],
        exports: NamedDependency[Exports],
        download: NamedDependency[DownloadQuery],
    ) -> Response[Any]:
        """Download a preview, or the transactions behind it; nothing is saved."""
        return await _file(
            exports,
            request.user,
            preview_template(data.template, data.definition),
            data.params,
            download,
        )

    @get(
        "/{metricId:str}/download",
        summary="Calculate a saved metric into a file",
        responses=_FILE,
        costly=True,
        operation_id="metrics.download",
    )
    async def saved(
        self,
        request: ApiRequest,
        metricId: MetricId,
        saved_metrics: NamedDependency[SavedMetrics],
        exports: NamedDependency[Exports],
        download: NamedDependency[DownloadQuery],
    ) -> Response[Any]:
        """Download the results, or the transactions behind them."""
        metric = await saved_metrics.get(request.user.org_id, known_metric(metricId))
        return await _file(exports, request.user, metric.template, metric.params, download)


async def _file(
    exports: Exports,
    caller: Caller,
    template: str | MetricTemplate,
    params: Mapping[str, Any],
    download: DownloadQuery,
) -> Response[Any]:
    form = download.form
    match download.content:
        case ExportContent.RESULTS:
            name, content = await exports.result_file(caller, template, params, form)
            return await exports.outgoing.of_bytes(
                caller.org_id, content, form.media_type, file_headers(name)
            )
        case ExportContent.TRANSACTIONS:
            export = await exports.transaction_file(caller, template, params, form)
            # Validate here, while an error response can still be sent.
            first = await anext(export.chunks)
            return StreamedFile(export.name, form.media_type, first, export.chunks)

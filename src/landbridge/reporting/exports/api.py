"""Routes of downloads: /v2/reporting/metrics/.../download. Ours."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency, Provide
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, JSONBody, QueryParameter

from landbridge.core.errors import FieldsInvalid
from landbridge.reporting.exports.model import Content, Format
from landbridge.reporting.exports.service import Exports
from landbridge.reporting.files import Streamed, file_headers
from landbridge.reporting.metrics.metric_api import known_metric
from landbridge.reporting.metrics.saved import SavedMetrics
from landbridge.reporting.metrics.saved_shapes import Preview
from landbridge.web.caller import ApiRequest, Caller


class FileAsked(NamedTuple):
    """What the query asks for."""

    form: Format
    content: Content


FormatAsked = Annotated[
    str | None,
    QueryParameter(name="format", description="csv, as it is if left out, or parquet."),
]
ContentAsked = Annotated[
    str | None,
    QueryParameter(
        name="content",
        description="results, as it is if left out, or transactions: those that the result is "
        "made of.",
    ),
]


def provide_file_asked(form: FormatAsked = None, content: ContentAsked = None) -> FileAsked:
    """The file that is asked for; raises `FieldsInvalid` with all that is wrong."""
    faults = {
        name: f"{name} must be one of {', '.join(known)}"
        for name, told, known in (("format", form, Format), ("content", content, Content))
        if told is not None and told not in tuple(known)
    }
    if faults:
        raise FieldsInvalid(faults)
    return FileAsked(Format(form or Format.CSV), Content(content or Content.RESULTS))


_FILE = {
    200: ResponseSpec(bytes, media_type="text/csv", description="The file, as CSV or Parquet."),
}


class DownloadRoutes(Controller):
    """Results, and the transactions behind them, as files."""

    path = "/v2/reporting/metrics"
    tags = ("Reporting",)
    dependencies = MappingProxyType({"asked": Provide(provide_file_asked, sync_to_thread=False)})

    @post(
        "/preview/download",
        status_code=200,
        summary="Calculate a metric into a file",
        unkeyed=True,
        responses=_FILE,
        looks=True,
    )
    async def preview(
        self,
        request: ApiRequest,
        data: JSONBody[Preview],
        exports: NamedDependency[Exports],
        asked: NamedDependency[FileAsked],
    ) -> Response[Any]:
        """As a preview, or the transactions that it is made of; nothing is saved."""
        return await _file(exports, request.user, data.template, data.params, asked)

    @get(
        "/{metricId:str}/download", summary="Calculate a saved metric into a file", responses=_FILE
    )
    async def saved(
        self,
        request: ApiRequest,
        metricId: FromPath[str],
        saved_metrics: NamedDependency[SavedMetrics],
        exports: NamedDependency[Exports],
        asked: NamedDependency[FileAsked],
    ) -> Response[Any]:
        """Its results, or the transactions that they are made of."""
        metric = await saved_metrics.get(request.user.org_id, known_metric(metricId))
        return await _file(exports, request.user, metric.template, metric.params, asked)


async def _file(
    exports: Exports, caller: Caller, template: str, params: Mapping[str, Any], asked: FileAsked
) -> Response[Any]:
    form = asked.form
    match asked.content:
        case Content.RESULTS:
            name, made = await exports.result_file(caller, template, params, form)
            return Response(made, media_type=form.media_type, headers=file_headers(name))
        case Content.TRANSACTIONS:
            download = await exports.transaction_file(caller, template, params, form)
            # What can go wrong goes wrong here, while there is still an answer to be given.
            first = await anext(download.chunks)
            return Streamed(download.name, form.media_type, first, download.chunks)

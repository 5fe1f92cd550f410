"""Request options of a create: dry run and scripted outcomes, given beside the body."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeAlias

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler
from litestar.params import HeaderParameter

from landbridge.payments.approvals.model import Approval
from landbridge.payments.engine.dry_run import DryRunResult
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.constraints import BOOLEAN, query
from landbridge.platform.http.headers import header_values
from landbridge.platform.http.list_query import AnyRequest
from landbridge.platform.http.request_decoding import request_values
from landbridge.platform.http.responses import WireStruct
from landbridge.platform.metadata.model import FIELD, Metadata, check_metadata, digest
from landbridge.providers.simulation.outcome_plans import HEADER

AnyConnection: TypeAlias = ASGIConnection[Any, Any, Any, Any]

_BOOLEANS = ("true", "false")
_DRY_RUN = "dryRun"
# Name of the parameter by which create handlers receive the options.
_OPTIONS = "options"

DryRun = Annotated[
    str | None,
    query(
        _DRY_RUN,
        BOOLEAN,
        description="`true`: return the planned journals, limits and approval, and write nothing.",
    ),
]
ScriptedOutcomesHeader = Annotated[
    str | None,
    HeaderParameter(
        name=HEADER,
        description="Sandbox only: outcomes of later steps, as in `payout=return`; see "
        "GET /v2/sandbox/outcomes.",
    ),
]


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """Options of a create.

    `dry_run` is set by `?dryRun=true`: the create collects its result in it and writes nothing.
    `scripted` comes from the header `Landbridge-Sandbox` and has the outcomes of later steps.
    `metadata` comes from the body.
    """

    dry_run: DryRunResult | None = None
    scripted: str | None = None
    metadata: dict[str, str] | None = None

    def of(self, metadata: dict[str, str] | None) -> "RequestOptions":
        """Return these options with the metadata of a body; raises `FieldInvalid`."""
        if not metadata:
            return self
        check_metadata(metadata)
        return replace(self, metadata=metadata)

    @property
    def approval(self) -> Approval | None:
        """Return the approval that a dry run found necessary; None if there is none."""
        return None if self.dry_run is None else self.dry_run.approval


DEFAULT_OPTIONS = RequestOptions()


def payment_values(data: "MetadataRequest") -> dict[str, Any]:
    """Return the values of a request that are stored to recognise replays.

    Metadata is replaced by a digest, because it can be erased, and these values can't.
    """
    values = request_values(data)
    if FIELD in values:
        metadata = values.pop(FIELD)
        if metadata:
            values[FIELD] = digest(metadata)
    return values


class MetadataRequest(WireStruct, frozen=True):
    """Request that creates something with metadata; keys and texts of the client's own."""

    metadata: Metadata | None = None


async def check_request_options(request: AnyRequest) -> None:
    """Refuse options on a route that does not support them, and misspelled or repeated ones.

    Ignoring them would execute a request that was meant as a trial.
    """
    query = request.scope["query_string"]
    if query:
        _check_spelling([name for name, _ in request.query_params.multi_items()])
    scripted = header_values(request.scope, HEADER)
    if len(scripted) > 1:
        raise FieldInvalid(
            f"{HEADER} is given twice; join its outcomes by semicolons", field=HEADER
        )
    if _OPTIONS in request.route_handler.parsed_fn_signature.parameters:
        return
    if scripted:
        raise FieldInvalid(
            f"{HEADER} belongs to the request that creates a payment, not to this one", field=HEADER
        )
    if query and request.method != "GET" and _DRY_RUN in request.query_params:
        raise FieldInvalid(
            f"{_DRY_RUN} is for requests that create a payment: this one has no dry run",
            field=_DRY_RUN,
        )


def is_dry_run(request: AnyConnection, handler: BaseRouteHandler) -> bool:
    """Return whether this request is a dry run; invalid options are refused later."""
    return (
        bool(request.scope["query_string"])
        and request.query_params.getall(_DRY_RUN, []) == ["true"]
        and _OPTIONS in handler.parsed_fn_signature.parameters
    )


def _check_spelling(names: Sequence[str]) -> None:
    present = [name for name in names if _normalised(name) == _normalised(_DRY_RUN)]
    if present not in ([], [_DRY_RUN]):
        raise FieldInvalid(
            f"{present[-1][:100]}: give {_DRY_RUN} once, spelled exactly so", field=_DRY_RUN
        )


def _normalised(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


def provide_request_options(
    dry_run: DryRun = None, scripted: ScriptedOutcomesHeader = None
) -> RequestOptions:
    """Return the options of a request; raises `FieldInvalid`."""
    if dry_run is not None and dry_run not in _BOOLEANS:
        raise FieldInvalid(f"{_DRY_RUN} must be true or false", field=_DRY_RUN)
    return RequestOptions(DryRunResult() if dry_run == "true" else None, scripted)

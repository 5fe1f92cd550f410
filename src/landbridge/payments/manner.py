"""How a payment is asked for, besides what is asked: told beside the body of a create."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from litestar.params import HeaderParameter, QueryParameter

from landbridge.approvals.model import Approval
from landbridge.core.errors import FieldInvalid
from landbridge.payments.rehearsal import Rehearsal
from landbridge.simulation.plans import HEADER
from landbridge.web.lists import AnyRequest

_TRUTHS = ("true", "false")
_DRY_RUN = "dryRun"
# What handlers of creates call it.
_MANNER = "manner"

DryRun = Annotated[
    str | None,
    QueryParameter(
        name=_DRY_RUN,
        description="`true`: answer what would be made, with its journals, limits and approval, "
        "and write nothing.",
    ),
]
Forced = Annotated[
    str | None,
    HeaderParameter(
        name=HEADER,
        description="Sandbox only: what later steps come to, as in `payout=return`; see "
        "GET /v2/sandbox/outcomes.",
    ),
]


@dataclass(frozen=True, slots=True)
class Manner:
    """How a create is meant.

    `rehearsal` is `?dryRun=true`: answer what would be made, and write nothing; what there is to
    tell is gathered in it. `forced` is the header `Landbridge-Sandbox`: what later steps are to
    come to.
    """

    rehearsal: Rehearsal | None = None
    forced: str | None = None

    @property
    def approval(self) -> Approval | None:
        """What a rehearsal asked for, which is nowhere else to be read."""
        return None if self.rehearsal is None else self.rehearsal.approval


PLAIN = Manner()


async def check_manner(request: AnyRequest) -> None:
    """Refuse a manner on a route that knows none: it would be done as if nothing had been told.

    Likewise one that is misspelled or told twice: who tries something must not pay.
    """
    if request.scope["query_string"]:
        _check_spelling([name for name, _ in request.query_params.multi_items()])
    if len(request.headers.getall(HEADER, [])) > 1:
        raise FieldInvalid(
            f"{HEADER} is told twice; join what it asks for by semicolons", field=HEADER
        )
    if _MANNER in request.route_handler.parsed_fn_signature.parameters:
        return
    if HEADER in request.headers:
        raise FieldInvalid(
            f"{HEADER} belongs to the request that creates a payment, not to this one", field=HEADER
        )
    if request.method != "GET" and _DRY_RUN in request.query_params:
        raise FieldInvalid(
            f"{_DRY_RUN} is for requests that create a payment: this one can't be rehearsed",
            field=_DRY_RUN,
        )


def _check_spelling(names: Sequence[str]) -> None:
    told = [name for name in names if _folded(name) == _folded(_DRY_RUN)]
    if told not in ([], [_DRY_RUN]):
        raise FieldInvalid(f"{told[-1][:100]}: say {_DRY_RUN} once, spelled so", field=_DRY_RUN)


def _folded(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


def provide_manner(dry_run: DryRun = None, forced: Forced = None) -> Manner:
    """The manner that a request asks for; raises `FieldInvalid`."""
    if dry_run is not None and dry_run not in _TRUTHS:
        raise FieldInvalid(f"{_DRY_RUN} must be true or false", field=_DRY_RUN)
    return Manner(Rehearsal() if dry_run == "true" else None, forced)

"""Route that returns the outcome of a request."""

from uuid import UUID

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.responses import Moment, WireStruct, moment
from landbridge.reporting.request_outcomes import RequestOutcomes


class RequestReply(WireStruct, frozen=True):
    """Resource created by a request, in its current state: read it in full at `href`.

    `kind` is that of a payment, as in `transferType`, or `RESOLUTION`, `USER`, `BANK_ACCOUNT`,
    `SETTLEMENT_RULE`, `SIMULATED_DEPOSIT`, `TERMS_LINK`, or one of the kinds of requests whose
    header `Idempotency-Key` is their only id. `status` is null for kinds without one and for these.
    `isFinal` is true if the request has no further effect. `outcomePlan` is the sandbox's scripted
    plan, if the request had one.
    """

    request_id: UUID
    kind: str
    id: UUID
    href: str
    status: str | None
    created_at: Moment
    updated_at: Moment
    is_final: bool
    outcome_plan: str | None


class RequestRoutes(Controller):
    """Look up outcomes of requests."""

    path = "/v2/requests"
    tags = ("Requests",)

    @get(
        "/{requestId:str}",
        summary="Find out what became of a request",
        operation_id="requests.retrieve",
    )
    async def retrieve(
        self,
        request: ApiRequest,
        requestId: FromPath[str],
        request_outcomes: NamedDependency[RequestOutcomes],
    ) -> RequestReply:
        """Return the resource a request created, if its response was lost; 404 if none."""
        request_id = known_id(requestId, "request")
        outcome = await request_outcomes.find(request.user.org_id, request_id)
        return RequestReply(
            request_id=outcome.request_id,
            kind=outcome.kind,
            id=outcome.id,
            href=outcome.href,
            status=outcome.status,
            created_at=moment(outcome.created_at),
            updated_at=moment(outcome.updated_at),
            is_final=outcome.is_final,
            outcome_plan=outcome.outcome_plan,
        )

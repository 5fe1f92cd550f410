"""The route that says what became of a request."""

from uuid import UUID

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.reporting.requests import Requests
from landbridge.web.caller import ApiRequest
from landbridge.web.paths import known_id
from landbridge.web.reply import Moment, WireStruct, moment


class RequestReply(WireStruct, frozen=True):
    """What a request made, as it is now: read it whole at `href`.

    `kind` is that of a payment, as in `transferType`, or `RESOLUTION`, `USER`, `BANK_ACCOUNT`,
    `SETTLEMENT_RULE`, `SIMULATED_DEPOSIT`, `TERMS_LINK`; `status` is null for what has
    none. `isFinal` says that nothing more becomes of the request. `forced` is the sandbox's plan,
    if it asked for one.
    """

    request_id: UUID
    kind: str
    id: UUID
    href: str
    status: str | None
    created_at: Moment
    updated_at: Moment
    is_final: bool
    forced: str | None


class RequestRoutes(Controller):
    """Look up what became of requests."""

    path = "/v2/requests"
    tags = ("Requests",)

    @get("/{requestId:str}", summary="Find out what became of a request")
    async def retrieve(
        self, request: ApiRequest, requestId: FromPath[str], requests: NamedDependency[Requests]
    ) -> RequestReply:
        """For a request whose answer did not arrive: what it made; 404 if nothing came of it."""
        request_id = known_id(requestId, "request")
        became = await requests.became(request.user.org_id, request_id)
        return RequestReply(
            request_id=became.request_id,
            kind=became.kind,
            id=became.id,
            href=became.href,
            status=became.status,
            created_at=moment(became.created_at),
            updated_at=moment(became.updated_at),
            is_final=became.is_final,
            forced=became.forced,
        )

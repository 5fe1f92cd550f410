"""Route that returns the outcome of a request."""

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.path_params import known_id
from landbridge.reporting.request_outcomes import RequestOutcomes, RequestReply


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
        return await request_outcomes.find(request.user.org_id, request_id)

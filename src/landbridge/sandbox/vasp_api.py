"""Routes of the sandbox's simulated provider: /sandbox/vasp/{script}. Refused in production."""

from http import HTTPStatus
from typing import Any

from litestar import Controller, MediaType, Response, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.customers.travel_exchanges.vasp_api import BYTES_MAX
from landbridge.platform.http.headers import header_texts
from landbridge.platform.http.list_query import AnyRequest
from landbridge.platform.http.responses import ResponseEncoder
from landbridge.sandbox.simulated_vasp import SimulatedVasp


class SimulatedVaspRoutes(Controller):
    """Another provider, as the Travel Rule Protocol has it; it knows no keys of ours."""

    path = "/sandbox/vasp/{script:str}"
    dto = None  # the headers are checked before the body is decoded

    @post(
        "/inquiries",
        public=True,
        include_in_schema=False,
        status_code=HTTPStatus.OK,
        request_max_body_size=BYTES_MAX,
    )
    async def inquire(
        self,
        request: AnyRequest,
        script: FromPath[str],
        simulated_vasp: NamedDependency[SimulatedVasp],
    ) -> Response[Any]:
        """Answer an inquiry by the script."""
        headers, body = header_texts(request.scope), await request.body()
        answer = await simulated_vasp.inquire(script, headers, body)
        return ResponseEncoder(answer, media_type=MediaType.JSON)

    @post(
        "/confirmations",
        public=True,
        include_in_schema=False,
        status_code=HTTPStatus.NO_CONTENT,
        request_max_body_size=BYTES_MAX,
    )
    async def confirm(
        self,
        request: AnyRequest,
        script: FromPath[str],
        simulated_vasp: NamedDependency[SimulatedVasp],
    ) -> None:
        """Take what became of a transfer."""
        simulated_vasp.confirm(script, header_texts(request.scope), await request.body())

    @post(
        "/resolutions",
        public=True,
        include_in_schema=False,
        status_code=HTTPStatus.NO_CONTENT,
        request_max_body_size=BYTES_MAX,
    )
    async def resolve(
        self,
        request: AnyRequest,
        script: FromPath[str],
        simulated_vasp: NamedDependency[SimulatedVasp],
    ) -> None:
        """Take the answer to an inquiry that was sent in the name of this provider."""
        simulated_vasp.resolve(script, header_texts(request.scope), await request.body())

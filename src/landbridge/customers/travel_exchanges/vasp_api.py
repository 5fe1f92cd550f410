"""Routes of other providers: /trp/{orgId}. Source: Travel Rule Protocol, docs/reference/trp.md."""

from http import HTTPStatus
from typing import Any

from litestar import Controller, Response, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.customers.travel_exchanges.vasp_messages import VaspMessages
from landbridge.platform.http.headers import header_texts
from landbridge.platform.http.list_query import AnyRequest
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.responses import ResponseEncoder
from landbridge.providers.trp import protocol

# Most bytes of a message: an inquiry has the data of a few people.
BYTES_MAX = 64 * 1024


class VaspRoutes(Controller):
    """Messages of other providers, which have no key of ours."""

    path = "/trp/{orgId:str}"
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
        orgId: FromPath[str],
        vasp_messages: NamedDependency[VaspMessages],
    ) -> Response[Any]:
        """Take an inquiry; the answer follows to its callback."""
        org_id = known_id(orgId, "organisation")
        key = await vasp_messages.receive_inquiry(
            org_id, header_texts(request.scope), await request.body()
        )
        headers = {protocol.VERSION_HEADER: protocol.API_VERSION, protocol.KEY_HEADER: key}
        return ResponseEncoder({"version": protocol.API_VERSION}, headers=headers)

    @post(
        "/callbacks/{secret:str}",
        public=True,
        include_in_schema=False,
        status_code=HTTPStatus.NO_CONTENT,
        request_max_body_size=BYTES_MAX,
    )
    async def answer(
        self,
        request: AnyRequest,
        orgId: FromPath[str],
        secret: FromPath[str],
        vasp_messages: NamedDependency[VaspMessages],
    ) -> None:
        """Take the answer to an inquiry, or what became of a transfer."""
        org_id = known_id(orgId, "organisation")
        await vasp_messages.receive_callback(
            org_id, secret, header_texts(request.scope), await request.body()
        )

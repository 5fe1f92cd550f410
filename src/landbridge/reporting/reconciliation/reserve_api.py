"""Route of proofs of reserves: /v2/proofs/reserves. Ours."""

from typing import Annotated, Any

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath

from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import IDENTIFIER, query
from landbridge.platform.http.list_query import optional_id
from landbridge.platform.http.path_params import known_id
from landbridge.reporting.file_downloads import file_headers
from landbridge.reporting.reconciliation.reserve_proofs import ReserveProofs

_TEXT = "text/plain"
_User = Annotated[
    str | None,
    query(
        "userId",
        IDENTIFIER,
        description="The user to prove the balances of; the statement alone if left out.",
    ),
]


class ReserveProofRoutes(Controller):
    """Statements of reserves, and proofs that a user's balances are in them."""

    path = "/v2/proofs/reserves"
    tags = ("Proofs",)

    @get(
        "/{closeId:str}",
        summary="Prove reserves",
        costly=True,
        responses={
            200: ResponseSpec(
                str,
                media_type=_TEXT,
                description="Lines of JSON that the offline verifier reads.",
                generate_examples=False,
            )
        },
        operation_id="proofs.retrieveReserves",
    )
    async def reserves(
        self,
        request: ApiRequest,
        closeId: FromPath[str],
        reserve_proofs: NamedDependency[ReserveProofs],
        user_id: _User = None,
    ) -> Response[Any]:
        """Return what a confirmed close says is owed and held, with its proof.

        With `userId`, the proof follows that this user's balances are in what is owed; it hides
        those of all others. Answers 409 until a checkpoint covers the close.
        """
        org_id, close_id = request.user.org_id, known_id(closeId, "close")
        party = optional_id("userId", user_id)
        if party is None:
            text = await reserve_proofs.statement(org_id, close_id) + "\n"
        else:
            text = await reserve_proofs.of_user(org_id, close_id, party)
        return Response(text, media_type=_TEXT, headers=file_headers(f"reserves-{close_id}.txt"))

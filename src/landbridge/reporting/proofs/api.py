"""Routes of provable books: /v2/proofs. Ours."""

from typing import Annotated, Any

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import IDENTIFIER, integer, query
from landbridge.platform.http.list_query import optional_id
from landbridge.platform.http.path_params import known_id
from landbridge.reporting.file_downloads import file_headers
from landbridge.reporting.proofs.service import Proofs

_TEXT = "text/plain"
# Largest tree size in a request, above the number of leaves that a tree ever has.
_SIZE_MAX = 2**53 - 1

_User = Annotated[
    str | None,
    query(
        "userId",
        IDENTIFIER,
        description="The party that the proof is for; the payer if left out.",
    ),
]
_Since = Annotated[
    str | None,
    query(
        "since",
        integer(1, _SIZE_MAX),
        description="Number of leaves of a checkpoint that you have.",
    ),
]


def _text_of(description: str) -> dict[int, ResponseSpec]:
    return {
        200: ResponseSpec(str, media_type=_TEXT, description=description, generate_examples=False)
    }


class ProofRoutes(Controller):
    """Checkpoints of the books, and proofs of payments."""

    path = "/v2/proofs"
    tags = ("Proofs",)

    @get(
        "/checkpoint",
        summary="Retrieve the latest checkpoint",
        costly=True,
        responses=_text_of("A signed note (C2SP tlog-checkpoint)."),
        operation_id="proofs.retrieveCheckpoint",
    )
    async def checkpoint(
        self, request: ApiRequest, proofs: NamedDependency[Proofs], since: _Since = None
    ) -> Response[Any]:
        """Return the signed root of all changes.

        With `since`, the proof precedes it that the tree begins with that many leaves unchanged.
        Answers 404 before the first checkpoint.
        """
        text = await proofs.transfers.growth(request.user, _size(since))
        return Response(text, media_type=_TEXT)

    @get(
        "/transfers/{transferId:str}",
        summary="Prove a payment",
        costly=True,
        responses=_text_of("A proof (C2SP tlog-proof) for each change, oldest first."),
        operation_id="proofs.retrieveTransfer",
    )
    async def transfer(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        proofs: NamedDependency[Proofs],
        user_id: _User = None,
    ) -> Response[Any]:
        """Return proofs that show one party its entries, and hide those of all others.

        Answers 409 until a checkpoint covers the payment.
        """
        text = await proofs.transfers.of_transfer(
            request.user, known_id(transferId, "payment"), optional_id("userId", user_id)
        )
        name = f"{known_id(transferId, 'payment')}.tlog-proof"
        return Response(text, media_type=_TEXT, headers=file_headers(name))


def _size(text: str | None) -> int | None:
    if text is None:
        return None
    is_number = len(text) <= len(str(_SIZE_MAX)) and text.isascii() and text.isdigit()
    if not (is_number and 1 <= int(text) <= _SIZE_MAX):
        raise FieldInvalid("since is the number of leaves of a checkpoint", field="since")
    return int(text)

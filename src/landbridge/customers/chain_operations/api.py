"""Routes of connected chains: /v2/chains. Ours; docs/reference/chains-file.md."""

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.customers.chain_operations.schemas import (
    ChainList,
    ChainOrderList,
    ChainReply,
    chain_reply,
    order_reply,
)
from landbridge.customers.chain_operations.service import ChainOperations
from landbridge.platform.core.errors import ResourceNotFound
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.path_params import known_id


class ChainRoutes(Controller):
    """Connected chains, and the orders of payments on them."""

    path = "/v2/chains"
    tags = ("Service",)

    @get(summary="List connected chains", operation_id="chains.list")
    async def all(
        self, request: ApiRequest, chain_operations: NamedDependency[ChainOperations]
    ) -> ChainList:
        """Connected chains with head, open orders and treasury; for admins also the installation.

        Each call asks the nodes for their head, for at most three seconds.
        """
        found = await chain_operations.all(request.user)
        return ChainList(
            count=len(found), chains=[chain_reply(each, request.user) for each in found]
        )

    @get("/{name:str}", summary="Retrieve a connected chain", operation_id="chains.retrieve")
    async def retrieve(
        self,
        request: ApiRequest,
        name: FromPath[str],
        chain_operations: NamedDependency[ChainOperations],
    ) -> ChainReply:
        """One chain, as in the list."""
        return chain_reply(await chain_operations.get(request.user, name), request.user)

    @get(
        "/orders/{recordId:str}",
        summary="List a payment's orders on chains",
        operation_id="chains.listOrders",
    )
    async def orders(
        self,
        request: ApiRequest,
        recordId: FromPath[str],
        chain_operations: NamedDependency[ChainOperations],
    ) -> ChainOrderList:
        """Orders of a payment on connected chains, with every transaction signed for them."""
        record_id = known_id(recordId, "payment with chain orders", ResourceNotFound)
        found = await chain_operations.orders(request.user.org_id, record_id)
        return ChainOrderList(
            count=len(found), orders=[order_reply(each, request.user) for each in found]
        )

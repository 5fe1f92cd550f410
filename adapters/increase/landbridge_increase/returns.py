"""Returns of credits: ACH transfers are returned, wires reversed. Others are refused.

Increase returns a transfer as a whole, and keeps no key of ours for that: so the transfer's status
says whether it was done, and nothing else does. Sources: /inbound-ach-transfers and
/inbound-wire-transfers of increase.com/documentation/api.
"""

from landbridge.providers.packages.http_client import NoAnswer, certain, path_segment
from landbridge.providers.packages.interface import (
    FailureCode,
    NotDone,
    PayoutAnswer,
    PayoutRefused,
    PayoutRequest,
    PayoutState,
)
from landbridge_increase.client import (
    NOT_FOUND,
    NOT_TAKEN,
    IncreaseApi,
    IncreaseRefusal,
)
from landbridge_increase.inbound import InboundNetwork, IncreaseInbound, network_of
from landbridge_increase.messages import dollars
from landbridge_increase.order import cents


class IncreaseReturns:
    """Returns credits to their senders."""

    def __init__(self, api: IncreaseApi) -> None:
        self._api = api

    async def pay(self, request: PayoutRequest) -> PayoutAnswer:
        """Return a credit unless it is returned; see `ProviderPackage`."""
        identifier = request.returns or ""
        network = network_of(identifier)
        if network is None or network.returned is None or request.test_outcome is not None:
            raise PayoutRefused(FailureCode.UNSUPPORTED)
        path = f"{network.path}/{path_segment(identifier)}"
        inbound = await self._find(path)
        if request.currency != "usd" or inbound.amount != cents(request.amount):
            raise PayoutRefused(FailureCode.UNSUPPORTED)
        if inbound.status == network.accepted:
            inbound = await self._return(path, network)
        if inbound.id != identifier:
            raise NoAnswer("the answer is about another transfer")
        if inbound.status != network.returned or inbound.reason is None:
            raise NoAnswer("it is neither accepted nor returned")
        if inbound.reason != network.reason:
            raise PayoutRefused(FailureCode.CREDIT_GONE)
        return PayoutAnswer(
            key=request.key,
            state=PayoutState.SETTLED,
            amount=dollars(inbound.amount),
            currency="usd",
            provider_reference=inbound.id,
        )

    async def _find(self, path: str) -> IncreaseInbound:
        try:
            return await self._api.get(path, IncreaseInbound)
        except IncreaseRefusal as refused:
            if refused.kind == NOT_FOUND:
                raise PayoutRefused(FailureCode.CREDIT_GONE) from None
            raise NotDone(f"Increase did not show the credit: {refused.kind}") from None

    async def _return(self, path: str, network: InboundNetwork) -> IncreaseInbound:
        try:
            return await self._api.act(
                f"{path}/{network.return_call}", {"reason": network.reason}, IncreaseInbound
            )
        except IncreaseRefusal as refused:
            kind = refused.kind
        try:
            again = await certain(self._api.get(path, IncreaseInbound))
        except IncreaseRefusal:
            raise NoAnswer("the credit is not shown after a return") from None
        if again.status != network.accepted:
            return again
        if kind in NOT_TAKEN:
            raise NotDone(f"Increase did not return the credit: {kind}")
        # An earlier return may be on its way, which the status of a wire shows late.
        raise NoAnswer("a return was answered with an error that decides nothing")

"""Faucet of local chains: mints tokens and pays native coins from an account that the node holds.

Only for the sandbox: on a real chain there is no such account.
"""

from typing import Any

from landbridge.platform.core.errors import Rejected, Unavailable
from landbridge.providers.evm import abi
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.errors import NodeError
from landbridge.providers.evm.quantities import AnswerInvalid, read_hash
from landbridge.providers.evm.rpc import ChainClient
from landbridge.providers.evm.transport import RpcCall


class Faucet:
    """Faucet of one local chain."""

    def __init__(self, chain: EvmChain, client: ChainClient) -> None:
        self._chain = chain
        self._client = client

    async def mint(self, currency: str, destination: str, units: int) -> str:
        """Mint tokens for an address; return the transaction's hash.

        Raises `Rejected` if the chain has no faucet or no such token, and `Unavailable`.
        """
        token = self._chain.tokens.get(currency)
        if token is None:
            raise Rejected(f"there is no {currency} on {self._chain.name}")
        return await self._send(
            token.address, data=abi.MINT.encode(destination, units), value_wei=0
        )

    async def pay(self, destination: str, value_wei: int) -> str:
        """Send native coins to an address; return the transaction's hash.

        Raises the errors of `mint`.
        """
        return await self._send(destination, data=b"", value_wei=value_wei)

    async def _send(self, destination: str, *, data: bytes, value_wei: int) -> str:
        if self._chain.faucet is None:
            raise Rejected(f"{self._chain.name} has no faucet")
        request = {
            "from": self._chain.faucet,
            "to": destination,
            "data": f"0x{data.hex()}",
            "value": hex(value_wei),
        }
        answer: Any
        (answer,) = await self._client.batch([RpcCall("eth_sendTransaction", (request,))])
        if isinstance(answer, NodeError):
            raise Unavailable(f"the faucet of {self._chain.name} answered error {answer.code}")
        try:
            return read_hash(answer)
        except AnswerInvalid as error:
            raise Unavailable(f"the faucet of {self._chain.name} answered no hash") from error

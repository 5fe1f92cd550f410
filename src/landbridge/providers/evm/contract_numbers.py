"""Numbers read from contracts, for the check of chains at start."""

from landbridge.providers.evm.abi import AbiFunction, AbiValue, decode_uint256
from landbridge.providers.evm.errors import NodeError
from landbridge.providers.evm.quantities import AnswerInvalid
from landbridge.providers.evm.rpc import ChainClient


async def read_number(
    client: ChainClient, address: str, function: AbiFunction, *values: AbiValue
) -> int | None:
    """Return the number that a function answers; None if the contract does not answer one."""
    try:
        data = await client.call(destination=address, data=function.encode(*values))
        return decode_uint256(data)
    except (AnswerInvalid, NodeError):
        return None

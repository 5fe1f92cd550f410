"""Check of Solana at start: nodes are on the configured chain, and mints are as configured."""

import asyncio

import msgspec

from landbridge.platform.core.clock import Clock
from landbridge.providers.evm.errors import NodeUnavailable
from landbridge.providers.evm.node_url import NodeUrl
from landbridge.providers.evm.quantities import AnswerInvalid
from landbridge.providers.evm.start_check import ChainCheck
from landbridge.providers.solana.chain_data import ChainAccount, Commitment, little_endian
from landbridge.providers.solana.configuration import SolanaChain, SolanaToken
from landbridge.providers.solana.programs import TOKEN_PROGRAMS
from landbridge.providers.solana.rpc import SolanaClient

# Positions in a mint's data: https://docs.rs/spl-token, and spl-token-2022 for the extensions.
# These begin after the size of a token account and the kind of the account, and each has a type and
# a length.
_MINT_BYTES, _DECIMALS_START, _INITIALIZED_START = 82, 44, 45
_EXTENSIONS_START = 166
_TYPE_BYTES = 2
_FEE_CONFIG, _DEFAULT_STATE, _NON_TRANSFERABLE, _HOOK = 1, 6, 9, 14
_FEE_BYTES, _FROZEN = 2, 2
_OLDER_FEE_START, _NEWER_FEE_START = 88, 106
_HOOK_PROGRAM_START, _ADDRESS_BYTES = 32, 32
_PROBLEMS = {
    _FEE_CONFIG: "takes a fee of each transfer",
    _DEFAULT_STATE: "freezes new accounts",
    _NON_TRANSFERABLE: "can't be transferred",
    _HOOK: "calls a program at each transfer",
}


async def check_solana(chain: SolanaChain, clock: Clock) -> ChainCheck:
    """Check the chain node by node; nothing that a node answers raises an error."""
    found = await asyncio.gather(*(_node_problems(chain, url, clock) for url in chain.rpc_urls))
    return ChainCheck(
        chain=chain.name,
        nodes=len(found),
        nodes_passed=sum(1 for problems in found if not problems),
        problems=tuple(problem for problems in found for problem in problems),
    )


async def _node_problems(chain: SolanaChain, url: NodeUrl, clock: Clock) -> list[str]:
    client = SolanaClient(msgspec.structs.replace(chain, rpc_urls=(url,)), clock)
    mints = [token.address for token in chain.tokens.values()]
    try:
        _, accounts = await client.accounts(mints, Commitment.FINALIZED)
    except NodeUnavailable as unavailable:
        # The error already names the node. The first request has checked the genesis hash.
        return [f"Node {unavailable}."]
    finally:
        await client.close()
    problems = [
        (currency, mint_problem(token, account))
        for (currency, token), account in zip(chain.tokens.items(), accounts, strict=True)
    ]
    return [f"Node {url}: token {name} {text}." for name, text in problems if text is not None]


def mint_problem(token: SolanaToken, account: ChainAccount | None) -> str | None:
    """Return how a token's mint differs from its configuration; None if it does not."""
    if account is None:
        return f"has no mint at {token.address}"
    if account.owner != str(TOKEN_PROGRAMS[token.program]):
        return f"at {token.address} does not belong to the program {token.program}"
    data = account.content
    if len(data) < _MINT_BYTES or not data[_INITIALIZED_START]:
        return f"at {token.address} is no mint"
    if data[_DECIMALS_START] != token.decimals:
        return f"at {token.address} has {data[_DECIMALS_START]} decimals, not {token.decimals}"
    try:
        return _extension_problem(data)
    except AnswerInvalid:
        return f"at {token.address} has extensions that can't be read"


def _extension_problem(data: bytes) -> str | None:
    """Return an extension of a Token-2022 mint that our transfers do not support, or None."""
    start = _EXTENSIONS_START
    while start + 2 * _TYPE_BYTES <= len(data):
        kind = little_endian(data, start, _TYPE_BYTES)
        length = little_endian(data, start + _TYPE_BYTES, _TYPE_BYTES)
        start += 2 * _TYPE_BYTES
        value = data[start : start + length]
        start += length
        problem = _PROBLEMS.get(kind)
        if problem is not None and _is_demanded(kind, value):
            return problem
    return None


def _is_demanded(kind: int, value: bytes) -> bool:
    """Return whether an extension has an effect, and is not only declared."""
    if kind == _FEE_CONFIG:
        starts = (_OLDER_FEE_START, _NEWER_FEE_START)
        return any(little_endian(value, each, _FEE_BYTES) for each in starts)
    if kind == _DEFAULT_STATE:
        return value[:1] == bytes([_FROZEN])
    if kind == _HOOK:
        return any(value[_HOOK_PROGRAM_START : _HOOK_PROGRAM_START + _ADDRESS_BYTES])
    return True

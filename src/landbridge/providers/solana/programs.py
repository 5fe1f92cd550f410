"""Programs that transfers use on Solana, and the addresses of token accounts."""

from functools import lru_cache

from solders.pubkey import Pubkey

from landbridge.providers.solana.configuration import SolanaToken, TokenProgram

SYSTEM = Pubkey.from_string("11111111111111111111111111111111")
COMPUTE_BUDGET = Pubkey.from_string("ComputeBudget111111111111111111111111111111")
ASSOCIATED_TOKEN = Pubkey.from_string("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")
TOKEN_PROGRAMS = {
    TokenProgram.TOKEN: Pubkey.from_string("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"),
    TokenProgram.TOKEN_2022: Pubkey.from_string("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"),
}
_CACHE_SIZE = 100_000


@lru_cache(_CACHE_SIZE)
def token_account(owner: str, mint: str, program: TokenProgram) -> str:
    """Return the address of the owner's associated token account, which may not exist yet."""
    seeds = [
        bytes(Pubkey.from_string(owner)),
        bytes(TOKEN_PROGRAMS[program]),
        bytes(Pubkey.from_string(mint)),
    ]
    address, _ = Pubkey.find_program_address(seeds, ASSOCIATED_TOKEN)
    return str(address)


def account_of(owner: str, token: SolanaToken) -> str:
    """Return the address of the owner's associated account of a token."""
    return token_account(owner, token.address, token.program)

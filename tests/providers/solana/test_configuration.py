"""Solana's table of the chains file: what it accepts, and how it names a mistake."""

from pathlib import Path

import pytest

from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.configuration import parse_chains
from landbridge.providers.evm.configuration_table import ChainsFileError
from landbridge.providers.evm.signer_limits import AmountLimits
from landbridge.providers.solana.configuration import (
    SolanaToken,
    TokenProgram,
    parse_solana,
    read_solana,
)
from tests.providers.evm.test_configuration import CHAIN

SOLANA = """
[chains.SOLANA]
genesis_hash = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"
rpc_urls = ["https://solana.example.com/key", "https://other.example.com"]
finality = "finalized"
explorer = "https://explorer.solana.com/tx/{hash}"
priority_fee_cap = 2000000
compute_units_max = 300000
relayers = 2
relayer_floor = "0.5"
organisation_day = "1.5"
resend_after_s = 3

[chains.SOLANA.tokens.usdc]
address = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
decimals = 6
program = "token"
treasury_floor = "100"

[chains.SOLANA.signer]
native = {day_max = "2"}
usdc = {transaction_max = "50000"}
"""


def test_all_members_are_read() -> None:
    chain = parse_solana(SOLANA)
    assert chain is not None
    assert [str(each) for each in chain.rpc_urls] == ["solana.example.com", "other.example.com"]
    assert chain.tokens == {
        "usdc": SolanaToken(
            address="EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
            decimals=6,
            program=TokenProgram.TOKEN,
            treasury_floor_units=100 * 10**6,
        )
    }
    assert (chain.priority_fee_cap, chain.compute_units_max) == (2_000_000, 300_000)
    assert (chain.relayers, chain.relayer_floor_units, chain.resend_after_s) == (2, 5 * 10**8, 3)
    assert chain.organisation_day_units == 15 * 10**8
    assert chain.signer.amounts["native"] == AmountLimits(day_max_units=2 * 10**9)
    assert chain.explorer_url("abc") == "https://explorer.solana.com/tx/abc"


def test_one_file_has_both_kinds_of_chain() -> None:
    assert list(parse_chains(CHAIN + SOLANA)) == [Network.POLYGON]
    assert parse_solana(CHAIN + SOLANA) == parse_solana(SOLANA)
    assert parse_solana(CHAIN) is None
    assert parse_chains(SOLANA) == {}


def test_the_example_of_the_page_is_valid(tmp_path: Path) -> None:
    page = Path("docs/reference/chains-file.md").read_text(encoding="utf-8")
    blocks = [block.partition("```")[0] for block in page.split("```toml\n")[1:]]
    (example,) = [block for block in blocks if block.startswith("[chains.SOLANA]")]
    path = tmp_path / "chains.toml"
    path.write_text(example, encoding="utf-8")
    assert read_solana(path) is not None


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("5eykt4", "0OIl", "chains.SOLANA.genesis_hash must be 32 to 44 characters of base58"),
        ('"finalized"', '"safe"', "chains.SOLANA.finality must be finalized"),
        ("https://other", "http://other", "chains.SOLANA.rpc_urls[1] must be an https URL"),
        ("/{hash}", "", "chains.SOLANA.explorer must be an https URL with {hash} in it once"),
        ("2000000", "-1", "chains.SOLANA.priority_fee_cap must be a whole number from 0"),
        ("300000", "2000000", "chains.SOLANA.compute_units_max must be a whole number from 1"),
        ('"0.5"', '"0.1234567891"', "chains.SOLANA.relayer_floor must have at most 9 decimals"),
        ("relayers = 2", "relayer = 2", "chains.SOLANA.relayer is unknown"),
        ("tokens.usdc", "tokens.dai", "chains.SOLANA.tokens.dai is no token of the platform"),
        ("decimals = 6", "decimals = 9", "chains.SOLANA.tokens.usdc.decimals must be 6"),
        ('"token"', '"erc20"', "chains.SOLANA.tokens.usdc.program must be token or token-2022"),
        ("EPjFWdd5", "0xEPjFWd", "chains.SOLANA.tokens.usdc.address must be 32 to 44"),
        ('"50000"', '"0.1234567"', "chains.SOLANA.signer.usdc.transaction_max must have at most 6"),
    ],
)
def test_a_mistake_is_named_by_its_path(before: str, after: str, message: str) -> None:
    with pytest.raises(ChainsFileError) as raised:
        parse_solana(SOLANA.replace(before, after))
    assert str(raised.value).startswith(message)


def test_a_mint_has_one_currency() -> None:
    _, _, after = SOLANA.partition("[chains.SOLANA.tokens.usdc]")
    other, _, _ = after.partition("[chains.SOLANA.signer]")
    with pytest.raises(ChainsFileError, match=r"tokens\.usdt\.address is also that of usdc"):
        parse_solana(f"{SOLANA}\n[chains.SOLANA.tokens.usdt]{other}")

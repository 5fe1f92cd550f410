"""The chains file: what it may say, and the sentence for each mistake."""

from pathlib import Path

import pytest

from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.configuration import (
    FinalityTag,
    SponsorMethod,
    parse_chains,
    read_chains_file,
)
from landbridge.providers.evm.configuration_table import ChainsFileError
from landbridge.providers.evm.token_configuration import Eip3009Domain
from tests.sources import ROOT

HASH = "0x" + "Ab" * 32
USDC = "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"
CHAIN = f"""
[chains.POLYGON]
chain_id = 137
rpc_urls = ["http://127.0.0.1:8545", "https://user:password@rpc.example.com/v2/secret-key"]
checkpoint_block = 3
checkpoint_hash = "{HASH}"
confirmations = 3
finality = "finalized"
explorer = "https://polygonscan.com/tx/{{hash}}"
sponsor = ["eip3009", "eip7702", "top-up"]
batch_contract = "0x{"1" * 40}"
delegate_contract = "0x{"2" * 40}"
max_fee_gwei_cap = "500.5"
[chains.POLYGON.tokens.usdc]
address = "{USDC}"
decimals = 6
eip3009 = {{name = "USD Coin", version = "2"}}
"""
BASE = CHAIN.replace("POLYGON", "BASE")


def test_a_complete_chain_is_read() -> None:
    chain = parse_chains(CHAIN)[Network.POLYGON]
    assert chain.chain_id == 137
    assert [url.label for url in chain.rpc_urls] == ["127.0.0.1:8545", "rpc.example.com"]
    assert chain.rpc_urls[1].secret_text.endswith("/v2/secret-key")
    assert chain.checkpoint_hash == HASH.lower()
    assert chain.finality is FinalityTag.FINALIZED
    assert chain.sponsor == tuple(SponsorMethod)
    assert chain.max_fee_cap_wei == 500_500_000_000
    assert chain.explorer_url("0x12") == "https://polygonscan.com/tx/0x12"
    token = chain.tokens["usdc"]
    assert (token.address, token.decimals) == (USDC, 6)
    assert token.eip3009 == Eip3009Domain("USD Coin", "2")


def test_the_example_of_the_reference_is_read() -> None:
    page = (ROOT / "docs" / "reference" / "chains-file.md").read_text(encoding="utf-8")
    example = page.partition("```toml")[2].partition("```")[0]
    assert list(parse_chains(example)) == [Network.POLYGON]


def test_optional_members_may_be_absent() -> None:
    optional = ("batch_contract", "delegate_contract", "max_fee_gwei_cap", "eip3009")
    lines = [
        line.replace('"eip7702", ', "")
        for line in CHAIN.splitlines()
        if not line.startswith(optional)
    ]
    chain = parse_chains("\n".join(lines))[Network.POLYGON]
    assert chain.batch_contract is chain.delegate_contract is chain.max_fee_cap_wei is None
    assert chain.tokens["usdc"].eip3009 is None


@pytest.mark.parametrize(
    ("chain", "wei"), [("POLYGON", 10**21), ("ETHEREUM", 10**18), ("BASE", 10**17)]
)
def test_gas_of_an_organisation_is_bounded_by_default(chain: str, wei: int) -> None:
    text = CHAIN.replace("chains.POLYGON", f"chains.{chain}").partition(f"[chains.{chain}.market")[
        0
    ]
    assert parse_chains(text)[Network(chain)].organisation_day_wei == wei


def test_gas_of_an_organisation_may_have_another_bound() -> None:
    text = CHAIN.replace("chain_id = 137", 'chain_id = 137\norganisation_day = "2.5"')
    assert parse_chains(text)[Network.POLYGON].organisation_day_wei == 25 * 10**17


def test_gas_of_a_delivery_may_be_bounded() -> None:
    assert parse_chains(CHAIN)[Network.POLYGON].gas_per_coin_max_wei is None
    text = CHAIN.replace("chain_id = 137", 'chain_id = 137\ngas_per_coin_max = "0.0001"')
    assert parse_chains(text)[Network.POLYGON].gas_per_coin_max_wei == 10**14


def test_finality_may_be_a_depth() -> None:
    text = CHAIN.replace('"finalized"', "64")
    assert parse_chains(text)[Network.POLYGON].finality == 64


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("chain_id = 137", "", "chains.POLYGON.chain_id is missing"),
        ("chain_id = 137", "chain_id = true", "chains.POLYGON.chain_id must be a whole number"),
        ("chain_id = 137", "chain_id = 0", "chains.POLYGON.chain_id must be a whole number"),
        ("chain_id = 137", "chain = 137\nchain_id = 137", "chains.POLYGON.chain is unknown"),
        ("decimals = 6", "decimals = 18", "usdc.decimals must be 6, as the platform books it"),
        ("decimals = 6", "decimals = 6\nname = 1", "chains.POLYGON.tokens.usdc.name is unknown"),
        ("tokens.usdc", "tokens.doge", "chains.POLYGON.tokens.doge is no token of the platform"),
        (USDC, USDC.swapcase(), "chains.POLYGON.tokens.usdc.address must be 0x followed by"),
        ("542cEF5E", "542ceF5E", "chains.POLYGON.tokens.usdc.address has a wrong checksum"),
        (f'"0x{"1" * 40}"', "5", "chains.POLYGON.batch_contract must be text in quotes"),
        (f"0x{'1' * 40}", "0x" + "0" * 40, "chains.POLYGON.batch_contract is the zero address"),
        (f'delegate_contract = "0x{"2" * 40}"', "", "has eip7702, which needs a delegate_contract"),
        ('"top-up"', '"gift"', "chains.POLYGON.sponsor must be a list of eip3009, eip7702 or"),
        ('"top-up"', '"eip3009"', "chains.POLYGON.sponsor has one method twice"),
        ('"finalized"', '"latest"', "chains.POLYGON.finality must be safe or finalized, or a"),
        ('"finalized"', "2", "chains.POLYGON.finality must be at least the 3 confirmations"),
        ('"500.5"', "500.5", "chains.POLYGON.max_fee_gwei_cap must be text in quotes"),
        ('"500.5"', '"5e2"', "chains.POLYGON.max_fee_gwei_cap must be a decimal in text"),
        ('"500.5"', '"0.0"', "chains.POLYGON.max_fee_gwei_cap must be above 0"),
        (HASH, "0x12", "chains.POLYGON.checkpoint_hash must be 0x followed by 64"),
        ("/{hash}", "/", "chains.POLYGON.explorer must be an https URL with {hash} in it once"),
        ("https://poly", "ftp://poly", "chains.POLYGON.explorer must be an https URL"),
        ("127.0.0.1:8545", "10.0.0.1:8545", "chains.POLYGON.rpc_urls[0] must be an https URL"),
        ("https://user", "http://user", "chains.POLYGON.rpc_urls[1] must be an https URL"),
        ('"http://127.0.0.1:8545", ', '"https://b.example", ' * 10, "rpc_urls must have 1 to 10"),
        ('"http://127.0.0.1:8545", ', '"https://b.example", ' * 2, "rpc_urls has one URL twice"),
        ("8545", "8545#a", "chains.POLYGON.rpc_urls[0] must not have a fragment"),
        ("8545", "8545 ", "chains.POLYGON.rpc_urls[0] must be an https URL"),
        ("http://127.0.0.1", "127.0.0.1", "chains.POLYGON.rpc_urls[0] must be an https URL"),
        ('["eip3009", "eip7702", "top-up"]', '"top-up"', "sponsor must be a list of texts"),
        ('["eip3009", "eip7702", "top-up"]', "[1]", "sponsor must be a list of texts"),
        (
            "[chains.POLYGON.tokens.usdc]",
            "tokens = 1\n[chains.BASE]",
            "chains.POLYGON.tokens must be a table",
        ),
        ("finality =", "f =", "chains.POLYGON.finality is missing"),
        ('"finalized"', "true", "chains.POLYGON.finality must be safe or finalized, or a"),
        ("8545", "99999", "chains.POLYGON.rpc_urls[0] must be an https URL"),
        ("chains.POLYGON", "chains.AVALANCHE", "chains.AVALANCHE is no chain of the platform"),
        ('version = "2"', 'version = "2", salt = "x"', "tokens.usdc.eip3009.salt is unknown"),
        ('version = "2"', 'version = ""', "eip3009.version must have 1 to 100 characters"),
        ('version = "2"', "", "the chains file is not valid TOML"),
    ],
)
def test_a_mistake_is_named_by_its_path(before: str, after: str, sentence: str) -> None:
    assert before in CHAIN
    with pytest.raises(ChainsFileError) as raised:
        parse_chains(CHAIN.replace(before, after))
    assert sentence in str(raised.value)


def test_a_chain_has_at_least_one_token() -> None:
    text = CHAIN.partition("[chains.POLYGON.tokens.usdc]")[0] + "[chains.POLYGON.tokens]"
    with pytest.raises(ChainsFileError, match=r"^chains.POLYGON.tokens must have at least one"):
        parse_chains(text)


def test_two_chains_have_two_ids() -> None:
    with pytest.raises(ChainsFileError, match=r"chains.BASE.chain_id is also that of POLYGON"):
        parse_chains(CHAIN + BASE)
    both = parse_chains(CHAIN + BASE.replace("chain_id = 137", "chain_id = 8453"))
    assert list(both) == [Network.POLYGON, Network.BASE]


def test_two_tokens_have_two_addresses() -> None:
    other = f'[chains.POLYGON.tokens.usdt]\naddress = "{USDC.lower()}"\ndecimals = 6\n'
    with pytest.raises(ChainsFileError, match=r"tokens.usdt.address is also that of usdc"):
        parse_chains(CHAIN + other)


@pytest.mark.parametrize("text", ["", "[chains]", "chains = 1", "other = 1\n[chains]"])
def test_a_file_without_chains_is_refused(text: str) -> None:
    with pytest.raises(ChainsFileError, match=r"^(chains|other) "):
        parse_chains(text)


@pytest.mark.parametrize(
    "mistake", ["chain_id = 0", 'rpc_urls = ["https://k:s3cret@h.example/s3cret#x"]']
)
def test_secrets_of_urls_are_never_shown(mistake: str) -> None:
    name = mistake.partition(" ")[0]
    lines = [mistake if line.startswith(name) else line for line in CHAIN.splitlines()]
    with pytest.raises(ChainsFileError) as raised:
        parse_chains("\n".join(lines))
    assert "s3cret" not in str(raised.value)
    assert raised.value.__cause__ is None
    shown = f"{parse_chains(CHAIN)}"
    assert "rpc.example.com" in shown
    assert "password" not in shown
    assert "secret-key" not in shown


def test_a_missing_file_is_an_error_sentence(tmp_path: Path) -> None:
    with pytest.raises(ChainsFileError, match="can't be read: No such file"):
        read_chains_file(tmp_path / "chains.toml")
    (tmp_path / "chains.toml").write_bytes(b"\xff")
    with pytest.raises(ChainsFileError, match="is not UTF-8 text"):
        read_chains_file(tmp_path / "chains.toml")


MESSENGER, TRANSMITTER = "0x" + "6" * 40, "0x" + "7" * 40


def bridged(chain: str, *, domain: object = 7, url: str = "https://iris-api.circle.com") -> str:
    """Return a chain with a bridge for usdc."""
    bridge = (
        f'bridge = {{domain = {domain}, token_messenger = "{MESSENGER}", '
        f'message_transmitter = "{TRANSMITTER}", attestation_url = "{url}"}}\n'
    )
    head, mark, tail = chain.partition("confirmations = ")
    return f"{head}{bridge}{mark}{tail}bridgeable = true\n"


def test_a_bridge_is_read() -> None:
    other = bridged(BASE, domain=6).replace("chain_id = 137", "chain_id = 8453")
    chains = parse_chains(bridged(CHAIN) + other)
    bridge = chains[Network.POLYGON].bridge
    assert bridge is not None
    assert (bridge.domain, bridge.token_messenger) == (7, MESSENGER)
    assert bridge.message_transmitter == TRANSMITTER
    assert str(bridge.attestation_url) == "iris-api.circle.com"
    assert all(chain.tokens["usdc"].is_bridgeable for chain in chains.values())
    assert not parse_chains(CHAIN)[Network.POLYGON].tokens["usdc"].is_bridgeable


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (bridged(CHAIN, domain=-1), "chains.POLYGON.bridge.domain must be a whole number from 0"),
        (bridged(CHAIN, url="http://a.example.com"), "chains.POLYGON.bridge.attestation_url must"),
        (
            bridged(CHAIN, url="https://a.example.com/?a=1"),
            "chains.POLYGON.bridge.attestation_url must not have a query",
        ),
        (
            CHAIN + "bridgeable = true\n",
            "chains.POLYGON.tokens.usdc.bridgeable needs chains.POLYGON.bridge",
        ),
        (CHAIN + "bridgeable = 1\n", "chains.POLYGON.tokens.usdc.bridgeable must be true or false"),
        (
            bridged(CHAIN) + bridged(BASE).replace("chain_id = 137", "chain_id = 8453"),
            "chains.BASE.bridge.domain is also that of POLYGON",
        ),
    ],
)
def test_a_wrong_bridge_has_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ChainsFileError, match=f"^{sentence}"):
        parse_chains(text)

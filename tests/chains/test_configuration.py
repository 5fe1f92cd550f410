"""The configuration file: valid TOML, and never another's."""

import tomllib
from pathlib import Path

import pytest
from chains.configuration import (
    ChainConfiguration,
    ConfigurationError,
    Eip712Domain,
    TokenConfiguration,
    format_configuration,
    read_configuration,
    write_configuration,
)

AWKWARD = 'A "coin" \\ of\n\t\x00\x7f ü 💵'


def make_configuration(*, name: str = "USD Coin") -> ChainConfiguration:
    return ChainConfiguration(
        chain_id=137,
        rpc_urls=["http://127.0.0.1:8545", "http://127.0.0.1:9545"],
        checkpoint_block=3,
        checkpoint_hash="0x12",
        confirmations=3,
        finality="finalized",
        explorer="http://127.0.0.1:8545/tx/{hash}",
        sponsor=["eip3009"],
        batch_contract="0x01",
        delegate_contract="0x02",
        tokens={
            "usdc": TokenConfiguration("0x03", 6, Eip712Domain(name, "1")),
            "usdt": TokenConfiguration("0x04", 6),
        },
    )


def test_file_has_the_shape_that_the_platform_reads() -> None:
    content = tomllib.loads(format_configuration({"POLYGON": make_configuration()}))
    assert content == {
        "chains": {
            "POLYGON": {
                "chain_id": 137,
                "rpc_urls": ["http://127.0.0.1:8545", "http://127.0.0.1:9545"],
                "checkpoint_block": 3,
                "checkpoint_hash": "0x12",
                "confirmations": 3,
                "finality": "finalized",
                "explorer": "http://127.0.0.1:8545/tx/{hash}",
                "sponsor": ["eip3009"],
                "batch_contract": "0x01",
                "delegate_contract": "0x02",
                "native_currency": "ETH",
                "relayers": 2,
                "relayer_floor": "0.1",
                "organisation_day": "1000",
                "in_flight_max": 1_000,
                "resend_after_s": 3,
                "replace_after_s": 20,
                "faucet": f"0x{'0' * 40}",
                "tokens": {
                    "usdc": {
                        "address": "0x03",
                        "decimals": 6,
                        "eip3009": {"name": "USD Coin", "version": "1"},
                    },
                    "usdt": {"address": "0x04", "decimals": 6},
                },
            }
        }
    }


def test_values_and_keys_are_escaped(tmp_path: Path) -> None:
    chains = {AWKWARD: make_configuration(name=AWKWARD)}
    write_configuration(tmp_path / "chains.toml", chains)
    assert read_configuration(tmp_path / "chains.toml") == chains


def test_no_file_has_no_chains(tmp_path: Path) -> None:
    assert read_configuration(tmp_path / "chains.toml") == {}


def test_file_of_another_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "chains.toml"
    path.write_text("[chains.POLYGON]\nchain_id = 137\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="not written by `make chains`"):
        read_configuration(path)


@pytest.mark.parametrize("damage", ["[chains", "chains = 1", "[chains.POLYGON]\nchain_id = 'a'"])
def test_damaged_file_is_refused(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "chains.toml"
    write_configuration(path, {})
    path.write_text(path.read_text(encoding="utf-8") + damage, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="is damaged"):
        read_configuration(path)

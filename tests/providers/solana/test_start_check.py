"""Check of nodes and mints at the start, and the sentence where the library is missing."""

import base64
import struct
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import msgspec
import pytest

from landbridge.app.container.evm_services import read_solana_chain
from landbridge.app.settings import SettingsInvalid
from landbridge.platform.core.clock import ReadingClock
from landbridge.platform.core.extras import Extra, missing
from landbridge.providers.solana.chain_data import ChainAccount
from landbridge.providers.solana.configuration import (
    SolanaChain,
    SolanaToken,
    TokenProgram,
    parse_solana,
)
from landbridge.providers.solana.programs import TOKEN_PROGRAMS
from landbridge.providers.solana.start_check import check_solana, mint_problem
from tests.providers.solana.local_chain import LocalSolana
from tests.providers.solana.local_node import LocalNode, local_node
from tests.providers.solana.solana_orders import new_address
from tests.solana_world import configuration
from tests.tenants import SETTINGS

TOKEN = SolanaToken(address=new_address(), decimals=6, program=TokenProgram.TOKEN_2022)


@pytest.fixture
async def node() -> AsyncGenerator[LocalNode]:
    async with local_node(LocalSolana()) as node:
        yield node


def configured(node: LocalNode, token: SolanaToken, genesis: str = "") -> SolanaChain:
    text = configuration(node.chain, node.url, {"usdc": token})
    chain = parse_solana(text.replace(node.chain.genesis, genesis or node.chain.genesis))
    assert chain is not None
    return chain


def mint_of(node: LocalNode, program: TokenProgram, decimals: int = 6) -> SolanaToken:
    address = node.chain.create_mint(program, decimals)
    return SolanaToken(address=address, decimals=6, program=program)


async def problems_of(chain: SolanaChain) -> str:
    check = await check_solana(chain, ReadingClock())
    assert check.is_usable == (not check.problems)
    return " ".join(check.problems)


async def test_a_chain_as_configured_passes(node: LocalNode) -> None:
    for program in TokenProgram:
        assert await problems_of(configured(node, mint_of(node, program))) == ""


async def test_what_differs_is_named(node: LocalNode) -> None:
    token = mint_of(node, TokenProgram.TOKEN)
    other = configured(node, token, genesis=new_address())
    assert "is on the chain with genesis hash" in await problems_of(other)
    wrong = msgspec.structs.replace(token, program=TokenProgram.TOKEN_2022)
    assert "does not belong to the program token-2022" in await problems_of(configured(node, wrong))
    absent = msgspec.structs.replace(token, address=new_address())
    assert "token usdc has no mint" in await problems_of(configured(node, absent))
    nine = mint_of(node, TokenProgram.TOKEN, decimals=9)
    assert "has 9 decimals, not 6" in await problems_of(configured(node, nine))


@pytest.mark.parametrize(
    ("kind", "value", "problem"),
    [
        (1, bytes(106) + struct.pack("<H", 50), "takes a fee of each transfer"),
        (1, bytes(108), None),
        (6, b"\x02", "freezes new accounts"),
        (6, b"\x01", None),
        (9, b"", "can't be transferred"),
        (14, bytes(32) + b"\x01" * 32, "calls a program at each transfer"),
        (14, bytes(64), None),
        (18, bytes(64), None),
        (1, bytes(4), "has extensions that can't be read"),
    ],
)
def test_extensions_that_transfers_do_not_fulfil_are_named(
    kind: int, value: bytes, problem: str | None
) -> None:
    mint = bytearray(166)
    mint[44], mint[45], mint[165] = 6, 1, 1
    data = bytes(mint) + struct.pack("<HH", 3, 32) + bytes(32)
    data += struct.pack("<HH", kind, len(value)) + value
    account = ChainAccount(
        lamports=1,
        owner=str(TOKEN_PROGRAMS[TOKEN.program]),
        data=(base64.b64encode(data).decode(), "base64"),
        executable=False,
    )
    found = mint_problem(TOKEN, account)
    assert (found is None) == (problem is None)
    assert problem is None or problem in (found or "")


def test_the_missing_library_is_named_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, node: LocalNode
) -> None:
    path = tmp_path / "chains.toml"
    token = mint_of(node, TokenProgram.TOKEN)
    path.write_text(configuration(node.chain, node.url, {"usdc": token}), encoding="utf-8")
    settings = msgspec.structs.replace(SETTINGS, chains_file=str(path))
    assert read_solana_chain(settings) is not None
    # As if it were not installed.
    monkeypatch.setitem(sys.modules, "solders", None)
    assert missing(Extra.SOLANA)
    with pytest.raises(
        SettingsInvalid, match=r"chains\.SOLANA needs solders.*landbridge\[solana\]"
    ):
        read_solana_chain(settings)

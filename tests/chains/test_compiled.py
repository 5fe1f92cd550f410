"""Stored bytecode is what the sources compile to."""

import pytest
from chains.artifacts import encode_call, encode_values, load_artifact
from chains.compile import COMPILED, CONTRACTS, compile_contracts
from chains.packages import MissingRequirement

from landbridge.platform.formats.evm_addresses import checked_evm_address

# Ethereum's limit on the code of a contract.
CODE_BYTES_MAX = 24_576


@pytest.mark.long
def test_compiling_again_gives_the_same_bytes() -> None:
    try:
        compiled = compile_contracts()
    except MissingRequirement as missing:
        pytest.skip(str(missing))
    stored = {path.name: path.read_bytes() for path in COMPILED.iterdir()}
    assert compiled.keys() == stored.keys()
    changed = [name for name, content in compiled.items() if stored[name] != content]
    assert not changed, "Run `.venv/bin/python -m chains.compile` and commit what it writes."


def test_every_contract_is_compiled_and_fits_on_a_chain() -> None:
    names = {path.stem for path in CONTRACTS.glob("*.sol")}
    assert {path.stem for path in COMPILED.glob("*.json")} == names
    for name in names:
        code = load_artifact(name).deployed_bytecode
        assert 0 < len(bytes.fromhex(code[2:])) <= CODE_BYTES_MAX


def test_code_is_recognised_whatever_its_immutables() -> None:
    artifact = load_artifact("Delegate")
    start, length = artifact.immutables[0]
    code = bytearray.fromhex(artifact.deployed_bytecode[2:])
    code[start : start + length] = b"\1" * length
    assert artifact.is_code_of(f"0x{code.hex()}")
    code[0] ^= 1
    assert not artifact.is_code_of(f"0x{code.hex()}")
    assert not artifact.is_code_of("0x")


def test_calls_are_encoded_by_the_abi() -> None:
    owner = "0x" + "11" * 20
    assert encode_call("transfer(address,uint256)", owner, 5) == (
        f"0xa9059cbb{'0' * 24}{'11' * 20}{5:064x}"
    )
    assert encode_values("USD Coin", "") == (
        f"{64:064x}{128:064x}{8:064x}{b'USD Coin'.hex():0<64}{0:064x}"
    )


def test_addresses_have_the_case_of_eip_55() -> None:
    address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
    assert checked_evm_address(address.lower()) == address

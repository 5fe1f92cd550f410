"""`python -m chains`, as `make chains` runs it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from chains.__main__ import main
from chains.configuration import read_configuration
from chains.nodes import CHAIN_IDS, check_port
from chains.rpc import Rpc

from tests.chains.local_chains import TIMEOUT_S, command_of, read_until_ready, running_chains
from tests.long import few_of
from tests.sources import ROOT


def test_chains_start_stop_and_go_on(
    anvil: Path, tmp_path: Path, first_port: int, other_port: int
) -> None:
    with running_chains(tmp_path, first_port) as process:
        printed = read_until_ready(process)
    assert process.returncode == 0
    assert [line.split()[0] for line in printed] == ["POLYGON", "ETHEREUM", "BASE"]
    assert all("deployed in" in line for line in printed)
    chains = read_configuration(tmp_path / "chains.toml")
    assert {name: chain.chain_id for name, chain in chains.items()} == CHAIN_IDS

    with running_chains(tmp_path, first_port) as process:
        printed = read_until_ready(process)
        heads = [Rpc(chain.rpc_urls[0]).block("latest") for chain in chains.values()]
    assert all("contracts are there" in line for line in printed)
    assert all(head is not None and int(head["number"], 16) > 0 for head in heads)
    assert read_configuration(tmp_path / "chains.toml") == chains

    with running_chains(tmp_path, other_port) as process:
        printed = read_until_ready(process)
    assert all("contracts are there" in line for line in printed)
    moved = read_configuration(tmp_path / "chains.toml")
    assert [chain.tokens for chain in moved.values()] == [chain.tokens for chain in chains.values()]
    assert moved["POLYGON"].rpc_urls == [f"http://127.0.0.1:{other_port}"]

    with running_chains(tmp_path, first_port, "--fresh") as process:
        printed = read_until_ready(process)
    assert all("deployed in" in line for line in printed)


@pytest.mark.parametrize("stop", few_of([signal.SIGTERM, signal.SIGINT, signal.SIGHUP]))
def test_nodes_end_with_the_command_and_keep_their_state(
    anvil: Path, tmp_path: Path, first_port: int, stop: signal.Signals
) -> None:
    with running_chains(tmp_path, first_port) as process:
        read_until_ready(process)
        process.send_signal(stop)
        assert process.wait(TIMEOUT_S) == 0
    for index in range(len(CHAIN_IDS)):
        check_port(first_port + index)
    states = {path.name for path in (tmp_path / "state").glob("*.json")}
    assert states == {"polygon.json", "ethereum.json", "base.json"}


def test_running_chains_fund_an_account(anvil: Path, tmp_path: Path, first_port: int) -> None:
    account = "0x" + "12" * 20
    with running_chains(tmp_path, first_port) as process:
        read_until_ready(process)
        funding = _run([*command_of(tmp_path), "fund", account])
        chains = read_configuration(tmp_path / "chains.toml")
        balances = [
            Rpc(chain.rpc_urls[0]).call("eth_getBalance", account, "latest")
            for chain in chains.values()
        ]
    assert funding.returncode == 0
    assert all(int(balance, 16) > 0 for balance in balances)


@pytest.mark.long
def test_blocks_come_each_second_and_become_final(
    anvil: Path, tmp_path: Path, first_port: int
) -> None:
    with running_chains(tmp_path, first_port) as process:
        read_until_ready(process)
        rpc = Rpc(f"http://127.0.0.1:{first_port}")
        began, began_s = _number(rpc, "latest"), time.monotonic()
        while _number(rpc, "latest") < began + 3:
            assert time.monotonic() < began_s + TIMEOUT_S
            time.sleep(0.05)
        assert time.monotonic() > began_s + 1
        rpc.call("anvil_mine", hex(10))
        assert 0 < _number(rpc, "finalized") <= _number(rpc, "latest") - 8


def test_missing_npm_ends_the_command_with_a_sentence(tmp_path: Path) -> None:
    command = [*command_of(tmp_path), "--cache", str(tmp_path / "cache")]
    ended = _run(command, {"PATH": str(tmp_path)})
    assert ended.returncode == 1
    assert ended.stderr.startswith("npm not found: install Node.js and npm to download")
    assert ended.stderr.count("\n") == 1


def test_fund_without_chains_says_what_to_do(tmp_path: Path) -> None:
    ended = _run([*command_of(tmp_path), "fund", "0x" + "12" * 20])
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
    assert ended.stderr.endswith("is missing: run `make chains` first.\n")


def test_damaged_state_is_named(anvil: Path, tmp_path: Path, first_port: int) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "base.json").write_text("{", encoding="utf-8")
    ended = _run([*command_of(tmp_path), "--port", str(first_port)])
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
    assert ended.stderr.startswith("The node of BASE ended with code")
    assert ended.stderr.endswith("If base.json is damaged, start with --fresh.\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["fund"], "fund needs an address"),
        (["fund", "0x12"], "0x12 is not an address"),
        (["--port", "65534"], "65534 is not a port"),
        (["--block-time", "0"], "0 is not a number of seconds"),
    ],
)
def test_wrong_arguments_are_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    sentence: str,
) -> None:
    # As the command is run, but in this process: a start takes half a second.
    monkeypatch.setattr(sys, "argv", [*command_of(tmp_path)[2:], *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert sentence in capsys.readouterr().err


def _run(
    command: list[str], environment: dict[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | (environment or {}),
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )


def _number(rpc: Rpc, tag: str) -> int:
    block = rpc.block(tag)
    assert block is not None
    return int(block["number"], 16)

"""The signer process: `landbridge signer`, alone and below `serve`, and killed."""

import asyncio
import base64
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from landbridge.platform.formats.key_derivation import EVM_USERS
from landbridge.providers.evm.signer_limits import AmountLimits
from landbridge.providers.evm.signing.client import SignerClient
from landbridge.providers.evm.signing.model import (
    SignedTransaction,
    SignerUnavailable,
    SigningRefused,
)
from landbridge.providers.evm.signing.signature_log import check_log
from tests.app.processes.server_process import PATIENCE_S, clean_environ, landbridge, served
from tests.providers.evm.signing.kit import (
    CHAINS_FILE,
    MASTER_KEY,
    chain_with,
    org_seed,
    payment,
    signing,
    user_key,
)

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("processes")]

USER = user_key()


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    """Settings of a signer with a bound of 100 units of USDC in a day."""
    chains_file = tmp_path / "chains.toml"
    chains_file.write_text(f'{CHAINS_FILE}\nusdc = {{day_max = "0.0001"}}\n')
    return {
        "chains_file": str(chains_file),
        "master_key": base64.b64encode(MASTER_KEY).decode(),
        "data_dir": str(tmp_path),
    }


@contextmanager
def running(settings: dict[str, str]) -> Generator["subprocess.Popen[bytes]"]:
    """Run `landbridge signer`."""
    argv = [sys.executable, "-m", "landbridge", "signer"]
    output = Path(settings["data_dir"]) / "signer.out"
    with output.open("ab") as file:
        process = subprocess.Popen(argv, env=clean_environ(**settings), stdout=file, stderr=file)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def network_sockets(pid: int) -> set[str]:
    """Return the inodes of a process's sockets that are in a table of TCP or UDP."""
    folder = Path(f"/proc/{pid}")
    names = [str(each.readlink()) for each in (folder / "fd").iterdir()]
    tables = [(folder / "net" / name).read_text() for name in ("tcp", "tcp6", "udp", "udp6")]
    words = {word for table in tables for word in table.split()}
    return {found[1] for name in names if (found := re.match(r"socket:\[(\d+)\]", name))} & words


async def until_up(client: SignerClient) -> None:
    """Wait until the signer answers."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            await client.address(USER.seed, USER.path)
        except SignerUnavailable:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.1)
        else:
            return


async def test_a_killed_signer_signs_again_and_counts_once(
    settings: dict[str, str], tmp_path: Path
) -> None:
    client = SignerClient(tmp_path / "signer.sock")
    signed: dict[int, SignedTransaction] = {}
    # Killed in the midst of requests: some are in the log and were not answered.
    for round_ in range(3):
        with running(settings) as process:
            await until_up(client)
            for nonce in sorted(signed):
                assert await client.sign_transaction(USER, payment(1, nonce=nonce)) == signed[nonce]
            nonces = range(100) if round_ == 2 else range(80)
            requests = {
                nonce: asyncio.create_task(client.sign_transaction(USER, payment(1, nonce=nonce)))
                for nonce in nonces
            }
            if round_ < 2:
                await asyncio.wait(requests.values(), return_when=asyncio.FIRST_COMPLETED)
                process.kill()
            results = await asyncio.gather(*requests.values(), return_exceptions=True)
            for nonce, result in zip(requests, results, strict=True):
                if isinstance(result, BaseException):
                    assert isinstance(result, SignerUnavailable)
                else:
                    signed[nonce] = result
            if round_ == 2:
                # All of the day's 100 units, and no more.
                assert len(signed) == 100
                with pytest.raises(SigningRefused, match="101 units"):
                    await client.sign_transaction(USER, payment(1, nonce=100))
    await client.close()
    assert check_log(tmp_path / "signatures.jsonl").count == 100


async def test_what_was_logged_and_not_answered_counts_once(
    settings: dict[str, str], tmp_path: Path
) -> None:
    # The process that ends between log and answer, played by a signer that answers nobody.
    with signing(tmp_path, chain_with({"usdc": AmountLimits(day_max_units=100)})) as (signer, _):
        before = signer.sign_transaction(USER, payment(60))
    client = SignerClient(tmp_path / "signer.sock")
    with running(settings):
        await until_up(client)
        assert await client.sign_transaction(USER, payment(60)) == before
    await client.close()
    assert check_log(tmp_path / "signatures.jsonl").count == 1


async def test_a_signer_has_no_other_socket_and_closed_memory(
    settings: dict[str, str], tmp_path: Path
) -> None:
    client = SignerClient(tmp_path / "signer.sock")
    with running(settings) as process:
        await until_up(client)
        assert not network_sockets(process.pid)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    await client.close()
    output = (tmp_path / "signer.out").read_text()
    assert "closed memory" in output


def test_one_signer_runs_at_a_time(settings: dict[str, str], tmp_path: Path) -> None:
    with signing(tmp_path):
        ended = landbridge("signer", cwd=None, folder=tmp_path, **settings)
    assert ended.returncode == 1
    assert "another signer has" in ended.stderr


@pytest.mark.parametrize(
    ("without", "sentence"),
    [
        ("chains_file", "The signer needs LANDBRIDGE_CHAINS_FILE"),
        ("master_key", "The signer needs LANDBRIDGE_MASTER_KEY"),
    ],
)
def test_a_signer_does_not_start_without_chains_or_keys(
    settings: dict[str, str], tmp_path: Path, without: str, sentence: str
) -> None:
    del settings[without]
    ended = landbridge("signer", cwd=None, folder=tmp_path, **settings)
    assert (ended.returncode, sentence in ended.stderr) == (1, True)


def test_the_log_is_checked_by_a_command(settings: dict[str, str], tmp_path: Path) -> None:
    with signing(tmp_path) as (signer, _):
        for nonce in range(3):
            signer.sign_transaction(USER, payment(1, nonce=nonce))
    checked = landbridge("signer", "check", cwd=None, folder=tmp_path, **settings)
    assert (checked.returncode, checked.stdout[:13]) == (0, "3 signatures,")
    path = tmp_path / "signatures.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[2])
    checked = landbridge("signer", "check", cwd=None, folder=tmp_path, **settings)
    assert checked.returncode == 1
    assert "line 2 of the signature log is missing or altered" in checked.stderr


async def test_serve_starts_the_signer_again(settings: dict[str, str], tmp_path: Path) -> None:
    del settings["data_dir"]
    client = SignerClient(tmp_path / "signer.sock")
    with served(tmp_path, **settings) as server:
        await until_up(client)
        pid = server.child("signer")
        request = asyncio.create_task(client.sign_transaction(USER, payment(1)))
        await asyncio.wait([request])
        os.kill(pid, signal.SIGKILL)
        await until_up(client)
        assert server.child("signer") != pid
        assert await client.sign_transaction(USER, payment(1)) == request.result()
        assert await client.address(org_seed(), (*EVM_USERS, 0)) == USER.address
    await client.close()
    assert check_log(tmp_path / "signatures.jsonl").count == 1

"""`landbridge signer`: runs the signer process, and checks its log.

The process holds keys, listens on a Unix socket, and has no database and no network.
"""

import asyncio
import os
import signal
import socket
from datetime import timedelta
from pathlib import Path

import click
import structlog
import uvloop

from landbridge.app.cli_runtime import read_settings
from landbridge.app.container import MASTER_KEY_FILE, sealer
from landbridge.app.container.evm_services import read_solana_chain
from landbridge.app.settings import PREFIX, Settings, SettingsInvalid
from landbridge.platform import logs
from landbridge.platform.cli_context import data_dir_option
from landbridge.platform.core.clock import ReadingClock
from landbridge.platform.db.sealing import Sealer
from landbridge.providers.evm.configuration import read_chains_file
from landbridge.providers.evm.signing.isolation import isolate
from landbridge.providers.evm.signing.server import SignerServer
from landbridge.providers.evm.signing.signature_log import SignatureLog, check_log, day_of
from landbridge.providers.evm.signing.signer import ChainSigner, MessageSigner
from landbridge.providers.evm.signing.socket_path import listen

_log = structlog.stdlib.get_logger()

LOG_FILE = "signatures.jsonl"
_PARENT_EVERY_S = 1
# Of what was signed yesterday, the same may be requested again.
_READ_BACK = timedelta(days=1)


def run_signer(settings: Settings, *, parent: int | None) -> None:
    """Serve until SIGTERM, SIGINT or the end of the parent.

    Raises `SettingsInvalid` without chains or master key, and as `SignatureLog.open` and `listen`.
    """
    is_json = settings.log_format == "json" or (settings.log_format is None and not os.isatty(2))
    logs.set_up(level=settings.log_level, is_json=is_json)
    if settings.chains_file is None:
        raise SettingsInvalid(f"The signer needs {PREFIX}CHAINS_FILE.")
    chains = read_chains_file(Path(settings.chains_file))
    opener = sealer(settings)
    messages = message_signer(settings, opener)
    if settings.master_key is None and not (settings.folder / MASTER_KEY_FILE).exists():
        raise SettingsInvalid(f"The signer needs {PREFIX}MASTER_KEY, or the key file of a sandbox.")
    # Before the first thread, and after the last use of the network (to unwrap the master key).
    isolation = isolate()
    _log.info("signer.started", mode=str(isolation))
    clock = ReadingClock()
    log = SignatureLog.open(settings.folder / LOG_FILE, since=day_of(clock.now() - _READ_BACK))
    try:
        # The log's lock shows that no other signer listens at this path.
        sock = listen(settings.signer_path)
        signer = ChainSigner(opener, chains, log, clock, messages=messages)
        server = SignerServer(signer, log)
        uvloop.run(_serve(server, sock, parent))
    finally:
        log.close()


def message_signer(settings: Settings, opener: Sealer) -> MessageSigner | None:
    """Return what signs for Solana; None where it is not configured. Raises `SettingsInvalid`."""
    solana = read_solana_chain(settings)
    if solana is None:
        return None
    from landbridge.providers.solana.signing.signer import SolanaSigner  # noqa: PLC0415  an extra

    return SolanaSigner(opener, solana)


async def _serve(server: SignerServer, sock: socket.socket, parent: int | None) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    watching = asyncio.create_task(_watch(parent, stop))
    try:
        await server.run(sock, stop)
    finally:
        watching.cancel()


async def _watch(parent: int | None, stop: asyncio.Event) -> None:
    """Stop when the supervisor is gone."""
    while parent is not None and os.getppid() == parent:  # noqa: ASYNC110  the kernel sends no event
        await asyncio.sleep(_PARENT_EVERY_S)
    if parent is not None:
        _log.warning("process.orphaned", pid=os.getpid())
        stop.set()


@click.group(invoke_without_command=True)
@click.option("--parent", type=int, hidden=True)
@data_dir_option
@click.pass_context
def signer(context: click.Context, parent: int | None, data_dir: str | None) -> None:
    """Run only the signer of EVM transactions, on a socket in the data directory."""
    if context.invoked_subcommand is None:
        run_signer(read_settings(data_dir=data_dir), parent=parent)


@signer.command("check")
@data_dir_option
def check(data_dir: str | None) -> None:
    """Check that no line of the signature log was altered, removed or inserted."""
    summary = check_log(read_settings(data_dir=data_dir).folder / LOG_FILE)
    click.echo(
        f"{summary.count} signatures, each line follows the one before it. "
        f"The last one is {summary.last_hash}."
    )

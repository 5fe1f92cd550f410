"""Commands of long-running processes, `api` and `worker`, and `demo`."""

import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click
import uvloop

from landbridge.app import processes
from landbridge.app.cli_runtime import print_line, read_settings_with_database
from landbridge.app.demo import demo as run_demo
from landbridge.app.prepared_application import PreparedApplication

_PORT = click.IntRange(1, 65535)


@click.command()
@click.option("--host", help="Address to listen on (default: 127.0.0.1).")
@click.option("--port", type=_PORT, help="Port to listen on (default: 8080).")
@click.option("--fd", type=int, hidden=True)
@click.option("--parent", type=int, hidden=True)
@click.pass_obj
def api(
    prepared: PreparedApplication | None,
    *,
    host: str | None,
    port: int | None,
    fd: int | None,
    parent: int | None,
) -> None:
    """Serve only the API, on LANDBRIDGE_DATABASE_URL; several may run at once."""
    chosen, dsn = read_settings_with_database(host=host, port=port)
    processes.set_up_logs(chosen)
    sock = processes.listen(chosen) if fd is None else socket.socket(fileno=fd)
    uvloop.run(processes.run_api(chosen, dsn, sock, parent=parent, prepared=prepared))


@click.command()
@click.option("--parent", type=int, hidden=True)
def worker(parent: int | None) -> None:
    """Run only the worker, on LANDBRIDGE_DATABASE_URL; several may run at once."""
    chosen, dsn = read_settings_with_database()
    processes.set_up_logs(chosen)
    uvloop.run(processes.run_worker(chosen, dsn, parent=parent))


def run_forked(args: Sequence[str], prepared: PreparedApplication) -> NoReturn:
    """Run the command of a forked process, as its command line would, and end the process."""
    name, *options = args
    command = {"api": api, "worker": worker}[name]
    sys.exit(command.main(options, prog_name=f"landbridge {name}", obj=prepared))


@click.command()
@click.option("--data-dir", default=".landbridge-demo", help="Data directory of the demo.")
def demo(data_dir: str) -> None:
    """Run a scenario on a fresh sandbox, and print the final balances."""
    sys.exit(0 if run_demo(Path(data_dir), print_line) else 1)

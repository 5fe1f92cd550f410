"""Commands that serve: `api` and `demo`; `serve` and `worker` have modules of their own."""

import socket
import sys
from pathlib import Path

import click
import uvloop

from landbridge.app import processes
from landbridge.app.cli_runtime import print_line, read_settings_with_database
from landbridge.app.demo import demo as run_demo
from landbridge.app.prepared_application import PreparedApplication
from landbridge.app.process_lifecycle import set_up_logs

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
    set_up_logs(chosen)
    sock = processes.listen(chosen) if fd is None else socket.socket(fileno=fd)
    uvloop.run(processes.run_api(chosen, dsn, sock, parent=parent, prepared=prepared))


@click.command()
@click.option("--data-dir", default=".landbridge-demo", help="Data directory of the demo.")
def demo(data_dir: str) -> None:
    """Run a scenario on a fresh sandbox, and print the final balances."""
    sys.exit(0 if run_demo(Path(data_dir), print_line) else 1)

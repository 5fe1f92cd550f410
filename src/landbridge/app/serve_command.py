"""Command `serve`: imports everything, forks the fork server, then supervises.

The order matters. The library of the metrics decides at its import whether several processes count
together. The fork server is forked before anything exists that must not be inherited.
"""

import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from landbridge.app.fork_server import ForkServer, open_files
from landbridge.app.metrics_spool import make_spool, remove_spool
from landbridge.platform.cli_context import data_dir_option

_PORT = click.IntRange(1, 65535)


@click.command()
@click.option("--host", help="Address to listen on (default: 127.0.0.1).")
@click.option("--port", type=_PORT, help="Port to listen on (default: 8080).")
@data_dir_option
def serve(host: str | None, port: int | None, data_dir: str | None) -> None:
    """Serve API, worker and, unless LANDBRIDGE_DATABASE_URL is set, the database."""
    inherited = open_files()
    # A process that counts its metrics alone would fork processes that do so, too.
    may_fork = "prometheus_client" not in sys.modules
    spool = make_spool()
    try:
        # Here, because they import the metrics.
        from landbridge.app.cli_runtime import print_line, read_settings  # noqa: PLC0415
        from landbridge.app.prepared_application import PreparedApplication  # noqa: PLC0415
        from landbridge.app.process_commands import api  # noqa: PLC0415
        from landbridge.app.serve import serve as run_serve  # noqa: PLC0415
        from landbridge.app.worker_command import worker  # noqa: PLC0415

        def run_forked(args: Sequence[str], prepared: PreparedApplication) -> NoReturn:
            name, *options = args
            command = {"api": api, "worker": worker}[name]
            sys.exit(command.main(options, prog_name=f"landbridge {name}", obj=prepared))

        settings = read_settings(host=host, port=port, data_dir=data_dir)
        fork_server = None
        if may_fork:
            fork_server = ForkServer.start(
                lambda: PreparedApplication(settings), run_forked, inherited=inherited
            )
        run_serve(settings, print_line, spool, fork_server)
    finally:
        # Forked processes end here, too, and leave it to the supervisor.
        remove_spool(spool)

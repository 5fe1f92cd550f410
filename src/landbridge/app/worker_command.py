"""Command `worker`."""

import click
import uvloop

from landbridge.app.cli_runtime import read_settings_with_database
from landbridge.app.process_lifecycle import set_up_logs
from landbridge.app.worker_process import run_worker


@click.command()
@click.option("--parent", type=int, hidden=True)
def worker(parent: int | None) -> None:
    """Run only the worker, on LANDBRIDGE_DATABASE_URL; several may run at once."""
    chosen, dsn = read_settings_with_database()
    set_up_logs(chosen)
    uvloop.run(run_worker(chosen, dsn, parent=parent))

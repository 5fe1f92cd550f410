"""`landbridge backup` and `landbridge restore`."""

import asyncio
import sys
from pathlib import Path

import click

from landbridge.app.backups import archive
from landbridge.app.backups.backup import back_up
from landbridge.app.backups.model import Manifest, check_mode
from landbridge.app.backups.restore import open_target, restore_into
from landbridge.app.cli_runtime import open_dsn, patient, print_line, read_settings
from landbridge.app.container import sealer
from landbridge.app.container.registry import AUDIT_RULES, TRANSITIONS
from landbridge.app.serve import check_private
from landbridge.app.settings import Settings, SettingsInvalid
from landbridge.ledger.audit import LedgerAudit, audit, table
from landbridge.platform.cli_context import data_dir_option
from landbridge.platform.db.sealing import SealBroken
from landbridge.platform.encryption.service import Vault

_FILE = click.Path(dir_okay=False, path_type=Path)
_MEGABYTE = 1_000_000


@click.command()
@click.argument("file", type=_FILE)
@data_dir_option
def backup(file: Path, data_dir: str | None) -> None:
    """Back up the database to a new FILE, also while a server runs."""
    archive.check_new(file)
    with open_dsn(read_settings(data_dir=data_dir)) as dsn:
        manifest = back_up(dsn, file)
    size = file.stat().st_size / _MEGABYTE
    click.echo(f"{file}: {size:,.1f} MB, whole and verified. {_contents_sentence(manifest)}")
    click.echo("It opens with the master key alone, which is not in it: keep that elsewhere.")


@click.command()
@click.argument("file", type=_FILE)
@data_dir_option
def restore(file: Path, data_dir: str | None) -> None:
    """Restore FILE into a new data directory or an empty database, and verify its books."""
    chosen = read_settings(data_dir=data_dir)
    found = archive.read(file)
    check_mode(found.manifest, chosen.mode)
    print_line(f"{file} is whole. {_contents_sentence(found.manifest)}")
    if chosen.database_url is None:
        check_private(chosen.folder)
    with open_target(chosen, print_line) as dsn:
        applied = restore_into(dsn, found)
        print_line("Restored: everything that the backup counts is there.")
        if applied:
            print_line(f"Brought up to this version: {len(applied)} migrations were applied.")
        is_opened = asyncio.run(_check_key(chosen, dsn))
        audited = asyncio.run(_prove(dsn))
    print_line(table(audited))
    sys.exit(0 if audited.is_clean and is_opened else 1)


def _contents_sentence(manifest: Manifest) -> str:
    rows = sum(manifest.contents.rows.values())
    taken_at = manifest.taken_at.isoformat(sep=" ", timespec="seconds")
    return (
        f"Taken {taken_at} by version {manifest.version} (migration {manifest.migration}, "
        f"{manifest.mode or 'no mode yet'}); {len(manifest.contents.rows)} tables, {rows:,} rows."
    )


async def _check_key(settings: Settings, dsn: str) -> bool:
    """Print whether the master key opens the restored data; return False if it does not."""
    async with patient(dsn, name="restore") as database:
        try:
            await database.transact(Vault(sealer(settings)).check_seal)
        except SealBroken as error:
            print_line(f"The master key is not the one of this backup: {error}.")
            return False
        except SettingsInvalid as error:
            print_line(f"The master key was not checked. {error}")
        else:
            print_line("The master key opens it.")
    return True


async def _prove(dsn: str) -> LedgerAudit:
    async with patient(dsn, name="restore") as database:
        return await audit(database, TRANSITIONS, AUDIT_RULES)

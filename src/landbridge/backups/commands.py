"""`landbridge backup`, `landbridge restore` and `landbridge repair-transaction-ids`."""

import asyncio
import sys
from pathlib import Path

import click

from landbridge.backups import archive
from landbridge.backups.backup import back_up
from landbridge.backups.model import Manifest, check_mode
from landbridge.backups.restore import restore_into
from landbridge.backups.target import open_target, patient
from landbridge.console import NoDatabase, open_dsn, read_settings, say
from landbridge.db.embedded.datadir import has_database
from landbridge.db.sealing import SealBroken
from landbridge.desk import data_dir_option
from landbridge.ledger.audit import Audit, audit, table
from landbridge.privacy.service import Vault
from landbridge.serve import check_private
from landbridge.settings import Settings, SettingsInvalid
from landbridge.wiring import AUDIT_RULES, MOVES, sealer

_FILE = click.Path(dir_okay=False, path_type=Path)
_MEGABYTE = 1_000_000


def add_backups(group: click.Group) -> None:
    """Add the commands to a group."""
    group.add_command(_backup)
    group.add_command(_restore)
    group.add_command(_repair)


@click.command("backup")
@click.argument("file", type=_FILE)
@data_dir_option
def _backup(file: Path, data_dir: str | None) -> None:
    """Back up the database to a new FILE, also while a server runs."""
    archive.check_new(file)
    with open_dsn(read_settings(data_dir=data_dir)) as dsn:
        manifest = back_up(dsn, file)
    size = file.stat().st_size / _MEGABYTE
    click.echo(f"{file}: {size:,.1f} MB, whole and verified. {_told(manifest)}")
    click.echo("It opens with the master key alone, which is not in it: keep that elsewhere.")


@click.command("restore")
@click.argument("file", type=_FILE)
@data_dir_option
def _restore(file: Path, data_dir: str | None) -> None:
    """Restore FILE into a new data directory or an empty database, and prove the books there."""
    chosen = read_settings(data_dir=data_dir)
    found = archive.read(file)
    check_mode(found.manifest, chosen.mode)
    say(f"{file} is whole. {_told(found.manifest)}")
    if chosen.database_url is None:
        check_private(chosen.folder)
    with open_target(chosen, say) as target:
        applied = restore_into(target, found)
        say("Restored: everything that the backup counts is there.")
        if applied:
            say(f"Brought up to this version: {len(applied)} migrations were applied.")
        is_opened = asyncio.run(_check_key(chosen, target.dsn))
        audited = asyncio.run(_prove(target.dsn))
    say(table(audited))
    sys.exit(0 if audited.is_clean and is_opened else 1)


@click.command("repair-transaction-ids")
@data_dir_option
def _repair(data_dir: str | None) -> None:
    """Repair a database that was restored by other means than `landbridge restore`."""
    chosen = read_settings(data_dir=data_dir)
    if chosen.database_url is None and not has_database(chosen.folder):
        raise NoDatabase(f"There is no database in {chosen.folder}.")
    with open_target(chosen, say) as target:
        target.repair_ids()
    click.echo("No transaction id is ahead of the server. Now run `landbridge check`.")


def _told(manifest: Manifest) -> str:
    rows = sum(manifest.contents.rows.values())
    taken_at = manifest.taken_at.isoformat(sep=" ", timespec="seconds")
    return (
        f"Taken {taken_at} by version {manifest.version} (migration {manifest.migration}, "
        f"{manifest.mode or 'no mode yet'}); {len(manifest.contents.rows)} tables, {rows:,} rows."
    )


async def _check_key(settings: Settings, dsn: str) -> bool:
    """Say whether the master key opens what was restored; False if it is another one."""
    async with patient(dsn) as database:
        try:
            await database.transact(Vault(sealer(settings)).check_seal)
        except SealBroken as error:
            say(f"The master key is not the one of this backup: {error}.")
            return False
        except SettingsInvalid as error:
            say(f"The master key was not checked. {error}")
        else:
            say("The master key opens it.")
    return True


async def _prove(dsn: str) -> Audit:
    async with patient(dsn) as database:
        return await audit(database, MOVES, AUDIT_RULES)

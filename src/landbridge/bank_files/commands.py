"""Commands on files for banks. `cli` puts them under `landbridge bank-files`."""

import sys
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import click

from landbridge.bank_files.accounts import OwnAccount, OwnAccounts
from landbridge.bank_files.funding import FundingAccount, SftpPlace, read_toml
from landbridge.bank_files.model import BankFile
from landbridge.bank_files.writing import Writer
from landbridge.core.errors import ResourceNotFound
from landbridge.core.money import Money
from landbridge.desk import AtDesk, Desk, data_dir_option, org_option, print_lines
from landbridge.rails.currencies import FIAT

_SHOWN_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Verbs:
    """What the commands need."""

    accounts: OwnAccounts
    writer: Writer


def bank_files(at_desk: AtDesk[Verbs]) -> click.Group:
    """The group of commands."""
    group = click.Group(
        "bank-files", help="Payouts and statements as files that are exchanged with a bank."
    )
    for command in (_account, _write, _list, _status, _export):
        group.add_command(command(at_desk))
    return group


def _account(at_desk: AtDesk[Verbs]) -> click.Command:
    @click.command("account")
    @click.option("--show", is_flag=True, help="Show what is set, and read nothing.")
    @org_option
    @data_dir_option
    def account(*, show: bool, org: UUID | None, data_dir: str | None) -> None:
        """Set the account of an organisation in a currency from TOML on standard input.

        Without any input, or with --show, the accounts are shown; secrets never are.
        """
        text = "" if show or sys.stdin.isatty() else sys.stdin.read()
        if text.strip():
            told = _read(text)

            async def put(desk: Desk[Verbs]) -> OwnAccount:
                return await desk.verbs.accounts.set(
                    desk.org_id, told, actor="cli", at=desk.stamp()
                )

            click.echo(_shown(at_desk(data_dir, org, put, writes=True)))
        else:
            _show(at_desk, data_dir, org)

    return account


def _write(at_desk: AtDesk[Verbs]) -> click.Command:
    @click.command("write")
    @click.option("--early", is_flag=True, help="All that is queued, whenever its cut-off is.")
    @org_option
    @data_dir_option
    def write(*, early: bool, org: UUID | None, data_dir: str | None) -> None:
        """Write the files that are due, and deliver them."""

        async def run(desk: Desk[Verbs]) -> list[str]:
            offsets = {desk.org_id: desk.clock_offset}
            accounts = {each.id: each for each in await desk.verbs.accounts.of([desk.org_id])}
            files = await desk.verbs.writer.run(offsets, is_early=early)
            return [_line(each, accounts[each.account_id]) for each in files]

        print_lines(at_desk(data_dir, org, run, writes=True), "Nothing is due.")

    return write


def _list(at_desk: AtDesk[Verbs]) -> click.Command:
    @click.command("list")
    @click.option("--limit", type=click.IntRange(1, 1000), default=20, help="How many, at most.")
    @org_option
    @data_dir_option
    def list_(*, limit: int, org: UUID | None, data_dir: str | None) -> None:
        """The last files of each account, the last one first."""

        async def run(desk: Desk[Verbs]) -> list[str]:
            return [
                _line(file, account)
                for account in await desk.verbs.accounts.of([desk.org_id])
                for file in await desk.verbs.writer.files(account, limit)
            ]

        print_lines(at_desk(data_dir, org, run, writes=False), "There are no files.")

    return list_


def _status(at_desk: AtDesk[Verbs]) -> click.Command:
    @click.command("status")
    @org_option
    @data_dir_option
    def status(*, org: UUID | None, data_dir: str | None) -> None:
        """How many payments wait, and for what."""

        async def run(desk: Desk[Verbs]) -> list[str]:
            return [
                line
                for account in await desk.verbs.accounts.of([desk.org_id])
                for line in await _standing(desk, account)
            ]

        print_lines(at_desk(data_dir, org, run, writes=False), "No account is set.")

    return status


def _export(at_desk: AtDesk[Verbs]) -> click.Command:
    @click.command("export")
    @click.argument("name")
    @click.argument("destination", type=click.Path(path_type=Path, dir_okay=False))
    @org_option
    @data_dir_option
    def export(*, name: str, destination: Path, org: UUID | None, data_dir: str | None) -> None:
        """Write the content of file NAME to DESTINATION, for your own eyes: it names people."""

        async def run(desk: Desk[Verbs]) -> bytes:
            file = await desk.verbs.writer.find(desk.org_id, name)
            content = None if file is None else await desk.verbs.writer.content(file)
            if content is None:
                raise ResourceNotFound(f"there is no file {name}, or its content is gone")
            return content

        content = at_desk(data_dir, org, run, writes=False)
        destination.touch(mode=0o600)
        destination.write_bytes(content)
        click.echo(f"{len(content)} bytes.")

    return export


def _read(text: str) -> FundingAccount:
    told = read_toml(text)
    if isinstance(told.place, SftpPlace):
        # Imported when needed: it costs a fifth of a second.
        from landbridge.bank_files.places.sftp import check_keys  # noqa: PLC0415

        if reason := check_keys(told.place):
            raise click.UsageError(reason)
    return told


def _show(at_desk: AtDesk[Verbs], data_dir: str | None, org: UUID | None) -> None:
    async def run(desk: Desk[Verbs]) -> list[str]:
        return [_shown(each) for each in await desk.verbs.accounts.of([desk.org_id])]

    print_lines(at_desk(data_dir, org, run, writes=False), "No account is set.")


async def _standing(desk: Desk[Verbs], account: OwnAccount) -> list[str]:
    counts = await desk.verbs.writer.counts(account)
    lines: list[str] = []
    for status, (count, first_due_at) in sorted(counts.items()):
        due = f", the first is due at {first_due_at:%Y-%m-%d %H:%M} UTC" if first_due_at else ""
        lines.append(f"{account.currency}  {status}  {count}{due if status == 'QUEUED' else ''}")
    return lines or [f"{account.currency}  no payments"]


def _shown(account: OwnAccount) -> str:
    told = account.told
    number = told.number
    where = "a server" if isinstance(told.place, SftpPlace) else "a folder"
    deposits = "takes deposits" if told.numbers else "takes no deposits"
    return (
        f"{account.currency}  ****{number[-_SHOWN_DIGITS:]}  pays by {', '.join(told.rails)}  "
        f"{deposits}  files by {where}  set {account.updated_at:%Y-%m-%d %H:%M}"
    )


def _line(file: BankFile, account: OwnAccount) -> str:
    money = Money(file.units, FIAT[account.currency])
    state = "at the bank" if file.delivered_at else "not delivered"
    return (
        f"{file.name}  {file.count} payments  {money} {account.currency}  "
        f"for {file.runs_on}  {state}"
    )

"""Commands on sanctions lists. `cli` adds them as `landbridge sanctions`."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol, TypeVar

import click

from landbridge.providers.screening.model import (
    ListCategory,
    ListLoadResult,
    SanctionsListVersion,
    ScreeningResult,
    ScreeningSubject,
    category_of,
)
from landbridge.providers.screening.reading import read_list
from landbridge.providers.screening.service import Screening

T = TypeVar("T")

_PEP = ListCategory.POLITICALLY_EXPOSED_PERSON

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_data_dir = click.option("--data-dir", help="Where everything is kept (default: .landbridge).")


class ScreeningCommandRunner(Protocol):
    """Runs one command against the database."""

    def __call__(self, data_dir: str | None, run: Callable[[Screening], Awaitable[T]]) -> T:
        """Run the operation, and return its result."""
        ...


def sanctions(run_in_container: ScreeningCommandRunner) -> click.Group:
    """Return the command group."""

    @click.group("sanctions")
    def group() -> None:
        """Sanctions lists for name screening."""

    @group.command()
    @click.argument("files", nargs=-1, required=True, type=_FILE)
    @click.option("--force", is_flag=True, help="Also a list that has lost over a fifth.")
    @click.option("--name", help="Name of a list of politically exposed persons.")
    @_data_dir
    def load(
        files: tuple[Path, ...], *, force: bool, name: str | None, data_dir: str | None
    ) -> None:
        """Load one list: OFAC SDN (XML, or its CSV files), UN, EU, UK, or a PEP file."""
        new_list = read_list(files, pep_name=name)
        loaded = run_in_container(
            data_dir, lambda screening: screening.load(new_list, is_forced=force)
        )
        click.echo(_load_summary(loaded))

    @group.command()
    @click.argument("name", metavar="LIST")
    @_data_dir
    def unload(name: str, *, data_dir: str | None) -> None:
        """Remove LIST, named as in `status`; its names are not compared any more."""

        async def run(screening: Screening) -> tuple[SanctionsListVersion, bool]:
            return await screening.unload(name), name in screening.required_lists

        removed, is_required = run_in_container(data_dir, run)
        click.echo(f"{removed.label} is removed.")
        if is_required:
            click.echo("It is required: until it is loaded again, everyone waits for a reviewer.")

    @group.command()
    @_data_dir
    def status(data_dir: str | None) -> None:
        """Show the loaded lists."""
        found = run_in_container(data_dir, lambda screening: screening.versions())
        click.echo("\n".join(_line(each) for each in found) or "No sanctions list is loaded.")

    @group.command()
    @click.argument("name")
    @click.option("--business", is_flag=True, help="The name is a business's.")
    @click.option("--born", type=click.DateTime(["%Y-%m-%d"]), help="Birth date, as 1961-12-31.")
    @_data_dir
    def check(name: str, *, business: bool, born: datetime | None, data_dir: str | None) -> None:
        """Screen NAME against the lists, as the names of users are screened."""
        kind: Literal["individual", "business"] = "business" if business else "individual"
        subject = ScreeningSubject(name, kind, born.date() if born else None)
        click.echo(
            _screening_lines(
                run_in_container(data_dir, lambda screening: screening.screen([subject]))
            )
        )

    return group


def _load_summary(loaded: ListLoadResult) -> str:
    version = loaded.version
    if loaded.was_already_loaded:
        return f"{version.label} is loaded already. Nothing has changed."
    return (
        f"{version.label}: {version.entry_count} entries. "
        f"{loaded.added} new, {loaded.changed} changed, {loaded.removed} gone."
    )


def _line(version: SanctionsListVersion) -> str:
    label = "compared with" if version.is_active else "before that"
    return (
        f"{version.label}  {version.entry_count} entries  "
        f"loaded {version.loaded_at:%Y-%m-%d %H:%M}  {label}"
    )


def _screening_lines(screened: ScreeningResult) -> str:
    if screened.list_version is None:
        return "No sanctions list is loaded, so there is nothing to compare with."
    lines = [f"Compared with {screened.list_version}."]
    if screened.lacks_list:
        lines.append("A required list is not loaded: everyone waits for a reviewer.")
    lines += [
        f"{hit.score:3}  {hit.list}  {hit.entry_id}  {hit.program}  {hit.listed_name}"
        + ("  (politically exposed person)" if category_of(hit.list) is _PEP else "")
        for hit in screened.hits
    ]
    if screened.unread:
        lines.append("The name has letters that can't be compared: only Latin ones can.")
    elif not screened.hits:
        lines.append("No listed name is like it.")
    return "\n".join(lines)

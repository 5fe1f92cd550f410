"""Context shared by all commands on an organisation."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import wraps
from typing import Generic, Protocol, TypeVar
from uuid import UUID

import click

from landbridge.platform.core.clock import Clock

S = TypeVar("S")
T = TypeVar("T")

data_dir_option = click.option(
    "--data-dir", help="Where everything is kept (default: .landbridge)."
)
_org_option = click.option("--org", type=click.UUID, help="The organisation's id.")


@dataclass(frozen=True, slots=True)
class CommandTarget:
    """What a command works on; by default the usual data directory and its first organisation."""

    data_dir: str | None
    org: UUID | None = None


def target_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add `--org` and `--data-dir`; `command` receives both as its first argument."""

    @_org_option
    @data_dir_option
    @wraps(command)
    def run(*, org: UUID | None, data_dir: str | None, **values: object) -> None:
        command(CommandTarget(data_dir, org), **values)

    return run


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandContext(Generic[S]):
    """Services of a command, with its organisation and its clock."""

    verbs: S
    org_id: UUID
    clock: Clock
    clock_offset: timedelta

    def stamp(self) -> datetime:
        """Return a unique time in the organisation's time, for values that are stored."""
        return self.clock.stamp(self.clock_offset)

    def now(self) -> datetime:
        """Return the current time of the organisation, for comparisons only."""
        return self.clock.now(self.clock_offset)


class CommandRunner(Protocol[S]):
    """Runs one verb against the database."""

    def __call__(
        self,
        target: CommandTarget,
        run: Callable[[CommandContext[S]], Awaitable[T]],
        *,
        writes: bool,
    ) -> T:
        """Run the operation in its context, and return its result."""
        ...


def print_lines(lines: list[str], otherwise: str) -> None:
    """Print the lines, or `otherwise` if there are none."""
    click.echo("\n".join(lines) if lines else otherwise)

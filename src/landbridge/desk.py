"""What the commands on an organisation have in common, whichever package they belong to."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, Protocol, TypeVar
from uuid import UUID

import click

from landbridge.core.clock import Clock

S = TypeVar("S")
T = TypeVar("T")

data_dir_option = click.option(
    "--data-dir", help="Where everything is kept (default: .landbridge)."
)
org_option = click.option("--org", type=click.UUID, help="The organisation's id.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk(Generic[S]):
    """Where a command works: the verbs it needs, for one organisation and with its clock."""

    verbs: S
    org_id: UUID
    clock: Clock
    clock_offset: timedelta

    def stamp(self) -> datetime:
        """A moment of its own, for what is written."""
        return self.clock.stamp(self.clock_offset)

    def now(self) -> datetime:
        """The present one, for what is only looked at."""
        return self.clock.now(self.clock_offset)


class AtDesk(Protocol[S]):
    """Runs one verb against the database; without an organisation, for the first one."""

    def __call__(
        self,
        data_dir: str | None,
        org: UUID | None,
        run: Callable[[Desk[S]], Awaitable[T]],
        *,
        writes: bool,
    ) -> T:
        """Answer what `run` answers."""
        ...


def print_lines(lines: list[str], otherwise: str) -> None:
    """Print what was found; if nothing was, say so."""
    click.echo("\n".join(lines) if lines else otherwise)

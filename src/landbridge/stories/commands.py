"""`landbridge listen` and `landbridge trigger`: what a customer's programs are tried with."""

import asyncio
import os
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from landbridge.core.clock import ReadingClock
from landbridge.stories import listening, triggering
from landbridge.stories.client import connected

_URL = "http://127.0.0.1:8080"
_KEY = "LANDBRIDGE_API_KEY"

_api_url = click.option(
    "--api-url", default=_URL, show_default=True, help="Where the API is served."
)


def add_stories(commands: click.Group, say: Callable[[str], None]) -> None:
    """Put both commands into a group; `say` prints a line at once."""

    @commands.command()
    @click.option("--forward-to", required=True, help="The address that each event is posted to.")
    @_api_url
    @click.option("--events", help="Types of events, as ONRAMP.*; several with commas between.")
    @click.option(
        "--public-key-out",
        type=click.Path(dir_okay=False, path_type=Path),
        help="A file for the key that deliveries are verified with.",
    )
    def listen(
        forward_to: str, api_url: str, events: str | None, public_key_out: Path | None
    ) -> None:
        """Forward the events of an organisation to an address, until Ctrl-C.

        Reads them with the key in LANDBRIDGE_API_KEY; begins with what happens from now on.
        """
        patterns = None if events is None else triggering.known_patterns(events)

        async def run(key: str) -> None:
            to = listening.hearer(forward_to, api_url)
            async with (
                connected(api_url, key) as client,
                listening.listening(
                    client, to, patterns=patterns, clock=ReadingClock(), say=say
                ) as found,
            ):
                # Whoever has no key of the server need not read about ours.
                await found.begin()
                listening.introduce(to, public_key_out, say)
                await found.run()

        with suppress(KeyboardInterrupt):
            _with_key(run)

    @commands.command()
    @click.argument("event_type", required=False)
    @click.option("--list", "is_list", is_flag=True, help="List every type of event.")
    @_api_url
    def trigger(event_type: str | None, api_url: str, *, is_list: bool) -> None:
        """Tell the story that leads to EVENT_TYPE, in the sandbox.

        Uses the key in LANDBRIDGE_API_KEY, and makes new users and payments each time.
        """
        if is_list:
            for line in triggering.listed():
                say(line)
            return
        if event_type is None:
            raise click.UsageError("Name a type of event, or see --list.")
        type_ = triggering.known_type(event_type)

        async def run(key: str) -> None:
            async with connected(api_url, key) as client:
                _, found = await triggering.trigger(client, type_)
            say(f"{found.event_type}  {found.object_id}  {found.event_id}")

        _with_key(run)


def _with_key(run: Callable[[str], Coroutine[Any, Any, None]]) -> None:
    key = os.environ.get(_KEY)
    if not key:
        raise click.UsageError(f"Set {_KEY} to a key of the organisation.")
    asyncio.run(run(key))

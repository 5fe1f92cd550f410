"""`landbridge listen` and `landbridge trigger`: tools to test an integration."""

import asyncio
import os
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from landbridge.platform.core.clock import ReadingClock
from landbridge.sandbox.scenarios import listener
from landbridge.sandbox.scenarios import trigger as triggering
from landbridge.sandbox.scenarios.client import connected

_URL = "http://127.0.0.1:8080"
_KEY = "LANDBRIDGE_API_KEY"

_api_url = click.option(
    "--api-url", default=_URL, show_default=True, help="Where the API is served."
)


@click.command()
@click.option("--forward-to", required=True, help="The address that each event is posted to.")
@_api_url
@click.option("--events", help="Types of events, as ONRAMP.*; several with commas between.")
@click.option(
    "--public-key-out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file for the key that deliveries are verified with.",
)
def listen(forward_to: str, api_url: str, events: str | None, public_key_out: Path | None) -> None:
    """Forward the events of an organisation to an address, until Ctrl-C.

    Reads them with the key in LANDBRIDGE_API_KEY, starting with new events.
    """
    patterns = None if events is None else triggering.known_patterns(events)

    async def run(key: str) -> None:
        to = listener.forward_target(forward_to, api_url)
        async with (
            connected(api_url, key) as client,
            listener.listening(
                client, to, patterns=patterns, clock=ReadingClock(), print_line=click.echo
            ) as found,
        ):
            # An error about a missing API key comes before the signing key is printed.
            await found.begin()
            listener.introduce(to, public_key_out, click.echo)
            await found.run()

    with suppress(KeyboardInterrupt):
        _with_key(run)


@click.command()
@click.argument("event_type", required=False)
@click.option("--list", "is_list", is_flag=True, help="List every type of event.")
@_api_url
def trigger(event_type: str | None, api_url: str, *, is_list: bool) -> None:
    """Run the scenario that produces EVENT_TYPE, in the sandbox.

    Uses the key in LANDBRIDGE_API_KEY, and creates new users and payments each time.
    """
    if is_list:
        for line in triggering.listed():
            click.echo(line)
        return
    if event_type is None:
        raise click.UsageError("Name a type of event, or see --list.")
    type_ = triggering.known_type(event_type)

    async def run(key: str) -> None:
        async with connected(api_url, key) as client:
            _, found = await triggering.trigger(client, type_)
        click.echo(f"{found.event_type}  {found.object_id}  {found.event_id}")

    _with_key(run)


def _with_key(run: Callable[[str], Coroutine[Any, Any, None]]) -> None:
    key = os.environ.get(_KEY)
    if not key:
        raise click.UsageError(f"Set {_KEY} to a key of the organisation.")
    asyncio.run(run(key))

"""`landbridge login`, `listen`, `trigger` and `logs`: API clients to test an integration."""

import asyncio
import sys
from contextlib import suppress
from pathlib import Path

import click

from landbridge.platform.core.clock import ReadingClock
from landbridge.sandbox.scenarios import listener, profiles
from landbridge.sandbox.scenarios import trigger as triggering
from landbridge.sandbox.scenarios.client import connected, shown
from landbridge.sandbox.scenarios.overrides import read_overrides
from landbridge.sandbox.scenarios.request_tail import RequestTail

_api_url = click.option(
    "--api-url", help=f"Where the API is served: the profile's address, or {profiles.URL}."
)
_profile = click.option("--profile", help="A profile of `landbridge login` to use.")


@click.command()
@click.option("--api-url", default=profiles.URL, show_default=True, help="Where the API is served.")
@click.option(
    "--profile", default=profiles.DEFAULT, show_default=True, help="The name to keep it under."
)
@click.option("--remove", "is_removed", is_flag=True, help="Forget the profile instead.")
def login(api_url: str, profile: str, *, is_removed: bool) -> None:
    """Keep an API key for listen, trigger and logs.

    It is read without being shown, or from standard input, and kept if a request with it succeeds.
    """
    store = profiles.ProfileStore.of_user()
    if is_removed:
        store.remove(profile)
        click.echo(f"Profile {profile} is removed. The key itself still works until it is revoked.")
        return
    is_typed = sys.stdin.isatty()
    key = click.prompt("API key", hide_input=True, err=True) if is_typed else sys.stdin.read()
    key = key.strip()

    async def check() -> None:
        async with connected(api_url, key) as client:
            await client.get("/v2/ping")

    asyncio.run(check())
    store.save(profile, profiles.Profile(api_url, key))
    click.echo(f"Profile {profile} is kept in {store.file}.")


@click.command()
@click.option("--forward-to", required=True, help="The address that each event is posted to.")
@_api_url
@click.option("--events", help="Types of events, as ONRAMP.*; several with commas between.")
@click.option(
    "--public-key-out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file for the key that deliveries are verified with.",
)
@click.option(
    "--signing-key",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file that keeps the key that signs; without it each start makes a new one.",
)
@_profile
def listen(
    *,
    forward_to: str,
    api_url: str | None,
    events: str | None,
    public_key_out: Path | None,
    signing_key: Path | None,
    profile: str | None,
) -> None:
    """Forward the events of an organisation to an address, until Ctrl-C.

    Reads them with the key in LANDBRIDGE_API_KEY or of a profile, starting with new events.
    """
    patterns = None if events is None else triggering.known_patterns(events)
    used = profiles.choose(profile, api_url)

    async def run() -> None:
        to = listener.forward_target(forward_to, used.api_url, signing_key)
        async with (
            connected(used.api_url, used.key) as client,
            listener.listening(
                client, to, patterns=patterns, clock=ReadingClock(), print_line=click.echo
            ) as found,
        ):
            # An error about a missing API key comes before the signing key is printed.
            await found.begin()
            listener.introduce(to, public_key_out, click.echo)
            await found.run()

    with suppress(KeyboardInterrupt):
        asyncio.run(run())


@click.command()
@click.argument("event_type", required=False)
@click.option("--list", "is_list", is_flag=True, help="List every type of event.")
@click.option(
    "--override",
    "overrides",
    multiple=True,
    help="A member of a request that the scenario sends, as in swaps:source.amount=25.",
)
@_api_url
@_profile
def trigger(
    event_type: str | None,
    *,
    is_list: bool,
    overrides: tuple[str, ...],
    api_url: str | None,
    profile: str | None,
) -> None:
    """Run the scenario that produces EVENT_TYPE, in the sandbox.

    Uses the key in LANDBRIDGE_API_KEY or of a profile, and creates new users and payments each
    time.
    """
    if is_list:
        for line in triggering.listed():
            click.echo(line)
        return
    if event_type is None:
        raise click.UsageError("Name a type of event, or see --list.")
    type_, changes = triggering.known_type(event_type), read_overrides(overrides)
    used = profiles.choose(profile, api_url)

    async def run() -> None:
        async with connected(used.api_url, used.key, changes) as client:
            _, found = await triggering.trigger(client, type_)
        click.echo(shown(f"{found.event_type}  {found.object_id}  {found.event_id}"))
        changes.check_used()

    asyncio.run(run())


@click.group()
def logs() -> None:
    """The requests of an organisation to the API."""


@logs.command()
@click.option("--method", help="Only requests with this method.")
@click.option("--status", help="Only this status, as 409, or a class, as 4xx.")
@click.option("--path", help="Only paths that begin like this, as /v2/users.")
@_api_url
@_profile
def tail(
    *,
    method: str | None,
    status: str | None,
    path: str | None,
    api_url: str | None,
    profile: str | None,
) -> None:
    """Print requests as they arrive, until Ctrl-C: time, status, method, path, duration, id."""
    given = {"method": method, "status": status, "path": path}
    filters = {name: value for name, value in given.items() if value is not None}
    used = profiles.choose(profile, api_url)

    async def run() -> None:
        async with connected(used.api_url, used.key) as client:
            found = RequestTail(client, filters, click.echo)
            await found.begin()
            await found.run()

    with suppress(KeyboardInterrupt):
        asyncio.run(run())

"""Loads a package in its process, and checks it before it is served."""

import asyncio
import traceback
from pathlib import Path
from typing import Any, cast

from landbridge.providers.packages.discovery import ProviderPackageFailed, find_package
from landbridge.providers.packages.interface import (
    PackageSettings,
    PackageSettingsInvalid,
    ProviderPackage,
    SidecarDescription,
)
from landbridge.providers.packages.verbs import served_verbs, wrong_verbs

# Version of the provider protocol, and so of this interface.
PROTOCOL = 1
_DESCRIBE_TIMEOUT_S = 10
_SENTENCE_LENGTH_MAX = 300


async def load_package(
    package: str, settings: PackageSettings
) -> tuple[ProviderPackage, SidecarDescription]:
    """Return the adapter of a package, and its description.

    Raises:
        ProviderPackageFailed: The package can't be imported, or is no adapter of this version.
    """
    provider = settings.name
    entry = find_package(provider, package)
    try:
        make = entry.load()
    except (Exception, SystemExit) as error:
        # The package has not received its settings yet, so the message contains none of their
        # secrets.
        shown = str(error)[:_SENTENCE_LENGTH_MAX]
        raise ProviderPackageFailed(
            f"provider {provider}: {entry.value} can't be imported: {place_of(error)}: {shown}"
        ) from error
    try:
        adapter = make(settings)
    except PackageSettingsInvalid as invalid:
        shown = str(invalid)[:_SENTENCE_LENGTH_MAX]
        raise ProviderPackageFailed(f"provider {provider}: {shown}") from invalid
    except (Exception, SystemExit) as error:
        raise ProviderPackageFailed(
            f"provider {provider}: {entry.value} can't be created: {place_of(error)}"
        ) from error
    description = await _describe(provider, entry.value, adapter)
    return cast("ProviderPackage", adapter), description


def place_of(error: BaseException) -> str:
    """Return type and position of an exception; its message may have personal data."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return type(error).__name__
    return f"{type(error).__name__} at {Path(frames[-1].filename).name}:{frames[-1].lineno}"


async def _describe(provider: str, shown: str, adapter: object) -> SidecarDescription:
    """Return the description of an adapter, after checking that it is an adapter."""
    if wrong := sorted(wrong_verbs(adapter)):
        raise ProviderPackageFailed(
            f"provider {provider}: {wrong[0]} of {shown} is not an async function"
        )
    if "describe" not in served_verbs(adapter):
        raise ProviderPackageFailed(
            f"provider {provider}: {shown} returned {type(adapter).__name__}, which has no verb "
            "describe"
        )
    try:
        described: Any = await asyncio.wait_for(
            cast("ProviderPackage", adapter).describe(), _DESCRIBE_TIMEOUT_S
        )
    except (Exception, SystemExit) as error:
        raise ProviderPackageFailed(
            f"provider {provider}: describe of {shown} failed: {place_of(error)}"
        ) from error
    if not isinstance(described, SidecarDescription):
        raise ProviderPackageFailed(
            f"provider {provider}: describe of {shown} returned {type(described).__name__}, not "
            "SidecarDescription"
        )
    if described.protocol != PROTOCOL:
        raise ProviderPackageFailed(
            f"provider {provider}: {shown} is written for version {described.protocol} of the "
            f"interface; this is version {PROTOCOL}"
        )
    return described

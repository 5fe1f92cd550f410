"""Settings of one provider, read from the providers file (configuration.py)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from landbridge.providers.sidecar.signing import SigningSecret

# Seconds between two polls for credits, or for travel rule messages from other VASPs.
POLL_S = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageReference:
    """Python package, named by its entry point, with the settings passed to it."""

    name: str
    options: Mapping[str, Any]
    secrets: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SidecarSettings:
    """Address and secrets of a sidecar. The first key signs; all of them are accepted.

    A package has no address before its process runs; its key is generated here.
    """

    name: str
    url: str
    keys: tuple[SigningSecret, ...]
    timeout_s: int
    poll_s: int = POLL_S
    package: PackageReference | None = None

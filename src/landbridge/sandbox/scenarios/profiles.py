"""Profiles of the API clients: an address and a key by name, kept for the person who logs in.

The file is readable by its owner alone. An environment variable or an option comes before it.
"""

import fcntl
import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click
import msgspec

from landbridge.platform.core.errors import LandbridgeError
from landbridge.sandbox.scenarios.private_files import create_private

DEFAULT: Final = "default"
URL: Final = "http://127.0.0.1:8080"
KEY: Final = "LANDBRIDGE_API_KEY"
# The client libraries read the same variables.
URL_VARIABLE: Final = "LANDBRIDGE_URL"
_NAME: Final = re.compile(r"[a-z0-9-]{1,40}")


class ProfileInvalid(LandbridgeError):
    """A profile is missing or misnamed, or its file can't be used."""


class Profile(msgspec.Struct, frozen=True):
    """Address of a server, and a key of an organisation there."""

    api_url: str
    key: str


@dataclass(frozen=True, slots=True)
class ProfileStore:
    """File of profiles, by name."""

    file: Path

    @classmethod
    def of_user(cls) -> "ProfileStore":
        """Return the store of the person who runs the command."""
        return cls(Path(click.get_app_dir("landbridge")) / "profiles.json")

    def find(self, name: str) -> Profile | None:
        """Find a profile."""
        return self._read().get(name)

    def save(self, name: str, profile: Profile) -> None:
        """Store a profile under a name, in place of the one it had."""
        if not _NAME.fullmatch(name):
            raise ProfileInvalid(
                "a profile's name has up to 40 small letters, digits and hyphens, as in staging"
            )
        with self._locked():
            self._write({**self._read(), name: profile})

    def remove(self, name: str) -> None:
        """Remove a profile."""
        with self._locked():
            profiles = self._read()
            if profiles.pop(name, None) is None:
                raise ProfileInvalid(f"there is no profile {name}")
            self._write(profiles)

    @contextmanager
    def _locked(self) -> Generator[None]:
        """Hold the file's lock: without it, two commands at once lose the profile of one."""
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            # A file of its own, as the file of profiles is replaced.
            with self.file.with_suffix(".lock").open("a") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
        except OSError as error:
            raise ProfileInvalid(f"{self.file} can't be written: {error.strerror}") from error

    def _read(self) -> dict[str, Profile]:
        try:
            return msgspec.json.decode(self.file.read_bytes(), type=dict[str, Profile])
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError, msgspec.MsgspecError):
            raise ProfileInvalid(f"{self.file} can't be read; remove it and log in again") from None

    def _write(self, profiles: dict[str, Profile]) -> None:
        written = self.file.with_suffix(".new")
        written.unlink(missing_ok=True)
        create_private(written, msgspec.json.format(msgspec.json.encode(profiles)))
        written.replace(self.file)


def choose(name: str | None, api_url: str | None) -> Profile:
    """Return the profile to use.

    A named one is used as it is. Without a name the key and address of the environment come first,
    then the profile `default`. `api_url` replaces the address.
    """
    environment = os.environ.get(KEY)
    if name is None and environment:
        return Profile(api_url or os.environ.get(URL_VARIABLE) or URL, environment)
    found = ProfileStore.of_user().find(name or DEFAULT)
    if found is None and name is not None:
        raise ProfileInvalid(f"there is no profile {name}; `landbridge login --profile {name}`")
    if found is None:
        raise ProfileInvalid(f"set {KEY} to a key of the organisation, or `landbridge login`")
    return Profile(api_url or found.api_url, found.key)

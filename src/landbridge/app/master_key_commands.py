"""`landbridge master-key`: creates and wraps master keys."""

import base64
import sys
from collections.abc import Mapping

import click

from landbridge.app.settings import PREFIX
from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.db.sealing import FIRST_KEY_ID, keys_from_text, new_key
from landbridge.platform.encryption.key_wrapping import KeyWrapping, wrapping_from_text

_VARIABLE = f"{PREFIX}MASTER_KEY_WRAP"
# Read by itself: before the first key there are no settings for production yet.
_wrap_option = click.option(
    "--wrap", envvar=_VARIABLE, default="local", show_envvar=True, help="The key service."
)


class MasterKeyInvalid(LandbridgeError):
    """The given key, or the name of the key service, is not valid."""


@click.group("master-key")
def master_key() -> None:
    """Create and wrap master keys."""


@master_key.command("create")
@_wrap_option
def create(wrap: str) -> None:
    """Print a new master key, wrapped if a key service is set."""
    click.echo(_text({FIRST_KEY_ID: new_key()}, _service(wrap)))


@master_key.command("wrap")
@_wrap_option
def wrap_keys(wrap: str) -> None:
    """Read master keys as they are from standard input, and print them wrapped."""
    service = _service(wrap)
    if service is None:
        raise MasterKeyInvalid(f"Set {_VARIABLE} to the key service.")
    try:
        keys = keys_from_text(sys.stdin.read())
    except ValueError as error:
        raise MasterKeyInvalid(str(error)) from error
    click.echo(_text(keys, service))


def _service(text: str) -> KeyWrapping | None:
    try:
        return wrapping_from_text(text)
    except ValueError as error:
        raise MasterKeyInvalid(f"{_VARIABLE} {error}.") from error


def _text(keys: Mapping[int, bytes], service: KeyWrapping | None) -> str:
    """Return keys as the setting has them; one key with the first id needs no id."""
    parts = {
        key_id: base64.b64encode(key if service is None else service.wrap(key)).decode()
        for key_id, key in keys.items()
    }
    if list(parts) == [FIRST_KEY_ID]:
        return parts[FIRST_KEY_ID]
    return ",".join(f"{key_id}:{text}" for key_id, text in parts.items())

"""Wrapped master keys: AWS KMS or HashiCorp Vault unwraps them when a process starts.

A wrapped key is what the service returned for the 32 bytes of one master key. A person who reads
the setting or the environment does not have the key without the permission to decrypt, and the
service logs each decryption. The libraries are imported only where they are used, and read their
own settings (`AWS_REGION`, `VAULT_ADDR`, `VAULT_TOKEN` and so on).
"""

import base64
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.core.extras import Extra, missing

LOCAL, _AWS_KMS, _VAULT = "local", "aws-kms", "vault"
_FORM = "is local, aws-kms:KEY or vault:MOUNT/KEY"
_TIMEOUT_S = 10
# KMS decrypts only with the same context, so no other ciphertext of its key is accepted as ours.
_CONTEXT = {"application": "landbridge", "purpose": "master-key"}


class KeyServiceFailed(LandbridgeError):
    """The key service refused or did not answer; the message contains its name and no key."""


class KeyWrapping(Protocol):
    """Key service that wraps and unwraps master keys. Raises `KeyServiceFailed`."""

    def wrap(self, key: bytes) -> bytes:
        """Return a key, encrypted by the service."""
        ...

    def unwrap(self, wrapped: bytes) -> bytes:
        """Return a key that `wrap` has encrypted."""
        ...


def wrapping_from_text(text: str) -> KeyWrapping | None:
    """Return the key service that a setting names; None for `local`: keys are not wrapped.

    Raises `ValueError` for an unknown service.
    """
    if text == LOCAL:
        return None
    service, _, key = text.partition(":")
    if service == _AWS_KMS and key:
        return AwsKms(key)
    mount, _, name = key.rpartition("/")
    if service == _VAULT and mount and name:
        return VaultTransit(mount, name)
    raise ValueError(_FORM)


@dataclass(frozen=True, slots=True)
class AwsKms:
    """Symmetric key of AWS KMS, given by its id, ARN or alias."""

    key: str

    def wrap(self, key: bytes) -> bytes:
        """Return the ciphertext of a key."""
        reply = self._call(
            lambda kms: kms.encrypt(KeyId=self.key, Plaintext=key, EncryptionContext=_CONTEXT)
        )
        return bytes(reply["CiphertextBlob"])

    def unwrap(self, wrapped: bytes) -> bytes:
        """Return the key of a ciphertext."""
        reply = self._call(
            lambda kms: kms.decrypt(
                KeyId=self.key, CiphertextBlob=wrapped, EncryptionContext=_CONTEXT
            )
        )
        return bytes(reply["Plaintext"])

    @staticmethod
    def _call(request: Callable[[Any], Any]) -> Any:
        if reason := missing(Extra.S3):
            raise KeyServiceFailed(f"AWS KMS {reason}")
        import boto3  # noqa: PLC0415  slow to import, and needed only where KMS wraps the key
        from botocore.config import Config  # noqa: PLC0415  as above
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415  as above

        untyped: Any = boto3
        config = Config(connect_timeout=_TIMEOUT_S, read_timeout=_TIMEOUT_S)
        try:
            return request(untyped.client("kms", config=config))
        except ClientError as error:
            response: Any = error.response
            code = response.get("Error", {}).get("Code", "")
            raise KeyServiceFailed(f"AWS KMS did not open the master key: {code}") from error
        except (BotoCoreError, OSError) as error:
            raise KeyServiceFailed(f"AWS KMS: {type(error).__name__}: {error}") from error


@dataclass(frozen=True, slots=True)
class VaultTransit:
    """Key of Vault's transit engine; `mount` is the path of the engine."""

    mount: str
    name: str

    def wrap(self, key: bytes) -> bytes:
        """Return the ciphertext of a key."""
        plaintext = base64.b64encode(key).decode()
        reply = self._call(
            lambda transit: transit.encrypt_data(
                name=self.name, plaintext=plaintext, mount_point=self.mount
            )
        )
        return str(reply["data"]["ciphertext"]).encode()

    def unwrap(self, wrapped: bytes) -> bytes:
        """Return the key of a ciphertext."""
        ciphertext = wrapped.decode("ascii", errors="replace")
        reply = self._call(
            lambda transit: transit.decrypt_data(
                name=self.name, ciphertext=ciphertext, mount_point=self.mount
            )
        )
        return base64.b64decode(str(reply["data"]["plaintext"]))

    @staticmethod
    def _call(request: Callable[[Any], Any]) -> Any:
        if reason := missing(Extra.VAULT):
            raise KeyServiceFailed(f"Vault {reason}")
        import hvac  # noqa: PLC0415  an extra, needed only where Vault wraps the key
        from hvac.exceptions import VaultError  # noqa: PLC0415  as above

        from requests import RequestException  # noqa: PLC0415  as above

        untyped: Any = hvac
        client = untyped.Client(timeout=_TIMEOUT_S, namespace=os.environ.get("VAULT_NAMESPACE"))
        try:
            return request(client.secrets.transit)
        except VaultError as error:
            # Vault's message repeats the URL and the answer, but not the key.
            raise KeyServiceFailed(f"Vault did not open the master key: {error}") from error
        except (RequestException, OSError) as error:
            raise KeyServiceFailed(f"Vault can't be reached: {type(error).__name__}") from error

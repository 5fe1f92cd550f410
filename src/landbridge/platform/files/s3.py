"""File storage in a bucket of an S3-compatible store.

Credentials and region come from the standard variables of AWS (`AWS_ACCESS_KEY_ID`,
`AWS_SECRET_ACCESS_KEY`, `AWS_REGION` and so on), as boto3 reads them.
"""

import os
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar
from urllib.parse import urlsplit

from landbridge.platform.core.errors import Unavailable
from landbridge.platform.core.extras import Extra, missing
from landbridge.platform.files.storage import StorageKey, StorageThreads

T = TypeVar("T")

_CONNECT_TIMEOUT_S = 5
_READ_TIMEOUT_S = 20
_ATTEMPTS = 3
_ABSENT = {"NoSuchKey", "404"}
# Region sent to stores that have no regions.
_REGION = "us-east-1"


def check_url(url: str) -> None:
    """Raise `ValueError` unless the URL is `s3://bucket` or `s3://bucket/prefix`.

    Also raises it if the extra `s3` is not installed, so that the process fails at start rather
    than at the first file.
    """
    parts = urlsplit(url)
    if parts.scheme != "s3" or not parts.netloc or parts.query or parts.fragment or "@" in url:
        raise ValueError("must be s3://bucket or s3://bucket/prefix")
    if reason := missing(Extra.S3):
        raise ValueError(reason)


class S3:
    """Stores each content as an object under `prefix` of a bucket."""

    def __init__(self, url: str, *, endpoint: str | None) -> None:
        """`url` is `s3://bucket/prefix`; `endpoint` is the URL of a store other than AWS."""
        check_url(url)
        parts = urlsplit(url)
        self._bucket = parts.netloc
        self._prefix = parts.path.strip("/")
        self._endpoint = endpoint
        self._shared_client: Any = None
        self._client_lock = Lock()
        self._threads = StorageThreads()

    async def put(self, storage_key: StorageKey, content: bytes) -> None:
        """Store the content; stores respond once it is durable."""
        key = self._key(storage_key)
        await self._in_thread(
            lambda: self._client().put_object(Bucket=self._bucket, Key=key, Body=content)
        )

    async def get(self, storage_key: StorageKey) -> bytes | None:
        """Return the content; None if there is none."""
        key = self._key(storage_key)

        def read() -> bytes:
            with self._client().get_object(Bucket=self._bucket, Key=key)["Body"] as body:
                return body.read()

        return await self._in_thread(read)

    async def delete(self, storage_key: StorageKey) -> None:
        """Delete the content; does nothing if there is none."""
        key = self._key(storage_key)
        await self._in_thread(lambda: self._client().delete_object(Bucket=self._bucket, Key=key))

    def _key(self, storage_key: StorageKey) -> str:
        return f"{self._prefix}/{storage_key.path}" if self._prefix else storage_key.path

    def _client(self) -> Any:
        """Return the client that all threads share, created on first use, which takes time."""
        with self._client_lock:
            if self._shared_client is None:
                self._shared_client = _client(self._endpoint)
            return self._shared_client

    async def _in_thread(self, work: Callable[[], T]) -> T | None:
        """Run `work` in a thread; return None if the store has no such object."""
        return await self._threads.run(lambda: _translated(work))


def _client(endpoint: str | None) -> Any:
    import boto3  # noqa: PLC0415  slow to import, and needed only where files are kept in S3
    from botocore.config import Config  # noqa: PLC0415  as above

    config: dict[str, Any] = {}
    if endpoint is not None:
        # Options that all stores support: the bucket in the path, and no checksums in trailers.
        config = {
            "s3": {"addressing_style": "path"},
            "request_checksum_calculation": "when_required",
            "response_checksum_validation": "when_required",
        }
    # boto3 itself reads only AWS_DEFAULT_REGION.
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    untyped: Any = boto3
    return untyped.client(
        "s3",
        endpoint_url=endpoint,
        region_name=region or (_REGION if endpoint else None),
        config=Config(
            connect_timeout=_CONNECT_TIMEOUT_S,
            read_timeout=_READ_TIMEOUT_S,
            retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
            **config,
        ),
    )


def _translated(work: Callable[[], T]) -> T | None:
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415  as in `_client`

    try:
        return work()
    except ClientError as error:
        response: Any = error.response
        code = str(response.get("Error", {}).get("Code", ""))
        if code in _ABSENT:
            return None
        raise Unavailable(f"the store of files refused: {code}") from error
    except (BotoCoreError, OSError) as error:
        raise Unavailable(f"the store of files: {type(error).__name__}") from error

"""Contents of files in a bucket of an S3-compatible store.

Credentials and region come from the standard variables of AWS (`AWS_ACCESS_KEY_ID`,
`AWS_SECRET_ACCESS_KEY`, `AWS_REGION` and so on), as boto3 reads them.
"""

import os
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar
from urllib.parse import urlsplit

from landbridge.core.errors import Unavailable
from landbridge.files.storage import Place, Threads

T = TypeVar("T")

_CONNECT_TIMEOUT_S = 5
_READ_TIMEOUT_S = 20
_ATTEMPTS = 3
_ABSENT = {"NoSuchKey", "404"}
# What stores that know no regions expect.
_REGION = "us-east-1"


def check_url(url: str) -> None:
    """Raise `ValueError` for what is not `s3://bucket` or `s3://bucket/prefix`."""
    parts = urlsplit(url)
    if parts.scheme != "s3" or not parts.netloc or parts.query or parts.fragment or "@" in url:
        raise ValueError("must be s3://bucket or s3://bucket/prefix")


class S3:
    """Keeps each content as an object under `prefix` of a bucket."""

    def __init__(self, url: str, *, endpoint: str | None) -> None:
        """Take `s3://bucket/prefix`; `endpoint` is the store's own URL, if it is not AWS."""
        check_url(url)
        parts = urlsplit(url)
        self._bucket = parts.netloc
        self._prefix = parts.path.strip("/")
        self._endpoint = endpoint
        self._made: Any = None
        self._making = Lock()
        self._threads = Threads()

    async def put(self, place: Place, content: bytes) -> None:
        """Put the object; a store answers once it is safe."""
        key = self._key(place)
        await self._in_thread(
            lambda: self._client().put_object(Bucket=self._bucket, Key=key, Body=content)
        )

    async def get(self, place: Place) -> bytes | None:
        """Get the object."""
        key = self._key(place)

        def read() -> bytes:
            with self._client().get_object(Bucket=self._bucket, Key=key)["Body"] as body:
                return body.read()

        return await self._in_thread(read)

    async def delete(self, place: Place) -> None:
        """Delete the object; a store answers likewise if there is none."""
        key = self._key(place)
        await self._in_thread(lambda: self._client().delete_object(Bucket=self._bucket, Key=key))

    def _key(self, place: Place) -> str:
        return f"{self._prefix}/{place.path}" if self._prefix else place.path

    def _client(self) -> Any:
        """One client for all threads, made when it is first needed: it takes a while."""
        with self._making:
            if self._made is None:
                self._made = _client(self._endpoint)
            return self._made

    async def _in_thread(self, work: Callable[[], T]) -> T | None:
        """What `work` answers; None where the store has no such object."""
        return await self._threads.run(lambda: _translated(work))


def _client(endpoint: str | None) -> Any:
    import boto3  # noqa: PLC0415  slow to import, and needed only where files are kept in S3
    from botocore.config import Config  # noqa: PLC0415  as above

    config: dict[str, Any] = {}
    if endpoint is not None:
        # What all stores understand: the bucket in the path, and no checksums in trailers.
        config = {
            "s3": {"addressing_style": "path"},
            "request_checksum_calculation": "when_required",
            "response_checksum_validation": "when_required",
        }
    # boto3 itself reads the second of these only.
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

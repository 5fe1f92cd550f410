"""Content that is identical for every client: built once, compressed, and sent only if needed."""

import asyncio
import gzip
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest
from litestar import Request, Response

from landbridge.platform.http.static_content import LazyContent, StaticContent

PATHS = ("/openapi.json", "/docs/assets/swagger-ui.css", "/docs/assets/swagger-ui-bundle.js")


@pytest.mark.parametrize("path", PATHS)
async def test_content_is_compressed_for_clients_that_accept_gzip(
    client: httpx2.AsyncClient, path: str
) -> None:
    plain = await client.get(path, headers={"Accept-Encoding": "identity"})
    small = await client.get(path, headers={"Accept-Encoding": "br;q=1, gzip;q=0.5"})
    assert plain.status_code == small.status_code == 200
    assert "content-encoding" not in plain.headers
    assert small.headers["content-encoding"] == "gzip"
    assert plain.content == small.content
    assert int(small.headers["content-length"]) < len(plain.content) / 2
    assert plain.headers["content-type"] == small.headers["content-type"]
    assert plain.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize("path", PATHS)
async def test_client_with_the_current_version_gets_304(
    client: httpx2.AsyncClient, path: str
) -> None:
    etag = (await client.get(path)).headers["etag"]
    for tag in (etag, etag.removeprefix("W/"), f'"other", {etag}', "*"):
        answer = await client.get(path, headers={"If-None-Match": tag})
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["etag"] == etag
    for tag in ('"other"', "", etag[:-2]):
        assert (await client.get(path, headers={"If-None-Match": tag})).status_code == 200


@pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0", "gzip; q=0.0", "identity"])
async def test_content_is_not_compressed_for_other_clients(
    client: httpx2.AsyncClient, accepted: str
) -> None:
    answer = await client.get("/openapi.json", headers={"Accept-Encoding": accepted})
    assert "content-encoding" not in answer.headers


def test_content_is_built_once_for_concurrent_requests() -> None:
    together = threading.Barrier(8)
    created: list[int] = []

    def make() -> StaticContent:
        created.append(len(created))
        return StaticContent.of(b"x" * 1000, "text/plain")

    once = LazyContent(make)

    def read_content() -> StaticContent:
        together.wait()
        return once.get()

    with ThreadPoolExecutor(8) as threads:
        answers = [each.result() for each in [threads.submit(read_content) for _ in range(8)]]
    assert created == [0]
    assert all(each is once.built for each in answers)
    assert gzip.decompress(answers[0].compressed) == b"x" * 1000


async def test_waiting_first_requests_hold_no_thread_of_other_work() -> None:
    is_released = threading.Event()

    def make() -> StaticContent:
        is_released.wait()
        return StaticContent.of(b"x", "text/plain")

    async def answer(_request: Request[Any, Any, Any]) -> Response[bytes]:
        return await LazyContent(make).response(_request)

    first: list[asyncio.Task[Response[bytes]]] = []
    try:
        request = Request[Any, Any, Any]({"type": "http", "headers": []})  # pyright: ignore[reportArgumentType]
        # More than the default executor has threads.
        first += [asyncio.create_task(answer(request)) for _ in range(64)]
        async with asyncio.timeout(5):
            assert await asyncio.to_thread(lambda: "done") == "done"
    finally:
        is_released.set()
        await asyncio.gather(*first)

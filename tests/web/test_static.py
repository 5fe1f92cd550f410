"""Content that is the same for everybody: made once, compressed, and sent only to who lacks it."""

import gzip
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from landbridge.web.static import Once, StaticContent

PATHS = ("/openapi.json", "/docs/assets/swagger-ui.css", "/docs/assets/swagger-ui-bundle.js")


@pytest.mark.parametrize("path", PATHS)
async def test_it_is_compressed_for_those_who_take_gzip(
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
async def test_who_has_it_is_told_so(client: httpx2.AsyncClient, path: str) -> None:
    etag = (await client.get(path)).headers["etag"]
    for told in (etag, etag.removeprefix("W/"), f'"other", {etag}', "*"):
        answer = await client.get(path, headers={"If-None-Match": told})
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["etag"] == etag
    for told in ('"other"', "", etag[:-2]):
        assert (await client.get(path, headers={"If-None-Match": told})).status_code == 200


@pytest.mark.parametrize("told", ["", "br", "gzip;q=0", "gzip; q=0.0", "identity"])
async def test_nothing_is_compressed_for_others(client: httpx2.AsyncClient, told: str) -> None:
    answer = await client.get("/openapi.json", headers={"Accept-Encoding": told})
    assert "content-encoding" not in answer.headers


def test_it_is_made_once_whoever_asks_at_once() -> None:
    together = threading.Barrier(8)
    made: list[int] = []

    def make() -> StaticContent:
        made.append(len(made))
        return StaticContent.of(b"x" * 1000, "text/plain")

    once = Once(make)

    def ask() -> StaticContent:
        together.wait()
        return once.get()

    with ThreadPoolExecutor(8) as threads:
        answers = [each.result() for each in [threads.submit(ask) for _ in range(8)]]
    assert made == [0]
    assert all(each is once.made for each in answers)
    assert gzip.decompress(answers[0].compressed) == b"x" * 1000

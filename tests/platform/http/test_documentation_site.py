"""The documentation site: its own files and no others, and a policy for its inline scripts."""

import base64
import hashlib
import zipfile
from pathlib import Path

import httpx2
import pytest

from landbridge.platform.http import api_explorer, documentation_site
from landbridge.platform.http.documentation_site import DocumentationSite
from tests.sources import ROOT

SCRIPT = "document.title = 'dark'"
HOME = f"<html><script id='x'>{SCRIPT}</script><script src='a.js'></script></html>"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text("not ours to show")
    archive = tmp_path / "site.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("index.html", HOME)
        file.mkdir("start")
        file.writestr("start/swap.html", "<html>swap</html>")
        file.writestr("decisions/index.html", "<html>decisions</html>")
        file.writestr("app.js", "1")
    return archive


@pytest.fixture
def built(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = DocumentationSite(archive)
    monkeypatch.setattr(documentation_site, "SITE", site)
    monkeypatch.setattr(api_explorer, "SITE", site)


@pytest.fixture
def missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = DocumentationSite(tmp_path / "nothing")
    monkeypatch.setattr(documentation_site, "SITE", site)
    monkeypatch.setattr(api_explorer, "SITE", site)


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("path", ["", "/", "/index.html"])
async def test_home_page_has_a_policy_that_allows_its_inline_script(
    client: httpx2.AsyncClient, path: str
) -> None:
    answer = await client.get(f"/docs/site{path}")
    assert (answer.status_code, answer.text) == (200, HOME)
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    policy = answer.headers["content-security-policy"]
    assert f"script-src 'self' 'sha256-{digest}';" in policy
    assert answer.headers["x-frame-options"] == "DENY"


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("path", ["/decisions", "/decisions/"])
async def test_folders_lead_to_their_first_page(client: httpx2.AsyncClient, path: str) -> None:
    answer = await client.get(f"/docs/site{path}", follow_redirects=False)
    assert answer.status_code == 302
    assert answer.headers["location"] == "/docs/site/decisions/index.html"
    assert (await client.get("/docs/site/start")).status_code == 404


@pytest.mark.usefixtures("built")
async def test_files_are_served_by_their_type(client: httpx2.AsyncClient) -> None:
    page = await client.get("/docs/site/start/swap.html")
    script = await client.get("/docs/site/app.js")
    assert page.headers["content-type"].startswith("text/html")
    assert "javascript" in script.headers["content-type"]
    again = await client.get("/docs/site/app.js", headers={"If-None-Match": script.headers["etag"]})
    assert again.status_code == 304


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize(
    "path", ["../secret.txt", "..%2Fsecret.txt", "start", "start/../../secret.txt", "%2e%2e/x", "a"]
)
async def test_other_files_are_not_found(client: httpx2.AsyncClient, path: str) -> None:
    answer = await client.get(f"/docs/site/{path}")
    assert answer.status_code == 404
    assert "ours to show" not in answer.text


@pytest.mark.usefixtures("missing")
async def test_installation_without_the_site_answers_404(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/docs/site")).status_code == 404
    assert "/docs/site/" not in _explorer()


@pytest.mark.usefixtures("built")
def test_explorer_links_to_the_site() -> None:
    assert '<a href="/docs/site/">' in _explorer()


def _explorer() -> str:
    # A new one: the application builds its page once.
    explorer = api_explorer.ApiExplorer((ROOT / "openapi.json").read_bytes, ())
    return explorer.index.get().content.decode()

"""The pages below /docs: the list of operations, and a page for the operations of each tag."""

import re
from html import unescape
from typing import Any
from urllib.parse import unquote

import httpx2

_LINK = re.compile(r'href="(/docs/operations/[a-z-]+)#/([^/"]+)/([^"]+)"')


async def test_each_operation_of_the_api_has_a_link_to_a_document_that_describes_it(
    client: httpx2.AsyncClient,
) -> None:
    document = (await client.get("/openapi.json")).json()
    expected = {
        each["operationId"]
        for operations in document["paths"].values()
        for each in operations.values()
    }
    webhooks = {each["post"]["operationId"] for each in document["webhooks"].values()}
    links = _LINK.findall(unescape((await client.get("/docs")).text))

    assert sorted(operation for _, _, operation in links) == sorted(expected | webhooks)
    for page in sorted({page for page, _, _ in links}):
        part = (await client.get(f"{page}/openapi.json")).json()
        described = {
            (tag, each["operationId"])
            for operations in part["paths"].values()
            for each in operations.values()
            for tag in each["tags"]
        } | {("webhooks", each["post"]["operationId"]) for each in part["webhooks"].values()}
        assert described == {(unquote(tag), name) for there, tag, name in links if there == page}
        assert _missing(part) == set(), page


async def test_page_of_a_tag_shows_its_document(client: httpx2.AsyncClient) -> None:
    page = await client.get("/docs/operations/transfer-approvals")
    assert 'data-document="/docs/operations/transfer-approvals/openapi.json"' in page.text


async def test_unknown_tag_is_not_found(client: httpx2.AsyncClient) -> None:
    for path in ("/docs/operations/unknown", "/docs/operations/unknown/openapi.json"):
        assert (await client.get(path)).status_code == 404


def _missing(document: dict[str, Any]) -> set[str]:
    """Return the references that lead nowhere."""
    references = re.findall(r"'\$ref': '#/components/(\w+)/([^']+)'", str(document))
    return {
        name for section, name in references if name not in document["components"].get(section, {})
    }

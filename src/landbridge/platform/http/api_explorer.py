"""The pages below /docs: a list of all operations, and Swagger UI for the operations of one tag.

Each tag has a document of its own, because Swagger UI resolves the whole document whenever an
operation is opened. With all operations, that takes about eight times as long as with the
operations of one tag.
"""

import base64
import hashlib
import html
import mimetypes
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import msgspec
from litestar import MediaType

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.http.documentation_site import SITE
from landbridge.platform.http.static_content import LazyContent, StaticContent

_ASSETS = ("swagger-ui.css", "swagger-ui-bundle.js")
WEBHOOKS = "Webhook events"
_REFERENCE = "#/components/"
_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
nav ul { columns: 14rem; list-style: none; padding: 0; }
table { border-collapse: collapse; table-layout: fixed; width: 100%; }
td { border-bottom: 1px solid #8885; overflow-wrap: anywhere; padding: .375rem .75rem .375rem 0; }
td:first-child { width: 4rem; }
td:last-child { width: 55%; }
"""
_INDEX = """<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Landbridge API</title>
  <style>{style}</style>
</head>
<body>
<main>
<h1>Landbridge API</h1>
<p>{count} operations, each with a form to send it.
{site}<a href="/openapi.json">OpenAPI document</a></p>
<nav aria-label="Tags"><ul>{tags}</ul></nav>
{sections}
</main>
</body>
</html>
"""
_SITE_LINK = '<a href="/docs/site/">Guides and reference</a>. '
_PAGE = """<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>{name} - Landbridge API</title>
  <link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
  <p><a href="/docs">All operations</a></p>
  <div id="swagger-ui" data-document="/docs/operations/{tag}/openapi.json"></div>
  <script src="/docs/assets/swagger-ui-bundle.js"></script>
  <script>{script}</script>
</body>
</html>
"""
# Swagger UI does not list the schemas below the operations, which show them already.
_SCRIPT = (
    'SwaggerUIBundle({url: document.getElementById("swagger-ui").dataset.document, '
    'dom_id: "#swagger-ui", persistAuthorization: true, defaultModelsExpandDepth: -1, '
    "deepLinking: true});"
)


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


# A key stays in the browser on a tag's page, so no other site may frame it. The inline style of the
# list and the inline script are allowed by their hashes; Swagger UI sets styles of its own.
INDEX_HEADERS = {
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'sha256-{_hash(_STYLE)}'; form-action 'none'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "same-origin",
}
PAGE_HEADERS = {
    "Content-Security-Policy": (
        f"default-src 'none'; script-src 'self' 'sha256-{_hash(_SCRIPT)}'; style-src 'self' "
        "'unsafe-inline'; img-src 'self' data:; connect-src 'self'; form-action 'none'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
}


class ApiExplorer:
    """The OpenAPI document, the list of its operations, and the page and document of each tag.

    Each is built when it is first read.
    """

    def __init__(self, encoded_document: Callable[[], bytes], tags: Iterable[str]) -> None:
        """`tags` are the names of all tags in the document."""

        def read() -> dict[str, Any]:
            return msgspec.json.decode(self.document.get().content, type=dict[str, Any])

        def document_of(tag: str) -> StaticContent:
            return StaticContent.of(msgspec.json.encode(tag_document(read(), tag)), MediaType.JSON)

        names = [*tags, WEBHOOKS]
        self.document = LazyContent(lambda: StaticContent.of(encoded_document(), MediaType.JSON))
        self.index = LazyContent(lambda: _html(_index(read())))
        # By the tag's name in URLs, such as `transfer-approvals`.
        self.pages = {_slug(each): LazyContent(partial(_page, each)) for each in names}
        self.documents = {_slug(each): LazyContent(partial(document_of, each)) for each in names}


def tag_document(document: Mapping[str, Any], tag: str) -> dict[str, Any]:
    """Return the part of an OpenAPI document that describes the operations of one tag."""
    is_webhooks = tag == WEBHOOKS
    paths = {
        path: {
            method: each
            for method, each in operations.items()
            if not is_webhooks and tag in each["tags"]
        }
        for path, operations in sorted(document["paths"].items())
    }
    part: dict[str, Any] = {
        **{key: document[key] for key in ("openapi", "servers", "security")},
        "info": {**document["info"], "title": f"{document['info']['title']}: {tag}"},
        "tags": [each for each in document["tags"] if each["name"] == tag],
        "paths": {path: operations for path, operations in paths.items() if operations},
        "webhooks": document["webhooks"] if is_webhooks else {},
    }
    components: dict[str, dict[str, Any]] = {
        "securitySchemes": document["components"]["securitySchemes"]
    }
    waiting = list(_references([part["paths"], part["webhooks"]]))
    while waiting:
        section, name = waiting.pop().removeprefix(_REFERENCE).split("/")
        found = components.setdefault(section, {})
        if name not in found:
            found[name] = document["components"][section][name]
            waiting += _references(found[name])
    return {**part, "components": components}


def _references(value: object) -> Iterator[str]:
    """Yield each reference to a component, including those in a discriminator's mapping."""
    match value:
        case str() if value.startswith(_REFERENCE):
            yield value
        case dict():
            for each in cast("dict[str, object]", value).values():
                yield from _references(each)
        case list():
            for each in cast("list[object]", value):
                yield from _references(each)
        case _:
            pass


def _index(document: Mapping[str, Any]) -> str:
    """Return the list of all operations and webhook events, by tag."""
    rows: dict[str, list[str]] = {}
    for path, operations in sorted(document["paths"].items()):
        for method, each in operations.items():
            tag = each["tags"][0]
            anchor = f"#/{quote(tag)}/{each['operationId']}"
            rows.setdefault(tag, []).append(
                _row(tag, anchor, method.upper(), path, each["summary"])
            )
    rows[WEBHOOKS] = [
        _row(
            WEBHOOKS,
            f"#/webhooks/{operations['post']['operationId']}",
            "POST",
            name,
            operations["post"]["summary"],
        )
        for name, operations in document["webhooks"].items()
    ]
    texts = {each["name"]: each["description"] for each in document["tags"]}
    texts[WEBHOOKS] = "What is sent to your endpoints."
    return _INDEX.format(
        style=_STYLE,
        site=_SITE_LINK if SITE.is_built else "",
        count=sum(len(each) for tag, each in rows.items() if tag != WEBHOOKS),
        tags="".join(
            f'<li><a href="#{_slug(each)}">{html.escape(each)}</a></li>' for each in texts
        ),
        sections="\n".join(
            f'<section id="{_slug(tag)}"><h2>{html.escape(tag)}</h2><p>{html.escape(text)}</p>'
            f"<table><tbody>{''.join(rows.get(tag, []))}</tbody></table></section>"
            for tag, text in texts.items()
        ),
    )


def _row(tag: str, anchor: str, method: str, path: str, summary: str) -> str:
    return (
        f"<tr><td>{method}</td><td><code>{html.escape(path)}</code></td>"
        f'<td><a href="/docs/operations/{_slug(tag)}{anchor}">{html.escape(summary)}</a></td></tr>'
    )


def _page(tag: str) -> StaticContent:
    return _html(_PAGE.format(name=html.escape(tag), tag=_slug(tag), script=_SCRIPT))


def _html(text: str) -> StaticContent:
    return StaticContent.of(text.encode(), MediaType.HTML)


def _slug(tag: str) -> str:
    return tag.lower().replace(" ", "-")


@cache
def assets() -> Mapping[str, LazyContent]:
    """Return the files of Swagger UI from its Python package, which is never imported."""
    spec = find_spec("aiohttp_swagger3")
    if spec is None or spec.origin is None:
        raise InvariantBroken("aiohttp-swagger3 is not installed; run `make setup`")
    folder = Path(spec.origin).parent / "swagger_ui"

    def read(name: str) -> StaticContent:
        kind, _ = mimetypes.guess_type(name)
        return StaticContent.of((folder / name).read_bytes(), kind or "application/octet-stream")

    return {name: LazyContent(partial(read, name)) for name in _ASSETS}

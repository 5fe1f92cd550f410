"""The page /docs/errors: what each error means, and what to do. `docUrl` of an error leads to it.

Its rows are `errors.md` beside this file: the table of docs/reference/errors.md without its links,
because an installed package has no other pages of the documentation.
"""

import base64
import hashlib
import html
import re
from functools import cache
from pathlib import Path

from litestar import MediaType

from landbridge.platform.http.static_content import StaticContent

PATH = "/docs/errors"
TABLE = Path(__file__).with_name("errors.md")
_ANCHOR = re.compile(r'<a id="([a-z_]+)"></a>')
_CODE = re.compile(r"`([^`]+)`")
_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
table { border-collapse: collapse; }
th, td { border-bottom: 1px solid #8885; padding: .5rem .75rem; text-align: left; }
td { vertical-align: top; }
:target { background: #fd05; }
"""
_PAGE = """<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Errors - Landbridge</title>
  <style>{style}</style>
</head>
<body>
<main>
<h1>Errors</h1>
<p>Branch on the name of an error. Its message names the wrong field, and may change.</p>
<table>
<thead><tr>{heads}</tr></thead>
<tbody>
{rows}
</tbody>
</table>
</main>
</body>
</html>
"""


def doc_url(public_url: str, name: str) -> str:
    """Return the URL on this server that explains the error with this name."""
    return f"{public_url}{PATH}#{name.lower()}"


def content_policy() -> str:
    """Return the content security policy; the one inline style is allowed by its hash."""
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )


@cache
def error_page() -> StaticContent:
    """Return the page, built from the table of errors."""
    head, _, *rows = (_cells(line) for line in TABLE.read_text(encoding="utf-8").splitlines())
    heads = "".join(f'<th scope="col">{html.escape(each)}</th>' for each in head)
    page = _PAGE.format(style=_STYLE, heads=heads, rows="\n".join(map(_row, rows)))
    return StaticContent.of(page.encode(), MediaType.HTML)


def _cells(line: str) -> list[str]:
    return [each.strip() for each in line.strip().strip("|").split("|")]


def _row(cells: list[str]) -> str:
    anchor = _ANCHOR.search(" ".join(cells))
    id_ = f' id="{anchor[1]}"' if anchor else ""
    return f"<tr{id_}>{''.join(f'<td>{_text(each)}</td>' for each in cells)}</tr>"


def _text(markdown: str) -> str:
    text = html.escape(_ANCHOR.sub("", markdown), quote=False)
    return _CODE.sub(r"<code>\1</code>", text)

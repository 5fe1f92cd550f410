"""Logged requests as curl commands. Data missing in the log stays `[redacted]`."""

from shlex import quote
from urllib.parse import quote as quote_url
from urllib.parse import urlencode

from landbridge.developers.request_log.api import LoggedBodies
from landbridge.platform.http.responses import encode

# Its value stays out of sight, and out of the history of the shell.
_KEY = '"Authorization: Bearer $LANDBRIDGE_API_KEY"'


def curl(logged: LoggedBodies, base_url: str) -> str:
    """Return the command that repeats this request with the API key of the shell."""
    method, body = logged.method, logged.request_body
    query = urlencode(logged.query, doseq=True, safe="[]")
    url = base_url + quote_url(logged.path, safe="/[]") + (f"?{query}" if query else "")
    lines = ["curl -sS"]
    if "[" in url:
        # Without this option curl takes brackets for a range.
        lines[0] += " --globoff"
    if method != "GET":
        lines[0] += f" -X {quote(method)}"
    lines[0] += f" {quote(url)}"
    lines.append(f"-H {_KEY}")
    content = "" if body is None else encode(body).decode()
    if content:
        lines += ["-H 'Content-Type: application/json'", f"-d {quote(content)}"]
    return " \\\n  ".join(lines)

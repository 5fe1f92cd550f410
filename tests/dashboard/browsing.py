"""Browser without scripts: signed in as a member, it opens pages and submits forms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

import httpx2
from lxml import html

from landbridge.customers.team import store
from landbridge.customers.team.model import TeamMember, Theme
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Tx
from landbridge.platform.http.caller import MemberRole
from tests.tenants import URL, Tenant

Fields = Mapping[str, str | Sequence[str]]


@dataclass(frozen=True, slots=True)
class DashboardPage:
    """Response with a page."""

    response: httpx2.Response

    @property
    def status(self) -> int:
        return self.response.status_code

    @property
    def tree(self) -> Any:
        return cast("Any", html).fromstring(self.response.text)

    @property
    def text(self) -> str:
        """Return the visible text of the page's main part, with whitespace collapsed."""
        found = self.tree.xpath("//main")
        return " ".join(" ".join(each.text_content() for each in found).split())

    @property
    def title(self) -> str:
        return str(self.tree.findtext(".//title"))

    def links(self) -> list[str]:
        return [str(each) for each in self.tree.xpath("//a/@href")]

    def value(self, name: str) -> str:
        """Return the value of a field on the page."""
        return str(self.tree.xpath(f'//*[@name="{name}"]/@value')[0])


@dataclass(frozen=True, slots=True)
class Visitor:
    """Signed-in member with a browser."""

    client: httpx2.AsyncClient
    member_id: UUID
    role: MemberRole
    cookie: str
    csrf: str

    async def open(self, path: str, **query: str) -> DashboardPage:
        """Open a page, whatever its status."""
        return DashboardPage(
            await self.client.get(path, params=query or None, headers=self._headers())
        )

    async def load(self, path: str, **query: str) -> DashboardPage:
        """Open a page that must be found."""
        page = await self.open(path, **query)
        assert page.status == 200, f"{path}: {page.status} {page.text}"
        return page

    async def send(
        self, path: str, fields: Fields | None = None, *, files: Any = None, csrf: str | None = None
    ) -> DashboardPage:
        """Send a form, by default with the CSRF token of this session."""
        data = {"csrf": self.csrf if csrf is None else csrf, **(fields or {})}
        return DashboardPage(
            await self.client.post(path, data=data, files=files, headers=self._headers())
        )

    async def submit(self, path: str, fields: Fields | None = None, *, files: Any = None) -> str:
        """Send a form that must be accepted, and return where it redirects."""
        sent = await self.send(path, fields, files=files)
        assert sent.status == 303, f"{path}: {sent.status} {sent.text}"
        return str(sent.response.headers["location"])

    async def stream(self, path: str, send: Any) -> None:
        """Stream a page or file, passing each ASGI message to `send`."""
        client: Any = self.client
        headers = [
            (name.lower().encode(), value.encode()) for name, value in self._headers().items()
        ]
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": b"",
            "headers": headers,
            "client": None,
            "server": None,
            "extensions": {},
        }

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        await client._transport.app(scope, receive, send)

    def _headers(self) -> dict[str, str]:
        return {"Cookie": f"landbridge={self.cookie}", "Origin": URL}


async def visit(
    org: Tenant,
    role: MemberRole = MemberRole.ADMIN,
    *,
    name: str | None = None,
    language: str = "en",
) -> Visitor:
    """Create a member with this role and sign them in."""
    member_id = new_id()
    person = TeamMember(
        org_id=org.org_id,
        id=member_id,
        email=f"{member_id}@example.com",
        name=name or f"Test {role.value}",
        role=role,
        has_password=False,
        language=language,
        theme=Theme.SYSTEM,
        receives_approval_emails=True,
        created_at=org.container.clock.now(),
        removed_at=None,
        version=1,
    )

    async def work(tx: Tx) -> str:
        await store.add(tx, person, None)
        return await org.container.sessions.begin(tx, org.org_id, member_id, is_verified=True)

    cookie = await org.container.database.transact(work)
    signed = await org.container.sessions.find(cookie)
    assert signed is not None
    return Visitor(org.client, member_id, role, cookie, signed.csrf)

"""A browser without scripts: signed in as somebody, it opens pages and sends their forms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

import httpx2
from lxml import html

from landbridge.core.ids import new_id
from landbridge.db.pool import Tx
from landbridge.members import store
from landbridge.members.model import Person, Theme
from landbridge.web.caller import Role
from tests.tenants import URL, Tenant

Fields = Mapping[str, str | Sequence[str]]


@dataclass(frozen=True, slots=True)
class Opened:
    """A page as it came."""

    answer: httpx2.Response

    @property
    def status(self) -> int:
        return self.answer.status_code

    @property
    def tree(self) -> Any:
        return cast("Any", html).fromstring(self.answer.text)

    @property
    def text(self) -> str:
        """What a person reads in the page's main part, blanks made one."""
        found = self.tree.xpath("//main")
        return " ".join(" ".join(each.text_content() for each in found).split())

    @property
    def title(self) -> str:
        return str(self.tree.findtext(".//title"))

    def links(self) -> list[str]:
        return [str(each) for each in self.tree.xpath("//a/@href")]

    def value(self, name: str) -> str:
        """What a field of the page holds."""
        return str(self.tree.xpath(f'//*[@name="{name}"]/@value')[0])


@dataclass(frozen=True, slots=True)
class Visit:
    """A member at a browser."""

    client: httpx2.AsyncClient
    member_id: UUID
    role: Role
    cookie: str
    csrf: str

    async def open(self, path: str, **query: str) -> Opened:
        """A page, whatever it is."""
        return Opened(await self.client.get(path, params=query or None, headers=self._headers()))

    async def see(self, path: str, **query: str) -> Opened:
        """A page that must be good."""
        opened = await self.open(path, **query)
        assert opened.status == 200, f"{path}: {opened.status} {opened.text}"
        return opened

    async def send(
        self, path: str, fields: Fields | None = None, *, files: Any = None, csrf: str | None = None
    ) -> Opened:
        """A form, with the token of this session unless told otherwise."""
        told = {"csrf": self.csrf if csrf is None else csrf, **(fields or {})}
        return Opened(await self.client.post(path, data=told, files=files, headers=self._headers()))

    async def done(self, path: str, fields: Fields | None = None, *, files: Any = None) -> str:
        """Where a form that must be good leads."""
        sent = await self.send(path, fields, files=files)
        assert sent.status == 303, f"{path}: {sent.status} {sent.text}"
        return str(sent.answer.headers["location"])

    def _headers(self) -> dict[str, str]:
        return {"Cookie": f"landbridge={self.cookie}", "Origin": URL}


async def visit(org: Tenant, role: Role = Role.ADMIN, *, name: str | None = None) -> Visit:
    """Somebody new in this role, signed in."""
    member_id = new_id()
    person = Person(
        org_id=org.org_id,
        id=member_id,
        email=f"{member_id}@example.com",
        name=name or f"Test {role.value}",
        role=role,
        has_password=False,
        language="en",
        theme=Theme.SYSTEM,
        wants_approval_mails=True,
        created_at=org.house.clock.now(),
        removed_at=None,
        version=1,
    )

    async def work(tx: Tx) -> str:
        await store.add(tx, person, None)
        return await org.house.sessions.begin(tx, org.org_id, member_id, is_verified=True)

    cookie = await org.house.database.transact(work)
    signed = await org.house.sessions.find(cookie)
    assert signed is not None
    return Visit(org.client, member_id, role, cookie, signed.csrf)

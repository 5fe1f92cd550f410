"""Requests for pages: the visitor's form, the API in the visitor's name, and ways to answer."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Final, cast
from uuid import UUID

from litestar import Request, Response
from litestar.datastructures import State, UploadFile
from litestar.enums import RequestEncodingType
from litestar.response import Redirect
from litestar.types import ASGIApp

from landbridge.customers.onboarding.multipart_form import FORM_BROKEN, SubmittedForm
from landbridge.dashboard.actor_names import ActorNames
from landbridge.dashboard.authentication import SUBMITTED_FORM
from landbridge.dashboard.number_formats import parse_number
from landbridge.dashboard.page_visitor import PageVisitor
from landbridge.dashboard.rendering import InstallationInfo, Renderer, notice_cookie
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.core.ids import new_id
from landbridge.platform.formats.translations import ENGLISH
from landbridge.platform.http.forms import parse_form
from landbridge.platform.http.internal_client import InternalClient

# Page or redirect.
Page = Response[str] | Redirect

# The option of the router that has its `PageTools`.
TOOLS: Final = "page_tools"


@dataclass(frozen=True, slots=True)
class PageTools:
    """What the pages of an installation share: the renderer, and the names of actors."""

    renderer: Renderer
    names_of: Callable[[UUID], Awaitable[ActorNames]]


class PageRequest(Request[PageVisitor, None, State]):
    """A request for a page, once the guard has admitted it."""

    @property
    def installation(self) -> InstallationInfo:
        """Return current installation data."""
        return self._tools.renderer.installation

    @cached_property
    def interface(self) -> InternalClient:
        """Return an API client that acts for the visitor."""
        return InternalClient(cast("ASGIApp", self.app), self.user.caller)

    async def actor_names(self) -> ActorNames:
        """Return the names of the organisation's members and keys, also of removed ones."""
        return await self._tools.names_of(self.user.caller.org_id)

    def page(self, template: str, status: int = 200, /, **values: object) -> Response[str]:
        """Answer with a page; see `Renderer.page`."""
        return self._tools.renderer.page(self, template, status, **values)

    def with_problem(self, template: str, /, problem: Refused, **values: object) -> Response[str]:
        """Answer with a form again and its problem; see `Renderer.with_problem`."""
        return self._tools.renderer.with_problem(self, template, problem, **values)

    def now(self) -> datetime:
        """Return the current time on the clock of the visitor's organisation."""
        return self._tools.renderer.now(self)

    @property
    def _tools(self) -> PageTools:
        return cast("PageTools", self.route_handler.opt[TOOLS])


def redirect(path: str, *, notice: str = "") -> Redirect:
    """Redirect to a dashboard page, which shows `notice` once."""
    return Redirect(path, status_code=303, cookies=[notice_cookie(notice)] if notice else None)


_DIGITS_MAX = 18


@dataclass(frozen=True, slots=True)
class Form:
    """Fields of a form by name; each has a list of values."""

    fields: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    files: Mapping[str, UploadFile] = field(default_factory=dict[str, UploadFile])
    language: str = ENGLISH

    def text(self, name: str, default: str = "") -> str:
        """Return the first value, trimmed."""
        values = self.fields.get(name)
        return values[0].strip() if values else default

    def raw(self, name: str) -> str:
        """Return the first value untrimmed, as for passwords."""
        values = self.fields.get(name)
        return values[0] if values else ""

    def maybe(self, name: str) -> str | None:
        """Return the first value, trimmed; None if it is empty."""
        return self.text(name) or None

    def texts(self, name: str) -> Sequence[str]:
        """Return all values of a field, trimmed."""
        return [each.strip() for each in self.fields.get(name, ())]

    def is_ticked(self, name: str) -> bool:
        """Return whether a checkbox is ticked."""
        return bool(self.fields.get(name))

    def integer(self, name: str, *, minimum: int, maximum: int, default: int | None = None) -> int:
        """Return a whole number within these bounds; `default`, if given, for an empty field.

        Raises `FieldInvalid` for anything else.
        """
        return parse_integer(
            self.text(name), name, minimum=minimum, maximum=maximum, default=default
        )

    def number(self, name: str) -> str:
        """Return a number typed in the reader's format as the API takes it; empty if left out.

        Raises `FieldInvalid` for anything else, and if the page was in another language: there
        the same text may be another amount.
        """
        text = self.text(name)
        if text and self.text("locale", self.language) != self.language:
            raise FieldInvalid(
                "The language changed after this page was opened. Check the number and submit"
                " again.",
                field=name,
            )
        return parse_number(text, self.language, field=name)

    def uuid(self, name: str) -> UUID:
        """Return an id from a hidden field or option; raise `FieldInvalid` for anything else."""
        try:
            return UUID(self.text(name))
        except ValueError:
            raise FieldInvalid(f"{name} is not an id", field=name) from None


def parse_integer(
    text: str, name: str, *, minimum: int, maximum: int, default: int | None = None
) -> int:
    """Parse a whole number as `Form.integer` does, from any text such as a query parameter."""
    if not text and default is not None:
        return default
    digits = text.removeprefix("-")
    # Python refuses to read very many digits.
    if digits.isascii() and digits.isdecimal() and len(digits) <= _DIGITS_MAX:
        found = int(text)
        if minimum <= found <= maximum:
            return found
    raise FieldInvalid(f"{name} must be a whole number from {minimum} to {maximum}", field=name)


async def read_form(request: PageRequest) -> Form:
    """Return the submitted form.

    Raises `FieldInvalid` for NUL characters, which are not storable, and for broken parts.
    """
    fields: dict[str, list[str]] = {}
    files: dict[str, UploadFile] = {}
    if request.content_type[0] == RequestEncodingType.URL_ENCODED:
        fields = {name: list(values) for name, values in parse_form(await request.body()).items()}
    else:
        for name, value in await _multipart_items(request):
            if isinstance(value, UploadFile):
                files[name] = value
            else:
                fields.setdefault(name, []).append(str(value))
    for name, texts in fields.items():
        if any("\x00" in each for each in (name, *texts)):
            raise FieldInvalid("a NUL character can't be stored", field=name.replace("\x00", ""))
    return Form(fields, files, _language(request))


async def _multipart_items(request: PageRequest) -> Sequence[tuple[str, object]]:
    """Return the parts of a form with a file; none for signed-out visitors, who send no files.

    The framework raises for a charset that does not exist, and for a text in another one.
    """
    visitor = cast("Mapping[str, PageVisitor]", request.scope).get("user")
    if visitor is None or visitor.signed is None:
        return []
    try:
        return list((await request.form()).multi_items())
    except (LookupError, ValueError):
        raise FieldInvalid(FORM_BROKEN) from None


def read_upload(request: PageRequest) -> tuple[Form, SubmittedForm]:
    """Return the form of a route with `upload=True`, and its file from the input named `file`.

    Such a route also declares `request_max_body_size=BODY_BYTES_MAX` of `onboarding.uploads`.
    """
    upload = cast("Mapping[str, SubmittedForm]", request.scope)[SUBMITTED_FORM]
    for name, texts in upload.fields.items():
        if any("\x00" in each for each in (name, *texts)):
            raise FieldInvalid("a NUL character can't be stored", field=name.replace("\x00", ""))
    return Form(upload.fields, language=_language(request)), upload


def _language(request: PageRequest) -> str:
    """Return the visitor's language; English on pages that need no visitor and take no numbers."""
    visitor = cast("Mapping[str, PageVisitor]", request.scope).get("user")
    return ENGLISH if visitor is None else visitor.language


def new_request_id() -> str:
    """Return a request id for a form, so that sending it twice creates one object."""
    return str(new_id())

"""What a form sent: texts without blanks around them, ticks, files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast
from uuid import UUID

from litestar.datastructures import UploadFile
from litestar.enums import RequestEncodingType

from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import new_id
from landbridge.dashboard.door import SENT
from landbridge.dashboard.visitors import PageRequest
from landbridge.onboarding.uploads import Sent
from landbridge.web.forms import parse_form

_DIGITS_MAX = 18


@dataclass(frozen=True, slots=True)
class Form:
    """Fields by name; what was told more than once is a list."""

    fields: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    files: Mapping[str, UploadFile] = field(default_factory=dict[str, UploadFile])

    def text(self, name: str, default: str = "") -> str:
        """What was typed, without blanks around it."""
        told = self.fields.get(name)
        return told[0].strip() if told else default

    def raw(self, name: str) -> str:
        """What was typed, as it is: passwords."""
        told = self.fields.get(name)
        return told[0] if told else ""

    def maybe(self, name: str) -> str | None:
        """What was typed; None if nothing was."""
        return self.text(name) or None

    def texts(self, name: str) -> Sequence[str]:
        """All that was chosen under a name."""
        return [each.strip() for each in self.fields.get(name, ())]

    def is_ticked(self, name: str) -> bool:
        """Whether a box was ticked."""
        return bool(self.fields.get(name))

    def whole(self, name: str, *, least: int, most: int, default: int | None = None) -> int:
        """A whole number within these bounds; `default` if nothing was typed, where there is one.

        Raises `FieldInvalid` for anything else.
        """
        return whole_number(self.text(name), name, least=least, most=most, default=default)

    def uuid(self, name: str) -> UUID:
        """An id that a page of ours put there; raises `FieldInvalid` for anything else."""
        try:
            return UUID(self.text(name))
        except ValueError:
            raise FieldInvalid(f"{name} is not an id", field=name) from None


def whole_number(text: str, name: str, *, least: int, most: int, default: int | None = None) -> int:
    """As `Form.whole`, of what was told elsewhere, such as in an address."""
    if not text and default is not None:
        return default
    digits = text.removeprefix("-")
    # Python refuses to read very many digits.
    if digits.isascii() and digits.isdecimal() and len(digits) <= _DIGITS_MAX:
        found = int(text)
        if least <= found <= most:
            return found
    raise FieldInvalid(f"{name} must be a whole number from {least} to {most}", field=name)


async def read_form(request: PageRequest) -> Form:
    """What the form sent; raises `FieldInvalid` for a NUL character, which nothing can hold."""
    fields: dict[str, list[str]] = {}
    files: dict[str, UploadFile] = {}
    if request.content_type[0] == RequestEncodingType.URL_ENCODED:
        fields = {name: list(told) for name, told in parse_form(await request.body()).items()}
    else:
        for name, value in cast("Any", await request.form()).multi_items():
            if isinstance(value, UploadFile):
                files[name] = value
            else:
                fields.setdefault(name, []).append(str(value))
    for name, texts in fields.items():
        if any("\x00" in each for each in (name, *texts)):
            raise FieldInvalid("a NUL character can't be stored", field=name.replace("\x00", ""))
    return Form(fields, files)


def read_upload(request: PageRequest) -> tuple[Form, Sent]:
    """The form of a route with `upload=True`, and its file, the input named `file`.

    Such a route says `request_max_body_size=BODY_BYTES_MAX` of `onboarding.uploads` too.
    """
    sent: Sent = cast("Any", request.scope)[SENT]
    for name, texts in sent.fields.items():
        if any("\x00" in each for each in (name, *texts)):
            raise FieldInvalid("a NUL character can't be stored", field=name.replace("\x00", ""))
    return Form(sent.fields), sent


def new_request_id() -> str:
    """An id for a form that creates something: sent twice, it is made once."""
    return str(new_id())

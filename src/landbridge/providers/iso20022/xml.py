"""Parse foreign XML, and write ours.

Guarantees of `read_document`, for any bytes:
- Nothing is fetched or expanded: document types, entities and external references are rejected as
  soon as they appear.
- Size, depth, number of elements, and length of tags, namespaces, texts and attributes are bounded
  while the file is parsed, and so are memory and time (docs/reference/iso20022.md has the figures).
- `FileRejected` is the only error, and its sentence repeats nothing from the file.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Any
from xml.etree.ElementTree import Element, ParseError, SubElement, indent, tostring

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from landbridge.platform.core.money import AmountError, Money
from landbridge.platform.formats.file_errors import FileRejected
from landbridge.providers.rails.currencies import FIAT

# A transaction takes some 2 KB and 40 elements in the most verbose statements: room for 25 000 of
# them.
BYTES_MAX = 50_000_000
ELEMENTS_MAX = 1_000_000
# The deepest path of these messages has 14 levels; supplementary data may go slightly deeper.
DEPTH_MAX = 32
# The longest text of these messages has 2 048 characters.
TEXT_LENGTH_MAX = 10_000
ATTRIBUTES_MAX = 10
_NAME_LENGTH_MAX = 1_000
# Bytes parsed at once, and so the longest tag or comment that is accepted. The parser keeps a tag
# until it is complete, and copies the namespace for each prefixed attribute: a tag of a megabyte
# would take gigabytes.
TAG_BYTES_MAX = 16_384
_SILENT_BYTES_MAX = 2 * TAG_BYTES_MAX
_NOTHING: Mapping[str, str] = MappingProxyType({})

_NAMESPACE = re.compile(r"urn:iso:std:iso:20022:tech:xsd:([a-z]{4}\.[0-9]{3})\.001\.([0-9]{2})")
# xs:date and xs:dateTime; other forms that Python would parse (weeks, basic forms) are rejected.
_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})(?:Z|[+-]\d{2}:\d{2})?", re.ASCII)
_MOMENT = re.compile(
    r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})?", re.ASCII
)


@dataclass(slots=True)
class Node:
    """Element: its name without the message's namespace, its text, and its children."""

    name: str
    attributes: Mapping[str, str]
    text: str = ""
    # A tuple, because most elements have no children: a list for each would be most of the memory.
    children: Sequence["Node"] = ()

    def all(self, *path: str) -> Iterator["Node"]:
        """Return every element at this path, in file order."""
        name, *rest = path
        for child in self.children:
            if child.name == name:
                if rest:
                    yield from child.all(*rest)
                else:
                    yield child

    def find(self, *path: str) -> "Node | None":
        """Return the first element at this path; None without one."""
        return next(self.all(*path), None)

    def read(self, *path: str) -> str | None:
        """Return the stripped text of the first element at this path with text, or None."""
        return next((node.text for node in self.all(*path) if node.text), None)


@dataclass(frozen=True, slots=True)
class XmlMessage:
    """Message: its version (the last two digits of its name) and its body."""

    version: int
    body: Node


def read_document(raw: bytes, message: str, versions: range, body: str) -> XmlMessage:
    """Parse a message with this name, for example `camt.053`, in one of these versions.

    `body` is the element that contains everything. Raises `FileRejected`.
    """
    root = _tree(raw)
    namespace, name = _split(root.name)
    found = _NAMESPACE.fullmatch(namespace)
    if name != "Document" or found is None or found[1] != message:
        raise FileRejected(f"The file is no {message} message.")
    version = int(found[2])
    if version not in versions:
        raise FileRejected(f"The file is a {message} of version {version:02}, which is not read.")
    _without(namespace, root)
    inside = root.find(body)
    if inside is None:
        raise FileRejected(f"The file is a {message} without {body}.")
    return XmlMessage(version, inside)


def required(text: str | None, name: str) -> str:
    """Return a required text; raises `FileRejected`."""
    if not text:
        raise FileRejected(f"{name} is missing.")
    return text


def read_money(node: Node | None, name: str) -> Money:
    """Return an amount with its currency; raises `FileRejected`, also if it is negative."""
    if node is None:
        raise FileRejected(f"{name} is missing.")
    asset = FIAT.get(node.attributes.get("Ccy", "").lower())
    if asset is None:
        raise FileRejected(f"{name} is in a currency that is not known here.")
    try:
        money = Money.parse(node.text, asset)
    except AmountError as error:
        raise FileRejected(f"{name} {error}.") from error
    if money.units < 0:
        raise FileRejected(f"{name} is negative.")
    return money


def read_count(text: str | None, name: str) -> int | None:
    """Return a whole number of at most 18 digits, None if missing; raises `FileRejected`."""
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise FileRejected(f"{name} is no whole number.")
    return int(text)


def read_day(text: str, name: str) -> date:
    """Return a date as written, ignoring a time zone; raises `FileRejected`."""
    found = _DAY.fullmatch(text)
    try:
        if found:
            return date.fromisoformat(found[1])
    except ValueError:
        pass
    raise FileRejected(f"{name} is no day.")


def read_moment(text: str, name: str) -> datetime:
    """Return a timestamp, in UTC if it has no time zone; raises `FileRejected`."""
    try:
        if _MOMENT.fullmatch(text):
            moment = datetime.fromisoformat(text)
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise FileRejected(f"{name} is no moment.")


# Writing


def new_document(message: str, body: str) -> tuple[Element, Element]:
    """Create an empty message like `pain.001.001.09`; return its root and its body."""
    root = Element("Document", {"xmlns": f"urn:iso:std:iso:20022:tech:xsd:{message}"})
    return root, SubElement(root, body)


def put(parent: Element, path: str, text: str | None = None, **attributes: str) -> Element:
    """Append new elements, for example `Id/IBAN`; return the last one, which gets the text."""
    for name in path.split("/"):
        parent = SubElement(parent, name)
    parent.text = text
    parent.attrib.update(attributes)
    return parent


def put_money(parent: Element, path: str, money: Money) -> Element:
    """Append an amount with all decimals of its currency."""
    return put(parent, path, decimal(money), Ccy=money.asset.currency.upper())


def decimal(money: Money) -> str:
    """Format an amount with all decimals of its currency: `10.50`."""
    return f"{money.decimal:.{money.asset.decimals}f}"


def moment(at: datetime) -> str:
    """Format a timestamp in UTC, to the second."""
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def document_bytes(root: Element) -> bytes:
    """Return the file: UTF-8 with a declaration, one element per line."""
    indent(root)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="utf-8") + b"\n"


# Hostile input


class _Builder:
    """Builds the tree from the parser's calls, and stops at the first limit exceeded.

    `_text` is the text since the last tag.
    """

    def __init__(self) -> None:
        self._open: list[tuple[Node, list[Node]]] = []
        self._text: list[str] = []
        self._text_length = 0
        self._count = 0
        # Number of calls. If parsing causes none, the parser is within a tag, a comment or similar.
        self.calls = 0
        self.root: Node | None = None

    def start_ns(self, prefix: str, uri: str) -> None:
        if len(prefix) + len(uri) > _NAME_LENGTH_MAX:
            raise FileRejected("A namespace has too long a name.")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.calls += 1
        self._count += 1
        if self._count > ELEMENTS_MAX:
            raise FileRejected(f"The file has more than {ELEMENTS_MAX} elements.")
        if len(self._open) == DEPTH_MAX:
            raise FileRejected(f"The file is nested deeper than {DEPTH_MAX} elements.")
        if len(tag) > _NAME_LENGTH_MAX:
            raise FileRejected("An element has too long a name.")
        if attributes:
            _check_attributes(attributes)
        if self._take_text():
            raise FileRejected("An element has both text and elements in it.")
        self._open.append((Node(tag, attributes or _NOTHING), []))

    def data(self, text: str) -> None:
        self.calls += 1
        self._text_length += len(text)
        if self._text_length > TEXT_LENGTH_MAX:
            raise FileRejected(f"A text has more than {TEXT_LENGTH_MAX} characters.")
        self._text.append(text)

    def end(self, tag: str) -> None:
        del tag
        self.calls += 1
        node, children = self._open.pop()
        node.text = self._take_text()
        if children:
            if node.text:
                raise FileRejected("An element has both text and elements in it.")
            node.children = children
        if self._open:
            self._open[-1][1].append(node)
        else:
            self.root = node

    def _take_text(self) -> str:
        """Return and clear the text since the last tag, stripped."""
        text = "".join(self._text).strip()
        self._text.clear()
        self._text_length = 0
        return text

    def close(self) -> Node:
        if self.root is None:
            raise FileRejected("The file has no XML element.")
        return self.root


def _check_attributes(attributes: Mapping[str, str]) -> None:
    longest = max(len(name) + len(value) for name, value in attributes.items())
    if len(attributes) > ATTRIBUTES_MAX or longest > _NAME_LENGTH_MAX:
        raise FileRejected("An element has too many attributes, or too long ones.")


def _tree(raw: bytes) -> Node:
    if len(raw) > BYTES_MAX:
        raise FileRejected(f"The file has more than {BYTES_MAX} bytes.")
    untyped: Any = DefusedXMLParser
    builder = _Builder()
    parser = untyped(target=builder, forbid_dtd=True)
    silent = 0
    try:
        for begin in range(0, len(raw), TAG_BYTES_MAX):
            calls = builder.calls
            parser.feed(raw[begin : begin + TAG_BYTES_MAX])
            silent = 0 if builder.calls > calls else silent + TAG_BYTES_MAX
            if silent >= _SILENT_BYTES_MAX:
                raise FileRejected(f"A tag or a comment has more than {TAG_BYTES_MAX} bytes.")
        return parser.close()
    except DefusedXmlException as error:
        raise FileRejected("The file has a document type or entities of its own.") from error
    except ParseError as error:
        line, column = error.position
        raise FileRejected(f"The file is no XML: see line {line}, column {column}.") from error
    except (ValueError, LookupError) as error:
        raise FileRejected("The file is in an encoding that is not read.") from error


def _split(tag: str) -> tuple[str, str]:
    namespace, _, name = tag.removeprefix("{").rpartition("}")
    return namespace, name


def _without(namespace: str, root: Node) -> None:
    """Remove the message's namespace from all names; names of other namespaces never match."""
    prefix, waiting = f"{{{namespace}}}", [root]
    while waiting:
        node = waiting.pop()
        node.name = node.name.removeprefix(prefix)
        waiting.extend(node.children)

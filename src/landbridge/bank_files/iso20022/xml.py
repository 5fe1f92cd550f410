"""Reading XML that somebody else wrote, and writing ours.

Guarantees of `read_document`, whatever the bytes are:
- nothing is fetched, and nothing grows: document types, entities and external references are
  refused when they are met;
- size, depth, number of elements, and length of texts and attributes are bounded while the file is
  read, so that memory and time are bounded too (docs/reference/iso20022.md has the figures);
- `FileRefused` is the only error, and its sentence repeats nothing from the file.
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

from landbridge.bank_files.errors import FileRefused
from landbridge.core.money import AmountError, Money
from landbridge.rails.currencies import FIAT

# A transaction has some 2 KB and 40 elements in the wordiest statements: room for 25 000 of them.
BYTES_MAX = 50_000_000
ELEMENTS_MAX = 1_000_000
# The deepest path of these messages has 14; supplementary data may go a little deeper.
DEPTH_MAX = 32
# The longest text of these messages has 2 048 characters.
TEXT_LENGTH_MAX = 10_000
ATTRIBUTES_MAX = 10
_NAME_LENGTH_MAX = 1_000
_NOTHING: Mapping[str, str] = MappingProxyType({})

_NAMESPACE = re.compile(r"urn:iso:std:iso:20022:tech:xsd:([a-z]{4}\.[0-9]{3})\.001\.([0-9]{2})")
# xs:date and xs:dateTime; what Python would read beyond them (weeks, basic forms) is refused.
_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})(?:Z|[+-]\d{2}:\d{2})?", re.ASCII)
_MOMENT = re.compile(
    r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})?", re.ASCII
)


@dataclass(slots=True)
class Node:
    """An element: its name without the message's namespace, its text, and what is inside."""

    name: str
    attributes: Mapping[str, str]
    text: str = ""
    # Most elements have none: a list for each of them would be most of the memory.
    children: Sequence["Node"] = ()

    def all(self, *path: str) -> Iterator["Node"]:
        """Every element at this path, in the order of the file."""
        name, *rest = path
        for child in self.children:
            if child.name == name:
                if rest:
                    yield from child.all(*rest)
                else:
                    yield child

    def find(self, *path: str) -> "Node | None":
        """The first element at this path."""
        return next(self.all(*path), None)

    def read(self, *path: str) -> str | None:
        """The text of the first element at this path that has one, without blanks around it."""
        return next((node.text for node in self.all(*path) if node.text), None)


@dataclass(frozen=True, slots=True)
class Document:
    """A message: its version (the last two digits of its name) and what is in it."""

    version: int
    body: Node


def read_document(raw: bytes, message: str, versions: range, body: str) -> Document:
    """The message of this name, as in `camt.053`, if it is of one of these versions.

    `body` is the element that holds it all. Raises `FileRefused`.
    """
    root = _tree(raw)
    namespace, name = _split(root.name)
    found = _NAMESPACE.fullmatch(namespace)
    if name != "Document" or found is None or found[1] != message:
        raise FileRefused(f"The file is no {message} message.")
    version = int(found[2])
    if version not in versions:
        raise FileRefused(f"The file is a {message} of version {version:02}, which is not read.")
    _without(namespace, root)
    inside = root.find(body)
    if inside is None:
        raise FileRefused(f"The file is a {message} without {body}.")
    return Document(version, inside)


def required(text: str | None, name: str) -> str:
    """A text that must be there; raises `FileRefused`."""
    if not text:
        raise FileRefused(f"{name} is missing.")
    return text


def read_money(node: Node | None, name: str) -> Money:
    """The amount with its currency; raises `FileRefused`, also for a negative one."""
    if node is None:
        raise FileRefused(f"{name} is missing.")
    asset = FIAT.get(node.attributes.get("Ccy", "").lower())
    if asset is None:
        raise FileRefused(f"{name} is in a currency that is not known here.")
    try:
        money = Money.parse(node.text, asset)
    except AmountError as error:
        raise FileRefused(f"{name} {error}.") from error
    if money.units < 0:
        raise FileRefused(f"{name} is negative.")
    return money


def read_count(text: str | None, name: str) -> int | None:
    """A whole number of at most 18 digits; raises `FileRefused`."""
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise FileRefused(f"{name} is no whole number.")
    return int(text)


def read_day(text: str, name: str) -> date:
    """A day as it is written, whatever zone is told with it; raises `FileRefused`."""
    found = _DAY.fullmatch(text)
    try:
        if found:
            return date.fromisoformat(found[1])
    except ValueError:
        pass
    raise FileRefused(f"{name} is no day.")


def read_moment(text: str, name: str) -> datetime:
    """A moment, in UTC where no zone is told; raises `FileRefused`."""
    try:
        if _MOMENT.fullmatch(text):
            moment = datetime.fromisoformat(text)
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise FileRefused(f"{name} is no moment.")


# Writing


def new_document(message: str, body: str) -> tuple[Element, Element]:
    """An empty message, as in `pain.001.001.09`: its root, and the element that holds it all."""
    root = Element("Document", {"xmlns": f"urn:iso:std:iso:20022:tech:xsd:{message}"})
    return root, SubElement(root, body)


def put(parent: Element, path: str, text: str | None = None, **attributes: str) -> Element:
    """Append new elements, as in `Id/IBAN`, with a text in the last one, which is answered."""
    for name in path.split("/"):
        parent = SubElement(parent, name)
    parent.text = text
    parent.attrib.update(attributes)
    return parent


def put_money(parent: Element, path: str, money: Money) -> Element:
    """Append an amount with all decimals of its currency."""
    return put(parent, path, decimal(money), Ccy=money.asset.currency.upper())


def decimal(money: Money) -> str:
    """An amount with all decimals of its currency: `10.50`."""
    return f"{money.decimal:.{money.asset.decimals}f}"


def moment(at: datetime) -> str:
    """A moment in UTC, to the second."""
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def document_bytes(root: Element) -> bytes:
    """The file: UTF-8 with a declaration, one element to a line."""
    indent(root)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="utf-8") + b"\n"


# Hostile bytes


class _Builder:
    """Builds the tree from the parser's calls, and stops where a bound is passed.

    `_text` is what was read since the last tag.
    """

    def __init__(self) -> None:
        self._open: list[tuple[Node, list[Node]]] = []
        self._text: list[str] = []
        self._text_length = 0
        self._count = 0
        self.root: Node | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > ELEMENTS_MAX:
            raise FileRefused(f"The file has more than {ELEMENTS_MAX} elements.")
        if len(self._open) == DEPTH_MAX:
            raise FileRefused(f"The file is nested deeper than {DEPTH_MAX} elements.")
        if len(tag) > _NAME_LENGTH_MAX:
            raise FileRefused("An element has too long a name.")
        if attributes:
            _check_attributes(attributes)
        if self._taken_text():
            raise FileRefused("An element has both text and elements in it.")
        self._open.append((Node(tag, attributes or _NOTHING), []))

    def data(self, text: str) -> None:
        self._text_length += len(text)
        if self._text_length > TEXT_LENGTH_MAX:
            raise FileRefused(f"A text has more than {TEXT_LENGTH_MAX} characters.")
        self._text.append(text)

    def end(self, tag: str) -> None:
        del tag
        node, children = self._open.pop()
        node.text = self._taken_text()
        if children:
            if node.text:
                raise FileRefused("An element has both text and elements in it.")
            node.children = children
        if self._open:
            self._open[-1][1].append(node)
        else:
            self.root = node

    def _taken_text(self) -> str:
        """What was read since the last tag, without the blanks around it."""
        text = "".join(self._text).strip()
        self._text.clear()
        self._text_length = 0
        return text

    def close(self) -> Node:
        if self.root is None:
            raise FileRefused("The file has no XML element.")
        return self.root


def _check_attributes(attributes: Mapping[str, str]) -> None:
    longest = max(len(name) + len(value) for name, value in attributes.items())
    if len(attributes) > ATTRIBUTES_MAX or longest > _NAME_LENGTH_MAX:
        raise FileRefused("An element has too many attributes, or too long ones.")


def _tree(raw: bytes) -> Node:
    if len(raw) > BYTES_MAX:
        raise FileRefused(f"The file has more than {BYTES_MAX} bytes.")
    untyped: Any = DefusedXMLParser
    parser = untyped(target=_Builder(), forbid_dtd=True)
    try:
        # At once: older parsers begin a long text anew with each piece of it that comes.
        parser.feed(raw)
        return parser.close()
    except DefusedXmlException as error:
        raise FileRefused("The file has a document type or entities of its own.") from error
    except ParseError as error:
        line, column = error.position
        raise FileRefused(f"The file is no XML: see line {line}, column {column}.") from error
    except (ValueError, LookupError) as error:
        raise FileRefused("The file is in an encoding that is not read.") from error


def _split(tag: str) -> tuple[str, str]:
    namespace, _, name = tag.removeprefix("{").rpartition("}")
    return namespace, name


def _without(namespace: str, root: Node) -> None:
    """Take the message's own namespace off all names; what is of another is never found."""
    prefix, waiting = f"{{{namespace}}}", [root]
    while waiting:
        node = waiting.pop()
        node.name = node.name.removeprefix(prefix)
        waiting.extend(node.children)

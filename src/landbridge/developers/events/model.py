"""An event, and its id. Source: contract, webhooks 3."""

from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from landbridge.platform.changes.model import Change

_PREFIX = "evt_"
_OBJECT_DIGITS, _SEQ_DIGITS, _PART_DIGITS = 32, 8, 2
_DIGITS = _OBJECT_DIGITS + _SEQ_DIGITS + _PART_DIGITS
_HEX = frozenset("0123456789abcdef")
# Change numbers start at 1 and are below 2^31.
EVENT_ID_FORM = (
    f"^{_PREFIX}[0-9a-f]{{{_OBJECT_DIGITS}}}(?!0{{{_SEQ_DIGITS}}})"
    f"[0-7][0-9a-f]{{{_SEQ_DIGITS + _PART_DIGITS - 1}}}$"
)

# Events of one change fit into two digits: a batch pays at most fifty.
PARTS_MAX = 1 << 4 * _PART_DIGITS


class EventKey(NamedTuple):
    """Key of an event: its change and its index among that change's events (0, 1, ...)."""

    object_id: UUID
    seq: int
    part: int

    @property
    def text(self) -> str:
        """Return the `eventId`: the same at each read, without a table of ids."""
        return f"{_PREFIX}{self.object_id.hex}{self.seq:08x}{self.part:02x}"


def event_key(text: str) -> EventKey | None:
    """Parse an `eventId`, or return None; the event may not exist."""
    digits = text.removeprefix(_PREFIX)
    if len(text) != len(_PREFIX) + _DIGITS or len(digits) != _DIGITS or not _HEX.issuperset(digits):
        return None
    split = _OBJECT_DIGITS + _SEQ_DIGITS
    seq = int(digits[_OBJECT_DIGITS:split], 16)
    if not 0 < seq < 1 << 31:
        return None
    return EventKey(UUID(digits[:_OBJECT_DIGITS]), seq, int(digits[split:], 16))


@dataclass(frozen=True, slots=True)
class Event:
    """An event of an organisation.

    `type`, `category` and `action` are the envelope's, in the spelling of spec.md. `sequence`
    grows with each event of the same object (not without gaps: a change may have no event).
    """

    change: Change
    part: int
    type: str
    category: str
    action: str
    sequence: int

    @property
    def key(self) -> EventKey:
        """Its id, as a value."""
        return EventKey(self.change.object_id, self.change.seq, self.part)

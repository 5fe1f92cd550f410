"""The words in which a rail's requirements are written down."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from landbridge.kyc.model import Data

# Currency to the ways in which it moves, as `{"brl": ("pix",)}`.
Methods = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Group:
    """Documents of which there must be `min_count`; 0 if they are welcome but not required.

    `accepted_in`: by the country of the address, which further types are accepted there.
    """

    min_count: int
    accepted: tuple[str, ...]
    accepted_in: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def accepted_at(self, country: str | None) -> tuple[str, ...]:
        """The types that are accepted for somebody who lives there."""
        return (*self.accepted, *self.accepted_in.get(country or "", ()))


@dataclass(frozen=True, slots=True)
class Rule:
    """What a field must be besides its kind; `why` is said of one that is not."""

    field: str
    holds: Callable[[Data], bool]
    why: str


@dataclass(frozen=True, slots=True)
class Parts:
    """Of an object: what a complete one has, and what it may have."""

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked of a person, a business or an owner.

    `parts` says of which members an object is made. In a required object the required members are
    required; in an optional one they only say what makes it complete. `instead`: by field, an older
    one that will do too. `owners` is asked of each owner, of whom there must be one at least.
    """

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    parts: Mapping[str, Parts] = field(default_factory=dict[str, Parts])
    instead: Mapping[str, str] = field(default_factory=dict[str, str])
    rules: tuple[Rule, ...] = ()
    documents: Mapping[str, Group] = field(default_factory=dict[str, Group])
    owners: "Ask | None" = None

    def without(self, name: str) -> "Ask":
        """The same, but that nobody is asked for this field."""
        return replace(
            self,
            required=tuple(each for each in self.required if each != name),
            owners=self.owners and self.owners.without(name),
        )


class RailTable(Protocol):
    """A rail, as its module has it: what is asked of whom, and how money moves on it."""

    INDIVIDUAL: Ask
    BUSINESS: Ask
    ON_RAMP: Methods
    OFF_RAMP: Methods

"""Types that describe the requirements of a rail."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from landbridge.customers.kyc.model import Data

# Payment methods by currency, for example `{"brl": ("pix",)}`.
Methods = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class DocumentGroup:
    """Group of documents with the required number of them, 0 if they are optional.

    `accepted_in` has further types that are accepted, by the country of the address.
    """

    min_count: int
    accepted: tuple[str, ...]
    accepted_in: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def accepted_at(self, country: str | None) -> tuple[str, ...]:
        """Return the accepted types for a resident of this country."""
        return (*self.accepted, *self.accepted_in.get(country or "", ()))


@dataclass(frozen=True, slots=True)
class FieldRule:
    """Rule for a field in addition to its type; `why` is the reason shown for a violation."""

    field: str
    holds: Callable[[Data], bool]
    why: str


@dataclass(frozen=True, slots=True)
class ObjectFields:
    """Required and optional members of an object."""

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RequirementSet:
    """Requirements of a person, a business or an owner.

    `parts` names the members of each object. In a required object the required members are
    required; in an optional object they only define completeness. `instead` maps a field to an
    older field that is also accepted. `owners` applies to each owner; at least one owner is
    required.
    """

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    parts: Mapping[str, ObjectFields] = field(default_factory=dict[str, ObjectFields])
    instead: Mapping[str, str] = field(default_factory=dict[str, str])
    rules: tuple[FieldRule, ...] = ()
    documents: Mapping[str, DocumentGroup] = field(default_factory=dict[str, DocumentGroup])
    owners: "RequirementSet | None" = None

    def without(self, name: str) -> "RequirementSet":
        """Return the same requirements without this field."""
        return replace(
            self,
            required=tuple(each for each in self.required if each != name),
            owners=self.owners and self.owners.without(name),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RailRequirements:
    """Definition of a rail: requirements by type of user, and payment methods."""

    individual: RequirementSet
    business: RequirementSet
    on_ramp: Methods = field(default_factory=dict[str, tuple[str, ...]])
    off_ramp: Methods = field(default_factory=dict[str, tuple[str, ...]])

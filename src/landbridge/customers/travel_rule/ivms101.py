"""Message with originator and beneficiary of a transfer: IVMS101, the interVASP data model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, cast
from uuid import UUID

import msgspec

from landbridge.customers.travel_rule.jurisdictions import WalletKind
from landbridge.customers.travel_rule.model import TransferParties, TransferPerson, WalletOwner
from landbridge.customers.users.model import UserType
from landbridge.platform.formats.addresses import Address, find_alpha2, find_alpha3
from landbridge.providers.kyt.port import ScreeningDirection

_Text = Annotated[str, msgspec.Meta(max_length=500)]


class _NameData(msgspec.Struct, frozen=True):
    """Name of a person, natural or legal."""

    primary: _Text | None = msgspec.field(name="primaryIdentifier", default=None)
    secondary: _Text | None = msgspec.field(name="secondaryIdentifier", default=None)
    business: _Text | None = msgspec.field(name="legalPersonName", default=None)


class _NamesData(msgspec.Struct, frozen=True):
    identifiers: list[_NameData] = msgspec.field(name="nameIdentifier", default=[])


class _AddressData(msgspec.Struct, frozen=True):
    lines: list[_Text] = msgspec.field(name="addressLine", default=[])
    street: _Text | None = msgspec.field(name="streetName", default=None)
    building: _Text | None = msgspec.field(name="buildingNumber", default=None)
    post_code: _Text | None = msgspec.field(name="postCode", default=None)
    town: _Text | None = msgspec.field(name="townName", default=None)
    region: _Text | None = msgspec.field(name="countrySubDivision", default=None)
    country: _Text | None = None


class _BirthData(msgspec.Struct, frozen=True):
    day: _Text = msgspec.field(name="dateOfBirth", default="")
    place: _Text | None = msgspec.field(name="placeOfBirth", default=None)


class _DocumentData(msgspec.Struct, frozen=True):
    number: _Text | None = msgspec.field(name="nationalIdentifier", default=None)


class _NaturalPerson(msgspec.Struct, frozen=True):
    name: _NamesData = _NamesData()
    addresses: list[_AddressData] = msgspec.field(name="geographicAddress", default=[])
    birth: _BirthData | None = msgspec.field(name="dateAndPlaceOfBirth", default=None)
    document: _DocumentData | None = msgspec.field(name="nationalIdentification", default=None)


class _LegalPerson(msgspec.Struct, frozen=True):
    name: _NamesData = _NamesData()
    addresses: list[_AddressData] = msgspec.field(name="geographicAddress", default=[])


class _PersonData(msgspec.Struct, frozen=True):
    natural: _NaturalPerson | None = msgspec.field(name="naturalPerson", default=None)
    legal: _LegalPerson | None = msgspec.field(name="legalPerson", default=None)


class _OriginatorData(msgspec.Struct, frozen=True):
    persons: list[_PersonData] = msgspec.field(name="originatorPersons", default=[])


class _MessageData(msgspec.Struct, frozen=True):
    originator: _OriginatorData = _OriginatorData()


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageContext:
    """Further content of a message: our organisation, its user, and both addresses.

    `source_address` is None for a deposit if the chain does not name its sender.
    """

    direction: ScreeningDirection
    org_name: str
    user_id: UUID
    source_address: str | None
    destination_address: str | None


def build_message(parties: TransferParties, context: MessageContext) -> dict[str, Any]:
    """Return the message; members without a value are left out."""
    is_payment = context.direction is ScreeningDirection.PAYMENT
    is_one_person = parties.wallet.owner is WalletOwner.USER
    user_id = str(context.user_id)
    own_vasp = _legal_person(context.org_name)
    other_vasp = (
        _legal_person(parties.wallet.vasp_name)
        if parties.wallet.kind is WalletKind.HOSTED and parties.wallet.vasp_name
        else None
    )
    originator = _person(parties.originator, user_id if is_payment or is_one_person else None)
    beneficiary = _person(parties.beneficiary, user_id if not is_payment or is_one_person else None)
    return _without_blanks(
        {
            "originator": {
                "originatorPersons": [originator],
                "accountNumber": _accounts(context.source_address),
            },
            "beneficiary": {
                "beneficiaryPersons": [beneficiary],
                "accountNumber": _accounts(context.destination_address),
            },
            "originatingVASP": _vasp("originatingVASP", own_vasp if is_payment else other_vasp),
            "beneficiaryVASP": _vasp("beneficiaryVASP", other_vasp if is_payment else own_vasp),
        }
    )


def read_originator(message: Mapping[str, Any]) -> TransferPerson | None:
    """Return the first originator of a message of another provider.

    Return None if it has none, or one that is not valid IVMS101. Absent values are None.
    """
    try:
        found = msgspec.convert(message, _MessageData, strict=True)
    except (msgspec.ValidationError, RecursionError):
        return None
    person = next(iter(found.originator.persons), None)
    if person is None:
        return None
    if person.legal is not None:
        name = next(iter(person.legal.name.identifiers), None)
        return TransferPerson(
            type=UserType.BUSINESS,
            business_name=None if name is None else name.business,
            address=_read_address(person.legal.addresses),
        )
    if person.natural is None:
        return None
    return _read_natural(person.natural)


def _read_natural(person: "_NaturalPerson") -> TransferPerson:
    name = next(iter(person.name.identifiers), None)
    birth, document = person.birth, person.document
    return TransferPerson(
        type=UserType.INDIVIDUAL,
        first_name=None if name is None else name.secondary,
        last_name=None if name is None else name.primary,
        address=_read_address(person.addresses),
        date_of_birth=None if birth is None else _read_date(birth.day),
        place_of_birth=None if birth is None else birth.place,
        gov_id_number=None if document is None else document.number,
    )


def _read_date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _read_address(addresses: "Sequence[_AddressData]") -> Address | None:
    """Return the first complete address; None if there is none."""
    for each in addresses:
        street = " ".join(part for part in (each.street, each.building) if part)
        lines = [*each.lines, *([street] if street else [])]
        country = find_alpha3(each.country or "")
        if lines and each.town and country:
            return Address(
                address_line1=lines[0],
                address_line2=lines[1] if len(lines) > 1 else None,
                city=each.town,
                state_province_region=each.region or "",
                postal_code=each.post_code or "",
                country=country,
            )
    return None


def _person(person: TransferPerson, customer_id: str | None) -> dict[str, Any]:
    if person.type is UserType.BUSINESS:
        legal = _legal_person(person.business_name or "")["legalPerson"]
        legal["geographicAddress"] = _addresses(person.address, "BIZZ")
        legal["customerNumber"] = customer_id
        return {"legalPerson": legal}
    is_born = person.has_birth and person.date_of_birth is not None
    return {
        "naturalPerson": {
            "name": {
                "nameIdentifier": [
                    {
                        "primaryIdentifier": person.last_name,
                        "secondaryIdentifier": person.first_name,
                        "nameIdentifierType": "LEGL",
                    }
                ]
            },
            "geographicAddress": _addresses(person.address, "HOME"),
            # The type of the document is not known, so the code for an unspecified type is used.
            "nationalIdentification": {
                "nationalIdentifier": person.gov_id_number,
                "nationalIdentifierType": "MISC",
            }
            if person.gov_id_number
            else None,
            "customerIdentification": customer_id,
            "dateAndPlaceOfBirth": {
                "dateOfBirth": str(person.date_of_birth),
                "placeOfBirth": person.place_of_birth,
            }
            if is_born
            else None,
        }
    }


def _legal_person(name: str) -> dict[str, Any]:
    return {
        "legalPerson": {
            "name": {
                "nameIdentifier": [
                    {"legalPersonName": name, "legalPersonNameIdentifierType": "LEGL"}
                ]
            }
        }
    }


def _vasp(name: str, person: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if person is None else {name: person}


def _accounts(address: str | None) -> list[str] | None:
    return None if address is None else [address]


def _addresses(address: Address | None, type_: str) -> list[dict[str, Any]] | None:
    if address is None:
        return None
    return [
        {
            "addressType": type_,
            "addressLine": [
                each for each in (address.address_line1, address.address_line2) if each
            ],
            "postCode": address.postal_code,
            "townName": address.city,
            "countrySubDivision": address.state_province_region,
            "country": find_alpha2(address.country),
        }
    ]


def _without_blanks(value: Any) -> Any:
    """Return a JSON value without its members that are null."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {name: _without_blanks(each) for name, each in members.items() if each is not None}
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return [_without_blanks(each) for each in items]
    return value

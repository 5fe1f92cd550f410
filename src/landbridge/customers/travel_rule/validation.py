"""Checks of submitted data about wallets outside."""

from datetime import date

from msgspec import structs

from landbridge.customers.travel_rule.jurisdictions import WalletKind
from landbridge.customers.travel_rule.model import TransferPerson, WalletData, WalletOwner
from landbridge.customers.users.model import UserType
from landbridge.customers.wallets.service import checked_address
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.addresses import check_address
from landbridge.platform.formats.people import check_birth_date, check_name
from landbridge.platform.formats.texts import check_text
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.screening.model import comparable_address


def checked_wallet_address(text: str) -> str:
    """Return an address of either kind, as it is compared. Raises `FieldInvalid`."""
    chain = Chain.POLYGON if text[:2].lower() == "0x" else Chain.SOLANA
    return comparable_address(checked_address(chain, text, field="walletAddress"))


def checked_data(data: WalletData, *, today: date) -> WalletData:
    """Return valid data. Raises `FieldInvalid` naming the field.

    A hosted wallet names its provider, and a third party is a person; nothing else may be there.
    """
    is_hosted = data.kind is WalletKind.HOSTED
    if is_hosted != (data.vasp_name is not None):
        raise FieldInvalid(
            "vaspName is the provider of a hosted wallet, and of no other", field="vaspName"
        )
    if data.travel_address is not None and not is_hosted:
        raise FieldInvalid(
            "travelAddress is of the provider of a hosted wallet", field="travelAddress"
        )
    is_third_party = data.owner is WalletOwner.THIRD_PARTY
    if is_third_party != (data.person is not None):
        raise FieldInvalid(
            "person is the third party that owns the wallet, and only that", field="person"
        )
    return structs.replace(
        data,
        vasp_name=None if data.vasp_name is None else check_name("vaspName", data.vasp_name),
        person=None if data.person is None else _checked_person(data.person, today=today),
    )


def _checked_person(person: TransferPerson, *, today: date) -> TransferPerson:
    is_business = person.type is UserType.BUSINESS
    foreign = (
        {
            "firstName": person.first_name,
            "lastName": person.last_name,
            "dateOfBirth": person.date_of_birth,
            "placeOfBirth": person.place_of_birth,
            "govIdNumber": person.gov_id_number,
        }
        if is_business
        else {"businessName": person.business_name}
    )
    for name, value in foreign.items():
        if value is not None:
            field = f"person.{name}"
            raise FieldInvalid(f"{field} does not belong to type {person.type}", field=field)
    born = person.date_of_birth
    return TransferPerson(
        type=person.type,
        first_name=_name("firstName", person.first_name),
        last_name=_name("lastName", person.last_name),
        business_name=_name("businessName", person.business_name),
        address=None if person.address is None else check_address("person.address", person.address),
        date_of_birth=None
        if born is None
        else check_birth_date("person.dateOfBirth", born, today=today),
        place_of_birth=_text("placeOfBirth", person.place_of_birth),
        gov_id_number=_text("govIdNumber", person.gov_id_number),
    )


def _name(name: str, value: str | None) -> str | None:
    return None if value is None else check_name(f"person.{name}", value)


def _text(name: str, value: str | None) -> str | None:
    return None if value is None else check_text(f"person.{name}", value)

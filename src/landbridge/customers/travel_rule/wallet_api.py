"""Routes of data about a user's wallets outside: /v2/users/{userId}/travel-rule-wallets. Ours."""

from datetime import date
from typing import Annotated

import msgspec
from litestar import Controller, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from msgspec import structs

from landbridge.customers.travel_rule.jurisdictions import WalletKind
from landbridge.customers.travel_rule.model import (
    OutsideWallet,
    TransferPerson,
    WalletData,
    WalletOwner,
)
from landbridge.customers.travel_rule.service import TravelRule
from landbridge.customers.travel_rule.waiting import WaitingTransfers
from landbridge.customers.users.model import UserType
from landbridge.customers.users.path_params import known_user
from landbridge.customers.wallets.service import checked_address
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, InvariantBroken
from landbridge.platform.formats.addresses import Address, check_address
from landbridge.platform.formats.people import check_birth_date, check_name
from landbridge.platform.formats.schemas import LineText, NameText
from landbridge.platform.formats.texts import check_text
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import with_schema
from landbridge.platform.http.responses import Moment, WireStruct, moment, reply_of
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.screening.model import comparable_address
from landbridge.providers.trp.travel_addresses import TRAVEL_ADDRESS_LENGTH_MAX

_SIGNATURE_LENGTH_MAX = 140
TravelAddressText = Annotated[str, with_schema({"maxLength": TRAVEL_ADDRESS_LENGTH_MAX})]


class WalletOwnerPerson(WireStruct, frozen=True):
    """Third party that owns a wallet.

    An individual has a first and a last name, a business has `businessName`. A jurisdiction may
    require more of the originator of a deposit.
    """

    type: UserType
    first_name: NameText | None = None
    last_name: NameText | None = None
    business_name: NameText | None = None
    address: Address | None = None
    date_of_birth: date | None = None
    place_of_birth: LineText | None = None
    gov_id_number: LineText | None = None


class WalletDataRequest(WireStruct, frozen=True):
    """What a counterparty wallet is.

    `vaspName` is the provider of a hosted wallet, and `travelAddress` where it takes inquiries.
    `owner` is `USER` if the wallet is the user's own, and `THIRD_PARTY` with `person` if another
    person owns it.
    """

    kind: WalletKind
    owner: WalletOwner
    vasp_name: NameText | None = None
    person: WalletOwnerPerson | None = None
    travel_address: TravelAddressText | None = None


class WalletDataReply(WireStruct, frozen=True):
    """Data about a counterparty wallet; `provenAt` is when a signed message proved its owner."""

    user_id: str
    wallet_address: str
    kind: WalletKind
    owner: WalletOwner
    vasp_name: str | None
    person: WalletOwnerPerson | None
    travel_address: str | None
    proven_at: Moment | None
    version: int
    updated_at: Moment


class OwnershipChallengeReply(WireStruct, frozen=True):
    """Message that the owner of the wallet signs, once, before `expiresAt`."""

    message: str
    expires_at: Moment


class OwnershipProofRequest(WireStruct, frozen=True):
    """Signature of the challenge's message: 0x and hexadecimal digits, or base58 for Solana."""

    signature: Annotated[str, with_schema({"maxLength": _SIGNATURE_LENGTH_MAX})]


class TravelRuleWalletRoutes(Controller):
    """Data about wallets outside, and proofs of who controls them."""

    path = "/v2/users/{userId:str}/travel-rule-wallets/{walletAddress:str}"
    tags = ("Travel rule",)

    @get(summary="Retrieve a travel rule wallet", operation_id="travelRule.retrieveWallet")
    async def retrieve(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        walletAddress: FromPath[str],
        travel_rule: NamedDependency[TravelRule],
    ) -> WalletDataReply:
        """Return what the user stated about a counterparty wallet."""
        address = checked_wallet_address(walletAddress)
        return _reply(
            await travel_rule.get_wallet(request.user.org_id, known_user(userId), address)
        )

    @put(summary="Set a travel rule wallet", operation_id="travelRule.replaceWallet")
    async def set(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        walletAddress: FromPath[str],
        data: JSONBody[WalletDataRequest],
        travel_rule: NamedDependency[TravelRule],
        waiting_transfers: NamedDependency[WaitingTransfers],
        clock: NamedDependency[Clock],
    ) -> WalletDataReply:
        """State what a counterparty wallet is; transfers that wait for it are checked again.

        Other data than before need another proof of ownership.
        """
        user_id, address = known_user(userId), checked_wallet_address(walletAddress)
        today = clock.now(request.user.clock_offset).date()
        submitted = msgspec.convert(data, WalletData, from_attributes=True)
        checked = checked_data(submitted, today=today)
        found = await travel_rule.put_wallet(request.user, user_id, address, checked)
        await waiting_transfers.check_again(request.user, user_id, address)
        return _reply(found)

    @post(
        "/challenge",
        status_code=200,
        summary="Create an ownership challenge",
        operation_id="travelRule.createChallenge",
    )
    async def challenge(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        walletAddress: FromPath[str],
        travel_rule: NamedDependency[TravelRule],
    ) -> OwnershipChallengeReply:
        """Return a message to sign with the key of a self-hosted wallet, within half an hour.

        It replaces the challenge before.
        """
        address = checked_wallet_address(walletAddress)
        found = await travel_rule.challenge(request.user, known_user(userId), address)
        return OwnershipChallengeReply(message=found.message, expires_at=moment(found.expires_at))

    @post(
        "/prove",
        status_code=200,
        summary="Prove the ownership of a wallet",
        operation_id="travelRule.proveOwnership",
    )
    async def prove(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        walletAddress: FromPath[str],
        data: JSONBody[OwnershipProofRequest],
        travel_rule: NamedDependency[TravelRule],
        waiting_transfers: NamedDependency[WaitingTransfers],
    ) -> WalletDataReply:
        """Check the signature of the challenge; transfers that wait for it are checked again."""
        user_id, address = known_user(userId), checked_wallet_address(walletAddress)
        found = await travel_rule.prove(request.user, user_id, address, data.signature)
        await waiting_transfers.check_again(request.user, user_id, address)
        return _reply(found)


def _reply(wallet: OutsideWallet) -> WalletDataReply:
    data = wallet.data
    if data is None:
        raise InvariantBroken(f"the data about {wallet.address} were not read")
    return reply_of(
        data,
        WalletDataReply,
        user_id=str(wallet.user_id),
        wallet_address=wallet.address,
        person=msgspec.convert(data.person, WalletOwnerPerson | None, from_attributes=True),
        proven_at=None if wallet.proven_at is None else moment(wallet.proven_at),
        version=wallet.version,
        updated_at=moment(wallet.updated_at),
    )


def checked_wallet_address(text: str) -> str:
    """Return an EVM or Solana address in the form for comparison. Raises `FieldInvalid`."""
    chain = Chain.POLYGON if text[:2].lower() == "0x" else Chain.SOLANA
    return comparable_address(checked_address(chain, text, field="walletAddress"))


def checked_data(data: WalletData, *, today: date) -> WalletData:
    """Return the data if they are valid. Raises `FieldInvalid` naming the invalid field.

    A hosted wallet must name its provider, and a third party its person; other wallets must not.
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

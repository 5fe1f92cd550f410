"""Routes of offramps: /v2/offramps. Source: interface/offramp; contract, lifecycles 8."""

from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from landbridge.chains.tokens import Chain
from landbridge.core.errors import FieldInvalid
from landbridge.core.pages import Window
from landbridge.flows.offramps.asked import FeeWanted, Wanted
from landbridge.flows.offramps.fees import FeeType
from landbridge.flows.offramps.model import Offramp
from landbridge.flows.offramps.references import RULES
from landbridge.flows.offramps.service import Offramps
from landbridge.flows.offramps.shapes import (
    OfframpPage,
    OfframpReply,
    offramp_page,
    offramp_reply,
)
from landbridge.ledger.errors import TransactionNotFound
from landbridge.payments.dry_runs import with_dry_run
from landbridge.payments.manner import Manner
from landbridge.payments.timelines import Expand, Timelines
from landbridge.web.body import as_asked
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import optional_id
from landbridge.web.paths import known_id
from landbridge.web.reply import Number, WireStruct


class OfframpSource(WireStruct, frozen=True):
    """What is converted: of a user's wallet, or of a registered wallet outside.

    `returnAddress` is where coins from outside go back to, if not to where they came from.
    """

    currency: str
    chain: Chain
    amount: Number | None = None
    user_id: UUID | None = None
    external_wallet_id: UUID | None = None
    return_address: str | None = None


class OfframpDestination(WireStruct, frozen=True):
    """The bank account, of `userId` or else of the source's user, and what it is told.

    Each reference goes with some rails only (docs/reference/offramps.md).
    """

    currency: str
    account_id: UUID
    user_id: UUID | None = None
    amount: Number | None = None
    same_day_ach: bool | None = False
    ach_reference: str | None = None
    sepa_reference: str | None = None
    wire_message: str | None = None
    payment_reference: str | None = None
    swift_reference: str | None = None
    swift_charges: Literal["sha", "our"] | None = None


class DeveloperFee(WireStruct, frozen=True):
    """A fee of the organisation's own: a fraction of what is converted, or coins."""

    type: FeeType
    value: Decimal
    wallet_address: str


class DeveloperFees(WireStruct, frozen=True):
    """Up to ten fees, on top of what is converted; payouts in usd only."""

    fees: list[DeveloperFee]


class Beneficiary(WireStruct, frozen=True):
    """Who is paid."""

    legal_entity_name: str | None = None
    jurisdiction_of_incorporation: str | None = None
    nature_of_business: str | None = None
    relationship_to_beneficiary: str | None = None
    website: str | None = None


class SupportingDocument(WireStruct, frozen=True):
    """A file that was uploaded, and what it is, as in `INVOICE`."""

    file_id: str
    type: str
    description: str | None = None


class SupportingInformation(WireStruct, frozen=True):
    """What helps those who review the payout."""

    detailed_purpose_of_payment: str | None = None
    beneficiary_details: Beneficiary | None = None
    documents: list[SupportingDocument] | None = None


class NewOfframp(WireStruct, frozen=True):
    """Give `source.amount` (what is converted) or `destination.amount` (what is to arrive)."""

    request_id: UUID
    source: OfframpSource
    destination: OfframpDestination
    purpose_of_payment: str | None = None
    supporting_document_type: str | None = None
    supporting_document_url: str | None = None
    description: str | None = None
    supporting_information: SupportingInformation | None = None
    # An object, as every sample of the contract has it; its general shape says an array.
    developer_fee: DeveloperFees | list[DeveloperFees] | None = None
    # What `developerFee` was before it; never taken.
    fee: dict[str, Any] | None = None
    require_approval: bool | None = False


class OfframpRoutes(Controller):
    """Quote, accept, cancel and look up offramps."""

    path = "/v2/offramps"
    tags = ("Offramps",)

    @post(status_code=200, summary="Create an offramp")
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewOfframp],
        offramps: NamedDependency[Offramps],
        manner: NamedDependency[Manner],
    ) -> OfframpReply:
        """Quotes a payout to a bank account (OPEN_QUOTE); accept it within ten minutes.

        With `requireApproval` it waits for an admin first (PENDING_APPROVAL), a day at most, and
        is quoted when it is approved. The same `requestId` with the same body answers the same
        offramp.
        """
        wanted = wanted_of(data)
        made = await offramps.create(
            request.user, data.request_id, wanted, as_asked(data), manner=manner
        )
        background = await offramps.background(request.user.org_id, [made])
        if manner.approval is not None:
            background = replace(background, approvals={made.record.id: manner.approval})
        return with_dry_run(offramp_reply(made, background), manner)

    @get(summary="List offramps")
    async def page(
        self,
        request: ApiRequest,
        offramps: NamedDependency[Offramps],
        window: NamedDependency[Window],
        user_id: Annotated[str | None, QueryParameter(name="userId")] = None,
    ) -> OfframpPage:
        """Newest first, of one user or of the whole organisation."""
        org_id = request.user.org_id
        found = await offramps.page(org_id, optional_id("userId", user_id), window)
        return offramp_page(found, await offramps.background(org_id, found))

    @get("/{transferId:str}", summary="Retrieve an offramp")
    async def retrieve(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        offramps: NamedDependency[Offramps],
        timelines: NamedDependency[Timelines],
        expand: Expand = None,
    ) -> OfframpReply:
        """One offramp."""
        found = await offramps.get(request.user.org_id, _known_id(transferId))
        reply = await _shown(offramps, found)
        return await timelines.beside(reply, found.record, expand, request.user)

    @post("/{transferId:str}/quote/accept", status_code=200, summary="Accept an offramp's quote")
    async def accept(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        offramps: NamedDependency[Offramps],
    ) -> OfframpReply:
        """Carries the payout out at its quote. Accepting twice answers as the first time.

        Coins of a registered wallet outside are waited for: `depositInformation` says where to
        send them, and until when.
        """
        return await _shown(offramps, await offramps.accept(request.user, _known_id(transferId)))

    @post("/{transferId:str}/cancel", status_code=200, summary="Cancel an offramp in review")
    async def cancel(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        offramps: NamedDependency[Offramps],
    ) -> OfframpReply:
        """Gives up an offramp that is IN_REVIEW; coins that were taken go back."""
        return await _shown(offramps, await offramps.cancel(request.user, _known_id(transferId)))


async def _shown(offramps: Offramps, offramp: Offramp) -> OfframpReply:
    return offramp_reply(offramp, await offramps.background(offramp.record.org_id, [offramp]))


def _known_id(text: str) -> UUID:
    return known_id(text, "transaction", TransactionNotFound)


def wanted_of(data: NewOfframp) -> Wanted:
    """What a body asks for; raises `FieldInvalid`."""
    if data.fee is not None:
        raise FieldInvalid("fee is not taken any more: tell developerFee instead", field="fee")
    source, destination = data.source, data.destination
    told = as_asked(data)
    supporting: dict[str, Any] | None = told.get("supportingInformation")
    return Wanted(
        source_user_id=source.user_id,
        external_wallet_id=source.external_wallet_id,
        return_address=source.return_address,
        chain=source.chain,
        currency=source.currency,
        source_amount=source.amount,
        destination_user_id=destination.user_id,
        account_id=destination.account_id,
        destination_currency=destination.currency,
        destination_amount=destination.amount,
        is_same_day=bool(destination.same_day_ach),
        references={
            rule.name: told["destination"][rule.name]
            for rule in RULES
            if rule.name in told["destination"]
        },
        purpose=data.purpose_of_payment,
        description=data.description,
        document_type=data.supporting_document_type,
        document_url=data.supporting_document_url,
        supporting=supporting,
        fees=_fees(data.developer_fee),
        requires_approval=bool(data.require_approval),
    )


def _fees(told: DeveloperFees | list[DeveloperFees] | None) -> tuple[FeeWanted, ...]:
    if told is None or told == []:
        return ()
    groups = told if isinstance(told, list) else [told]
    if len(groups) > 1 or not groups[0].fees:
        raise FieldInvalid("developerFee.fees must have at least one fee", field="developerFee")
    return tuple(FeeWanted(each.type, each.value, each.wallet_address) for each in groups[0].fees)

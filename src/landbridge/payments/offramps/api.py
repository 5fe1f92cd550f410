"""Routes of offramps: /v2/offramps. Source: interface/offramp; contract, lifecycles 8."""

from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.ledger.path_params import known_transfer
from landbridge.payments.engine.dry_run_schemas import with_dry_run
from landbridge.payments.engine.request_options import (
    MetadataRequest,
    RequestOptions,
    payment_values,
)
from landbridge.payments.engine.timelines import Expand, Timelines
from landbridge.payments.offramps.fees import BENEFICIARIES_MAX, OfframpFeeType
from landbridge.payments.offramps.model import Offramp
from landbridge.payments.offramps.references import (
    ACH_REFERENCE,
    DOCUMENT_TYPES,
    GLOBAL_PURPOSES,
    LINES,
    PAYMENT_REFERENCE,
    PURPOSES,
    RULES,
    SEPA_REFERENCE,
)
from landbridge.payments.offramps.renewals import OfframpRenewals
from landbridge.payments.offramps.request import (
    DESCRIPTION_LENGTH_MAX,
    DOCUMENTS_MAX,
    OfframpFeeRequest,
    OfframpRequest,
)
from landbridge.payments.offramps.schemas import (
    OfframpPage,
    OfframpReply,
    offramp_page,
    offramp_reply,
)
from landbridge.payments.offramps.service import Offramps
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.files.model import FileId
from landbridge.platform.formats.schemas import AddressText, LineText, UrlText, prose
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import one_of, positive_text, with_schema
from landbridge.platform.http.list_query import UserFilter, optional_id
from landbridge.platform.http.request_decoding import request_values
from landbridge.platform.http.responses import PositiveNumber, WireStruct
from landbridge.providers.chains.tokens import Chain

_Description = Annotated[str, with_schema(prose(DESCRIPTION_LENGTH_MAX))]


class OfframpSource(WireStruct, frozen=True):
    """The coins that are converted: from a user's wallet or a registered external wallet.

    External coins are returned to `returnAddress` if given, else to their sender.
    """

    currency: str
    chain: Chain
    amount: PositiveNumber | None = None
    user_id: UUID | None = None
    external_wallet_id: UUID | None = None
    return_address: AddressText | None = None


class OfframpDestination(WireStruct, frozen=True):
    """The bank account, of `userId` or else of the source's user, with its payment references.

    Each reference fits some rails only (docs/reference/offramps.md).
    """

    currency: str
    account_id: UUID
    user_id: UUID | None = None
    amount: PositiveNumber | None = None
    same_day_ach: bool | None = False
    ach_reference: Annotated[str, with_schema(ACH_REFERENCE)] | None = None
    sepa_reference: Annotated[str, with_schema(SEPA_REFERENCE)] | None = None
    wire_message: Annotated[str, with_schema(LINES)] | None = None
    payment_reference: Annotated[str, with_schema(PAYMENT_REFERENCE)] | None = None
    swift_reference: Annotated[str, with_schema(LINES)] | None = None
    swift_charges: Literal["sha", "our"] | None = None


class DeveloperFee(WireStruct, frozen=True):
    """The organisation's own fee: a fraction of the converted amount, or a number of coins."""

    type: OfframpFeeType
    value: Annotated[Decimal, with_schema(positive_text())]
    wallet_address: AddressText


class DeveloperFees(WireStruct, frozen=True):
    """Up to ten fees, on top of the converted amount; payouts in usd only."""

    fees: Annotated[list[DeveloperFee], with_schema({"minItems": 1, "maxItems": BENEFICIARIES_MAX})]


class OfframpBeneficiary(WireStruct, frozen=True):
    """The beneficiary of the payout."""

    legal_entity_name: LineText | None = None
    jurisdiction_of_incorporation: LineText | None = None
    nature_of_business: LineText | None = None
    relationship_to_beneficiary: LineText | None = None
    website: UrlText | None = None


class SupportingDocument(WireStruct, frozen=True):
    """An uploaded file and its type, as in `INVOICE`."""

    file_id: FileId
    type: LineText
    description: LineText | None = None


class SupportingInformation(WireStruct, frozen=True):
    """Information for the reviewers of the payout."""

    detailed_purpose_of_payment: _Description | None = None
    beneficiary_details: OfframpBeneficiary | None = None
    documents: (
        Annotated[list[SupportingDocument], with_schema({"maxItems": DOCUMENTS_MAX})] | None
    ) = None


class NewOfframp(MetadataRequest, frozen=True, kw_only=True):
    """Give `source.amount` (converted, exact in) or `destination.amount` (received, exact out)."""

    request_id: UUID
    source: OfframpSource
    destination: OfframpDestination
    purpose_of_payment: (
        Annotated[str, with_schema(one_of((*PURPOSES, *GLOBAL_PURPOSES)))] | None
    ) = None
    supporting_document_type: Annotated[str, with_schema(one_of(DOCUMENT_TYPES))] | None = None
    supporting_document_url: UrlText | None = None
    description: _Description | None = None
    supporting_information: SupportingInformation | None = None
    # An object, as in every sample of the contract; its general schema says an array.
    developer_fee: DeveloperFees | list[DeveloperFees] | None = None
    # The former name of `developerFee`; always rejected.
    fee: Annotated[dict[str, Any], with_schema({"not": {}})] | None = None
    require_approval: bool | None = False


class OfframpRoutes(Controller):
    """Quote, accept, cancel and look up offramps."""

    path = "/v2/offramps"
    tags = ("Offramps",)

    @post(status_code=200, summary="Create an offramp", operation_id="offramps.create")
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewOfframp],
        offramps: NamedDependency[Offramps],
        options: NamedDependency[RequestOptions],
    ) -> OfframpReply:
        """Quote a payout to a bank account (OPEN_QUOTE). Accept the quote within ten minutes.

        With `requireApproval` it first awaits an admin (PENDING_APPROVAL) for a day at most, and is
        quoted on approval. The same `requestId` with the same body returns the same offramp.
        """
        params = parse_request(data)
        created = await offramps.create(
            request.user,
            data.request_id,
            params,
            payment_values(data),
            options=options.of(data.metadata),
        )
        context = await offramps.reply_context(request.user.org_id, [created])
        if options.approval is not None:
            context = replace(context, approvals={created.record.id: options.approval})
        return with_dry_run(offramp_reply(created, context), options)

    @get(summary="List offramps", operation_id="offramps.list")
    async def page(
        self,
        request: ApiRequest,
        offramps: NamedDependency[Offramps],
        window: NamedDependency[PageWindow],
        user_id: UserFilter = None,
    ) -> OfframpPage:
        """Newest first, of one user or of the whole organisation."""
        org_id = request.user.org_id
        found = await offramps.page(org_id, optional_id("userId", user_id), window)
        return offramp_page(found, await offramps.reply_context(org_id, found))

    @get("/{transferId:str}", summary="Retrieve an offramp", operation_id="offramps.retrieve")
    async def retrieve(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        offramps: NamedDependency[Offramps],
        timelines: NamedDependency[Timelines],
        expand: Expand = None,
    ) -> OfframpReply:
        """Get an offramp."""
        found = await offramps.get(request.user.org_id, known_transfer(transferId))
        reply = await _shown(offramps, found)
        return await timelines.attach(reply, found.record, expand, request.user)

    @post(
        "/{transferId:str}/quote/accept",
        status_code=200,
        summary="Accept an offramp's quote",
        operation_id="offramps.accept",
    )
    async def accept(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        offramps: NamedDependency[Offramps],
    ) -> OfframpReply:
        """Accept the offramp at its quote. A repeated accept returns the same reply.

        Coins of a registered external wallet are then awaited: `depositInformation` gives the
        address and the deadline.
        """
        return await _shown(
            offramps, await offramps.accept(request.user, known_transfer(transferId))
        )

    @post(
        "/{transferId:str}/quote/renew",
        status_code=200,
        summary="Renew an offramp's expired quote",
        operation_id="offramps.renewQuote",
    )
    async def renew(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        offramps: NamedDependency[Offramps],
        offramp_renewals: NamedDependency[OfframpRenewals],
    ) -> OfframpReply:
        """Quote an expired offramp again, as a new one. A repeated call returns the same one.

        An approval of the last day is kept if the policy has not changed since, no more is debited
        and at most 1% less arrives. Otherwise the new offramp awaits an approval.
        """
        renewed = await offramp_renewals.renew(request.user, known_transfer(transferId))
        return await _shown(offramps, renewed)

    @post(
        "/{transferId:str}/cancel",
        status_code=200,
        summary="Cancel an offramp in review",
        operation_id="offramps.cancel",
    )
    async def cancel(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        offramps: NamedDependency[Offramps],
    ) -> OfframpReply:
        """Cancel an offramp that is IN_REVIEW. Received coins are returned."""
        return await _shown(
            offramps, await offramps.cancel(request.user, known_transfer(transferId))
        )


async def _shown(offramps: Offramps, offramp: Offramp) -> OfframpReply:
    return offramp_reply(offramp, await offramps.reply_context(offramp.record.org_id, [offramp]))


def parse_request(data: NewOfframp) -> OfframpRequest:
    """Build the request from a body; raises `FieldInvalid`."""
    if data.fee is not None:
        raise FieldInvalid("fee is no longer supported: use developerFee", field="fee")
    source, destination = data.source, data.destination
    submitted = request_values(data)
    supporting: dict[str, Any] | None = submitted.get("supportingInformation")
    return copy_fields(
        source,
        OfframpRequest,
        source_user_id=source.user_id,
        source_amount=source.amount,
        destination_user_id=destination.user_id,
        account_id=destination.account_id,
        destination_currency=destination.currency,
        destination_amount=destination.amount,
        is_same_day=bool(destination.same_day_ach),
        references={
            rule.name: submitted["destination"][rule.name]
            for rule in RULES
            if rule.name in submitted["destination"]
        },
        purpose=data.purpose_of_payment,
        description=data.description,
        document_type=data.supporting_document_type,
        document_url=data.supporting_document_url,
        supporting=supporting,
        fees=_fees(data.developer_fee),
        requires_approval=bool(data.require_approval),
    )


def _fees(submitted: DeveloperFees | list[DeveloperFees] | None) -> tuple[OfframpFeeRequest, ...]:
    if submitted is None or submitted == []:
        return ()
    groups = submitted if isinstance(submitted, list) else [submitted]
    if len(groups) > 1 or not groups[0].fees:
        raise FieldInvalid("developerFee.fees must have at least one fee", field="developerFee")
    return tuple(
        OfframpFeeRequest(each.type, each.value, each.wallet_address) for each in groups[0].fees
    )

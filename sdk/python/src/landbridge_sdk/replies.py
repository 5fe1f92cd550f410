"""Replies of the server, and payloads of its webhooks.

Written by `make sdk` from openapi.json; do not edit.
"""

from __future__ import annotations

from datetime import datetime  # noqa: TC003  msgspec reads annotations
from decimal import Decimal  # noqa: TC003
from typing import Any

from msgspec import Struct, field


class AcceptedOnrampReply(Struct, frozen=True, kw_only=True):
    """AcceptedOnrampReply"""

    deposit_info: DepositInfoReply | None = field(name="depositInfo")
    metadata: dict[str, str] | None = None
    transfer_details: OnrampDetailsReply = field(name="transferDetails")
    transfer_type: str = field(name="transferType")


class AccountHolder(Struct, frozen=True, kw_only=True):
    """AccountHolder"""

    address: Address | None = None
    date_of_birth: str | None = field(default=None, name="dateOfBirth")
    email: str | None = None
    formation_date: str | None = field(default=None, name="formationDate")
    id_number: str | None = field(default=None, name="idNumber")
    id_type: str | None = field(default=None, name="idType")
    name: str | None = None
    nationality: str | None = None
    phone: str | None = None
    type: str | None = None


class AccountReply(Struct, frozen=True, kw_only=True):
    """AccountReply"""

    account_holder: AccountHolder | None = field(name="accountHolder")
    africa: AfricaBank | None = None
    argentina: ArgentinaBank | None = None
    brazil: BrazilBank | None = None
    brazil_global_network: BrazilGlobalNetworkBank | None = field(
        default=None, name="brazilGlobalNetwork"
    )
    china_global_network: ChinaGlobalNetworkBank | None = field(
        default=None, name="chinaGlobalNetwork"
    )
    colombia: ColombiaBank | None = None
    created_at: datetime = field(name="createdAt")
    europe_global_network: EuropeGlobalNetworkBank | None = field(
        default=None, name="europeGlobalNetwork"
    )
    hong_kong_global_network: HongKongGlobalNetworkBank | None = field(
        default=None, name="hongKongGlobalNetwork"
    )
    id: str
    invalid_fields: list[str] = field(name="invalidFields")
    is_valid: bool = field(name="isValid")
    metadata: dict[str, str] | None = None
    mexico: MexicoBank | None = None
    mexico_global_network: MexicoGlobalNetworkBank | None = field(
        default=None, name="mexicoGlobalNetwork"
    )
    nigeria_global_network: NigeriaGlobalNetworkBank | None = field(
        default=None, name="nigeriaGlobalNetwork"
    )
    rail: RailReply
    reason: str | None
    singapore_global_network: SingaporeGlobalNetworkBank | None = field(
        default=None, name="singaporeGlobalNetwork"
    )
    status: str
    type: str
    updated_at: datetime = field(name="updatedAt")
    us: UsBank | None = None
    user_id: str = field(name="userId")


class AccountReview(Struct, frozen=True, kw_only=True):
    """AccountReview"""

    account: ReviewedAccount
    account_id: str = field(name="accountId")
    created_at: datetime = field(name="createdAt")
    hits: list[ScreeningHit]
    list_version: str | None = field(name="listVersion")
    unread: list[str]
    user_id: str = field(name="userId")


class AccountReviewPage(Struct, frozen=True, kw_only=True):
    """AccountReviewPage"""

    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")
    reviews: list[AccountReview]


class AccountStatusReply(Struct, frozen=True, kw_only=True):
    """AccountStatusReply"""

    id: str
    invalid_fields: list[str] = field(name="invalidFields")
    message: str
    status: str


class ActionReply(Struct, frozen=True, kw_only=True):
    """ActionReply"""

    action: str
    evidence: str


class ActorReply(Struct, frozen=True, kw_only=True):
    """ActorReply"""

    id: str | None
    type: str


class Address(Struct, frozen=True, kw_only=True):
    """Address"""

    address_line1: str = field(name="addressLine1")
    address_line2: str | None = field(default=None, name="addressLine2")
    city: str
    country: str
    postal_code: str = field(name="postalCode")
    state_province_region: str = field(name="stateProvinceRegion")


class AddressPolicyData(Struct, frozen=True, kw_only=True):
    """AddressPolicyData"""

    allowed_addresses: list[str] = field(name="allowedAddresses")
    blocked_addresses: list[str] = field(name="blockedAddresses")
    new_address_amount_max: int = field(name="newAddressAmountMax")
    new_address_hours: int = field(name="newAddressHours")
    version: int


class AddressPolicyReply(Struct, frozen=True, kw_only=True):
    """AddressPolicyReply"""

    data: AddressPolicyData
    metadata: dict[str, Any]
    status: str


class AfricaBank(Struct, frozen=True, kw_only=True):
    """AfricaBank"""

    account_number: str | None = field(default=None, name="accountNumber")
    account_type: str | None = field(default=None, name="accountType")
    country: str | None = None
    currency: str | None = None
    financial_institute: str | None = field(default=None, name="financialInstitute")


class AmountRange(Struct, frozen=True, kw_only=True):
    """AmountRange"""

    maximum: str | None = None
    minimum: str | None = None


class AppliedFilter(Struct, frozen=True, kw_only=True):
    """AppliedFilter"""

    applied: str
    count: int | None = None
    note: str | None = None
    specified: bool
    values: Any = None


class ApprovalEnvelope(Struct, frozen=True, kw_only=True):
    """ApprovalEnvelope"""

    approval: ApprovalWithVotes
    message: str
    success: bool


class ApprovalPage(Struct, frozen=True, kw_only=True):
    """ApprovalPage"""

    approvals: list[PendingApproval]
    count: int
    message: str
    success: bool


class ApprovalReply(Struct, frozen=True, kw_only=True):
    """ApprovalReply"""

    created_at: datetime = field(name="createdAt")
    from_dashboard: bool = field(name="fromDashboard")
    id: str
    initiator_profile_id: str = field(name="initiatorProfileId")
    status: str
    transfer_id: str = field(name="transferId")
    transfer_type: str = field(name="transferType")
    updated_at: datetime = field(name="updatedAt")
    votes: list[VoteReply] | None


class ApprovalVoteReply(Struct, frozen=True, kw_only=True):
    """ApprovalVoteReply"""

    approval_id: str = field(name="approvalId")
    message: str
    status: str
    success: bool
    timestamp: datetime


class ApprovalWithVotes(Struct, frozen=True, kw_only=True):
    """ApprovalWithVotes"""

    created_at: datetime = field(name="createdAt")
    id: str
    status: str
    transfer_id: str = field(name="transferId")
    transfer_type: str = field(name="transferType")
    updated_at: datetime = field(name="updatedAt")
    votes: list[CastVoteReply]


class ArgentinaBank(Struct, frozen=True, kw_only=True):
    """ArgentinaBank"""

    account_number: str | None = field(default=None, name="accountNumber")
    account_type: str | None = field(default=None, name="accountType")
    currency: str | None = None


class AttemptReply(Struct, frozen=True, kw_only=True):
    """AttemptReply"""

    answer: str | None
    at: datetime
    error: str | None
    milliseconds: int
    status: int | None


class AuditLogEntryReply(Struct, frozen=True, kw_only=True):
    """AuditLogEntryReply"""

    actor: ActorReply
    at: datetime
    facts: dict[str, Any]
    id: str
    kind: str
    object_id: str = field(name="objectId")
    status_after: str | None = field(name="statusAfter")
    status_before: str | None = field(name="statusBefore")
    what: str


class AuditLogReply(Struct, frozen=True, kw_only=True):
    """AuditLogReply"""

    count: int
    entries: list[AuditLogEntryReply]
    next_cursor: str | None = field(default=None, name="nextCursor")


class BalanceReply(Struct, frozen=True, kw_only=True):
    """BalanceReply"""

    available_balance: str = field(name="availableBalance")
    balance: str
    display_balance: Decimal = field(name="displayBalance")
    token_info: TokenInfo = field(name="tokenInfo")


class BalancesReply(Struct, frozen=True, kw_only=True):
    """BalancesReply"""

    house: list[HouseReply]
    in_transit: list[InTransitReply] = field(name="inTransit")
    users: list[HoldingReply]


class BankAccountEvent(Struct, frozen=True, kw_only=True):
    """An event.

        `data` is the object as its retrieve route returned it right after the change, null if
    it can no     longer be shown. `createdAt` is when it happened, `timestamp` when it was
    delivered or read.     `sequence` grows with each event of the object `objectId`, possibly
    with gaps.
    """

    created_at: str = field(name="createdAt")
    data: AccountReply | None
    event_action: str = field(name="eventAction")
    event_category: str = field(name="eventCategory")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    object_id: str = field(name="objectId")
    sequence: int
    timestamp: str
    version: str


class BankAccountPageReply(Struct, frozen=True, kw_only=True):
    """BankAccountPageReply"""

    banks: list[ListedAccount]
    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")


class BankInfoReply(Struct, frozen=True, kw_only=True):
    """BankInfoReply"""

    account_number: str | None = field(name="accountNumber")
    account_type: str | None = field(name="accountType")
    bank_address: str | None = field(name="bankAddress")
    bank_name: str | None = field(name="bankName")
    description: str | None
    fed_batch_id: str | None = field(default=None, name="fedBatchId")
    imad: str | None
    omad: str | None
    payment_rail: str = field(name="paymentRail")
    reference_number: str | None = field(name="referenceNumber")
    routing_number: str | None = field(name="routingNumber")
    sender_name: str | None = field(name="senderName")
    trace_number: str | None = field(default=None, name="traceNumber")


class BankLine(Struct, frozen=True, kw_only=True):
    """BankLine"""

    amount: Decimal | None
    booked_on: str | None = field(name="bookedOn")
    comment: str | None
    created_at: datetime = field(name="createdAt")
    currency: str
    file_id: str = field(name="fileId")
    id: str
    incoming_payment_id: str | None = field(name="incomingPaymentId")
    kind: str
    payment_key: str | None = field(name="paymentKey")
    reason: str | None
    resolution: str | None
    resolved_by: str | None = field(name="resolvedBy")
    returned: bool
    statement_text: BankStatementText | None = field(name="statementText")
    status: str
    transfer_id: str | None = field(name="transferId")
    updated_at: datetime = field(name="updatedAt")


class BankLinePage(Struct, frozen=True, kw_only=True):
    """BankLinePage"""

    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")
    reviews: list[BankLine]


class BankStatementText(Struct, frozen=True, kw_only=True):
    """BankStatementText"""

    account_number: str | None = field(name="accountNumber")
    bank_reference: str | None = field(name="bankReference")
    codes: list[str]
    corrected: str | None
    end_to_end_id: str | None = field(name="endToEndId")
    file_name: str | None = field(name="fileName")
    note: str | None
    party_account: str | None = field(name="partyAccount")
    party_bank: str | None = field(name="partyBank")
    party_name: str | None = field(name="partyName")
    remittance: str | None
    statement_id: str | None = field(name="statementId")
    trace_number: str | None = field(name="traceNumber")


class BatchDestinationReply(Struct, frozen=True, kw_only=True):
    """BatchDestinationReply"""

    batch: list[BatchItemReply]


class BatchDetailsReply(Struct, frozen=True, kw_only=True):
    """BatchDetailsReply"""

    chain: str
    contract_address: str = field(name="contractAddress")
    created_at: datetime = field(name="createdAt")
    currency: str
    destination: BatchDestinationReply
    failed_reason: str | None = field(name="failedReason")
    id: str
    receipt: BatchReceiptReply
    request_id: str = field(name="requestId")
    source: BatchSourceReply
    status: str
    updated_at: datetime = field(name="updatedAt")


class BatchEvent(Struct, frozen=True, kw_only=True):
    """An event.

        `data` is the object as its retrieve route returned it right after the change, null if
    it can no     longer be shown. `createdAt` is when it happened, `timestamp` when it was
    delivered or read.     `sequence` grows with each event of the object `objectId`, possibly
    with gaps.
    """

    created_at: str = field(name="createdAt")
    data: BatchReply | None
    event_action: str = field(name="eventAction")
    event_category: str = field(name="eventCategory")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    object_id: str = field(name="objectId")
    sequence: int
    timestamp: str
    version: str


class BatchItemReply(Struct, frozen=True, kw_only=True):
    """BatchItemReply"""

    amount: Decimal
    user_id: str | None = field(name="userId")
    wallet_address: str = field(name="walletAddress")


class BatchPage(Struct, frozen=True, kw_only=True):
    """BatchPage"""

    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")
    records: list[BatchReply]


class BatchReceiptReply(Struct, frozen=True, kw_only=True):
    """BatchReceiptReply"""

    approval: ApprovalReply | None = None
    transaction_hash: str | None = field(name="transactionHash")
    user_op_hash: str | None = field(name="userOpHash")


class BatchReply(Struct, frozen=True, kw_only=True):
    """BatchReply"""

    dry_run: DryRunReply | None = field(default=None, name="dryRun")
    metadata: dict[str, str] | None = None
    timeline: TimelineReply | None = None
    transfer_details: BatchDetailsReply = field(name="transferDetails")
    transfer_type: str = field(name="transferType")


class BatchSourceReply(Struct, frozen=True, kw_only=True):
    """BatchSourceReply"""

    user_id: str = field(name="userId")
    wallet_address: str = field(name="walletAddress")
    wallet_type: str = field(name="walletType")


class BeneficiaryReply(Struct, frozen=True, kw_only=True):
    """BeneficiaryReply"""

    address: str
    name: str


class BillingReply(Struct, frozen=True, kw_only=True):
    """BillingReply"""

    fees: list[FeeReply]


class BrazilBank(Struct, frozen=True, kw_only=True):
    """BrazilBank"""

    currency: str | None = None
    pix_key: str | None = field(default=None, name="pixKey")


class BrazilGlobalNetworkBank(Struct, frozen=True, kw_only=True):
    """BrazilGlobalNetworkBank"""

    currency: str | None = None
    email: str | None = None
    phone: str | None = None
    pix: str | None = None


class Breakdowns(Struct, frozen=True, kw_only=True):
    """Breakdowns"""

    dimension_counts: dict[str, int] = field(name="dimensionCounts")
    dimensions: list[str]


class BridgeDetailsReply(Struct, frozen=True, kw_only=True):
    """BridgeDetailsReply"""

    amount: Decimal
    approval: ApprovalReply | None = None
    created_at: datetime = field(name="createdAt")
    destination: BridgeEndReply
    failed_reason: str | None = field(name="failedReason")
    fee: Decimal | None
    id: str
    quote_information: BridgeQuoteReply | None = field(name="quoteInformation")
    receipt: BridgeReceiptReply
    request_id: str = field(name="requestId")
    source: BridgeEndReply
    status: str
    updated_at: datetime = field(name="updatedAt")


class BridgeEndReply(Struct, frozen=True, kw_only=True):
    """BridgeEndReply"""

    chain: str
    currency: str
    user_id: str | None = field(name="userId")
    wallet_address: str = field(name="walletAddress")


class BridgeEvent(Struct, frozen=True, kw_only=True):
    """An event.

        `data` is the object as its retrieve route returned it right after the change, null if
    it can no     longer be shown. `createdAt` is when it happened, `timestamp` when it was
    delivered or read.     `sequence` grows with each event of the object `objectId`, possibly
    with gaps.
    """

    created_at: str = field(name="createdAt")
    data: BridgeReply | None
    event_action: str = field(name="eventAction")
    event_category: str = field(name="eventCategory")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    object_id: str = field(name="objectId")
    sequence: int
    timestamp: str
    version: str


class BridgePage(Struct, frozen=True, kw_only=True):
    """BridgePage"""

    count: int
    data: list[BridgeReply]
    next_cursor: str | None = field(default=None, name="nextCursor")


class BridgeQuoteReply(Struct, frozen=True, kw_only=True):
    """BridgeQuoteReply"""

    expires_at: datetime = field(name="expiresAt")
    rail_fee: QuotedAmount = field(name="railFee")
    rate: Decimal
    receive_gross: QuotedAmount = field(name="receiveGross")
    receive_net: QuotedAmount = field(name="receiveNet")
    send_gross: QuotedAmount = field(name="sendGross")
    send_net: QuotedAmount = field(name="sendNet")


class BridgeReceiptReply(Struct, frozen=True, kw_only=True):
    """BridgeReceiptReply"""

    operations: OperationsReply
    transaction_hash: str | None = field(default=None, name="transactionHash")


class BridgeReply(Struct, frozen=True, kw_only=True):
    """BridgeReply"""

    dry_run: DryRunReply | None = field(default=None, name="dryRun")
    metadata: dict[str, str] | None = None
    timeline: TimelineReply | None = None
    transfer_details: BridgeDetailsReply = field(name="transferDetails")
    transfer_type: str = field(name="transferType")


class BriefStatus(Struct, frozen=True, kw_only=True):
    """BriefStatus"""

    message: str
    status: str


class BriefStatusData(Struct, frozen=True, kw_only=True):
    """BriefStatusData"""

    message: str
    rails: str
    status: str
    user_id: str = field(name="userId")


class BusinessDetails(Struct, frozen=True, kw_only=True):
    """BusinessDetails"""

    company_documents: DocumentsReply = field(name="companyDocuments")
    company_info: SectionReply = field(name="companyInfo")
    questionnaire: SectionReply
    ultimate_beneficial_owners: OwnersReply = field(name="ultimateBeneficialOwners")


class BusinessOwner(Struct, frozen=True, kw_only=True):
    """BusinessOwner"""

    date_of_birth: str = field(name="dateOfBirth")
    first_name: str = field(name="firstName")
    has_control: bool = field(name="hasControl")
    is_signer: bool = field(name="isSigner")
    last_name: str = field(name="lastName")


class BusinessStatus(Struct, frozen=True, kw_only=True):
    """BusinessStatus"""

    details: BusinessDetails
    message: str
    review_result: CheckResultReply = field(name="reviewResult")
    status: str


class BusinessStatusData(Struct, frozen=True, kw_only=True):
    """BusinessStatusData"""

    details: BusinessDetails
    message: str
    rails: str
    review_result: CheckResultReply = field(name="reviewResult")
    status: str
    user_id: str = field(name="userId")


class CastVoteReply(Struct, frozen=True, kw_only=True):
    """CastVoteReply"""

    approver_id: str = field(name="approverId")
    comment: str | None
    created_at: datetime = field(name="createdAt")
    vote: str


class ChainAccountReply(Struct, frozen=True, kw_only=True):
    """ChainAccountReply"""

    address: str
    balance: Decimal | None
    balance_at: datetime | None = field(name="balanceAt")
    floor: Decimal
    in_flight: int = field(name="inFlight")
    is_low: bool = field(name="isLow")
    is_relayer: bool = field(name="isRelayer")
    next_nonce: int = field(name="nextNonce")
    stopped_at: datetime | None = field(name="stoppedAt")
    stopped_reason: str | None = field(name="stoppedReason")


class ChainAttemptReply(Struct, frozen=True, kw_only=True):
    """ChainAttemptReply"""

    account: str
    block: int | None
    confirmations: int
    created_at: datetime = field(name="createdAt")
    explorer_url: str = field(name="explorerUrl")
    gas_cost: Decimal | None = field(name="gasCost")
    hash: str
    is_payment: bool = field(name="isPayment")
    is_success: bool | None = field(name="isSuccess")
    kind: str
    max_fee_gwei: Decimal | None = field(name="maxFeeGwei")
    nonce: int | None
    sent_at: datetime | None = field(name="sentAt")
    tip_gwei: Decimal | None = field(name="tipGwei")


class ChainHeadReply(Struct, frozen=True, kw_only=True):
    """ChainHeadReply"""

    at: datetime
    lag_seconds: int = field(name="lagSeconds")
    number: int


class ChainInstallationReply(Struct, frozen=True, kw_only=True):
    """ChainInstallationReply"""

    accounts: list[ChainAccountReply]
    gas_spent_day: Decimal = field(name="gasSpentDay")
    nodes: list[ChainNodeReply]
    open_orders: OpenOrdersReply = field(name="openOrders")


class ChainList(Struct, frozen=True, kw_only=True):
    """ChainList"""

    chains: list[ChainReply]
    count: int


class ChainNodeReply(Struct, frozen=True, kw_only=True):
    """ChainNodeReply"""

    head: int | None
    is_healthy: bool = field(name="isHealthy")
    last_error: str | None = field(name="lastError")
    last_error_at: datetime | None = field(name="lastErrorAt")
    last_success_at: datetime | None = field(name="lastSuccessAt")
    node: str
    set_aside_until: datetime | None = field(name="setAsideUntil")


class ChainOrderList(Struct, frozen=True, kw_only=True):
    """ChainOrderList"""

    count: int
    orders: list[ChainOrderReply]


class ChainOrderReply(Struct, frozen=True, kw_only=True):
    """ChainOrderReply"""

    action: str
    amount: Decimal
    attempts: list[ChainAttemptReply]
    chain: str
    confirmations_needed: int = field(name="confirmationsNeeded")
    confirmed_at: datetime | None = field(name="confirmedAt")
    created_at: datetime = field(name="createdAt")
    currency: str
    explorer_url: str | None = field(name="explorerUrl")
    gas_cost: Decimal = field(name="gasCost")
    id: str
    method: str | None
    native_currency: str = field(name="nativeCurrency")
    reason: str | None
    recipients: int
    source: str
    state: str
    transaction_hash: str | None = field(name="transactionHash")


class ChainReply(Struct, frozen=True, kw_only=True):
    """ChainReply"""

    chain_id: int | None = field(name="chainId")
    confirmations: int
    finality: str | None
    finality_blocks: int | None = field(name="finalityBlocks")
    head: ChainHeadReply | None
    installation: ChainInstallationReply | None
    name: str
    native_currency: str = field(name="nativeCurrency")
    open_orders: OpenOrdersReply = field(name="openOrders")
    treasury: TreasuryReply


class ChangeReply(Struct, frozen=True, kw_only=True):
    """ChangeReply"""

    actor: str
    at: datetime
    change_type: str = field(name="changeType")
    facts: dict[str, Any]
    seq: int
    status_after: str | None = field(name="statusAfter")
    status_before: str | None = field(name="statusBefore")


class CheckResultReply(Struct, frozen=True, kw_only=True):
    """CheckResultReply"""

    comment: str | None = None
    reject_reasons: list[str] | None = field(default=None, name="rejectReasons")
    review_answer: str | None = field(default=None, name="reviewAnswer")
    review_reject_type: str | None = field(default=None, name="reviewRejectType")


class ChinaGlobalNetworkBank(Struct, frozen=True, kw_only=True):
    """ChinaGlobalNetworkBank"""

    account_number: str | None = field(default=None, name="accountNumber")
    bank_name: str | None = field(default=None, name="bankName")
    currency: str | None = None
    swift_code: str | None = field(default=None, name="swiftCode")


class ClockReply(Struct, frozen=True, kw_only=True):
    """ClockReply"""

    now: datetime
    offset_seconds: int = field(name="offsetSeconds")


class CloseCorrectionReply(Struct, frozen=True, kw_only=True):
    """CloseCorrectionReply"""

    id: str
    posted_at: datetime = field(name="postedAt")
    record_id: str = field(name="recordId")


class CloseDifferenceReply(Struct, frozen=True, kw_only=True):
    """CloseDifferenceReply"""

    age_days: int = field(name="ageDays")
    amount: Decimal | None
    currency: str | None
    id: str
    is_earlier: bool = field(name="isEarlier")
    kind: str
    resolution: str | None
    since: datetime
    source: str
    status: str


class ClosePage(Struct, frozen=True, kw_only=True):
    """ClosePage"""

    closes: list[CloseReply]
    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")


class ClosePositionReply(Struct, frozen=True, kw_only=True):
    """ClosePositionReply"""

    accepted_amount: Decimal = field(name="acceptedAmount")
    block_hash: str = field(name="blockHash")
    block_number: int = field(name="blockNumber")
    compared_at: datetime = field(name="comparedAt")
    currency: str
    difference_amount: Decimal = field(name="differenceAmount")
    ledger_amount: Decimal = field(name="ledgerAmount")
    outside_amount: Decimal = field(name="outsideAmount")
    source: str
    unexplained_amount: Decimal = field(name="unexplainedAmount")


class CloseReply(Struct, frozen=True, kw_only=True):
    """CloseReply"""

    carried_count: int = field(name="carriedCount")
    cut_at: datetime = field(name="cutAt")
    day: str
    decided_at: datetime | None = field(name="decidedAt")
    decided_by: str | None = field(name="decidedBy")
    digest: str
    id: str
    reason: str | None
    rejection_reason: str | None = field(name="rejectionReason")
    signed_at: datetime = field(name="signedAt")
    signed_by: str = field(name="signedBy")
    status: str


class CloseReserveReply(Struct, frozen=True, kw_only=True):
    """CloseReserveReply"""

    addresses: int
    addresses_digest: str = field(name="addressesDigest")
    currency: str
    held_amount: Decimal = field(name="heldAmount")
    open_amount: Decimal = field(name="openAmount")
    owed_amount: Decimal = field(name="owedAmount")
    pieces: int
    ratio: Decimal | None
    root: str
    source: str


class CloseWithContent(Struct, frozen=True, kw_only=True):
    """CloseWithContent"""

    carried: list[CloseDifferenceReply]
    close: CloseReply
    content: str
    corrections: list[CloseCorrectionReply]
    is_intact: bool = field(name="isIntact")
    positions: list[ClosePositionReply]
    previous_digest: str | None = field(name="previousDigest")
    reserves: list[CloseReserveReply] | None
    resolved: list[CloseDifferenceReply]
    tolerance: Decimal
    zone: str


class CoinDepositReply(Struct, frozen=True, kw_only=True):
    """CoinDepositReply"""

    amount: Decimal
    chain: str
    currency: str
    from_address: str = field(name="fromAddress")
    status: str
    to_address: str = field(name="toAddress")
    transaction_hash: str = field(name="transactionHash")
    transfer_id: str = field(name="transferId")


class ColombiaBank(Struct, frozen=True, kw_only=True):
    """ColombiaBank"""

    account_number: str | None = field(default=None, name="accountNumber")
    account_type: str | None = field(default=None, name="accountType")
    bank_code: str | None = field(default=None, name="bankCode")
    bank_name: str | None = field(default=None, name="bankName")
    currency: str | None = None


class CoolDownDocument(Struct, frozen=True, kw_only=True):
    """CoolDownDocument"""

    hours: int
    max_usd: Decimal = field(name="maxUsd")
    over: str | None = None


class CounterpartyData(Struct, frozen=True, kw_only=True):
    """CounterpartyData"""

    amount_unit: str = field(name="amountUnit")
    host: str
    name: str
    policy: str | None = None


class DateRange(Struct, frozen=True, kw_only=True):
    """DateRange"""

    end: str
    start: str


class DeliveriesReply(Struct, frozen=True, kw_only=True):
    """DeliveriesReply"""

    count: int
    deliveries: list[DeliveryReply]
    next_cursor: str | None = field(default=None, name="nextCursor")


class DeliveryReply(Struct, frozen=True, kw_only=True):
    """DeliveryReply"""

    attempt_count: int = field(name="attemptCount")
    created_at: datetime = field(name="createdAt")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    gives_up_at: datetime | None = field(name="givesUpAt")
    id: str
    last_attempt: AttemptReply | None = field(name="lastAttempt")
    next_attempt_at: datetime | None = field(name="nextAttemptAt")
    object_id: str = field(name="objectId")
    status: str
    updated_at: datetime = field(name="updatedAt")
    webhook_id: str = field(name="webhookId")


class DeliveryWithAttempts(Struct, frozen=True, kw_only=True):
    """DeliveryWithAttempts"""

    attempt_count: int = field(name="attemptCount")
    attempts: list[AttemptReply]
    created_at: datetime = field(name="createdAt")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    gives_up_at: datetime | None = field(name="givesUpAt")
    id: str
    last_attempt: AttemptReply | None = field(name="lastAttempt")
    next_attempt_at: datetime | None = field(name="nextAttemptAt")
    object_id: str = field(name="objectId")
    status: str
    updated_at: datetime = field(name="updatedAt")
    webhook_id: str = field(name="webhookId")


class DepositEvent(Struct, frozen=True, kw_only=True):
    """An event.

        `data` is the object as its retrieve route returned it right after the change, null if
    it can no     longer be shown. `createdAt` is when it happened, `timestamp` when it was
    delivered or read.     `sequence` grows with each event of the object `objectId`, possibly
    with gaps.
    """

    created_at: str = field(name="createdAt")
    data: DepositReply | None
    event_action: str = field(name="eventAction")
    event_category: str = field(name="eventCategory")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    object_id: str = field(name="objectId")
    sequence: int
    timestamp: str
    version: str


class DepositInfoReply(Struct, frozen=True, kw_only=True):
    """DepositInfoReply"""

    ach: NumbersReply | None
    bank_address: str = field(name="bankAddress")
    bank_name: str = field(name="bankName")
    beneficiary: BeneficiaryReply
    deposit_by: datetime = field(name="depositBy")
    instruction: str
    reference: str
    rtp: NumbersReply | None
    swift_code: str | None = field(name="swiftCode")
    wire: NumbersReply | None


class DepositInstructions(Struct, frozen=True, kw_only=True):
    """DepositInstructions"""

    ach: RailInstructions | None = None
    bank_address: str = field(name="bankAddress")
    bank_name: str = field(name="bankName")
    beneficiary: VirtualAccountBeneficiary
    instruction: str
    rtp: RailInstructions | None = None
    swift_code: str | None = field(default=None, name="swiftCode")
    wire: RailInstructions | None = None


class DepositPage(Struct, frozen=True, kw_only=True):
    """DepositPage"""

    count: int
    deposits: list[DepositReply]
    next_cursor: str | None = field(default=None, name="nextCursor")
    records: list[DepositReply]


class DepositReply(Struct, frozen=True, kw_only=True):
    """DepositReply"""

    created_at: datetime = field(name="createdAt")
    id: str
    transaction: DepositTransaction
    updated_at: datetime = field(name="updatedAt")
    user_id: str = field(name="userId")
    wallet: DepositWallet


class DepositReview(Struct, frozen=True, kw_only=True):
    """DepositReview"""

    account_number: str = field(name="accountNumber")
    amount: Decimal
    bank_reference: str = field(name="bankReference")
    comment: str | None
    currency: str
    decided_by: str | None = field(name="decidedBy")
    description: str | None
    id: str
    payment_rail: str = field(name="paymentRail")
    received_at: datetime = field(name="receivedAt")
    reference: str | None
    sender: DepositSender | None
    status: str
    transfer_id: str | None = field(name="transferId")
    updated_at: datetime = field(name="updatedAt")


class DepositReviewPage(Struct, frozen=True, kw_only=True):
    """DepositReviewPage"""

    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")
    reviews: list[DepositReview]


class DepositScreeningList(Struct, frozen=True, kw_only=True):
    """DepositScreeningList"""

    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")
    reviews: list[DepositScreeningReply]


class DepositScreeningReply(Struct, frozen=True, kw_only=True):
    """DepositScreeningReply"""

    amount: Decimal
    categories: list[str]
    chain: str | None
    created_at: datetime = field(name="createdAt")
    currency: str
    deposit_id: str = field(name="depositId")
    id: str
    missing: list[str]
    payment_rail: str | None = field(name="paymentRail")
    provider: str | None
    reference: str | None
    source: str
    source_address: str | None = field(name="sourceAddress")
    status: str
    transaction_hash: str | None = field(name="transactionHash")
    updated_at: datetime = field(name="updatedAt")
    user_id: str | None = field(name="userId")


class DepositSender(Struct, frozen=True, kw_only=True):
    """DepositSender"""

    account_number: str | None = field(name="accountNumber")
    bank_name: str | None = field(name="bankName")
    name: str | None
    routing_number: str | None = field(name="routingNumber")


class DepositTransaction(Struct, frozen=True, kw_only=True):
    """DepositTransaction"""

    amount: str
    chain: str
    contract_address: str = field(name="contractAddress")
    currency: str
    destination_address: str = field(name="destinationAddress")
    source_address: str | None = field(default=None, name="sourceAddress")
    status: str
    transaction_hash: str | None = field(default=None, name="transactionHash")
    unit_amount: str = field(name="unitAmount")


class DepositWallet(Struct, frozen=True, kw_only=True):
    """DepositWallet"""

    address: str
    chain: str
    id: str
    wallet_type: str = field(name="walletType")


class DeveloperFeeReply(Struct, frozen=True, kw_only=True):
    """DeveloperFeeReply"""

    fees: list[FeeLineReply]
    id: str
    transaction_hash: str | None = field(name="transactionHash")


class DifferenceEvent(Struct, frozen=True, kw_only=True):
    """DifferenceEvent"""

    actor: str
    at: datetime
    member_id: str | None = field(name="memberId")
    person_id: str | None = field(name="personId")
    reason: str | None
    what: str


class DifferencePage(Struct, frozen=True, kw_only=True):
    """DifferencePage"""

    count: int
    differences: list[DifferenceReply]
    next_cursor: str | None = field(default=None, name="nextCursor")


class DifferenceReply(Struct, frozen=True, kw_only=True):
    """DifferenceReply"""

    accepted_by: str | None = field(name="acceptedBy")
    adjustment_id: str | None = field(name="adjustmentId")
    adjusts_ledger: bool = field(name="adjustsLedger")
    amount: Decimal | None
    assignee_id: str | None = field(name="assigneeId")
    currency: str | None
    due_at: datetime = field(name="dueAt")
    id: str
    kind: str
    ledger_amount: Decimal | None = field(name="ledgerAmount")
    outside_amount: Decimal | None = field(name="outsideAmount")
    proposed_at: datetime | None = field(name="proposedAt")
    proposed_by: str | None = field(name="proposedBy")
    reason: str | None
    record_id: str | None = field(name="recordId")
    reference: str | None
    resolution: str | None
    resolved_at: datetime | None = field(name="resolvedAt")
    since: datetime
    source: str
    status: str


class DifferenceWithHistory(Struct, frozen=True, kw_only=True):
    """DifferenceWithHistory"""

    difference: DifferenceReply
    history: list[DifferenceEvent]


class DisbursementDestinationReply(Struct, frozen=True, kw_only=True):
    """DisbursementDestinationReply"""

    user_id: str | None = field(name="userId")
    wallet_address: str = field(name="walletAddress")


class DisbursementDetailsReply(Struct, frozen=True, kw_only=True):
    """DisbursementDetailsReply"""

    amount: Decimal
    blocked_reason: str | None = field(name="blockedReason")
    chain: str
    created_at: datetime = field(name="createdAt")
    currency: str
    destination: DisbursementDestinationReply
    id: str
    last_refusal: str | None = field(name="lastRefusal")
    payment: DisbursementPaymentReply
    purpose: str
    receipt: DisbursementReceiptReply
    refusal_count: int = field(name="refusalCount")
    request_id: str = field(name="requestId")
    source: DisbursementSourceReply
    status: str
    updated_at: datetime = field(name="updatedAt")


class DisbursementLineReply(Struct, frozen=True, kw_only=True):
    """DisbursementLineReply"""

    amount: EndReply
    id: str
    status: str


class DisbursementPage(Struct, frozen=True, kw_only=True):
    """DisbursementPage"""

    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")
    records: list[DisbursementReply]


class DisbursementPaymentReply(Struct, frozen=True, kw_only=True):
    """DisbursementPaymentReply"""

    id: str
    type: str


class DisbursementReceiptReply(Struct, frozen=True, kw_only=True):
    """DisbursementReceiptReply"""

    transaction_hash: str | None = field(name="transactionHash")
    user_op_hash: str | None = field(name="userOpHash")


class DisbursementReply(Struct, frozen=True, kw_only=True):
    """DisbursementReply"""

    dry_run: DryRunReply | None = field(default=None, name="dryRun")
    metadata: dict[str, str] | None = None
    timeline: TimelineReply | None = None
    transfer_details: DisbursementDetailsReply = field(name="transferDetails")
    transfer_type: str = field(name="transferType")


class DisbursementSourceReply(Struct, frozen=True, kw_only=True):
    """DisbursementSourceReply"""

    role: str
    wallet_address: str = field(name="walletAddress")


class DocumentReply(Struct, frozen=True, kw_only=True):
    """DocumentReply"""

    id: str
    review_result: CheckResultReply = field(name="reviewResult")
    sub_type: str = field(name="subType")
    type: str


class DocumentsReply(Struct, frozen=True, kw_only=True):
    """DocumentsReply"""

    details: list[DocumentReply]
    review_result: CheckResultReply = field(name="reviewResult")


class DryRunReply(Struct, frozen=True, kw_only=True):
    """DryRunReply"""

    approval: PlannedApprovalReply | None
    journals: list[PlannedJournalReply]
    limits: PlannedLimitsReply


class EndReply(Struct, frozen=True, kw_only=True):
    """EndReply"""

    amount: Decimal
    chain: str | None
    currency: str


class Envelope(Struct, frozen=True, kw_only=True):
    """Envelope"""

    created_at: datetime = field(name="createdAt")
    data: Any
    event_action: str = field(name="eventAction")
    event_category: str = field(name="eventCategory")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    object_id: str = field(name="objectId")
    sequence: int
    timestamp: datetime
    version: str


class ErasureReply(Struct, frozen=True, kw_only=True):
    """ErasureReply"""

    erased_at: datetime = field(name="erasedAt")
    user_id: str = field(name="userId")


class EuropeGlobalNetworkBank(Struct, frozen=True, kw_only=True):
    """EuropeGlobalNetworkBank"""

    bank_name: str | None = field(default=None, name="bankName")
    currency: str | None = None
    iban: str | None = None
    swift_code: str | None = field(default=None, name="swiftCode")
    transfer_type: str | None = field(default=None, name="transferType")


class EventPage(Struct, frozen=True, kw_only=True):
    """EventPage"""

    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")
    records: list[Envelope]


class EventWithDeliveries(Struct, frozen=True, kw_only=True):
    """EventWithDeliveries"""

    created_at: datetime = field(name="createdAt")
    data: Any
    deliveries: list[DeliveryReply]
    event_action: str = field(name="eventAction")
    event_category: str = field(name="eventCategory")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    object_id: str = field(name="objectId")
    sequence: int
    timestamp: datetime
    version: str


class ExchangeList(Struct, frozen=True, kw_only=True):
    """ExchangeList"""

    count: int
    exchanges: list[ExchangeReply]


class ExchangeMessageReply(Struct, frozen=True, kw_only=True):
    """ExchangeMessageReply"""

    ivms101: dict[str, Any]


class ExchangeReply(Struct, frozen=True, kw_only=True):
    """ExchangeReply"""

    amount: str
    created_at: datetime = field(name="createdAt")
    direction: str
    host: str
    id: str
    is_authenticated: bool = field(name="isAuthenticated")
    pending_message: str | None = field(name="pendingMessage")
    problem: str | None
    request_identifier: str = field(name="requestIdentifier")
    screening_id: str | None = field(name="screeningId")
    status: str
    token_identifier: str | None = field(name="tokenIdentifier")
    transaction_hash: str | None = field(name="transactionHash")
    transfer_id: str | None = field(name="transferId")
    updated_at: datetime = field(name="updatedAt")
    user_id: str | None = field(name="userId")
    wallet_address: str | None = field(name="walletAddress")


class ExchangeSettingReply(Struct, frozen=True, kw_only=True):
    """ExchangeSettingReply"""

    assets: list[TokenIdentifierData]
    counterparties: list[CounterpartyData]
    is_on: bool = field(name="isOn")
    requires_travel_address: bool = field(name="requiresTravelAddress")
    travel_address: str = field(name="travelAddress")
    version: int


class ExternalWalletPage(Struct, frozen=True, kw_only=True):
    """ExternalWalletPage"""

    count: int
    external_wallets: list[ExternalWalletReply] = field(name="externalWallets")
    next_cursor: str | None = field(default=None, name="nextCursor")


class ExternalWalletReply(Struct, frozen=True, kw_only=True):
    """ExternalWalletReply"""

    active: bool
    address: str
    chain: str
    created_at: datetime = field(name="createdAt")
    id: str
    name: str
    reference_id: str = field(name="referenceId")
    updated_at: datetime | None = field(name="updatedAt")
    user_id: str = field(name="userId")


class FeeLineReply(Struct, frozen=True, kw_only=True):
    """FeeLineReply"""

    amount: Decimal
    type: str
    value: str
    wallet_address: str = field(name="walletAddress")


class FeeReply(Struct, frozen=True, kw_only=True):
    """FeeReply"""

    amount: Decimal
    currency: str
    id: str
    timing: str
    type: str


class FiatDepositReply(Struct, frozen=True, kw_only=True):
    """FiatDepositReply"""

    amount: Decimal
    clears_at: datetime = field(name="clearsAt")
    currency: str
    id: str
    payment_rail: str = field(name="paymentRail")
    received_at: datetime = field(name="receivedAt")
    reference: str | None
    transfer_id: str = field(name="transferId")


class FileReply(Struct, frozen=True, kw_only=True):
    """FileReply"""

    created_at: datetime = field(name="createdAt")
    file_name: str = field(name="fileName")
    id: str
    mime_type: str = field(name="mimeType")
    size: int


class FindingReply(Struct, frozen=True, kw_only=True):
    """FindingReply"""

    over: str
    reason: str
    rule: str


class FreezeReply(Struct, frozen=True, kw_only=True):
    """FreezeReply"""

    frozen: bool
    frozen_at: datetime | None = field(name="frozenAt")
    reason: str | None
    user_id: str = field(name="userId")


class FundingReply(Struct, frozen=True, kw_only=True):
    """FundingReply"""

    amount: Decimal
    balance: Decimal
    chain: str
    created_at: datetime = field(name="createdAt")
    currency: str
    id: str
    transaction_hash: str = field(name="transactionHash")
    user_id: str = field(name="userId")
    wallet_address: str = field(name="walletAddress")


class HaltPage(Struct, frozen=True, kw_only=True):
    """HaltPage"""

    count: int
    halts: list[HaltReply]
    next_cursor: str | None = field(default=None, name="nextCursor")


class HaltReply(Struct, frozen=True, kw_only=True):
    """HaltReply"""

    amount: Decimal | None
    cause: str
    currency: str | None
    difference_id: str | None = field(name="differenceId")
    ended_at: datetime | None = field(name="endedAt")
    halted_at: datetime = field(name="haltedAt")
    id: str
    lifted_by: str | None = field(name="liftedBy")
    proposed_at: datetime | None = field(name="proposedAt")
    proposed_by: str | None = field(name="proposedBy")
    reason: str | None
    source: str
    status: str


class HoldingReply(Struct, frozen=True, kw_only=True):
    """HoldingReply"""

    available: str
    chain: str | None
    currency: str
    held: str


class HongKongGlobalNetworkBank(Struct, frozen=True, kw_only=True):
    """HongKongGlobalNetworkBank"""

    account_number: str | None = field(default=None, name="accountNumber")
    bank_code: str | None = field(default=None, name="bankCode")
    bank_name: str | None = field(default=None, name="bankName")
    currency: str | None = None
    swift_code: str | None = field(default=None, name="swiftCode")
    transfer_type: str | None = field(default=None, name="transferType")


class HouseReply(Struct, frozen=True, kw_only=True):
    """HouseReply"""

    balance: Decimal
    chain: str | None
    currency: str
    role: str


class InTransitReply(Struct, frozen=True, kw_only=True):
    """InTransitReply"""

    amount: Decimal
    chain: str | None
    currency: str


class IndividualDetails(Struct, frozen=True, kw_only=True):
    """IndividualDetails"""

    identity: DocumentsReply
    personal_info: SectionReply = field(name="personalInfo")
    proof_of_address: DocumentsReply = field(name="proofOfAddress")
    questionnaire: SectionReply


class IndividualStatus(Struct, frozen=True, kw_only=True):
    """IndividualStatus"""

    details: IndividualDetails
    message: str
    review_result: CheckResultReply = field(name="reviewResult")
    status: str


class IndividualStatusData(Struct, frozen=True, kw_only=True):
    """IndividualStatusData"""

    details: IndividualDetails
    message: str
    rails: str
    review_result: CheckResultReply = field(name="reviewResult")
    status: str
    user_id: str = field(name="userId")


class JournalEntryReply(Struct, frozen=True, kw_only=True):
    """JournalEntryReply"""

    address: str | None
    available: str
    chain: str | None
    currency: str
    held: str
    role: str | None
    user_id: str | None = field(name="userId")
    user_name: str | None = field(name="userName")
    wallet_id: str | None = field(name="walletId")


class JournalReply(Struct, frozen=True, kw_only=True):
    """JournalReply"""

    entries: list[JournalEntryReply]
    seq: int


class KeyReply(Struct, frozen=True, kw_only=True):
    """KeyReply"""

    kid: str
    public_key: str = field(name="publicKey")
    shown_until: datetime | None = field(name="shownUntil")
    signs_from: datetime = field(name="signsFrom")


class KycBusiness(Struct, frozen=True, kw_only=True):
    """KycBusiness"""

    kyc_info: KycBusinessKycInfo = field(name="kycInfo")
    user_id: str = field(name="userId")


class KycBusinessKycInfo(Struct, frozen=True, kw_only=True):
    """KycBusinessKycInfo"""

    address: Address | None
    alternative_names: list[str] | None = field(name="alternativeNames")
    articles_of_association_url: str | None = field(name="articlesOfAssociationUrl")
    business_description: str | None = field(name="businessDescription")
    business_industry: str | None = field(name="businessIndustry")
    business_name: str | None = field(name="businessName")
    business_name_local: str | None = field(name="businessNameLocal")
    business_registration_doc_url: str | None = field(name="businessRegistrationDocUrl")
    business_type: str | None = field(name="businessType")
    certificate_number: str | None = field(name="certificateNumber")
    certificate_of_incorporation_doc_url: str | None = field(
        name="certificateOfIncorporationDocUrl"
    )
    certificate_of_incumbency_url: str | None = field(name="certificateOfIncumbencyUrl")
    certificate_of_registration_doc_type: str | None = field(
        name="certificateOfRegistrationDocType"
    )
    certificate_of_registration_doc_url: str | None = field(name="certificateOfRegistrationDocUrl")
    compliance_screening_explanation: str | None = field(name="complianceScreeningExplanation")
    constitution_or_annual_report_url: str | None = field(name="constitutionOrAnnualReportUrl")
    control_scheme: str | None = field(name="controlScheme")
    dao_status: bool | None = field(name="daoStatus")
    documents: list[str | dict[str, Any]]
    email: str | None
    export_country: str | None = field(name="exportCountry")
    flow_of_funds_url: str | None = field(name="flowOfFundsUrl")
    formation_date: str | None = field(name="formationDate")
    formation_doc_url: str | None = field(name="formationDocUrl")
    incorporation_country: str | None = field(name="incorporationCountry")
    incorporation_date: str | None = field(name="incorporationDate")
    incorporation_number: str | None = field(name="incorporationNumber")
    incorporation_state: str | None = field(name="incorporationState")
    ip_address: str | None = field(name="ipAddress")
    lei_number: str | None = field(name="leiNumber")
    license_expiration_date: str | None = field(name="licenseExpirationDate")
    organization_structure_url: str | None = field(name="organizationStructureUrl")
    partnership_deed_url: str | None = field(name="partnershipDeedUrl")
    partnership_mins_of_meeting_url: str | None = field(name="partnershipMinsOfMeetingUrl")
    phone: str | None
    postal_address: Address | None = field(name="postalAddress")
    product_service_category: str | None = field(name="productServiceCategory")
    proof_of_address_type: str | None = field(name="proofOfAddressType")
    proof_of_address_url: str | None = field(name="proofOfAddressUrl")
    proof_of_ownership_url: str | None = field(name="proofOfOwnershipUrl")
    purpose: str | None
    registered_address: Address | None = field(name="registeredAddress")
    registration_number: str | None = field(name="registrationNumber")
    share_structure_url: str | None = field(name="shareStructureUrl")
    sof_eu_questionnaire: KycBusinessKycInfoSofEuQuestionnaire | None = field(
        name="sofEuQuestionnaire"
    )
    source_of_funds: str | None = field(name="sourceOfFunds")
    source_of_funds_url: str | None = field(name="sourceOfFundsUrl")
    supplementary_info: str | None = field(name="supplementaryInfo")
    supplementary_url: str | None = field(name="supplementaryUrl")
    tax_identification_number: str | None = field(name="taxIdentificationNumber")
    tax_identification_number_type: str | None = field(name="taxIdentificationNumberType")
    trade_name: str | None = field(name="tradeName")
    trade_type: str | None = field(name="tradeType")
    transmits_customer_funds: bool | None = field(name="transmitsCustomerFunds")
    type: str
    ubo_declaration_url: str | None = field(name="uboDeclarationUrl")
    ultimate_beneficial_owners: list[str | dict[str, Any]] = field(name="ultimateBeneficialOwners")
    website: str | None


class KycBusinessKycInfoSofEuQuestionnaire(Struct, frozen=True, kw_only=True):
    """KycBusinessKycInfoSofEuQuestionnaire"""

    conducts_money_services: bool | None = field(default=None, name="conductsMoneyServices")
    customer_funds_description: str | None = field(default=None, name="customerFundsDescription")
    estimated_annual_revenue_usd: str | None = field(default=None, name="estimatedAnnualRevenueUsd")
    expected_monthly_payments_usd: str | None = field(
        default=None, name="expectedMonthlyPaymentsUsd"
    )
    high_risk_activities: list[str] | None = field(default=None, name="highRiskActivities")
    operates_in_prohibited_countries: bool | None = field(
        default=None, name="operatesInProhibitedCountries"
    )
    primary_purpose: str | None = field(default=None, name="primaryPurpose")
    primary_purpose_other: str | None = field(default=None, name="primaryPurposeOther")
    source_of_funds: str | None = field(default=None, name="sourceOfFunds")
    source_of_funds_description: str | None = field(default=None, name="sourceOfFundsDescription")
    transmits_customer_funds: bool | None = field(default=None, name="transmitsCustomerFunds")
    transmits_customer_funds_description: str | None = field(
        default=None, name="transmitsCustomerFundsDescription"
    )


class KycDocument(Struct, frozen=True, kw_only=True):
    """KycDocument"""

    description: str | None
    expiry_date: str | None = field(name="expiryDate")
    file_id: str | None = field(name="fileId")
    id: str
    issued_country: str | None = field(name="issuedCountry")
    issued_date: str | None = field(name="issuedDate")
    number: str | None
    sub_type: str = field(name="subType")
    type: str
    ubo_id: str | None = field(name="uboId")
    url: str | None = None


class KycDocumentList(Struct, frozen=True, kw_only=True):
    """KycDocumentList"""

    count: int
    data: list[KycDocument]


class KycEvent(Struct, frozen=True, kw_only=True):
    """An event.

        `data` is the object as its retrieve route returned it right after the change, null if
    it can no     longer be shown. `createdAt` is when it happened, `timestamp` when it was
    delivered or read.     `sequence` grows with each event of the object `objectId`, possibly
    with gaps.
    """

    created_at: str = field(name="createdAt")
    data: dict[str, Any] | None
    event_action: str = field(name="eventAction")
    event_category: str = field(name="eventCategory")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    object_id: str = field(name="objectId")
    sequence: int
    timestamp: str
    version: str


class KycIndividual(Struct, frozen=True, kw_only=True):
    """KycIndividual"""

    kyc_info: KycIndividualKycInfo = field(name="kycInfo")
    user_id: str = field(name="userId")


class KycIndividualKycInfo(Struct, frozen=True, kw_only=True):
    """KycIndividualKycInfo"""

    additional_id_number: str | None = field(name="additionalIdNumber")
    additional_id_type: str | None = field(name="additionalIdType")
    address: Address | None
    country: str | None
    country_of_birth: str | None = field(name="countryOfBirth")
    date_of_birth: str | None = field(name="dateOfBirth")
    documents: list[str | dict[str, Any]]
    email: str | None
    first_name: str | None = field(name="firstName")
    first_name_local: str | None = field(name="firstNameLocal")
    gender: str | None
    gov_id_back_url: str | None = field(name="govIdBackUrl")
    gov_id_country: str | None = field(name="govIdCountry")
    gov_id_expiration_date: str | None = field(name="govIdExpirationDate")
    gov_id_front_url: str | None = field(name="govIdFrontUrl")
    gov_id_hand_hold_url: str | None = field(name="govIdHandHoldUrl")
    gov_id_issuance_authority: str | None = field(name="govIdIssuanceAuthority")
    gov_id_issuance_date: str | None = field(name="govIdIssuanceDate")
    gov_id_number: str | None = field(name="govIdNumber")
    gov_id_type: str | None = field(name="govIdType")
    id_number: str | None = field(name="idNumber")
    id_type: str | None = field(name="idType")
    ip_address: str | None = field(name="ipAddress")
    last_name: str | None = field(name="lastName")
    last_name_local: str | None = field(name="lastNameLocal")
    middle_name: str | None = field(name="middleName")
    middle_name_local: str | None = field(name="middleNameLocal")
    nationality: str | None
    phone: str | None
    place_of_birth: str | None = field(name="placeOfBirth")
    product_service_category: str | None = field(name="productServiceCategory")
    proof_of_address_type: str | None = field(name="proofOfAddressType")
    proof_of_address_url: str | None = field(name="proofOfAddressUrl")
    purpose: str | None
    sof_eu_questionnaire: KycIndividualKycInfoSofEuQuestionnaire | None = field(
        name="sofEuQuestionnaire"
    )
    state_of_birth: str | None = field(name="stateOfBirth")
    supplementary_info: str | None = field(name="supplementaryInfo")
    supplementary_url: str | None = field(name="supplementaryUrl")
    tax_identification_number: str | None = field(name="taxIdentificationNumber")
    tax_residence_country: str | None = field(name="taxResidenceCountry")
    type: str


class KycIndividualKycInfoSofEuQuestionnaire(Struct, frozen=True, kw_only=True):
    """KycIndividualKycInfoSofEuQuestionnaire"""

    acting_as_intermediary: bool | None = field(default=None, name="actingAsIntermediary")
    employment_status: str | None = field(default=None, name="employmentStatus")
    expected_monthly_payments: str | None = field(default=None, name="expectedMonthlyPayments")
    most_recent_occupation: str | None = field(default=None, name="mostRecentOccupation")
    primary_purpose: str | None = field(default=None, name="primaryPurpose")
    primary_purpose_other: str | None = field(default=None, name="primaryPurposeOther")
    source_of_funds: str | None = field(default=None, name="sourceOfFunds")


class KycLinkCreatedReply(Struct, frozen=True, kw_only=True):
    """KycLinkCreatedReply"""

    kyc_link_url: str = field(name="kycLinkUrl")


class KycLinkEvent(Struct, frozen=True, kw_only=True):
    """An event.

        `data` is the object as its retrieve route returned it right after the change, null if
    it can no     longer be shown. `createdAt` is when it happened, `timestamp` when it was
    delivered or read.     `sequence` grows with each event of the object `objectId`, possibly
    with gaps.
    """

    created_at: str = field(name="createdAt")
    data: KycLinkReply | None
    event_action: str = field(name="eventAction")
    event_category: str = field(name="eventCategory")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    object_id: str = field(name="objectId")
    sequence: int
    timestamp: str
    version: str


class KycLinkReply(Struct, frozen=True, kw_only=True):
    """Link to the hosted form.

    `userId` is null until the user of the link is created.
    """

    completed: bool
    completed_at: str | None = field(name="completedAt")
    created_at: str = field(name="createdAt")
    expired_at: str = field(name="expiredAt")
    id: str
    rails: list[Any]
    user_id: str | None = field(name="userId")
    user_type: Any = field(name="userType")


class KycOwner(Struct, frozen=True, kw_only=True):
    """KycOwner"""

    address: Address | None
    auth_letter_url: str | None = field(name="authLetterUrl")
    business_title: str | None = field(default=None, name="businessTitle")
    country_of_birth: str | None = field(name="countryOfBirth")
    date_of_birth: str | None = field(name="dateOfBirth")
    documents: list[str | dict[str, Any]]
    email: str | None
    first_name: str | None = field(name="firstName")
    first_name_local: str | None = field(name="firstNameLocal")
    gender: str | None
    gov_id_back_url: str | None = field(name="govIdBackUrl")
    gov_id_country: str | None = field(name="govIdCountry")
    gov_id_expiration_date: str | None = field(name="govIdExpirationDate")
    gov_id_front_url: str | None = field(name="govIdFrontUrl")
    gov_id_issuance_authority: str | None = field(name="govIdIssuanceAuthority")
    gov_id_issuance_date: str | None = field(name="govIdIssuanceDate")
    gov_id_number: str | None = field(name="govIdNumber")
    gov_id_type: str | None = field(name="govIdType")
    has_control: bool | None = field(name="hasControl")
    has_ownership: bool | None = field(name="hasOwnership")
    id: str
    is_signer: bool | None = field(name="isSigner")
    last_name: str | None = field(name="lastName")
    last_name_local: str | None = field(name="lastNameLocal")
    middle_name: str | None = field(name="middleName")
    middle_name_local: str | None = field(name="middleNameLocal")
    nationality: str | None
    phone: str | None
    place_of_birth: str | None = field(name="placeOfBirth")
    proof_of_address_type: str | None = field(name="proofOfAddressType")
    proof_of_address_url: str | None = field(name="proofOfAddressUrl")
    relationship_established_at: str | None = field(name="relationshipEstablishedAt")
    role: str | None = None
    roles: list[str] | None = None
    share_proportion: float | None = field(name="shareProportion")
    state_of_birth: str | None = field(name="stateOfBirth")
    supplementary_info: str | None = field(name="supplementaryInfo")
    supplementary_url: str | None = field(name="supplementaryUrl")
    tax_identification_number: str | None = field(name="taxIdentificationNumber")
    tax_residence_country: str | None = field(name="taxResidenceCountry")


class KycOwnerList(Struct, frozen=True, kw_only=True):
    """KycOwnerList"""

    count: int
    data: list[KycOwner]


class LatencyReply(Struct, frozen=True, kw_only=True):
    """LatencyReply"""

    chains: str
    rails: str


class LimitRemainingReply(Struct, frozen=True, kw_only=True):
    """LimitRemainingReply"""

    left_count: int | None = field(name="leftCount")
    left_usd: Decimal | None = field(name="leftUsd")
    per: str
    rule: str
    window: str


class LimitSimulationReply(Struct, frozen=True, kw_only=True):
    """LimitSimulationReply"""

    count: int
    is_complete: bool = field(name="isComplete")
    limits: SimulatedRulesReply
    since: datetime
    today: SimulatedRulesReply
    usd: Decimal


class LimitsDocument(Struct, frozen=True, kw_only=True):
    """LimitsDocument"""

    allow: ListDocument | None = None
    block: ListDocument | None = None
    cool_down: CoolDownDocument | None = field(default=None, name="coolDown")
    rules: list[RuleDocument] | None = None


class LimitsReply(Struct, frozen=True, kw_only=True):
    """LimitsReply"""

    left: list[LimitRemainingReply]
    limits: LimitsDocument
    set_at: datetime | None = field(name="setAt")
    version: int


class ListDocument(Struct, frozen=True, kw_only=True):
    """ListDocument"""

    destinations: list[str]
    over: str | None = None


class ListedAccount(Struct, frozen=True, kw_only=True):
    """ListedAccount"""

    account_holder_city: str | None = field(name="accountHolderCity")
    account_holder_country: str | None = field(name="accountHolderCountry")
    account_holder_name: str | None = field(name="accountHolderName")
    account_holder_postal_code: str | None = field(name="accountHolderPostalCode")
    account_holder_state_province_region: str | None = field(
        name="accountHolderStateProvinceRegion"
    )
    account_holder_street_line1: str | None = field(name="accountHolderStreetLine1")
    account_id: str = field(name="accountId")
    account_number: str | None = field(name="accountNumber")
    account_type: str | None = field(name="accountType")
    bank_country: str | None = field(name="bankCountry")
    bank_name: str | None = field(name="bankName")
    business_identifier_code: str | None = field(default=None, name="businessIdentifierCode")
    created_at: datetime = field(name="createdAt")
    metadata: dict[str, str] | None = None
    rail: RailReply
    routing_number: str | None = field(name="routingNumber")
    status: str
    type: str
    user_id: str = field(name="userId")


class ListedApproval(Struct, frozen=True, kw_only=True):
    """ListedApproval"""

    created_at: datetime = field(name="createdAt")
    expires_at: datetime = field(name="expiresAt")
    from_dashboard: bool = field(name="fromDashboard")
    id: str
    initiator_profile_id: str = field(name="initiatorProfileId")
    needs_second: bool = field(name="needsSecond")
    status: str
    threshold: int
    transfer_id: str = field(name="transferId")
    transfer_type: str = field(name="transferType")
    updated_at: datetime = field(name="updatedAt")
    user_id: str = field(name="userId")
    votes: list[CastVoteReply]
    votes_for: int = field(name="votesFor")


class ListedApprovalPage(Struct, frozen=True, kw_only=True):
    """ListedApprovalPage"""

    approvals: list[ListedApproval]
    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")


class ListedHit(Struct, frozen=True, kw_only=True):
    """ListedHit"""

    category: str
    list: str
    program: str
    score: int


class ListedReview(Struct, frozen=True, kw_only=True):
    """ListedReview"""

    created_at: datetime = field(name="createdAt")
    documents_count: int = field(name="documentsCount")
    id: str
    rails: Any
    screening: ListedScreening
    status: str
    submitted_at: datetime = field(name="submittedAt")
    updated_at: datetime = field(name="updatedAt")
    user: ListedUser
    version: int


class ListedScreening(Struct, frozen=True, kw_only=True):
    """ListedScreening"""

    hits: list[ListedHit]
    list_version: str | None = field(name="listVersion")
    unread_count: int = field(name="unreadCount")


class ListedStatus(Struct, frozen=True, kw_only=True):
    """ListedStatus"""

    created_at: datetime = field(name="createdAt")
    rails: Any
    status: str
    updated_at: datetime = field(name="updatedAt")
    user: ListedUser


class ListedUser(Struct, frozen=True, kw_only=True):
    """ListedUser"""

    email: str
    id: str
    name: str
    type: str


class LoggedBodies(Struct, frozen=True, kw_only=True):
    """LoggedBodies"""

    answer_body: Any = field(name="answerBody")
    at: datetime
    key_id: str | None = field(name="keyId")
    left_out_after: int = field(name="leftOutAfter")
    method: str
    milliseconds: Decimal
    path: str
    query: dict[str, Any]
    request_body: Any = field(name="requestBody")
    request_id: str | None = field(name="requestId")
    route: str
    status: int
    x_request_id: str = field(name="xRequestId")


class LoggedPage(Struct, frozen=True, kw_only=True):
    """LoggedPage"""

    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")
    requests: list[LoggedRequest]


class LoggedRequest(Struct, frozen=True, kw_only=True):
    """LoggedRequest"""

    at: datetime
    key_id: str | None = field(name="keyId")
    left_out_after: int = field(name="leftOutAfter")
    method: str
    milliseconds: Decimal
    path: str
    query: dict[str, Any]
    request_id: str | None = field(name="requestId")
    route: str
    status: int
    x_request_id: str = field(name="xRequestId")


class MarketReply(Struct, frozen=True, kw_only=True):
    """MarketReply"""

    received: Decimal | None


class Measure(Struct, frozen=True, kw_only=True):
    """Measure"""

    digits: int | None = None
    filters: TemplateFilters | None = None
    function: str
    if_zero: str | None = field(default=None, name="ifZero")
    left: Operand | None = None
    of: str | None = None
    right: Operand | None = None
    rounding: str | None = None


class MetadataReply(Struct, frozen=True, kw_only=True):
    """MetadataReply"""

    metadata: dict[str, str]


class MethodStatus(Struct, frozen=True, kw_only=True):
    """MethodStatus"""

    message: str
    status: str
    warnings: list[str]


class MetricEnvelope(Struct, frozen=True, kw_only=True):
    """MetricEnvelope"""

    data: MetricReply
    metadata: dict[str, Any]
    status: str


class MetricList(Struct, frozen=True, kw_only=True):
    """MetricList"""

    data: list[MetricReply]
    metadata: MetricListMetadata
    status: str


class MetricListMetadata(Struct, frozen=True, kw_only=True):
    """MetricListMetadata"""

    count: int
    profile_id: str = field(name="profileId")


class MetricReply(Struct, frozen=True, kw_only=True):
    """MetricReply"""

    created_at: datetime = field(name="createdAt")
    id: str
    name: str
    params: dict[str, Any]
    profile_id: str = field(name="profileId")
    template: str
    template_version: int | None = field(default=None, name="templateVersion")
    updated_at: datetime = field(name="updatedAt")


class MetricResultReply(Struct, frozen=True, kw_only=True):
    """MetricResultReply"""

    data: list[dict[str, Any]]
    metadata: ResultMetadata
    status: str


class MexicoBank(Struct, frozen=True, kw_only=True):
    """MexicoBank"""

    currency: str | None = None
    spei_clabe: str | None = field(default=None, name="speiClabe")
    spei_institution_code: str | None = field(default=None, name="speiInstitutionCode")
    spei_protocol: str | None = field(default=None, name="speiProtocol")


class MexicoGlobalNetworkBank(Struct, frozen=True, kw_only=True):
    """MexicoGlobalNetworkBank"""

    currency: str | None = None
    spei_clabe: str | None = field(default=None, name="speiClabe")


class MicroDepositReply(Struct, frozen=True, kw_only=True):
    """MicroDepositReply"""

    amount: int
    created_at: datetime = field(name="createdAt")
    currency: str
    id: str
    source_bank_info: SourceBankInfo = field(name="sourceBankInfo")


class MicroDeposits(Struct, frozen=True, kw_only=True):
    """MicroDeposits"""

    count: int
    data: list[MicroDepositReply]


class NigeriaGlobalNetworkBank(Struct, frozen=True, kw_only=True):
    """NigeriaGlobalNetworkBank"""

    account_number: str | None = field(default=None, name="accountNumber")
    bank_name: str | None = field(default=None, name="bankName")
    currency: str | None = None


class NumbersReply(Struct, frozen=True, kw_only=True):
    """NumbersReply"""

    account_number: str = field(name="accountNumber")
    routing_number: str = field(name="routingNumber")


class OfframpDepositReply(Struct, frozen=True, kw_only=True):
    """OfframpDepositReply"""

    amount: Decimal
    chain: str
    collectable: bool
    collected: bool
    contract_address: str = field(name="contractAddress")
    currency: str
    expires_at: datetime = field(name="expiresAt")
    from_address: str = field(name="fromAddress")
    id: str
    raw_amount: str = field(name="rawAmount")
    to_address: str = field(name="toAddress")
    transaction_hash: str | None = field(name="transactionHash")


class OfframpDestinationReply(Struct, frozen=True, kw_only=True):
    """OfframpDestinationReply"""

    account_id: str = field(name="accountId")
    amount: Decimal
    currency: str
    same_day_ach: bool = field(name="sameDayAch")
    user: PartyReply | None
    user_id: str = field(name="userId")


class OfframpDetailsReply(Struct, frozen=True, kw_only=True):
    """OfframpDetailsReply"""

    amount_in_usd: Decimal
    approval: ApprovalReply | None = None
    created_at: datetime = field(name="createdAt")
    deposit_information: list[OfframpDepositReply] = field(name="depositInformation")
    destination: OfframpDestinationReply
    developer_fee: DeveloperFeeReply | None = field(name="developerFee")
    failed_reason: str | None = field(name="failedReason")
    id: str
    quote_information: OfframpQuoteReply | None = field(name="quoteInformation")
    receipt: OfframpReceiptReply
    request_id: str = field(name="requestId")
    source: OfframpSourceReply
    status: str
    updated_at: datetime = field(name="updatedAt")


class OfframpEvent(Struct, frozen=True, kw_only=True):
    """An event.

        `data` is the object as its retrieve route returned it right after the change, null if
    it can no     longer be shown. `createdAt` is when it happened, `timestamp` when it was
    delivered or read.     `sequence` grows with each event of the object `objectId`, possibly
    with gaps.
    """

    created_at: str = field(name="createdAt")
    data: OfframpReply | None
    event_action: str = field(name="eventAction")
    event_category: str = field(name="eventCategory")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    object_id: str = field(name="objectId")
    sequence: int
    timestamp: str
    version: str


class OfframpPage(Struct, frozen=True, kw_only=True):
    """OfframpPage"""

    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")
    records: list[OfframpReply]


class OfframpQuoteReply(Struct, frozen=True, kw_only=True):
    """OfframpQuoteReply"""

    expires_at: datetime = field(name="expiresAt")
    rate: Decimal
    receive_gross: QuotedAmount = field(name="receiveGross")
    receive_net: QuotedAmount = field(name="receiveNet")
    send_gross: QuotedAmount = field(name="sendGross")
    send_net: QuotedAmount = field(name="sendNet")


class OfframpReceiptReply(Struct, frozen=True, kw_only=True):
    """OfframpReceiptReply"""

    payment_tracking: PaymentTrackingReply | None = field(name="paymentTracking")
    transaction_hash: str | None = field(name="transactionHash")


class OfframpReply(Struct, frozen=True, kw_only=True):
    """OfframpReply"""

    dry_run: DryRunReply | None = field(default=None, name="dryRun")
    metadata: dict[str, str] | None = None
    timeline: TimelineReply | None = None
    transfer_details: OfframpDetailsReply = field(name="transferDetails")
    transfer_type: str = field(name="transferType")


class OfframpSourceReply(Struct, frozen=True, kw_only=True):
    """OfframpSourceReply"""

    amount: Decimal
    chain: str
    currency: str
    external_wallet_id: str | None = field(name="externalWalletId")
    user: PartyReply | None
    user_id: str = field(name="userId")
    wallet_address: str = field(name="walletAddress")


class OldestOrderReply(Struct, frozen=True, kw_only=True):
    """OldestOrderReply"""

    record_id: str | None = field(name="recordId")
    state: str
    waits_for: str | None = field(name="waitsFor")
    waits_since: datetime = field(name="waitsSince")


class OnrampDestinationReply(Struct, frozen=True, kw_only=True):
    """OnrampDestinationReply"""

    amount: Decimal
    chain: str
    currency: str
    external_wallet_id: str | None = field(name="externalWalletId")
    user: PartyReply | None
    user_id: str = field(name="userId")
    wallet_address: str = field(name="walletAddress")


class OnrampDetailsReply(Struct, frozen=True, kw_only=True):
    """OnrampDetailsReply"""

    amount_in_usd: Decimal
    created_at: datetime = field(name="createdAt")
    deposit_info: DepositInfoReply | None = field(name="depositInfo")
    destination: OnrampDestinationReply
    developer_fee: None = field(name="developerFee")
    failed_reason: str | None = field(name="failedReason")
    id: str
    quote_information: OnrampQuoteReply = field(name="quoteInformation")
    receipt: OnrampReceiptReply
    request_id: str = field(name="requestId")
    source: OnrampSourceReply
    status: str
    updated_at: datetime = field(name="updatedAt")
    virtual_account_id: str | None = field(name="virtualAccountId")


class OnrampEvent(Struct, frozen=True, kw_only=True):
    """An event.

        `data` is the object as its retrieve route returned it right after the change, null if
    it can no     longer be shown. `createdAt` is when it happened, `timestamp` when it was
    delivered or read.     `sequence` grows with each event of the object `objectId`, possibly
    with gaps.
    """

    created_at: str = field(name="createdAt")
    data: OnrampReply | None
    event_action: str = field(name="eventAction")
    event_category: str = field(name="eventCategory")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    object_id: str = field(name="objectId")
    sequence: int
    timestamp: str
    version: str


class OnrampPage(Struct, frozen=True, kw_only=True):
    """OnrampPage"""

    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")
    records: list[OnrampReply]


class OnrampQuoteReply(Struct, frozen=True, kw_only=True):
    """OnrampQuoteReply"""

    expires_at: datetime = field(name="expiresAt")
    rail_fee: QuotedAmount = field(name="railFee")
    rate: Decimal
    receive_gross: QuotedAmount = field(name="receiveGross")
    receive_net: QuotedAmount = field(name="receiveNet")
    send_gross: QuotedAmount = field(name="sendGross")
    send_net: QuotedAmount = field(name="sendNet")


class OnrampReceiptReply(Struct, frozen=True, kw_only=True):
    """OnrampReceiptReply"""

    transaction_hash: str | None = field(default=None, name="transactionHash")
    user_op_hash: str | None = field(name="userOpHash")


class OnrampReply(Struct, frozen=True, kw_only=True):
    """OnrampReply"""

    dry_run: DryRunReply | None = field(default=None, name="dryRun")
    metadata: dict[str, str] | None = None
    timeline: TimelineReply | None = None
    transfer_details: OnrampDetailsReply = field(name="transferDetails")
    transfer_type: str = field(name="transferType")


class OnrampSourceReply(Struct, frozen=True, kw_only=True):
    """OnrampSourceReply"""

    account_id: str | None = field(name="accountId")
    amount: Decimal
    bank_info: BankInfoReply | None = field(name="bankInfo")
    currency: str
    user: PartyReply | None
    user_id: str = field(name="userId")


class OpenOrdersReply(Struct, frozen=True, kw_only=True):
    """OpenOrdersReply"""

    count: int
    oldest: OldestOrderReply | None
    states: list[OrderCountReply]


class Operand(Struct, frozen=True, kw_only=True):
    """Operand"""

    digits: int | None = None
    filters: TemplateFilters | None = None
    function: str
    of: str | None = None
    rounding: str | None = None


class OperationReply(Struct, frozen=True, kw_only=True):
    """OperationReply"""

    chain: str | None
    transaction_hash: str | None = field(name="transactionHash")
    user_op_hash: str | None = field(name="userOpHash")


class OperationsReply(Struct, frozen=True, kw_only=True):
    """OperationsReply"""

    approve: OperationReply | None
    burn: OperationReply | None
    mint: OperationReply | None


class OptionList(Struct, frozen=True, kw_only=True):
    """OptionList"""

    data: list[str]
    metadata: OptionMetadata
    status: str


class OptionMetadata(Struct, frozen=True, kw_only=True):
    """OptionMetadata"""

    count: int
    has_more: bool = field(name="hasMore")
    limit: int
    page: int
    total: int
    total_pages: int = field(name="totalPages")


class OrderCountReply(Struct, frozen=True, kw_only=True):
    """OrderCountReply"""

    count: int
    state: str


class OutcomeReply(Struct, frozen=True, kw_only=True):
    """OutcomeReply"""

    default_delay: str | None = field(name="defaultDelay")
    description: str
    outcome: str
    step: str
    transfer_types: list[str] = field(name="transferTypes")


class OutcomesReply(Struct, frozen=True, kw_only=True):
    """OutcomesReply"""

    header: str
    outcomes: list[OutcomeReply]


class OwnerStatus(Struct, frozen=True, kw_only=True):
    """OwnerStatus"""

    details: IndividualDetails
    id: str
    message: str
    review_result: CheckResultReply = field(name="reviewResult")
    status: str


class OwnersReply(Struct, frozen=True, kw_only=True):
    """OwnersReply"""

    details: list[OwnerStatus]
    review_result: CheckResultReply = field(name="reviewResult")


class OwnershipChallengeReply(Struct, frozen=True, kw_only=True):
    """OwnershipChallengeReply"""

    expires_at: datetime = field(name="expiresAt")
    message: str


class ParamReply(Struct, frozen=True, kw_only=True):
    """ParamReply"""

    constraints: dict[str, Any]
    description: str
    multiple: bool
    name: str
    options: list[str]
    options_endpoint: str | None = field(default=None, name="optionsEndpoint")
    required: bool
    type: str


class PartReply(Struct, frozen=True, kw_only=True):
    """PartReply"""

    calculation_model: str = field(name="calculationModel")
    tiers: list[TierReply] | None
    type: str
    value: Decimal | None
    wallet_address: str = field(name="walletAddress")


class PartyReply(Struct, frozen=True, kw_only=True):
    """PartyReply"""

    business_name: str | None = field(name="businessName")
    email: str
    first_name: str | None = field(name="firstName")
    last_name: str | None = field(name="lastName")


class PastDecision(Struct, frozen=True, kw_only=True):
    """PastDecision"""

    actor: str
    at: datetime
    comment: str | None
    note: str | None
    reject_reasons: list[str] = field(name="rejectReasons")
    status: str


class PayeeReply(Struct, frozen=True, kw_only=True):
    """PayeeReply"""

    address: str
    amount: Decimal
    user_id: str | None = field(name="userId")
    user_name: str | None = field(name="userName")


class PayeeVerificationReply(Struct, frozen=True, kw_only=True):
    """PayeeVerificationReply"""

    checked_at: datetime = field(name="checkedAt")
    match: str
    name: str | None = None


class PaymentScreeningList(Struct, frozen=True, kw_only=True):
    """PaymentScreeningList"""

    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")
    reviews: list[PaymentScreeningReply]


class PaymentScreeningReply(Struct, frozen=True, kw_only=True):
    """PaymentScreeningReply"""

    amount: Decimal
    categories: list[str]
    chain: str | None
    created_at: datetime = field(name="createdAt")
    currency: str
    destination_address: str | None = field(name="destinationAddress")
    id: str
    missing: list[str]
    payment_rail: str | None = field(name="paymentRail")
    provider: str | None
    reference: str | None
    source_address: str | None = field(name="sourceAddress")
    status: str
    transfer_id: str = field(name="transferId")
    transfer_type: str = field(name="transferType")
    updated_at: datetime = field(name="updatedAt")
    user_id: str = field(name="userId")


class PaymentTrackingReply(Struct, frozen=True, kw_only=True):
    """PaymentTrackingReply"""

    fed_batch_id: str | None = field(default=None, name="fedBatchId")
    imad: str | None
    omad: str | None
    payment_rail: str = field(name="paymentRail")
    trace_number: str | None = field(default=None, name="traceNumber")
    uetr: str | None


class PendingApproval(Struct, frozen=True, kw_only=True):
    """PendingApproval"""

    created_at: datetime = field(name="createdAt")
    id: str
    status: str
    transfer_id: str = field(name="transferId")
    transfer_type: str = field(name="transferType")
    updated_at: datetime = field(name="updatedAt")


class PlannedApprovalReply(Struct, frozen=True, kw_only=True):
    """PlannedApprovalReply"""

    expires_at: datetime = field(name="expiresAt")
    needs_second: bool = field(name="needsSecond")
    threshold: int


class PlannedJournalReply(Struct, frozen=True, kw_only=True):
    """PlannedJournalReply"""

    postings: list[PlannedPostingReply]
    status: str


class PlannedLimitsReply(Struct, frozen=True, kw_only=True):
    """PlannedLimitsReply"""

    findings: list[FindingReply]
    left: list[LimitRemainingReply]


class PlannedPostingReply(Struct, frozen=True, kw_only=True):
    """PlannedPostingReply"""

    account: str
    available: str
    chain: str
    currency: str
    held: str
    user_id: str | None = field(name="userId")
    wallet_address: str | None = field(name="walletAddress")


class Pong(Struct, frozen=True, kw_only=True):
    """Pong"""

    message: str


class PositionReply(Struct, frozen=True, kw_only=True):
    """PositionReply"""

    accepted_amount: Decimal = field(name="acceptedAmount")
    currency: str
    difference_amount: Decimal = field(name="differenceAmount")
    ledger_amount: Decimal = field(name="ledgerAmount")
    outside_amount: Decimal = field(name="outsideAmount")
    unexplained_amount: Decimal = field(name="unexplainedAmount")


class ProviderCallsReply(Struct, frozen=True, kw_only=True):
    """ProviderCallsReply"""

    count: int
    failed: int
    last_failed_at: datetime | None = field(name="lastFailedAt")
    last_failure: str | None = field(name="lastFailure")


class ProviderLinkReply(Struct, frozen=True, kw_only=True):
    """ProviderLinkReply"""

    expires_at: datetime | None = field(name="expiresAt")
    url: str


class ProviderList(Struct, frozen=True, kw_only=True):
    """ProviderList"""

    count: int
    providers: list[ProviderReply]


class ProviderReply(Struct, frozen=True, kw_only=True):
    """ProviderReply"""

    calls: ProviderCallsReply | None
    has_run_live: bool = field(name="hasRunLive")
    health: str
    kind: str
    last_answer_at: datetime | None = field(name="lastAnswerAt")
    name: str
    problem_count: int = field(name="problemCount")
    serves: list[ServedRouteReply]
    waiting: list[WaitingItemReply]
    waiting_count: int = field(name="waitingCount")


class QuoteReply(Struct, frozen=True, kw_only=True):
    """QuoteReply"""

    expires_at: datetime = field(name="expiresAt")
    rate: Decimal
    receive_gross: QuotedAmount = field(name="receiveGross")
    receive_net: QuotedAmount = field(name="receiveNet")
    send_gross: QuotedAmount = field(name="sendGross")
    send_net: QuotedAmount = field(name="sendNet")


class QuotedAmount(Struct, frozen=True, kw_only=True):
    """QuotedAmount"""

    amount: Decimal
    currency: str


class RailInstructions(Struct, frozen=True, kw_only=True):
    """RailInstructions"""

    account_number: str = field(name="accountNumber")
    routing_number: str = field(name="routingNumber")


class RailRateReply(Struct, frozen=True, kw_only=True):
    """RailRateReply"""

    conversion_rate: Decimal = field(name="conversionRate")
    transfer_type: str = field(name="transferType")


class RailReply(Struct, frozen=True, kw_only=True):
    """RailReply"""

    currency: str
    payment_rail: str | None = field(name="paymentRail")
    rail_type: str = field(name="railType")


class RailStatus(Struct, frozen=True, kw_only=True):
    """RailStatus"""

    limit: dict[str, Any] | None = None
    message: str
    off_ramp: dict[str, dict[str, MethodStatus]] = field(name="offRamp")
    on_ramp: dict[str, dict[str, MethodStatus]] = field(name="onRamp")
    status: str
    warnings: list[str]


class RailStatusData(Struct, frozen=True, kw_only=True):
    """RailStatusData"""

    limit: dict[str, Any] | None = None
    message: str
    off_ramp: dict[str, dict[str, MethodStatus]] = field(name="offRamp")
    on_ramp: dict[str, dict[str, MethodStatus]] = field(name="onRamp")
    rails: str
    status: str
    user_id: str = field(name="userId")
    warnings: list[str]


class RateReply(Struct, frozen=True, kw_only=True):
    """RateReply"""

    conversion_rate: Decimal = field(name="conversionRate")
    conversion_rates: list[RailRateReply] = field(name="conversionRates")
    from_currency: str = field(name="fromCurrency")
    to_currency: str = field(name="toCurrency")


class ReceivableList(Struct, frozen=True, kw_only=True):
    """ReceivableList"""

    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")
    reviews: list[ReceivableReply]


class ReceivableReply(Struct, frozen=True, kw_only=True):
    """ReceivableReply"""

    amount: Decimal
    created_at: datetime = field(name="createdAt")
    currency: str
    id: str
    reason: str
    status: str
    transfer_id: str = field(name="transferId")
    transfer_type: str = field(name="transferType")
    updated_at: datetime = field(name="updatedAt")
    user_id: str = field(name="userId")


class RecipientReply(Struct, frozen=True, kw_only=True):
    """RecipientReply"""

    account_id: str | None = field(name="accountId")
    account_number: str | None = field(name="accountNumber")
    address: str | None
    bank_name: str | None = field(name="bankName")
    count: int
    user_id: str | None = field(name="userId")
    user_name: str | None = field(name="userName")


class ReconRunPage(Struct, frozen=True, kw_only=True):
    """ReconRunPage"""

    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")
    runs: list[ReconRunReply]


class ReconRunReply(Struct, frozen=True, kw_only=True):
    """ReconRunReply"""

    block_hash: str | None = field(name="blockHash")
    block_number: int | None = field(name="blockNumber")
    compared_at: datetime = field(name="comparedAt")
    failure: str | None
    id: str
    open_count: int = field(name="openCount")
    source: str


class ReconSourceReply(Struct, frozen=True, kw_only=True):
    """ReconSourceReply"""

    block_hash: str = field(name="blockHash")
    block_number: int = field(name="blockNumber")
    failure: str | None
    last_good_at: datetime | None = field(name="lastGoodAt")
    last_run_at: datetime = field(name="lastRunAt")
    positions: list[PositionReply]
    source: str


class ReconSourcesReply(Struct, frozen=True, kw_only=True):
    """ReconSourcesReply"""

    count: int
    sources: list[ReconSourceReply]


class RejectionReply(Struct, frozen=True, kw_only=True):
    """RejectionReply"""

    approval_id: str = field(name="approvalId")
    message: str
    reason: str
    status: str
    success: bool
    timestamp: datetime


class ReportEvent(Struct, frozen=True, kw_only=True):
    """An event.

        `data` is the object as its retrieve route returned it right after the change, null if
    it can no     longer be shown. `createdAt` is when it happened, `timestamp` when it was
    delivered or read.     `sequence` grows with each event of the object `objectId`, possibly
    with gaps.
    """

    created_at: str = field(name="createdAt")
    data: RunShape | None
    event_action: str = field(name="eventAction")
    event_category: str = field(name="eventCategory")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    object_id: str = field(name="objectId")
    sequence: int
    timestamp: str
    version: str


class RequestReply(Struct, frozen=True, kw_only=True):
    """RequestReply"""

    created_at: datetime = field(name="createdAt")
    href: str
    id: str
    is_final: bool = field(name="isFinal")
    kind: str
    outcome_plan: str | None = field(name="outcomePlan")
    request_id: str = field(name="requestId")
    status: str | None
    updated_at: datetime = field(name="updatedAt")


class RequirementsReply(Struct, frozen=True, kw_only=True):
    """RequirementsReply"""

    invalid: dict[str, Any]
    optional: dict[str, Any]
    rails: Any
    required: dict[str, Any]
    type: str
    user_id: str = field(name="userId")


class ResendReply(Struct, frozen=True, kw_only=True):
    """ResendReply"""

    count: int | None
    has_more: bool = field(name="hasMore")
    only: str
    since: datetime


class ResolutionPage(Struct, frozen=True, kw_only=True):
    """ResolutionPage"""

    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")
    resolutions: list[ResolutionReply]


class ResolutionReply(Struct, frozen=True, kw_only=True):
    """ResolutionReply"""

    account_id: str | None = field(name="accountId")
    action: str
    address: str | None
    approval_id: str | None = field(name="approvalId")
    approval_status: str | None = field(name="approvalStatus")
    created_at: datetime = field(name="createdAt")
    evidence: str | None
    failed_reason: str | None = field(name="failedReason")
    id: str
    requested_by: str = field(name="requestedBy")
    status: str
    transaction_hash: str | None = field(name="transactionHash")
    transfer_id: str = field(name="transferId")
    transfer_type: str = field(name="transferType")
    updated_at: datetime = field(name="updatedAt")


class ResolvableReply(Struct, frozen=True, kw_only=True):
    """ResolvableReply"""

    actions: list[ActionReply]
    attention: str | None
    resolutions: list[ResolutionReply]
    status: str
    transfer_id: str = field(name="transferId")
    transfer_type: str = field(name="transferType")


class ResultMetadata(Struct, frozen=True, kw_only=True):
    """ResultMetadata"""

    breakdowns: Breakdowns | None
    calculation_interval: str = field(name="calculationInterval")
    date_range: DateRange = field(name="dateRange")
    filled_count: int = field(name="filledCount")
    filters: dict[str, AppliedFilter]
    has_more: bool = field(name="hasMore")
    metric: str | None = None
    projected_row_count: int | None = field(name="projectedRowCount")
    record_count: int = field(name="recordCount")
    template: str
    time_zone: str = field(name="timeZone")


class RevealedNumber(Struct, frozen=True, kw_only=True):
    """RevealedNumber"""

    value: str


class ReviewPage(Struct, frozen=True, kw_only=True):
    """ReviewPage"""

    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")
    reviews: list[ListedReview]


class ReviewReply(Struct, frozen=True, kw_only=True):
    """ReviewReply"""

    created_at: datetime = field(name="createdAt")
    documents: list[ReviewedDocument]
    history: list[PastDecision]
    id: str
    kyc_info: dict[str, Any] = field(name="kycInfo")
    rails: Any
    screening: ReviewedScreening
    status: str
    submitted_at: datetime = field(name="submittedAt")
    ultimate_beneficial_owners: list[dict[str, Any]] = field(name="ultimateBeneficialOwners")
    updated_at: datetime = field(name="updatedAt")
    user: ListedUser
    version: int


class ReviewedAccount(Struct, frozen=True, kw_only=True):
    """ReviewedAccount"""

    account_holder: ReviewedHolder | None = field(name="accountHolder")
    account_number: str | None = field(name="accountNumber")
    bank_country: str | None = field(name="bankCountry")
    bank_name: str | None = field(name="bankName")
    rail: RailReply
    type: str


class ReviewedDocument(Struct, frozen=True, kw_only=True):
    """ReviewedDocument"""

    description: str | None
    expiry_date: str | None = field(name="expiryDate")
    file_id: str | None = field(name="fileId")
    id: str
    issued_country: str = field(name="issuedCountry")
    issued_date: str | None = field(name="issuedDate")
    number: str | None
    sub_type: str = field(name="subType")
    type: str
    ubo_id: str | None = field(name="uboId")
    url: str | None


class ReviewedHolder(Struct, frozen=True, kw_only=True):
    """ReviewedHolder"""

    city: str | None
    country: str | None
    date_of_birth: str | None = field(name="dateOfBirth")
    formation_date: str | None = field(name="formationDate")
    name: str
    nationality: str | None
    type: str


class ReviewedScreening(Struct, frozen=True, kw_only=True):
    """ReviewedScreening"""

    hits: list[dict[str, Any]]
    list_version: str | None = field(name="listVersion")
    unread: list[str]


class RfiReply(Struct, frozen=True, kw_only=True):
    """RfiReply"""

    answer: str | None
    answered_at: datetime | None = field(name="answeredAt")
    closed_at: datetime | None = field(name="closedAt")
    comment: str | None
    created_at: datetime = field(name="createdAt")
    file_ids: list[str] = field(name="fileIds")
    id: str
    opened_by: str = field(name="openedBy")
    question: str | None
    status: str
    updated_at: datetime = field(name="updatedAt")


class RuleDeletedReply(Struct, frozen=True, kw_only=True):
    """RuleDeletedReply"""

    message: str


class RuleDocument(Struct, frozen=True, kw_only=True):
    """RuleDocument"""

    corridors: list[str] | None = None
    id: str
    kinds: list[str] | None = None
    max_count: int | None = field(default=None, name="maxCount")
    max_usd: Decimal | None = field(default=None, name="maxUsd")
    over: str | None = None
    per: str | None = None
    rails: list[str] | None = None
    user_ids: list[str] | None = field(default=None, name="userIds")
    window: str


class RuleMatchReply(Struct, frozen=True, kw_only=True):
    """RuleMatchReply"""

    count: int
    ids: list[str]
    over: str
    rule: str
    usd: Decimal


class RulePage(Struct, frozen=True, kw_only=True):
    """RulePage"""

    count: int
    next_cursor: str | None = field(name="nextCursor")
    rules: list[RuleReply]


class RuleReply(Struct, frozen=True, kw_only=True):
    """RuleReply"""

    chain: str
    id: str
    include_hififee: bool = field(name="includeHIFIFee")
    rules: list[PartReply]


class RunList(Struct, frozen=True, kw_only=True):
    """RunList"""

    data: list[RunShape]
    metadata: dict[str, int]
    status: str


class RunReply(Struct, frozen=True, kw_only=True):
    """RunReply"""

    data: RunShape
    metadata: dict[str, Any]
    status: str


class RunShape(Struct, frozen=True, kw_only=True):
    """RunShape"""

    bytes: int | None
    created_at: datetime = field(name="createdAt")
    download_url: str | None = field(name="downloadUrl")
    due_at: datetime = field(name="dueAt")
    expires_at: datetime = field(name="expiresAt")
    file_name: str | None = field(name="fileName")
    format: str
    id: str
    name: str
    period_end: str = field(name="periodEnd")
    period_start: str = field(name="periodStart")
    reason: str | None
    schedule_id: str = field(name="scheduleId")
    status: str
    time_zone: str = field(name="timeZone")


class ScheduleList(Struct, frozen=True, kw_only=True):
    """ScheduleList"""

    data: list[ScheduleShape]
    metadata: dict[str, int]
    status: str


class ScheduleReply(Struct, frozen=True, kw_only=True):
    """ScheduleReply"""

    data: ScheduleShape
    metadata: dict[str, Any]
    status: str


class ScheduleShape(Struct, frozen=True, kw_only=True):
    """ScheduleShape"""

    at: str
    created_at: datetime = field(name="createdAt")
    every: str
    format: str
    id: str
    metric_id: str | None = field(name="metricId")
    name: str
    next_period_start: str = field(name="nextPeriodStart")
    next_run_at: datetime = field(name="nextRunAt")
    params: dict[str, Any] | None
    recipient_ids: list[str] = field(name="recipientIds")
    template: str | None
    template_version: int | None = field(default=None, name="templateVersion")
    time_zone: str = field(name="timeZone")


class ScreeningHit(Struct, frozen=True, kw_only=True):
    """ScreeningHit"""

    category: str
    entry_id: str = field(name="entryId")
    list: str
    listed_name: str = field(name="listedName")
    name: str
    program: str
    score: int


class SearchReply(Struct, frozen=True, kw_only=True):
    """SearchReply"""

    count: int
    results: list[SearchResultReply]


class SearchResultReply(Struct, frozen=True, kw_only=True):
    """SearchResultReply"""

    detail: str
    id: str
    label: str
    transaction: TransactionReply | None = None
    type: str
    user_id: str = field(name="userId")


class SectionReply(Struct, frozen=True, kw_only=True):
    """SectionReply"""

    review_result: CheckResultReply = field(name="reviewResult")


class ServedRouteReply(Struct, frozen=True, kw_only=True):
    """ServedRouteReply"""

    countries: list[str] | None
    currencies: list[str] | None
    is_fallback: bool = field(name="isFallback")
    rails: list[str] | None
    service: str


class SimulatedDeposit(Struct, frozen=True, kw_only=True):
    """SimulatedDeposit"""

    amount: Decimal
    description: str | None = None
    payment_rail: str = field(name="paymentRail")
    reference: str | None = None
    request_id: str = field(name="requestId")
    source: SimulatedDepositSource
    user_id: str | None = field(default=None, name="userId")


class SimulatedDepositSource(Struct, frozen=True, kw_only=True):
    """SimulatedDepositSource"""

    account_number: str = field(name="accountNumber")
    bank_name: str = field(name="bankName")
    name: str
    routing_number: str = field(name="routingNumber")


class SimulatedRulesReply(Struct, frozen=True, kw_only=True):
    """SimulatedRulesReply"""

    refused: int
    rules: list[RuleMatchReply]
    sent_to_approval: int = field(name="sentToApproval")


class SingaporeGlobalNetworkBank(Struct, frozen=True, kw_only=True):
    """SingaporeGlobalNetworkBank"""

    account_number: str | None = field(default=None, name="accountNumber")
    bank_name: str | None = field(default=None, name="bankName")
    currency: str | None = None
    swift_code: str | None = field(default=None, name="swiftCode")


class SourceBankInfo(Struct, frozen=True, kw_only=True):
    """SourceBankInfo"""

    account_number: str | None = field(name="accountNumber")
    account_type: str | None = field(name="accountType")
    bank_address: str | None = field(name="bankAddress")
    bank_name: str | None = field(name="bankName")
    description: str | None
    fed_batch_id: str | None = field(default=None, name="fedBatchId")
    imad: str | None
    omad: str | None
    payment_rail: str | None = field(name="paymentRail")
    routing_number: str | None = field(name="routingNumber")
    sender_name: str | None = field(name="senderName")
    trace_number: str | None = field(default=None, name="traceNumber")


class StateMachineList(Struct, frozen=True, kw_only=True):
    """StateMachineList"""

    state_machines: list[StateMachineReply] = field(name="stateMachines")


class StateMachineReply(Struct, frozen=True, kw_only=True):
    """StateMachineReply"""

    statuses: list[StatusReply]
    type: str


class StatementAccount(Struct, frozen=True, kw_only=True):
    """StatementAccount"""

    closing_balance: Decimal = field(name="closingBalance")
    currency: str
    lines: list[StatementLineReply]
    opening_balance: Decimal = field(name="openingBalance")
    total_in: Decimal = field(name="totalIn")
    total_out: Decimal = field(name="totalOut")
    wallet: StatementWallet


class StatementCounts(Struct, frozen=True, kw_only=True):
    """StatementCounts"""

    account_count: int = field(name="accountCount")
    line_count: int = field(name="lineCount")


class StatementData(Struct, frozen=True, kw_only=True):
    """StatementData"""

    accounts: list[StatementAccount]
    created_after: datetime = field(name="createdAfter")
    created_before: datetime = field(name="createdBefore")
    organisation: str
    time_zone: str = field(name="timeZone")
    user: StatementUser


class StatementLineReply(Struct, frozen=True, kw_only=True):
    """StatementLineReply"""

    balance: Decimal
    in_: str | None = field(name="in")
    metadata: dict[str, str] | None = None
    out: str | None
    record_id: str = field(name="recordId")
    request_id: str = field(name="requestId")
    status: str
    time: datetime
    type: str


class StatementReply(Struct, frozen=True, kw_only=True):
    """StatementReply"""

    data: StatementData
    metadata: StatementCounts
    status: str


class StatementUser(Struct, frozen=True, kw_only=True):
    """StatementUser"""

    id: str
    name: str


class StatementWallet(Struct, frozen=True, kw_only=True):
    """StatementWallet"""

    address: str
    chain: str
    id: str


class StatusReply(Struct, frozen=True, kw_only=True):
    """StatusReply"""

    is_start: bool = field(name="isStart")
    is_terminal: bool = field(name="isTerminal")
    next: list[str]
    reopens_to: list[str] = field(name="reopensTo")
    status: str
    stuck_after_seconds: int | None = field(name="stuckAfterSeconds")
    waits_for: str | None = field(name="waitsFor")


class StatusTotalReply(Struct, frozen=True, kw_only=True):
    """StatusTotalReply"""

    amount: Decimal
    chain: str | None
    count: int
    currency: str
    status: str


class StuckList(Struct, frozen=True, kw_only=True):
    """StuckList"""

    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")
    stuck: list[StuckReply]


class StuckReply(Struct, frozen=True, kw_only=True):
    """StuckReply"""

    amount: Decimal
    attention: str | None
    cause: str
    chain: str | None
    currency: str
    id: str
    status: str
    type: str
    waits_for: str = field(name="waitsFor")
    waits_since: datetime = field(name="waitsSince")
    waits_until: datetime | None = field(name="waitsUntil")


class SubmissionReplies(Struct, frozen=True, kw_only=True):
    """SubmissionReplies"""

    africa_general: RailStatus | None = field(default=None, name="AFRICA_GENERAL")
    africa_nigeria: RailStatus | None = field(default=None, name="AFRICA_NIGERIA")
    global_network: RailStatus | None = field(default=None, name="GLOBAL_NETWORK")
    south_america_standard: RailStatus | None = field(default=None, name="SOUTH_AMERICA_STANDARD")
    usd: BriefStatus | None = field(default=None, name="USD")


class SwapDestinationReply(Struct, frozen=True, kw_only=True):
    """SwapDestinationReply"""

    amount: Decimal | None
    chain: str
    currency: str
    external_wallet_id: str | None = field(name="externalWalletId")
    user_id: str = field(name="userId")
    wallet_address: str = field(name="walletAddress")


class SwapDetailsReply(Struct, frozen=True, kw_only=True):
    """SwapDetailsReply"""

    billing_information: BillingReply = field(name="billingInformation")
    created_at: datetime = field(name="createdAt")
    destination: SwapDestinationReply
    error: str | None
    error_details: SwapErrorReply | None = field(name="errorDetails")
    id: str
    market: MarketReply | None = None
    quote_information: QuoteReply = field(name="quoteInformation")
    request_id: str = field(name="requestId")
    source: SwapSourceReply
    status: str
    updated_at: datetime = field(name="updatedAt")


class SwapErrorReply(Struct, frozen=True, kw_only=True):
    """SwapErrorReply"""

    code: int | None
    message: str | None


class SwapEvent(Struct, frozen=True, kw_only=True):
    """An event.

        `data` is the object as its retrieve route returned it right after the change, null if
    it can no     longer be shown. `createdAt` is when it happened, `timestamp` when it was
    delivered or read.     `sequence` grows with each event of the object `objectId`, possibly
    with gaps.
    """

    created_at: str = field(name="createdAt")
    data: SwapReply | None
    event_action: str = field(name="eventAction")
    event_category: str = field(name="eventCategory")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    object_id: str = field(name="objectId")
    sequence: int
    timestamp: str
    version: str


class SwapPage(Struct, frozen=True, kw_only=True):
    """SwapPage"""

    count: int
    data: list[SwapReply]
    next_cursor: str | None = field(default=None, name="nextCursor")


class SwapProviderChoiceData(Struct, frozen=True, kw_only=True):
    """SwapProviderChoiceData"""

    chain: str
    destination_currency: str = field(name="destinationCurrency")
    provider: str
    source_currency: str = field(name="sourceCurrency")


class SwapProvidersData(Struct, frozen=True, kw_only=True):
    """SwapProvidersData"""

    choices: list[SwapProviderChoiceData]
    pairs: list[SwapProviderChoiceData]
    version: int


class SwapProvidersReply(Struct, frozen=True, kw_only=True):
    """SwapProvidersReply"""

    data: SwapProvidersData
    metadata: dict[str, Any]
    status: str


class SwapReply(Struct, frozen=True, kw_only=True):
    """SwapReply"""

    dry_run: DryRunReply | None = field(default=None, name="dryRun")
    metadata: dict[str, str] | None = None
    timeline: TimelineReply | None = None
    transfer_details: SwapDetailsReply = field(name="transferDetails")
    transfer_type: str = field(name="transferType")


class SwapSourceReply(Struct, frozen=True, kw_only=True):
    """SwapSourceReply"""

    amount: Decimal
    chain: str
    currency: str
    user_id: str = field(name="userId")


class TemplateDefinition(Struct, frozen=True, kw_only=True):
    """TemplateDefinition"""

    breakdowns: list[str] | None = None
    filters: TemplateFilters | None = None
    intervals: list[str] | None = None
    measure: Measure
    params: list[str] | None = None
    subject: str


class TemplateEnvelope(Struct, frozen=True, kw_only=True):
    """TemplateEnvelope"""

    data: TemplateReply
    metadata: dict[str, Any]
    status: str


class TemplateFilters(Struct, frozen=True, kw_only=True):
    """TemplateFilters"""

    amount_usd: AmountRange | None = field(default=None, name="amountUsd")
    approval_statuses: list[str] | None = field(default=None, name="approvalStatuses")
    chains: list[str] | None = None
    countries: list[str] | None = None
    currencies: list[str] | None = None
    destination_currencies: list[str] | None = field(default=None, name="destinationCurrencies")
    endpoint_ids: list[str] | None = field(default=None, name="endpointIds")
    fee_payers: list[str] | None = field(default=None, name="feePayers")
    holders: list[str] | None = None
    initiated_by: list[str] | None = field(default=None, name="initiatedBy")
    outcomes: list[str] | None = None
    rails: list[str] | None = None
    transaction_statuses: list[str] | None = field(default=None, name="transactionStatuses")
    transaction_types: list[str] | None = field(default=None, name="transactionTypes")
    user_ids: list[str] | None = field(default=None, name="userIds")
    user_types: list[str] | None = field(default=None, name="userTypes")


class TemplateList(Struct, frozen=True, kw_only=True):
    """TemplateList"""

    data: list[TemplateReply]
    metadata: dict[str, int]
    status: str


class TemplateReply(Struct, frozen=True, kw_only=True):
    """TemplateReply"""

    breakdown_options: list[str] = field(name="breakdownOptions")
    definition: TemplateDefinition | None = None
    description: str
    display_name: str = field(name="displayName")
    name: str
    params: list[ParamReply]
    rules: list[str]
    summary: str | None = None
    supported_params: list[ParamReply] = field(name="supportedParams")
    supports_breakdowns: bool = field(name="supportsBreakdowns")
    template: str
    version: int | None = None


class TermsEvent(Struct, frozen=True, kw_only=True):
    """An event.

        `data` is the object as its retrieve route returned it right after the change, null if
    it can no     longer be shown. `createdAt` is when it happened, `timestamp` when it was
    delivered or read.     `sequence` grows with each event of the object `objectId`, possibly
    with gaps.
    """

    created_at: str = field(name="createdAt")
    data: TermsLinkReply | None
    event_action: str = field(name="eventAction")
    event_category: str = field(name="eventCategory")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    object_id: str = field(name="objectId")
    sequence: int
    timestamp: str
    version: str


class TermsLinkCreated(Struct, frozen=True, kw_only=True):
    """TermsLinkCreated"""

    signed_agreement_id: str = field(name="signedAgreementId")
    url: str


class TermsLinkReply(Struct, frozen=True, kw_only=True):
    """TermsLinkReply"""

    created_at: datetime = field(name="createdAt")
    expired_at: datetime = field(name="expiredAt")
    id: str
    session_token: str = field(name="sessionToken")
    signed: bool
    signed_at: datetime | None = field(name="signedAt")
    signed_from: str | None = field(name="signedFrom")
    version: str | None


class TestEventReply(Struct, frozen=True, kw_only=True):
    """TestEventReply"""

    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")


class TierReply(Struct, frozen=True, kw_only=True):
    """TierReply"""

    max: str
    min: str
    value: Decimal


class TimeZone(Struct, frozen=True, kw_only=True):
    """TimeZone"""

    next_time_zone: str | None = field(name="nextTimeZone")
    time_zone: str = field(name="timeZone")


class TimeZoneReply(Struct, frozen=True, kw_only=True):
    """TimeZoneReply"""

    data: TimeZone
    metadata: dict[str, Any]
    status: str


class TimelineReply(Struct, frozen=True, kw_only=True):
    """TimelineReply"""

    is_stuck: bool = field(name="isStuck")
    outcome_plan: str | None = field(name="outcomePlan")
    steps: list[TimelineStepReply]
    waits_for: str | None = field(name="waitsFor")
    waits_since: datetime | None = field(name="waitsSince")
    waits_until: datetime | None = field(name="waitsUntil")


class TimelineStepReply(Struct, frozen=True, kw_only=True):
    """TimelineStepReply"""

    actor: str
    at: datetime
    status: str


class TokenIdentifierData(Struct, frozen=True, kw_only=True):
    """TokenIdentifierData"""

    chain: str
    currency: str
    identifier: str


class TokenInfo(Struct, frozen=True, kw_only=True):
    """TokenInfo"""

    decimals: int
    name: str
    standard: str
    symbol: str
    token_address: str = field(name="tokenAddress")


class TransactionDetailsReply(Struct, frozen=True, kw_only=True):
    """TransactionDetailsReply"""

    created_at: datetime = field(name="createdAt")
    destination: EndReply
    disbursements: list[DisbursementLineReply]
    history: list[ChangeReply]
    id: str
    journals: list[JournalReply]
    metadata: dict[str, str] | None = None
    payees: list[PayeeReply] | None
    request_id: str = field(name="requestId")
    resource: str
    source: EndReply
    status: str
    type: str
    updated_at: datetime = field(name="updatedAt")
    user_id: str = field(name="userId")
    user_name: str | None = field(name="userName")


class TransactionNoteReply(Struct, frozen=True, kw_only=True):
    """TransactionNoteReply"""

    author_id: str = field(name="authorId")
    created_at: datetime = field(name="createdAt")
    id: str
    text: str | None


class TransactionNotesReply(Struct, frozen=True, kw_only=True):
    """TransactionNotesReply"""

    count: int
    notes: list[TransactionNoteReply]


class TransactionPageReply(Struct, frozen=True, kw_only=True):
    """TransactionPageReply"""

    count: int
    data: list[TransactionReply]
    next_cursor: str | None = field(default=None, name="nextCursor")


class TransactionReply(Struct, frozen=True, kw_only=True):
    """TransactionReply"""

    created_at: datetime = field(name="createdAt")
    destination: EndReply
    failed_reason: str | None = field(default=None, name="failedReason")
    fee: EndReply | None = None
    id: str
    metadata: dict[str, str] | None = None
    recipient: RecipientReply | None = None
    request_id: str = field(name="requestId")
    source: EndReply
    status: str
    type: str
    updated_at: datetime = field(name="updatedAt")
    user_id: str = field(name="userId")
    user_name: str | None = field(name="userName")


class TransactionSummaryReply(Struct, frozen=True, kw_only=True):
    """TransactionSummaryReply"""

    is_complete: bool = field(name="isComplete")
    is_open_complete: bool = field(name="isOpenComplete")
    totals: list[StatusTotalReply]


class TransferDestinationReply(Struct, frozen=True, kw_only=True):
    """TransferDestinationReply"""

    user: PartyReply | None
    user_id: str | None = field(name="userId")
    wallet_address: str = field(name="walletAddress")
    wallet_type: str | None = field(name="walletType")


class TransferEvent(Struct, frozen=True, kw_only=True):
    """An event.

        `data` is the object as its retrieve route returned it right after the change, null if
    it can no     longer be shown. `createdAt` is when it happened, `timestamp` when it was
    delivered or read.     `sequence` grows with each event of the object `objectId`, possibly
    with gaps.
    """

    created_at: str = field(name="createdAt")
    data: WalletTransferReply | None
    event_action: str = field(name="eventAction")
    event_category: str = field(name="eventCategory")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    object_id: str = field(name="objectId")
    sequence: int
    timestamp: str
    version: str


class TransferFeeReply(Struct, frozen=True, kw_only=True):
    """TransferFeeReply"""

    failed_reason: str | None = field(name="failedReason")
    fee_amount: Decimal = field(name="feeAmount")
    fee_id: str = field(name="feeId")
    fee_percent: Decimal | None = field(name="feePercent")
    fee_type: str = field(name="feeType")
    status: str
    transaction_hash: str | None = field(default=None, name="transactionHash")


class TransferReceiptReply(Struct, frozen=True, kw_only=True):
    """TransferReceiptReply"""

    transaction_hash: str | None = field(default=None, name="transactionHash")
    user_op_hash: str | None = field(name="userOpHash")


class TransferReview(Struct, frozen=True, kw_only=True):
    """TransferReview"""

    created_at: datetime = field(name="createdAt")
    rfi: RfiReply | None
    rfis: list[RfiReply]
    status: str
    transfer_id: str = field(name="transferId")
    transfer_type: str = field(name="transferType")
    updated_at: datetime = field(name="updatedAt")
    user_id: str = field(name="userId")


class TransferReviewPage(Struct, frozen=True, kw_only=True):
    """TransferReviewPage"""

    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")
    reviews: list[TransferReview]


class TransferSourceReply(Struct, frozen=True, kw_only=True):
    """TransferSourceReply"""

    user: PartyReply | None
    user_id: str = field(name="userId")
    wallet_address: str = field(name="walletAddress")
    wallet_type: str = field(name="walletType")


class TravelRuleEvent(Struct, frozen=True, kw_only=True):
    """An event.

        `data` is the object as its retrieve route returned it right after the change, null if
    it can no     longer be shown. `createdAt` is when it happened, `timestamp` when it was
    delivered or read.     `sequence` grows with each event of the object `objectId`, possibly
    with gaps.
    """

    created_at: str = field(name="createdAt")
    data: WaitingTransferReply | None
    event_action: str = field(name="eventAction")
    event_category: str = field(name="eventCategory")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    object_id: str = field(name="objectId")
    sequence: int
    timestamp: str
    version: str


class TravelRuleMessageReply(Struct, frozen=True, kw_only=True):
    """TravelRuleMessageReply"""

    ivms101: dict[str, Any]


class TravelRuleReply(Struct, frozen=True, kw_only=True):
    """TravelRuleReply"""

    is_enforced: bool = field(name="isEnforced")
    jurisdiction: str | None
    version: int


class TreasuryReply(Struct, frozen=True, kw_only=True):
    """TreasuryReply"""

    address: str | None
    tokens: list[TreasuryTokenReply]


class TreasuryTokenReply(Struct, frozen=True, kw_only=True):
    """TreasuryTokenReply"""

    balance: Decimal | None
    currency: str
    floor: Decimal | None
    is_low: bool = field(name="isLow")
    target: Decimal | None


class UsBank(Struct, frozen=True, kw_only=True):
    """UsBank"""

    account_number: str | None = field(default=None, name="accountNumber")
    account_type: str | None = field(default=None, name="accountType")
    bank_address: Address | None = field(default=None, name="bankAddress")
    bank_name: str | None = field(default=None, name="bankName")
    currency: str | None = None
    iban: str | None = None
    routing_number: str | None = field(default=None, name="routingNumber")
    swift_code: str | None = field(default=None, name="swiftCode")
    transfer_type: str | None = field(default=None, name="transferType")


class UserDetailsReply(Struct, frozen=True, kw_only=True):
    """UserDetailsReply"""

    address: Address | None
    business_name: str | None = field(name="businessName")
    created_at: datetime = field(name="createdAt")
    date_of_birth: str | None = field(name="dateOfBirth")
    email: str | None
    erased_at: datetime | None = field(name="erasedAt")
    first_name: str | None = field(name="firstName")
    ip_address: str | None = field(name="ipAddress")
    last_name: str | None = field(name="lastName")
    request_id: str = field(name="requestId")
    signed_agreement_id: str = field(name="signedAgreementId")
    type: str
    ultimate_beneficial_owners: list[BusinessOwner] = field(name="ultimateBeneficialOwners")
    updated_at: datetime = field(name="updatedAt")
    user_id: str = field(name="userId")


class UserEvent(Struct, frozen=True, kw_only=True):
    """An event.

        `data` is the object as its retrieve route returned it right after the change, null if
    it can no     longer be shown. `createdAt` is when it happened, `timestamp` when it was
    delivered or read.     `sequence` grows with each event of the object `objectId`, possibly
    with gaps.
    """

    created_at: str = field(name="createdAt")
    data: UserReply | None
    event_action: str = field(name="eventAction")
    event_category: str = field(name="eventCategory")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    object_id: str = field(name="objectId")
    sequence: int
    timestamp: str
    version: str


class UserPageReply(Struct, frozen=True, kw_only=True):
    """UserPageReply"""

    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")
    users: list[UserReply]


class UserReply(Struct, frozen=True, kw_only=True):
    """UserReply"""

    created_at: datetime = field(name="createdAt")
    email: str
    id: str
    metadata: dict[str, str] | None = None
    name: str
    type: str
    wallets: dict[str, dict[str, WalletReply]]


class VerificationEvent(Struct, frozen=True, kw_only=True):
    """An event.

        `data` is the object as its retrieve route returned it right after the change, null if
    it can no     longer be shown. `createdAt` is when it happened, `timestamp` when it was
    delivered or read.     `sequence` grows with each event of the object `objectId`, possibly
    with gaps.
    """

    created_at: str = field(name="createdAt")
    data: dict[str, Any] | None
    event_action: str = field(name="eventAction")
    event_category: str = field(name="eventCategory")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    object_id: str = field(name="objectId")
    sequence: int
    timestamp: str
    version: str


class VirtualAccountBeneficiary(Struct, frozen=True, kw_only=True):
    """VirtualAccountBeneficiary"""

    address: str
    name: str


class VirtualAccountDestination(Struct, frozen=True, kw_only=True):
    """VirtualAccountDestination"""

    chain: str
    currency: str
    external_wallet_id: str | None = field(name="externalWalletId")
    wallet_address: str = field(name="walletAddress")


class VirtualAccountEnvelope(Struct, frozen=True, kw_only=True):
    """VirtualAccountEnvelope"""

    account_info: VirtualAccountReply = field(name="accountInfo")
    message: str


class VirtualAccountEvent(Struct, frozen=True, kw_only=True):
    """An event.

        `data` is the object as its retrieve route returned it right after the change, null if
    it can no     longer be shown. `createdAt` is when it happened, `timestamp` when it was
    delivered or read.     `sequence` grows with each event of the object `objectId`, possibly
    with gaps.
    """

    created_at: str = field(name="createdAt")
    data: VirtualAccountReply | None
    event_action: str = field(name="eventAction")
    event_category: str = field(name="eventCategory")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    object_id: str = field(name="objectId")
    sequence: int
    timestamp: str
    version: str


class VirtualAccountPageReply(Struct, frozen=True, kw_only=True):
    """VirtualAccountPageReply"""

    count: int
    data: list[VirtualAccountReply]
    next_cursor: str | None = field(default=None, name="nextCursor")


class VirtualAccountReply(Struct, frozen=True, kw_only=True):
    """VirtualAccountReply"""

    created_at: datetime = field(name="createdAt")
    deposit_instructions: DepositInstructions | None = field(
        default=None, name="depositInstructions"
    )
    destination: VirtualAccountDestination
    id: str
    micro_deposits: MicroDeposits | None = field(default=None, name="microDeposits")
    settlement_rule_id: str | None = field(name="settlementRuleId")
    source: VirtualAccountSource
    status: str
    updated_at: datetime = field(name="updatedAt")
    user_id: str = field(name="userId")


class VirtualAccountSource(Struct, frozen=True, kw_only=True):
    """VirtualAccountSource"""

    currency: str
    payment_rail: list[str] = field(name="paymentRail")


class VoteReply(Struct, frozen=True, kw_only=True):
    """VoteReply"""

    approver_id: str = field(name="approverId")
    comment: str | None
    created_at: datetime = field(name="createdAt")
    vote: str


class WaitingItemReply(Struct, frozen=True, kw_only=True):
    """WaitingItemReply"""

    is_stuck: bool = field(name="isStuck")
    problem: str | None
    record_id: str | None = field(name="recordId")
    screening_id: str | None = field(name="screeningId")
    user_id: str | None = field(name="userId")
    waits_since: datetime = field(name="waitsSince")


class WaitingTransferList(Struct, frozen=True, kw_only=True):
    """WaitingTransferList"""

    count: int
    transfers: list[WaitingTransferReply]


class WaitingTransferReply(Struct, frozen=True, kw_only=True):
    """WaitingTransferReply"""

    amount: Decimal
    chain: str
    created_at: datetime = field(name="createdAt")
    currency: str
    direction: str
    missing: list[str]
    screening_id: str = field(name="screeningId")
    transfer_id: str = field(name="transferId")
    user_id: str | None = field(name="userId")
    wallet_address: str | None = field(name="walletAddress")


class WalletDataReply(Struct, frozen=True, kw_only=True):
    """WalletDataReply"""

    kind: str
    owner: str
    person: WalletOwnerPerson | None
    proven_at: datetime | None = field(name="provenAt")
    travel_address: str | None = field(name="travelAddress")
    updated_at: datetime = field(name="updatedAt")
    user_id: str = field(name="userId")
    vasp_name: str | None = field(name="vaspName")
    version: int
    wallet_address: str = field(name="walletAddress")


class WalletOwnerPerson(Struct, frozen=True, kw_only=True):
    """WalletOwnerPerson"""

    address: Address | None = None
    business_name: str | None = field(default=None, name="businessName")
    date_of_birth: str | None = field(default=None, name="dateOfBirth")
    first_name: str | None = field(default=None, name="firstName")
    gov_id_number: str | None = field(default=None, name="govIdNumber")
    last_name: str | None = field(default=None, name="lastName")
    place_of_birth: str | None = field(default=None, name="placeOfBirth")
    type: str


class WalletReply(Struct, frozen=True, kw_only=True):
    """WalletReply"""

    address: str


class WalletTransferDetailsReply(Struct, frozen=True, kw_only=True):
    """WalletTransferDetailsReply"""

    amount: Decimal
    amount_include_developer_fee: Decimal = field(name="amountIncludeDeveloperFee")
    approval: ApprovalReply | None = None
    chain: str
    contract_address: str = field(name="contractAddress")
    created_at: datetime = field(name="createdAt")
    currency: str
    destination: TransferDestinationReply
    developer_fee: TransferFeeReply | None = field(name="developerFee")
    failed_reason: str | None = field(name="failedReason")
    id: str
    receipt: TransferReceiptReply
    request_id: str = field(name="requestId")
    source: TransferSourceReply
    status: str
    updated_at: datetime = field(name="updatedAt")


class WalletTransferPage(Struct, frozen=True, kw_only=True):
    """WalletTransferPage"""

    count: int
    next_cursor: str | None = field(default=None, name="nextCursor")
    records: list[WalletTransferReply]


class WalletTransferReply(Struct, frozen=True, kw_only=True):
    """WalletTransferReply"""

    dry_run: DryRunReply | None = field(default=None, name="dryRun")
    metadata: dict[str, str] | None = None
    timeline: TimelineReply | None = None
    transfer_details: WalletTransferDetailsReply = field(name="transferDetails")
    transfer_type: str = field(name="transferType")


class WebhookCreatedReply(Struct, frozen=True, kw_only=True):
    """WebhookCreatedReply"""

    create_event_spelling: str = field(name="createEventSpelling")
    created_at: datetime = field(name="createdAt")
    description: str | None
    event_types: list[str] = field(name="eventTypes")
    flagged_at: datetime | None = field(name="flaggedAt")
    flagged_reason: str | None = field(name="flaggedReason")
    id: str
    jwks_url: str = field(name="jwksUrl")
    public_key: str = field(name="publicKey")
    public_keys: list[KeyReply] = field(name="publicKeys")
    secret: str | None
    standard_webhooks: bool = field(name="standardWebhooks")
    status: str
    updated_at: datetime = field(name="updatedAt")
    url: str


class WebhookDeletedReply(Struct, frozen=True, kw_only=True):
    """WebhookDeletedReply"""

    message: str


class WebhookList(Struct, frozen=True, kw_only=True):
    """WebhookList"""

    count: int
    webhooks: list[WebhookReply]


class WebhookReply(Struct, frozen=True, kw_only=True):
    """WebhookReply"""

    create_event_spelling: str = field(name="createEventSpelling")
    created_at: datetime = field(name="createdAt")
    description: str | None
    event_types: list[str] = field(name="eventTypes")
    flagged_at: datetime | None = field(name="flaggedAt")
    flagged_reason: str | None = field(name="flaggedReason")
    id: str
    jwks_url: str = field(name="jwksUrl")
    public_key: str = field(name="publicKey")
    public_keys: list[KeyReply] = field(name="publicKeys")
    standard_webhooks: bool = field(name="standardWebhooks")
    status: str
    updated_at: datetime = field(name="updatedAt")
    url: str


class WebhookTestEvent(Struct, frozen=True, kw_only=True):
    """An event.

        `data` is the object as its retrieve route returned it right after the change, null if
    it can no     longer be shown. `createdAt` is when it happened, `timestamp` when it was
    delivered or read.     `sequence` grows with each event of the object `objectId`, possibly
    with gaps.
    """

    created_at: str = field(name="createdAt")
    data: WebhookReply | None
    event_action: str = field(name="eventAction")
    event_category: str = field(name="eventCategory")
    event_id: str = field(name="eventId")
    event_type: str = field(name="eventType")
    object_id: str = field(name="objectId")
    sequence: int
    timestamp: str
    version: str


EVENTS: dict[str, type[Any]] = {
    "ACCOUNT.OFFRAMP.CREATE": BankAccountEvent,
    "ACCOUNT.OFFRAMP.UPDATE": BankAccountEvent,
    "ACCOUNT.ONRAMP.CREATE": BankAccountEvent,
    "ACCOUNT.ONRAMP.UPDATE": BankAccountEvent,
    "ACCOUNT.VIRTUAL_ACCOUNT.CREATE": VirtualAccountEvent,
    "ACCOUNT.VIRTUAL_ACCOUNT.UPDATE": VirtualAccountEvent,
    "KYC.DATA.UPDATE": KycEvent,
    "KYC.STATUS.CREATE": VerificationEvent,
    "KYC.STATUS.UPDATE": VerificationEvent,
    "KYC_LINK.CREATE": KycLinkEvent,
    "KYC_LINK.UPDATE": KycLinkEvent,
    "OFFRAMP.RFI.CLOSED": OfframpEvent,
    "OFFRAMP.RFI.OPEN": OfframpEvent,
    "OFFRAMP.STATUS.AWAITING_FUNDS": OfframpEvent,
    "OFFRAMP.STATUS.COMPLETED": OfframpEvent,
    "OFFRAMP.STATUS.CRYPTO_FAILED": OfframpEvent,
    "OFFRAMP.STATUS.CRYPTO_INITIATED": OfframpEvent,
    "OFFRAMP.STATUS.CRYPTO_PENDING": OfframpEvent,
    "OFFRAMP.STATUS.CRYPTO_PROCESSED": OfframpEvent,
    "OFFRAMP.STATUS.CRYPTO_RETURNED": OfframpEvent,
    "OFFRAMP.STATUS.EXPIRED": OfframpEvent,
    "OFFRAMP.STATUS.FIAT_FAILED": OfframpEvent,
    "OFFRAMP.STATUS.FIAT_INITIATED": OfframpEvent,
    "OFFRAMP.STATUS.FIAT_PENDING": OfframpEvent,
    "OFFRAMP.STATUS.IN_REVIEW": OfframpEvent,
    "OFFRAMP.STATUS.NOT_INITIATED": OfframpEvent,
    "OFFRAMP.STATUS.OPEN_QUOTE": OfframpEvent,
    "OFFRAMP.STATUS.PENDING_APPROVAL": OfframpEvent,
    "OFFRAMP.STATUS.QUOTE_FAILED": OfframpEvent,
    "OFFRAMP.STATUS.REJECTED": OfframpEvent,
    "OFFRAMP.TRANSACTION.CREATE": OfframpEvent,
    "ONRAMP.RFI.CLOSED": OnrampEvent,
    "ONRAMP.RFI.OPEN": OnrampEvent,
    "ONRAMP.STATUS.AWAITING_FUNDS": OnrampEvent,
    "ONRAMP.STATUS.COMPLETED": OnrampEvent,
    "ONRAMP.STATUS.CRYPTO_FAILED": OnrampEvent,
    "ONRAMP.STATUS.CRYPTO_INITIATED": OnrampEvent,
    "ONRAMP.STATUS.CRYPTO_PENDING": OnrampEvent,
    "ONRAMP.STATUS.FIAT_FAILED": OnrampEvent,
    "ONRAMP.STATUS.FIAT_INITIATED": OnrampEvent,
    "ONRAMP.STATUS.FIAT_PENDING": OnrampEvent,
    "ONRAMP.STATUS.FIAT_PROCESSED": OnrampEvent,
    "ONRAMP.STATUS.FIAT_RETURNED": OnrampEvent,
    "ONRAMP.STATUS.IN_REVIEW": OnrampEvent,
    "ONRAMP.STATUS.NOT_INITIATED": OnrampEvent,
    "ONRAMP.STATUS.OPEN_QUOTE": OnrampEvent,
    "ONRAMP.STATUS.QUOTE_FAILED": OnrampEvent,
    "ONRAMP.STATUS.UNKNOWN": OnrampEvent,
    "ONRAMP.TRANSACTION.CREATE": OnrampEvent,
    "REPORT.FAILED": ReportEvent,
    "REPORT.READY": ReportEvent,
    "TOS_LINK.UPDATE": TermsEvent,
    "TRAVEL_RULE.DATA.MISSING": TravelRuleEvent,
    "USER.CREATE": UserEvent,
    "USER.UPDATE": UserEvent,
    "WALLET.BRIDGE.CREATE": BridgeEvent,
    "WALLET.BRIDGE.UPDATE": BridgeEvent,
    "WALLET.SWAP.STATUS.COMPLETED": SwapEvent,
    "WALLET.SWAP.STATUS.CREATED": SwapEvent,
    "WALLET.SWAP.STATUS.FAILED": SwapEvent,
    "WALLET.SWAP.STATUS.OPEN_QUOTE": SwapEvent,
    "WALLET.SWAP.STATUS.PENDING": SwapEvent,
    "WALLET.SWAP.STATUS.QUOTE_FAILED": SwapEvent,
    "WALLET.SWAP.TRANSACTION.CREATE": SwapEvent,
    "WALLET.TOKEN.BALANCE.UPDATE": DepositEvent,
    "WALLET.TRANSFER.BATCH.CREATE": BatchEvent,
    "WALLET.TRANSFER.BATCH.UPDATE": BatchEvent,
    "WALLET.TRANSFER.CREATE": TransferEvent,
    "WALLET.TRANSFER.UPDATE": TransferEvent,
    "WEBHOOK.TEST": WebhookTestEvent,
}

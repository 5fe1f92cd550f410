// Written by `make sdk` from openapi.json; do not edit.

export interface AcceptedOnrampReply {
  depositInfo: DepositInfoReply | null;
  metadata?: Record<string, string>;
  transferDetails: OnrampDetailsReply;
  transferType: string;
}

export interface AccountDecisionRequest {
  decision: "approve" | "reject";
  reason?: string | null;
}

export interface AccountHolder {
  address?: Address | null;
  dateOfBirth?: string | null;
  email?: string | null;
  formationDate?: string | null;
  idNumber?: string | null;
  idType?: "CC" | "CE" | "NIT" | "PASS" | "PEP" | null;
  name?: string | null;
  nationality?: string | null;
  phone?: string | null;
  type?: "individual" | "business" | null;
}

export interface AccountReply {
  accountHolder: AccountHolder | null;
  africa?: AfricaBank | null;
  argentina?: ArgentinaBank | null;
  brazil?: BrazilBank | null;
  brazilGlobalNetwork?: BrazilGlobalNetworkBank | null;
  chinaGlobalNetwork?: ChinaGlobalNetworkBank | null;
  colombia?: ColombiaBank | null;
  createdAt: string;
  europeGlobalNetwork?: EuropeGlobalNetworkBank | null;
  hongKongGlobalNetwork?: HongKongGlobalNetworkBank | null;
  id: string;
  invalidFields: Array<string>;
  isValid: boolean;
  metadata?: Record<string, string>;
  mexico?: MexicoBank | null;
  mexicoGlobalNetwork?: MexicoGlobalNetworkBank | null;
  nigeriaGlobalNetwork?: NigeriaGlobalNetworkBank | null;
  rail: RailReply;
  reason: string | null;
  singaporeGlobalNetwork?: SingaporeGlobalNetworkBank | null;
  status: string;
  type: string;
  updatedAt: string;
  us?: UsBank | null;
  userId: string;
}

export interface AccountReview {
  account: ReviewedAccount;
  accountId: string;
  createdAt: string;
  hits: Array<ScreeningHit>;
  listVersion: string | null;
  unread: Array<string>;
  userId: string;
}

export interface AccountReviewPage {
  count: number;
  nextCursor?: string;
  reviews: Array<AccountReview>;
}

export interface AccountStatusReply {
  id: string;
  invalidFields: Array<string>;
  message: string;
  status: string;
}

export interface ActionReply {
  action: "CONFIRM" | "FAIL" | "REDIRECT" | "SETTLE_OUTSIDE" | "PAYOUT_RETURNED" | "DEPOSIT_REVERSED" | "RELEASE" | "REJECT" | "RECOVER" | "WRITE_OFF";
  evidence: string;
}

export interface ActorReply {
  id: string | null;
  type: string;
}

export interface AddChains {
  chains: Array<"POLYGON" | "ETHEREUM" | "SOLANA" | "BASE">;
}

export interface Address {
  addressLine1: string;
  addressLine2?: string | "" | null;
  city: string;
  country: string;
  postalCode: string;
  stateProvinceRegion: string;
}

export interface AddressPolicyData {
  allowedAddresses: Array<string>;
  blockedAddresses: Array<string>;
  newAddressAmountMax: number;
  newAddressHours: number;
  version: number;
}

export interface AddressPolicyReply {
  data: AddressPolicyData;
  metadata: Record<string, unknown>;
  status: string;
}

export interface AddressPolicyRequest {
  allowedAddresses?: Array<string>;
  blockedAddresses?: Array<string>;
  newAddressAmountMax?: number;
  newAddressHours?: number;
}

export interface AfricaBank {
  accountNumber?: string | null;
  accountType?: "bank" | "momo" | null;
  country?: "NGA" | "KEN" | "ZAF" | "GHA" | "TZA" | "UGA" | "BWA" | "CMR" | "CAF" | "COG" | "GAB" | "GNQ" | "TCD" | "MWI" | "RWA" | "ZMB" | "BEN" | "BFA" | "CIV" | "GNB" | "MLI" | "NER" | "SEN" | "TGO" | null;
  currency?: "ngn" | "kes" | "zar" | "ghs" | "tzs" | "ugx" | "bwp" | "xaf" | "mwk" | "rwf" | "zmw" | "xof" | null;
  financialInstitute?: string | null;
}

export interface AmountRange {
  maximum?: string | null;
  minimum?: string | null;
}

export interface AppliedFilter {
  applied: string;
  count?: number;
  note?: string;
  specified: boolean;
  values?: unknown;
}

export interface ApprovalEnvelope {
  approval: ApprovalWithVotes;
  message: string;
  success: boolean;
}

export interface ApprovalPage {
  approvals: Array<PendingApproval>;
  count: number;
  message: string;
  success: boolean;
}

export interface ApprovalReply {
  createdAt: string;
  fromDashboard: boolean;
  id: string;
  initiatorProfileId: string;
  status: string;
  transferId: string;
  transferType: string;
  updatedAt: string;
  votes: Array<VoteReply> | null;
}

export interface ApprovalVoteReply {
  approvalId: string;
  message: string;
  status: "PENDING" | "APPROVED" | "REJECTED" | "EXPIRED";
  success: boolean;
  timestamp: string;
}

export interface ApprovalWithVotes {
  createdAt: string;
  id: string;
  status: "PENDING" | "APPROVED" | "REJECTED" | "EXPIRED";
  transferId: string;
  transferType: string;
  updatedAt: string;
  votes: Array<CastVoteReply>;
}

export interface ApproveRequest {
  comment?: string | "" | null;
}

export interface ArgentinaBank {
  accountNumber?: string | null;
  accountType?: "CVU" | "CBU" | "ALIAS" | null;
  currency?: "ars" | null;
}

export interface AttemptReply {
  answer: string | null;
  at: string;
  error: string | null;
  milliseconds: number;
  status: number | null;
}

export interface AuditLogEntryReply {
  actor: ActorReply;
  at: string;
  facts: Record<string, unknown>;
  id: string;
  kind: string;
  objectId: string;
  statusAfter: string | null;
  statusBefore: string | null;
  what: string;
}

export interface AuditLogReply {
  count: number;
  entries: Array<AuditLogEntryReply>;
  nextCursor?: string;
}

export interface BalanceReply {
  availableBalance: string;
  balance: string;
  displayBalance: string;
  tokenInfo: TokenInfo;
}

export interface BalancesReply {
  house: Array<HouseReply>;
  inTransit: Array<InTransitReply>;
  users: Array<HoldingReply>;
}

/**
 * An event.
 *
 *     `data` is the object as its retrieve route returned it right after the change, null if it can no
 *     longer be shown. `createdAt` is when it happened, `timestamp` when it was delivered or read.
 *     `sequence` grows with each event of the object `objectId`, possibly with gaps.
 */
export interface BankAccountEvent {
  createdAt: string;
  data: AccountReply | null;
  eventAction: string;
  eventCategory: string;
  eventId: string;
  eventType: "ACCOUNT.ONRAMP.CREATE" | "ACCOUNT.ONRAMP.UPDATE" | "ACCOUNT.OFFRAMP.CREATE" | "ACCOUNT.OFFRAMP.UPDATE";
  objectId: string;
  sequence: number;
  timestamp: string;
  version: string;
}

export interface BankAccountPageReply {
  banks: Array<ListedAccount>;
  count: number;
  nextCursor?: string;
}

export interface BankInfoReply {
  accountNumber: string | null;
  accountType: string | null;
  bankAddress: string | null;
  bankName: string | null;
  description: string | null;
  fedBatchId?: string;
  imad: string | null;
  omad: string | null;
  paymentRail: string;
  referenceNumber: string | null;
  routingNumber: string | null;
  senderName: string | null;
  traceNumber?: string;
}

export interface BankLine {
  amount: string | null;
  bookedOn: string | null;
  comment: string | null;
  createdAt: string;
  currency: string;
  fileId: string;
  id: string;
  incomingPaymentId: string | null;
  kind: "CREDIT" | "DEBIT" | "STATUS" | "RETURN" | "CHANGE" | "STATEMENT" | "FILE";
  paymentKey: string | null;
  reason: string | null;
  resolution: "NO_ACTION" | "HANDLED" | "DUPLICATE" | "SETTLE" | "FAIL" | "RETURN" | "REVERSAL" | "DEPOSIT" | null;
  resolvedBy: string | null;
  returned: boolean;
  statementText: BankStatementText | null;
  status: "NEW" | "MATCHED" | "UNMATCHED" | "RESOLVED";
  transferId: string | null;
  updatedAt: string;
}

export interface BankLinePage {
  count: number;
  nextCursor?: string;
  reviews: Array<BankLine>;
}

export interface BankStatementText {
  accountNumber: string | null;
  bankReference: string | null;
  codes: Array<string>;
  corrected: string | null;
  endToEndId: string | null;
  fileName: string | null;
  note: string | null;
  partyAccount: string | null;
  partyBank: string | null;
  partyName: string | null;
  remittance: string | null;
  statementId: string | null;
  traceNumber: string | null;
}

export interface BatchDestination {
  batch: Array<BatchItem>;
}

export interface BatchDestinationReply {
  batch: Array<BatchItemReply>;
}

export interface BatchDetailsReply {
  chain: string;
  contractAddress: string;
  createdAt: string;
  currency: string;
  destination: BatchDestinationReply;
  failedReason: string | null;
  id: string;
  receipt: BatchReceiptReply;
  requestId: string;
  source: BatchSourceReply;
  status: "PENDING_APPROVAL" | "CREATED" | "INITIATED" | "PENDING" | "UNKNOWN" | "COMPLETED" | "FAILED" | "NOT_INITIATED" | "REJECTED" | "EXPIRED";
  updatedAt: string;
}

/**
 * An event.
 *
 *     `data` is the object as its retrieve route returned it right after the change, null if it can no
 *     longer be shown. `createdAt` is when it happened, `timestamp` when it was delivered or read.
 *     `sequence` grows with each event of the object `objectId`, possibly with gaps.
 */
export interface BatchEvent {
  createdAt: string;
  data: BatchReply | null;
  eventAction: string;
  eventCategory: string;
  eventId: string;
  eventType: "WALLET.TRANSFER.BATCH.CREATE" | "WALLET.TRANSFER.BATCH.UPDATE";
  objectId: string;
  sequence: number;
  timestamp: string;
  version: string;
}

export interface BatchItem {
  amount: string;
  userId?: string | null;
  walletAddress?: string | null;
}

export interface BatchItemReply {
  amount: string;
  userId: string | null;
  walletAddress: string;
}

export interface BatchPage {
  count: number;
  nextCursor?: string;
  records: Array<BatchReply>;
}

export interface BatchReceiptReply {
  approval?: ApprovalReply;
  transactionHash: string | null;
  userOpHash: string | null;
}

export interface BatchReply {
  dryRun?: DryRunReply;
  metadata?: Record<string, string>;
  timeline?: TimelineReply;
  transferDetails: BatchDetailsReply;
  transferType: string;
}

export interface BatchSource {
  userId: string;
}

export interface BatchSourceReply {
  userId: string;
  walletAddress: string;
  walletType: string;
}

export interface BeneficiaryReply {
  address: string;
  name: string;
}

export interface BillingReply {
  fees: Array<FeeReply>;
}

export interface BrazilBank {
  currency?: "brl" | null;
  pixKey?: string | null;
}

export interface BrazilGlobalNetworkBank {
  currency?: "brl" | null;
  email?: string | null;
  phone?: string | null;
  pix?: string | null;
}

export interface Breakdowns {
  dimensionCounts: Record<string, number>;
  dimensions: Array<string>;
}

export interface BridgeDestination {
  chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE" | "OPTIMISM" | "ARBITRUM";
  currency: string;
  userId?: string | null;
  walletAddress?: string | null;
}

export interface BridgeDetailsReply {
  amount: number;
  approval?: ApprovalReply;
  createdAt: string;
  destination: BridgeEndReply;
  failedReason: string | null;
  fee: number | null;
  id: string;
  quoteInformation: BridgeQuoteReply | null;
  receipt: BridgeReceiptReply;
  requestId: string;
  source: BridgeEndReply;
  status: "PENDING_APPROVAL" | "OPEN_QUOTE" | "CREATED" | "SOURCE_INITIATED" | "SOURCE_PENDING" | "SOURCE_PROCESSED" | "DESTINATION_INITIATED" | "DESTINATION_PENDING" | "COMPLETED" | "UNKNOWN" | "NOT_INITIATED" | "SOURCE_FAILED" | "DESTINATION_FAILED" | "QUOTE_FAILED" | "REJECTED" | "EXPIRED";
  updatedAt: string;
}

export interface BridgeEndReply {
  chain: string;
  currency: string;
  userId: string | null;
  walletAddress: string;
}

/**
 * An event.
 *
 *     `data` is the object as its retrieve route returned it right after the change, null if it can no
 *     longer be shown. `createdAt` is when it happened, `timestamp` when it was delivered or read.
 *     `sequence` grows with each event of the object `objectId`, possibly with gaps.
 */
export interface BridgeEvent {
  createdAt: string;
  data: BridgeReply | null;
  eventAction: string;
  eventCategory: string;
  eventId: string;
  eventType: "WALLET.BRIDGE.CREATE" | "WALLET.BRIDGE.UPDATE";
  objectId: string;
  sequence: number;
  timestamp: string;
  version: string;
}

export interface BridgePage {
  count: number;
  data: Array<BridgeReply>;
  nextCursor?: string;
}

export interface BridgeQuoteReply {
  expiresAt: string;
  railFee: QuotedAmount;
  rate: string;
  receiveGross: QuotedAmount;
  receiveNet: QuotedAmount;
  sendGross: QuotedAmount;
  sendNet: QuotedAmount;
}

export interface BridgeReceiptReply {
  operations: OperationsReply;
  transactionHash?: string;
}

export interface BridgeReply {
  dryRun?: DryRunReply;
  metadata?: Record<string, string>;
  timeline?: TimelineReply;
  transferDetails: BridgeDetailsReply;
  transferType: string;
}

export interface BridgeSource {
  chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE";
  currency: string;
  userId: string;
}

export interface BriefStatus {
  message: string;
  status: "INACTIVE" | "CREATED" | "PENDING" | "MANUAL_REVIEW" | "RFI_PENDING" | "INCOMPLETE" | "ACTIVE" | "REJECTED" | "CONTACT_SUPPORT";
}

export interface BriefStatusData {
  message: string;
  rails: string;
  status: "INACTIVE" | "CREATED" | "PENDING" | "MANUAL_REVIEW" | "RFI_PENDING" | "INCOMPLETE" | "ACTIVE" | "REJECTED" | "CONTACT_SUPPORT";
  userId: string;
}

export interface BusinessDetails {
  companyDocuments: DocumentsReply;
  companyInfo: SectionReply;
  questionnaire: SectionReply;
  ultimateBeneficialOwners: OwnersReply;
}

export interface BusinessDocumentAdd {
  description?: string;
  expiryDate?: string;
  fileId?: string;
  issuedCountry: string;
  issuedDate?: string;
  number?: string;
  subType: "SINGLE_SIDE";
  type: "DIRECTORS_REGISTRY" | "GOOD_STANDING_CERT" | "INCORPORATION_ARTICLES" | "INCORPORATION_CERT" | "INCUMBENCY_CERT" | "INFORMATION_STATEMENT" | "POWER_OF_ATTORNEY" | "PROOF_OF_ADDRESS" | "SHAREHOLDER_REGISTRY" | "STATE_REGISTRY" | "TRUST_AGREEMENT" | "SOURCE_OF_FUNDS" | "FORMATION_CERT" | "REGISTRATION_CERT" | "PROOF_OF_OWNERSHIP" | "CONSTITUTION_OR_ANNUAL_REPORT" | "ARTICLES_OF_ASSOCIATION" | "UBO_DECLARATION" | "PARTNERSHIP_MINS_OF_MEETING" | "PARTNERSHIP_DEED" | "FLOW_OF_FUNDS" | "ORGANIZATION_STRUCTURE" | "SHARE_STRUCTURE" | "BUSINESS_REGISTRATION" | "OTHER";
  uboId?: string;
  url?: string;
}

export interface BusinessKycUpdate {
  address?: Address;
  alternativeNames?: Array<string>;
  articlesOfAssociationUrl?: string;
  businessDescription?: string;
  businessIndustry?: string;
  businessName?: string;
  businessNameLocal?: string;
  businessRegistrationDocUrl?: string;
  businessType?: "cooperative" | "s_corporation" | "b_corporation" | "c_corporation" | "close_corporation" | "nonprofit_corporation" | "general_partnership" | "limited_partnership" | "limited_liability_company" | "other" | "sole_proprietorship" | "trust";
  certificateNumber?: string;
  certificateOfIncorporationDocUrl?: string;
  certificateOfIncumbencyUrl?: string;
  certificateOfRegistrationDocType?: "ACRA" | "GST" | "MSME" | "CERTIFICATE_OF_REGISTRATION";
  certificateOfRegistrationDocUrl?: string;
  complianceScreeningExplanation?: string;
  constitutionOrAnnualReportUrl?: string;
  controlScheme?: string;
  daoStatus?: boolean;
  email?: string;
  exportCountry?: string;
  flowOfFundsUrl?: string;
  formationDate?: string;
  formationDocUrl?: string;
  incorporationCountry?: string;
  incorporationDate?: string;
  incorporationNumber?: string;
  incorporationState?: string;
  ipAddress?: string;
  leiNumber?: string;
  licenseExpirationDate?: string;
  organizationStructureUrl?: string;
  partnershipDeedUrl?: string;
  partnershipMinsOfMeetingUrl?: string;
  phone?: string;
  postalAddress?: Address;
  productServiceCategory?: string;
  proofOfAddressType?: "UTILITY_BILL" | "BANK_STATEMENT" | "RENTAL_AGREEMENT" | "TAX_DOCUMENT";
  proofOfAddressUrl?: string;
  proofOfOwnershipUrl?: string;
  purpose?: Array<"PAY_SUPPLIERS" | "PAY_SERVICE_PROVIDERS" | "GOODS_MERCHANDISE_COMMODITIES" | "FREELANCERS_CONTRACTORS_PAYROLL" | "FINANCIAL_SERVICES_LOANS_INVESTMENTS" | "TAX_REGULATORY_FEES" | "LEGAL_SERVICES" | "OPERATIONAL_EXPENSES" | "SUBSCRIPTIONS" | "TRAVEL_RELATED_EXPENSES" | "INSURANCE" | "ADVERTISING_MARKETING_EXPENSES" | "EQUIPMENT_MACHINERY" | "TECHNOLOGY_SERVICES" | "EDUCATION_RELATED_EXPENSES" | "TREASURY_PAYMENTS" | "FX_SERVICES" | "OTHER" | "ONLINE_MARKETPLACE_TRADING" | "OFFLINE_TRADING">;
  registeredAddress?: Address;
  registrationNumber?: string;
  shareStructureUrl?: string;
  sofEuQuestionnaire?: BusinessKycUpdateSofEuQuestionnaire;
  sourceOfFunds?: string;
  sourceOfFundsUrl?: string;
  supplementaryInfo?: string;
  supplementaryUrl?: string;
  taxIdentificationNumber?: string;
  taxIdentificationNumberType?: "EIN" | "SSN" | "VAT" | "TIN" | "UTR";
  tradeName?: string;
  tradeType?: string;
  transmitsCustomerFunds?: boolean;
  uboDeclarationUrl?: string;
  ultimateBeneficialOwners?: Array<BusinessKycUpdateUltimateBeneficialOwners>;
  website?: string;
}

export interface BusinessKycUpdateSofEuQuestionnaire {
  conductsMoneyServices?: boolean;
  customerFundsDescription?: string;
  estimatedAnnualRevenueUsd?: "0_99999" | "100000_999999" | "1000000_9999999" | "10000000_49999999" | "50000000_249999999" | "250000000_plus";
  expectedMonthlyPaymentsUsd?: string;
  highRiskActivities?: Array<"none_of_the_above" | "adult_entertainment" | "gambling" | "hold_client_funds" | "investment_services" | "lending_banking" | "marijuana_or_related_services" | "money_services" | "operate_foreign_exchange_virtual_currencies_brokerage_otc" | "safe_deposit_box_rentals" | "third_party_payment_processing" | "weapons_firearms_and_explosives">;
  operatesInProhibitedCountries?: boolean;
  primaryPurpose?: "charitable_donations" | "ecommerce_retail_payments" | "investment_purposes" | "other" | "payments_to_friends_or_family_abroad" | "payroll" | "personal_or_living_expenses" | "protect_wealth" | "purchase_goods_and_services" | "receive_payments_for_goods_and_services" | "tax_optimization" | "third_party_money_transmission" | "treasury_management";
  primaryPurposeOther?: string;
  sourceOfFunds?: "business_loans" | "grants" | "inter_company_funds" | "investment_proceeds" | "legal_settlement" | "owners_capital" | "pension_retirement" | "sale_of_assets" | "sales_of_goods_and_services" | "tax_refund" | "third_party_funds" | "treasury_reserves";
  sourceOfFundsDescription?: string;
  transmitsCustomerFunds?: boolean;
  transmitsCustomerFundsDescription?: string;
}

export interface BusinessKycUpdateUltimateBeneficialOwners {
  address?: Address;
  authLetterUrl?: string;
  businessTitle?: string;
  countryOfBirth?: string;
  dateOfBirth?: string;
  email?: string;
  firstName?: string;
  firstNameLocal?: string;
  gender?: "M" | "F";
  govIdBackUrl?: string;
  govIdCountry?: string;
  govIdExpirationDate?: string;
  govIdFrontUrl?: string;
  govIdIssuanceAuthority?: string;
  govIdIssuanceDate?: string;
  govIdNumber?: string;
  govIdType?: "PASSPORT" | "ID_CARD" | "DRIVERS";
  hasControl?: boolean;
  hasOwnership?: boolean;
  id?: string;
  isSigner?: boolean;
  lastName?: string;
  lastNameLocal?: string;
  middleName?: string;
  middleNameLocal?: string;
  nationality?: string;
  phone?: string;
  placeOfBirth?: string;
  proofOfAddressType?: "UTILITY_BILL" | "BANK_STATEMENT" | "RENTAL_AGREEMENT" | "TAX_DOCUMENT";
  proofOfAddressUrl?: string;
  relationshipEstablishedAt?: string;
  role?: "OWNER_OR_OPERATOR" | "PARTNER" | "UBO" | "DIRECTOR_CONTROL_PERSON_OR_LEGAL_REP" | "AGENT_OR_AUTHORISED_PERSON";
  roles?: Array<"UBO" | "DIRECTOR" | "REPRESENTATIVE" | "SHAREHOLDER">;
  shareProportion?: number;
  stateOfBirth?: string;
  supplementaryInfo?: string;
  supplementaryUrl?: string;
  taxIdentificationNumber?: string;
  taxResidenceCountry?: string;
}

export interface BusinessOwner {
  dateOfBirth: string;
  firstName: string;
  hasControl: boolean;
  isSigner: boolean;
  lastName: string;
}

export interface BusinessStatus {
  details: BusinessDetails;
  message: string;
  reviewResult: CheckResultReply;
  status: "INACTIVE" | "CREATED" | "PENDING" | "MANUAL_REVIEW" | "RFI_PENDING" | "INCOMPLETE" | "ACTIVE" | "REJECTED" | "CONTACT_SUPPORT";
}

export interface BusinessStatusData {
  details: BusinessDetails;
  message: string;
  rails: string;
  reviewResult: CheckResultReply;
  status: "INACTIVE" | "CREATED" | "PENDING" | "MANUAL_REVIEW" | "RFI_PENDING" | "INCOMPLETE" | "ACTIVE" | "REJECTED" | "CONTACT_SUPPORT";
  userId: string;
}

export interface CastVoteReply {
  approverId: string;
  comment: string | null;
  createdAt: string;
  vote: "APPROVE" | "REJECT";
}

export interface ChainAccountReply {
  address: string;
  balance: number | null;
  balanceAt: string | null;
  floor: number;
  inFlight: number;
  isLow: boolean;
  isRelayer: boolean;
  nextNonce: number;
  stoppedAt: string | null;
  stoppedReason: string | null;
}

export interface ChainAttemptReply {
  account: string;
  block: number | null;
  confirmations: number;
  createdAt: string;
  explorerUrl: string;
  gasCost: number | null;
  hash: string;
  isPayment: boolean;
  isSuccess: boolean | null;
  kind: string;
  maxFeeGwei: number | null;
  nonce: number | null;
  sentAt: string | null;
  tipGwei: number | null;
}

export interface ChainHeadReply {
  at: string;
  lagSeconds: number;
  number: number;
}

export interface ChainInstallationReply {
  accounts: Array<ChainAccountReply>;
  gasSpentDay: number;
  nodes: Array<ChainNodeReply>;
  openOrders: OpenOrdersReply;
}

export interface ChainList {
  chains: Array<ChainReply>;
  count: number;
}

export interface ChainNodeReply {
  head: number | null;
  isHealthy: boolean;
  lastError: string | null;
  lastErrorAt: string | null;
  lastSuccessAt: string | null;
  node: string;
  setAsideUntil: string | null;
}

export interface ChainOrderList {
  count: number;
  orders: Array<ChainOrderReply>;
}

export interface ChainOrderReply {
  action: string;
  amount: number;
  attempts: Array<ChainAttemptReply>;
  chain: string;
  confirmationsNeeded: number;
  confirmedAt: string | null;
  createdAt: string;
  currency: string;
  explorerUrl: string | null;
  gasCost: number;
  id: string;
  method: string | null;
  nativeCurrency: string;
  reason: string | null;
  recipients: number;
  source: string;
  state: string;
  transactionHash: string | null;
}

export interface ChainReply {
  chainId: number | null;
  confirmations: number;
  finality: string | null;
  finalityBlocks: number | null;
  head: ChainHeadReply | null;
  installation: ChainInstallationReply | null;
  name: string;
  nativeCurrency: string;
  openOrders: OpenOrdersReply;
  treasury: TreasuryReply;
}

export interface ChangeReply {
  actor: string;
  at: string;
  changeType: string;
  facts: Record<string, unknown>;
  seq: number;
  statusAfter: string | null;
  statusBefore: string | null;
}

export interface CheckResultReply {
  comment?: string | null;
  rejectReasons?: Array<string> | null;
  reviewAnswer?: "APPROVED" | "DECLINED" | null;
  reviewRejectType?: "RETRY" | "FINAL" | null;
}

export interface ChinaGlobalNetworkBank {
  accountNumber?: string | null;
  bankName?: string | null;
  currency?: "usd" | "cny" | null;
  swiftCode?: string | null;
}

export interface ClockAdvance {
  seconds: number;
}

export interface ClockReply {
  now: string;
  offsetSeconds: number;
}

export interface CloseConfirmation {
  digest: string;
}

export interface CloseCorrectionReply {
  id: string;
  postedAt: string;
  recordId: string;
}

export interface CloseDifferenceReply {
  ageDays: number;
  amount: string | null;
  currency: string | null;
  id: string;
  isEarlier: boolean;
  kind: "MISSING_OUTSIDE" | "UNKNOWN_OUTSIDE" | "AMOUNT" | "DUPLICATE" | "POSITION" | "REORGED" | "SOURCE_SILENT" | "STATEMENT_GAP";
  resolution: "MATCHED" | "CLEARED" | "ACCEPTED" | "ADJUSTED" | null;
  since: string;
  source: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE" | "BANK_USD" | "BANK_EUR" | "BANK_BRL" | "BANK_MXN" | "BANK_COP" | "BANK_ARS" | "BANK_HKD" | "BANK_CNY" | "BANK_SGD" | "BANK_NGN" | "BANK_KES" | "BANK_ZMW" | "BANK_MWK" | "BANK_TZS" | "BANK_BWP" | "BANK_CDF" | "BANK_GHS" | "BANK_ZAR" | "BANK_UGX" | "BANK_RWF" | "BANK_XAF" | "BANK_XOF";
  status: "TIMING" | "OPEN" | "PROPOSED" | "RESOLVED";
}

export interface ClosePage {
  closes: Array<CloseReply>;
  count: number;
  nextCursor?: string;
}

export interface ClosePositionReply {
  acceptedAmount: string;
  blockHash: string;
  blockNumber: number;
  comparedAt: string;
  currency: string;
  differenceAmount: string;
  ledgerAmount: string;
  outsideAmount: string;
  source: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE" | "BANK_USD" | "BANK_EUR" | "BANK_BRL" | "BANK_MXN" | "BANK_COP" | "BANK_ARS" | "BANK_HKD" | "BANK_CNY" | "BANK_SGD" | "BANK_NGN" | "BANK_KES" | "BANK_ZMW" | "BANK_MWK" | "BANK_TZS" | "BANK_BWP" | "BANK_CDF" | "BANK_GHS" | "BANK_ZAR" | "BANK_UGX" | "BANK_RWF" | "BANK_XAF" | "BANK_XOF";
  unexplainedAmount: string;
}

export interface CloseRejection {
  reason: string;
}

export interface CloseReply {
  carriedCount: number;
  cutAt: string;
  day: string;
  decidedAt: string | null;
  decidedBy: string | null;
  digest: string;
  id: string;
  reason: string | null;
  rejectionReason: string | null;
  signedAt: string;
  signedBy: string;
  status: "PREPARED" | "COMPLETED" | "REJECTED";
}

export interface CloseReserveReply {
  addresses: number;
  addressesDigest: string;
  currency: string;
  heldAmount: string;
  openAmount: string;
  owedAmount: string;
  pieces: number;
  ratio: string | null;
  root: string;
  source: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE" | "BANK_USD" | "BANK_EUR" | "BANK_BRL" | "BANK_MXN" | "BANK_COP" | "BANK_ARS" | "BANK_HKD" | "BANK_CNY" | "BANK_SGD" | "BANK_NGN" | "BANK_KES" | "BANK_ZMW" | "BANK_MWK" | "BANK_TZS" | "BANK_BWP" | "BANK_CDF" | "BANK_GHS" | "BANK_ZAR" | "BANK_UGX" | "BANK_RWF" | "BANK_XAF" | "BANK_XOF";
}

export interface CloseSignature {
  day: string;
  reason?: string | null;
}

export interface CloseWithContent {
  carried: Array<CloseDifferenceReply>;
  close: CloseReply;
  content: string;
  corrections: Array<CloseCorrectionReply>;
  isIntact: boolean;
  positions: Array<ClosePositionReply>;
  previousDigest: string | null;
  reserves: Array<CloseReserveReply> | null;
  resolved: Array<CloseDifferenceReply>;
  tolerance: string;
  zone: string;
}

export interface CoinDeposit {
  amount?: string | null;
}

export interface CoinDepositReply {
  amount: string;
  chain: string;
  currency: string;
  fromAddress: string;
  status: string;
  toAddress: string;
  transactionHash: string;
  transferId: string;
}

export interface ColombiaBank {
  accountNumber?: string | null;
  accountType?: "checking" | "savings" | null;
  bankCode?: string | null;
  bankName?: "MOVII" | "Banco de Bogotá" | "Banco Popular" | "Banco Corpbanca ITAU" | "Bancolombia" | "Citibank" | "Banco GNB Sudameris" | "BBVA" | "ITAU" | "Scotiabank Colpatria" | "Banco de Occidente" | "Bancoldex" | "Banco Caja Social" | "Banco Agrario" | "Jpmorgan Corporacion Financier" | "BNP PARIBAS" | "Davivienda" | "Banco AVVillas" | "Banco W" | "Banco Procredit Colombia" | "Bancamia" | "Inversora Pichincha S.A." | "Bancoomeva" | "Banco Falabella S.A." | "Banco Finandina S.A." | "Banco Santander Negocios" | "Banco Cooperativo Coopcentral" | "Serfinanza S.A" | "LULO BANK SA" | "Banco JP Morgan" | "Compensar" | "Gestion y Contacto S.A." | "Fedecajas" | "Simple S.A." | "Enlace Operativo" | "Corp. Financiera Colombiana" | "Financiera Juriscoop" | "Rappi" | "Coop. Financiera de Antioquia" | "Cotrafa Cooperativa Financiera" | "Confiar Cooperativa Financiera" | "Giros y Finanzas" | "COLTEFINANCIERA" | "Banco OLD Mutual" | "NEQUI" | "DECEVAL" | "Daviplata" | "Banco Credifinanciera" | "Financiera Dann (IRIS)" | "DGCPTN" | null;
  currency?: "cop" | null;
}

export interface CoolDownDocument {
  hours: number;
  maxUsd: string;
  over?: "REFUSE" | "APPROVE";
}

export interface CounterpartyData {
  amountUnit: "WHOLE" | "SMALLEST";
  host: string;
  name: string;
  policy?: "REVIEW" | "APPROVE";
}

export interface DateRange {
  end: string;
  start: string;
}

export interface DecisionBody {
  comment?: string | "" | null;
  decision: "approve" | "reject" | "retry" | "requestInformation" | "revoke";
  documents?: Array<RejectedDocument> | null;
  fields?: Array<string> | null;
  note?: string | "" | null;
  rejectReasons?: Array<string> | null;
  version?: number | null;
}

export interface DeliveriesReply {
  count: number;
  deliveries: Array<DeliveryReply>;
  nextCursor?: string;
}

export interface DeliveryReply {
  attemptCount: number;
  createdAt: string;
  eventId: string;
  eventType: string;
  givesUpAt: string | null;
  id: string;
  lastAttempt: AttemptReply | null;
  nextAttemptAt: string | null;
  objectId: string;
  status: "PENDING" | "DELIVERED" | "REFUSED" | "GIVEN_UP" | "REPLACED";
  updatedAt: string;
  webhookId: string;
}

export interface DeliveryWithAttempts {
  attemptCount: number;
  attempts: Array<AttemptReply>;
  createdAt: string;
  eventId: string;
  eventType: string;
  givesUpAt: string | null;
  id: string;
  lastAttempt: AttemptReply | null;
  nextAttemptAt: string | null;
  objectId: string;
  status: "PENDING" | "DELIVERED" | "REFUSED" | "GIVEN_UP" | "REPLACED";
  updatedAt: string;
  webhookId: string;
}

/**
 * An event.
 *
 *     `data` is the object as its retrieve route returned it right after the change, null if it can no
 *     longer be shown. `createdAt` is when it happened, `timestamp` when it was delivered or read.
 *     `sequence` grows with each event of the object `objectId`, possibly with gaps.
 */
export interface DepositEvent {
  createdAt: string;
  data: DepositReply | null;
  eventAction: string;
  eventCategory: string;
  eventId: string;
  eventType: "WALLET.TOKEN.BALANCE.UPDATE";
  objectId: string;
  sequence: number;
  timestamp: string;
  version: string;
}

export interface DepositInfoReply {
  ach: NumbersReply | null;
  bankAddress: string;
  bankName: string;
  beneficiary: BeneficiaryReply;
  depositBy: string;
  instruction: string;
  reference: string;
  rtp: NumbersReply | null;
  swiftCode: string | null;
  wire: NumbersReply | null;
}

export interface DepositInstructions {
  ach?: RailInstructions | null;
  bankAddress: string;
  bankName: string;
  beneficiary: VirtualAccountBeneficiary;
  instruction: string;
  rtp?: RailInstructions | null;
  swiftCode?: string | null;
  wire?: RailInstructions | null;
}

export interface DepositMatch {
  comment: string;
  transferId?: string | null;
  virtualAccountId?: string | null;
}

export interface DepositPage {
  count: number;
  deposits: Array<DepositReply>;
  nextCursor?: string;
  records: Array<DepositReply>;
}

export interface DepositReply {
  createdAt: string;
  id: string;
  transaction: DepositTransaction;
  updatedAt: string;
  userId: string;
  wallet: DepositWallet;
}

export interface DepositReturn {
  comment: string;
}

export interface DepositReview {
  accountNumber: string;
  amount: string;
  bankReference: string;
  comment: string | null;
  currency: string;
  decidedBy: string | null;
  description: string | null;
  id: string;
  paymentRail: string;
  receivedAt: string;
  reference: string | null;
  sender: DepositSender | null;
  status: "SCREENING" | "NEW" | "MATCHED" | "UNMATCHED" | "RETURNING" | "RETURNED";
  transferId: string | null;
  updatedAt: string;
}

export interface DepositReviewPage {
  count: number;
  nextCursor?: string;
  reviews: Array<DepositReview>;
}

export interface DepositScreeningList {
  count: number;
  nextCursor?: string;
  reviews: Array<DepositScreeningReply>;
}

export interface DepositScreeningReply {
  amount: string;
  categories: Array<string>;
  chain: string | null;
  createdAt: string;
  currency: string;
  depositId: string;
  id: string;
  missing: Array<string>;
  paymentRail: string | null;
  provider: string | null;
  reference: string | null;
  source: "WALLET" | "TREASURY" | "BANK";
  sourceAddress: string | null;
  status: "IN_SCREENING" | "HELD" | "RELEASED" | "REJECTED" | "LOST";
  transactionHash: string | null;
  updatedAt: string;
  userId: string | null;
}

export interface DepositSender {
  accountNumber: string | null;
  bankName: string | null;
  name: string | null;
  routingNumber: string | null;
}

export interface DepositSettlement {
  comment: string;
}

export interface DepositTransaction {
  amount: string;
  chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE";
  contractAddress: string;
  currency: string;
  destinationAddress: string;
  sourceAddress?: string;
  status: "CONFIRMED" | "COMPLETED";
  transactionHash?: string;
  unitAmount: string;
}

export interface DepositWallet {
  address: string;
  chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE";
  id: string;
  walletType: string;
}

export interface DeveloperFee {
  type: "PERCENTAGE" | "FLAT";
  value: string;
  walletAddress: string;
}

export interface DeveloperFeeReply {
  fees: Array<FeeLineReply>;
  id: string;
  transactionHash: string | null;
}

export interface DeveloperFees {
  fees: Array<DeveloperFee>;
}

export interface DifferenceAcceptance {
  amount?: string | null;
}

export interface DifferenceAssignment {
  memberId?: string | null;
}

export interface DifferenceEvent {
  actor: string;
  at: string;
  memberId: string | null;
  personId: string | null;
  reason: string | null;
  what: string;
}

export interface DifferenceExplanation {
  adjustLedger?: boolean;
  amount?: string | null;
  reason: string;
}

export interface DifferencePage {
  count: number;
  differences: Array<DifferenceReply>;
  nextCursor?: string;
}

export interface DifferenceReply {
  acceptedBy: string | null;
  adjustmentId: string | null;
  adjustsLedger: boolean;
  amount: string | null;
  assigneeId: string | null;
  currency: string | null;
  dueAt: string;
  id: string;
  kind: "MISSING_OUTSIDE" | "UNKNOWN_OUTSIDE" | "AMOUNT" | "DUPLICATE" | "POSITION" | "REORGED" | "SOURCE_SILENT" | "STATEMENT_GAP";
  ledgerAmount: string | null;
  outsideAmount: string | null;
  proposedAt: string | null;
  proposedBy: string | null;
  reason: string | null;
  recordId: string | null;
  reference: string | null;
  resolution: "MATCHED" | "CLEARED" | "ACCEPTED" | "ADJUSTED" | null;
  resolvedAt: string | null;
  since: string;
  source: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE" | "BANK_USD" | "BANK_EUR" | "BANK_BRL" | "BANK_MXN" | "BANK_COP" | "BANK_ARS" | "BANK_HKD" | "BANK_CNY" | "BANK_SGD" | "BANK_NGN" | "BANK_KES" | "BANK_ZMW" | "BANK_MWK" | "BANK_TZS" | "BANK_BWP" | "BANK_CDF" | "BANK_GHS" | "BANK_ZAR" | "BANK_UGX" | "BANK_RWF" | "BANK_XAF" | "BANK_XOF";
  status: "TIMING" | "OPEN" | "PROPOSED" | "RESOLVED";
}

export interface DifferenceWithHistory {
  difference: DifferenceReply;
  history: Array<DifferenceEvent>;
}

export interface DisbursementDestinationReply {
  userId: string | null;
  walletAddress: string;
}

export interface DisbursementDetailsReply {
  amount: number;
  blockedReason: string | null;
  chain: string;
  createdAt: string;
  currency: string;
  destination: DisbursementDestinationReply;
  id: string;
  lastRefusal: string | null;
  payment: DisbursementPaymentReply;
  purpose: "FEE" | "SURPLUS_RETURN";
  receipt: DisbursementReceiptReply;
  refusalCount: number;
  requestId: string;
  source: DisbursementSourceReply;
  status: "CREATED" | "INITIATED" | "COMPLETED";
  updatedAt: string;
}

export interface DisbursementLineReply {
  amount: EndReply;
  id: string;
  status: string;
}

export interface DisbursementPage {
  count: number;
  nextCursor?: string;
  records: Array<DisbursementReply>;
}

export interface DisbursementPaymentReply {
  id: string;
  type: string;
}

export interface DisbursementReceiptReply {
  transactionHash: string | null;
  userOpHash: string | null;
}

export interface DisbursementReply {
  dryRun?: DryRunReply;
  metadata?: Record<string, string>;
  timeline?: TimelineReply;
  transferDetails: DisbursementDetailsReply;
  transferType: string;
}

export interface DisbursementSourceReply {
  role: "liquidity" | "fees" | "outside" | "in_transit" | "receivable" | "write_offs" | "suspense" | "gas" | "payable";
  walletAddress: string;
}

export interface DocumentReply {
  id: string;
  reviewResult: CheckResultReply;
  subType: string;
  type: string;
}

export interface DocumentsReply {
  details: Array<DocumentReply>;
  reviewResult: CheckResultReply;
}

export interface DryRunReply {
  approval: PlannedApprovalReply | null;
  journals: Array<PlannedJournalReply>;
  limits: PlannedLimitsReply;
}

export interface EndReply {
  amount: string;
  chain: string | null;
  currency: string;
}

export interface Envelope {
  createdAt: string;
  data: unknown;
  eventAction: string;
  eventCategory: string;
  eventId: string;
  eventType: string;
  objectId: string;
  sequence: number;
  timestamp: string;
  version: string;
}

export interface ErasureReply {
  erasedAt: string;
  userId: string;
}

export interface EuropeGlobalNetworkBank {
  bankName?: string | null;
  currency?: "eur" | null;
  iban?: string | null;
  swiftCode?: string | null;
  transferType?: "sepa" | "sepaInstant" | "swift" | null;
}

export interface EventPage {
  count: number;
  nextCursor?: string;
  records: Array<Envelope>;
}

export interface EventWithDeliveries {
  createdAt: string;
  data: unknown;
  deliveries: Array<DeliveryReply>;
  eventAction: string;
  eventCategory: string;
  eventId: string;
  eventType: string;
  objectId: string;
  sequence: number;
  timestamp: string;
  version: string;
}

export interface ExchangeList {
  count: number;
  exchanges: Array<ExchangeReply>;
}

export interface ExchangeMessageReply {
  ivms101: Record<string, unknown>;
}

export interface ExchangeReply {
  amount: string;
  createdAt: string;
  direction: "OUTGOING" | "INCOMING";
  host: string;
  id: string;
  isAuthenticated: boolean;
  pendingMessage: "INQUIRY" | "RESOLUTION" | "CONFIRMATION" | null;
  problem: string | null;
  requestIdentifier: string;
  screeningId: string | null;
  status: "OPEN" | "APPROVED" | "REJECTED" | "CONFIRMED" | "CANCELLED";
  tokenIdentifier: string | null;
  transactionHash: string | null;
  transferId: string | null;
  updatedAt: string;
  userId: string | null;
  walletAddress: string | null;
}

export interface ExchangeSettingReply {
  assets: Array<TokenIdentifierData>;
  counterparties: Array<CounterpartyData>;
  isOn: boolean;
  requiresTravelAddress: boolean;
  travelAddress: string;
  version: number;
}

export interface ExchangeSettingRequest {
  assets: Array<TokenIdentifierData>;
  counterparties: Array<CounterpartyData>;
  isOn: boolean;
  requiresTravelAddress?: boolean;
  version?: number | null;
}

export interface ExplanationRejection {
  reason: string;
}

export interface ExternalWalletPage {
  count: number;
  externalWallets: Array<ExternalWalletReply>;
  nextCursor?: string;
}

export interface ExternalWalletReply {
  active: boolean;
  address: string;
  chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE";
  createdAt: string;
  id: string;
  name: string;
  referenceId: string;
  updatedAt: string | null;
  userId: string;
}

export interface FeeLineReply {
  amount: string;
  type: string;
  value: string;
  walletAddress: string;
}

export interface FeeReply {
  amount: number;
  currency: string;
  id: string;
  timing: string;
  type: string;
}

export interface FeeRequest {
  type: "FIX" | "PERCENT";
  value: number;
}

export interface FiatDeposit {
  amount?: string | null;
  paymentRail?: "wire" | "ach" | "rtp" | "sepa" | "sepaInstant" | "pix" | "spei" | "bank" | "momo" | null;
  reference?: string | "" | null;
  source?: FiatDepositSource | null;
}

export interface FiatDepositReply {
  amount: string;
  clearsAt: string;
  currency: string;
  id: string;
  paymentRail: string;
  receivedAt: string;
  reference: string | null;
  transferId: string;
}

export interface FiatDepositSource {
  accountNumber?: string | null;
  bankName?: string | null;
  name?: string | null;
  routingNumber?: string | null;
}

export interface FileReply {
  createdAt: string;
  fileName: string;
  id: string;
  mimeType: string;
  size: number;
}

export interface FindingReply {
  over: "REFUSE" | "APPROVE";
  reason: string;
  rule: string;
}

export interface FreezeReply {
  frozen: boolean;
  frozenAt: string | null;
  reason: string | null;
  userId: string;
}

export interface FreezeRequest {
  reason?: string | null;
}

export interface FundingReply {
  amount: string;
  balance: string;
  chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE";
  createdAt: string;
  currency: string;
  id: string;
  transactionHash: string;
  userId: string;
  walletAddress: string;
}

export interface FundingRequest {
  amount: string;
  chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE";
  currency: "usdHifi" | "usdc" | "usdg" | "usdt";
}

export interface HaltLift {
  amount?: string | null;
  reason: string;
}

export interface HaltPage {
  count: number;
  halts: Array<HaltReply>;
  nextCursor?: string;
}

export interface HaltReply {
  amount: string | null;
  cause: "SHORTFALL" | "UNKNOWN_DEBIT" | "SOURCE_SILENT";
  currency: string | null;
  differenceId: string | null;
  endedAt: string | null;
  haltedAt: string;
  id: string;
  liftedBy: string | null;
  proposedAt: string | null;
  proposedBy: string | null;
  reason: string | null;
  source: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE";
  status: "HALTED" | "PROPOSED" | "LIFTED" | "CLEARED";
}

export interface HoldingReply {
  available: string;
  chain: string | null;
  currency: string;
  held: string;
}

export interface HongKongGlobalNetworkBank {
  accountNumber?: string | null;
  bankCode?: string | null;
  bankName?: string | null;
  currency?: "hkd" | "usd" | null;
  swiftCode?: string | null;
  transferType?: "chats" | "fps" | "swift" | null;
}

export interface HouseReply {
  balance: string;
  chain: string | null;
  currency: string;
  role: "liquidity" | "fees" | "outside" | "in_transit" | "receivable" | "write_offs" | "suspense" | "gas" | "payable";
}

export interface InTransitReply {
  amount: string;
  chain: string | null;
  currency: string;
}

export interface IndividualDetails {
  identity: DocumentsReply;
  personalInfo: SectionReply;
  proofOfAddress: DocumentsReply;
  questionnaire: SectionReply;
}

export interface IndividualDocumentAdd {
  description?: string;
  expiryDate?: string;
  fileId?: string;
  issuedCountry: string;
  issuedDate?: string;
  number?: string;
  subType: "FRONT_SIDE" | "BACK_SIDE" | "SINGLE_SIDE";
  type: "DRIVERS" | "ID_CARD" | "PASSPORT" | "INCOME_SOURCE" | "INVESTOR_DOC" | "PAYMENT_SOURCE" | "RESIDENCE_PERMIT" | "SELFIE" | "PROOF_OF_ADDRESS" | "AUTH_LETTER" | "OTHER";
  uboId?: string;
  url?: string;
}

export interface IndividualKycUpdate {
  additionalIdNumber?: string;
  additionalIdType?: string;
  address?: Address;
  country?: string;
  countryOfBirth?: string;
  dateOfBirth?: string;
  email?: string;
  firstName?: string;
  firstNameLocal?: string;
  gender?: "M" | "F";
  govIdBackUrl?: string;
  govIdCountry?: string;
  govIdExpirationDate?: string;
  govIdFrontUrl?: string;
  govIdHandHoldUrl?: string;
  govIdIssuanceAuthority?: string;
  govIdIssuanceDate?: string;
  govIdNumber?: string;
  govIdType?: "PASSPORT" | "ID_CARD" | "DRIVERS";
  idNumber?: string;
  idType?: "PASSPORT" | "ID_CARD" | "DRIVERS" | "NIN";
  ipAddress?: string;
  lastName?: string;
  lastNameLocal?: string;
  middleName?: string;
  middleNameLocal?: string;
  nationality?: string;
  phone?: string;
  placeOfBirth?: string;
  productServiceCategory?: string;
  proofOfAddressType?: "UTILITY_BILL" | "BANK_STATEMENT" | "RENTAL_AGREEMENT" | "TAX_DOCUMENT";
  proofOfAddressUrl?: string;
  purpose?: Array<string>;
  sofEuQuestionnaire?: IndividualKycUpdateSofEuQuestionnaire;
  stateOfBirth?: string;
  supplementaryInfo?: string;
  supplementaryUrl?: string;
  taxIdentificationNumber?: string;
  taxResidenceCountry?: string;
}

export interface IndividualKycUpdateSofEuQuestionnaire {
  actingAsIntermediary?: boolean;
  employmentStatus?: "employed" | "homemaker" | "retired" | "self_employed" | "student" | "unemployed";
  expectedMonthlyPayments?: "0_4999" | "5000_9999" | "10000_49999" | "50000_plus";
  mostRecentOccupation?: string;
  primaryPurpose?: "charitable_donations" | "ecommerce_retail_payments" | "investment_purposes" | "operating_a_company" | "payments_to_friends_or_family_abroad" | "personal_or_living_expenses" | "protect_wealth" | "purchase_goods_and_services" | "receive_payment_for_freelancing" | "receive_salary" | "other";
  primaryPurposeOther?: string;
  sourceOfFunds?: "company_funds" | "ecommerce_reseller" | "gambling_proceeds" | "gifts" | "government_benefits" | "inheritance" | "investments_loans" | "pension_retirement" | "salary" | "sale_of_assets_real_estate" | "savings" | "someone_elses_funds";
}

export interface IndividualStatus {
  details: IndividualDetails;
  message: string;
  reviewResult: CheckResultReply;
  status: "INACTIVE" | "CREATED" | "PENDING" | "MANUAL_REVIEW" | "RFI_PENDING" | "INCOMPLETE" | "ACTIVE" | "REJECTED" | "CONTACT_SUPPORT";
}

export interface IndividualStatusData {
  details: IndividualDetails;
  message: string;
  rails: string;
  reviewResult: CheckResultReply;
  status: "INACTIVE" | "CREATED" | "PENDING" | "MANUAL_REVIEW" | "RFI_PENDING" | "INCOMPLETE" | "ACTIVE" | "REJECTED" | "CONTACT_SUPPORT";
  userId: string;
}

export interface InquiryApproval {
  walletAddress?: string | null;
}

export interface InquiryRejection {
  comment: string;
}

export interface JournalEntryReply {
  address: string | null;
  available: string;
  chain: string | null;
  currency: string;
  held: string;
  role: string | null;
  userId: string | null;
  userName: string | null;
  walletId: string | null;
}

export interface JournalReply {
  entries: Array<JournalEntryReply>;
  seq: number;
}

export interface KeyReply {
  kid: string;
  publicKey: string;
  shownUntil: string | null;
  signsFrom: string;
}

export interface KeyRotation {
  overlapSeconds?: number;
}

export interface KycBusiness {
  kycInfo: KycBusinessKycInfo;
  userId: string;
}

export interface KycBusinessKycInfo {
  address: Address | null;
  alternativeNames: Array<string> | null;
  articlesOfAssociationUrl: string | null;
  businessDescription: string | null;
  businessIndustry: string | null;
  businessName: string | null;
  businessNameLocal: string | null;
  businessRegistrationDocUrl: string | null;
  businessType: "cooperative" | "s_corporation" | "b_corporation" | "c_corporation" | "close_corporation" | "nonprofit_corporation" | "general_partnership" | "limited_partnership" | "limited_liability_company" | "other" | "sole_proprietorship" | "trust" | null;
  certificateNumber: string | null;
  certificateOfIncorporationDocUrl: string | null;
  certificateOfIncumbencyUrl: string | null;
  certificateOfRegistrationDocType: "ACRA" | "GST" | "MSME" | "CERTIFICATE_OF_REGISTRATION" | null;
  certificateOfRegistrationDocUrl: string | null;
  complianceScreeningExplanation: string | null;
  constitutionOrAnnualReportUrl: string | null;
  controlScheme: string | null;
  daoStatus: boolean | null;
  documents: Array<string | KycDocument>;
  email: string | null;
  exportCountry: string | null;
  flowOfFundsUrl: string | null;
  formationDate: string | null;
  formationDocUrl: string | null;
  incorporationCountry: string | null;
  incorporationDate: string | null;
  incorporationNumber: string | null;
  incorporationState: string | null;
  ipAddress: string | null;
  leiNumber: string | null;
  licenseExpirationDate: string | null;
  organizationStructureUrl: string | null;
  partnershipDeedUrl: string | null;
  partnershipMinsOfMeetingUrl: string | null;
  phone: string | null;
  postalAddress: Address | null;
  productServiceCategory: string | null;
  proofOfAddressType: "UTILITY_BILL" | "BANK_STATEMENT" | "RENTAL_AGREEMENT" | "TAX_DOCUMENT" | null;
  proofOfAddressUrl: string | null;
  proofOfOwnershipUrl: string | null;
  purpose: string | null;
  registeredAddress: Address | null;
  registrationNumber: string | null;
  shareStructureUrl: string | null;
  sofEuQuestionnaire: KycBusinessKycInfoSofEuQuestionnaire | null;
  sourceOfFunds: string | null;
  sourceOfFundsUrl: string | null;
  supplementaryInfo: string | null;
  supplementaryUrl: string | null;
  taxIdentificationNumber: string | null;
  taxIdentificationNumberType: "EIN" | "SSN" | "VAT" | "TIN" | "UTR" | null;
  tradeName: string | null;
  tradeType: string | null;
  transmitsCustomerFunds: boolean | null;
  type: "business";
  uboDeclarationUrl: string | null;
  ultimateBeneficialOwners: Array<string | KycOwner>;
  website: string | null;
}

export interface KycBusinessKycInfoSofEuQuestionnaire {
  conductsMoneyServices?: boolean | null;
  customerFundsDescription?: string | null;
  estimatedAnnualRevenueUsd?: "0_99999" | "100000_999999" | "1000000_9999999" | "10000000_49999999" | "50000000_249999999" | "250000000_plus" | null;
  expectedMonthlyPaymentsUsd?: string | null;
  highRiskActivities?: Array<"none_of_the_above" | "adult_entertainment" | "gambling" | "hold_client_funds" | "investment_services" | "lending_banking" | "marijuana_or_related_services" | "money_services" | "operate_foreign_exchange_virtual_currencies_brokerage_otc" | "safe_deposit_box_rentals" | "third_party_payment_processing" | "weapons_firearms_and_explosives"> | null;
  operatesInProhibitedCountries?: boolean | null;
  primaryPurpose?: "charitable_donations" | "ecommerce_retail_payments" | "investment_purposes" | "other" | "payments_to_friends_or_family_abroad" | "payroll" | "personal_or_living_expenses" | "protect_wealth" | "purchase_goods_and_services" | "receive_payments_for_goods_and_services" | "tax_optimization" | "third_party_money_transmission" | "treasury_management" | null;
  primaryPurposeOther?: string | null;
  sourceOfFunds?: "business_loans" | "grants" | "inter_company_funds" | "investment_proceeds" | "legal_settlement" | "owners_capital" | "pension_retirement" | "sale_of_assets" | "sales_of_goods_and_services" | "tax_refund" | "third_party_funds" | "treasury_reserves" | null;
  sourceOfFundsDescription?: string | null;
  transmitsCustomerFunds?: boolean | null;
  transmitsCustomerFundsDescription?: string | null;
}

export interface KycDocument {
  description: string | null;
  expiryDate: string | null;
  fileId: string | null;
  id: string;
  issuedCountry: string | null;
  issuedDate: string | null;
  number: string | null;
  subType: string;
  type: string;
  uboId: string | null;
  url?: string;
}

export interface KycDocumentList {
  count: number;
  data: Array<KycDocument>;
}

export interface KycDocumentUpdate {
  description?: string;
  expiryDate?: string;
  fileId?: string;
  issuedCountry?: string;
  issuedDate?: string;
  number?: string;
  url?: string;
}

/**
 * An event.
 *
 *     `data` is the object as its retrieve route returned it right after the change, null if it can no
 *     longer be shown. `createdAt` is when it happened, `timestamp` when it was delivered or read.
 *     `sequence` grows with each event of the object `objectId`, possibly with gaps.
 */
export interface KycEvent {
  createdAt: string;
  data: KycIndividual | KycBusiness | null;
  eventAction: string;
  eventCategory: string;
  eventId: string;
  eventType: "KYC.DATA.UPDATE";
  objectId: string;
  sequence: number;
  timestamp: string;
  version: string;
}

export interface KycIndividual {
  kycInfo: KycIndividualKycInfo;
  userId: string;
}

export interface KycIndividualKycInfo {
  additionalIdNumber: string | null;
  additionalIdType: string | null;
  address: Address | null;
  country: string | null;
  countryOfBirth: string | null;
  dateOfBirth: string | null;
  documents: Array<string | KycDocument>;
  email: string | null;
  firstName: string | null;
  firstNameLocal: string | null;
  gender: "M" | "F" | null;
  govIdBackUrl: string | null;
  govIdCountry: string | null;
  govIdExpirationDate: string | null;
  govIdFrontUrl: string | null;
  govIdHandHoldUrl: string | null;
  govIdIssuanceAuthority: string | null;
  govIdIssuanceDate: string | null;
  govIdNumber: string | null;
  govIdType: "PASSPORT" | "ID_CARD" | "DRIVERS" | null;
  idNumber: string | null;
  idType: "PASSPORT" | "ID_CARD" | "DRIVERS" | "NIN" | null;
  ipAddress: string | null;
  lastName: string | null;
  lastNameLocal: string | null;
  middleName: string | null;
  middleNameLocal: string | null;
  nationality: string | null;
  phone: string | null;
  placeOfBirth: string | null;
  productServiceCategory: string | null;
  proofOfAddressType: "UTILITY_BILL" | "BANK_STATEMENT" | "RENTAL_AGREEMENT" | "TAX_DOCUMENT" | null;
  proofOfAddressUrl: string | null;
  purpose: string | null;
  sofEuQuestionnaire: KycIndividualKycInfoSofEuQuestionnaire | null;
  stateOfBirth: string | null;
  supplementaryInfo: string | null;
  supplementaryUrl: string | null;
  taxIdentificationNumber: string | null;
  taxResidenceCountry: string | null;
  type: "individual";
}

export interface KycIndividualKycInfoSofEuQuestionnaire {
  actingAsIntermediary?: boolean | null;
  employmentStatus?: "employed" | "homemaker" | "retired" | "self_employed" | "student" | "unemployed" | null;
  expectedMonthlyPayments?: "0_4999" | "5000_9999" | "10000_49999" | "50000_plus" | null;
  mostRecentOccupation?: string | null;
  primaryPurpose?: "charitable_donations" | "ecommerce_retail_payments" | "investment_purposes" | "operating_a_company" | "payments_to_friends_or_family_abroad" | "personal_or_living_expenses" | "protect_wealth" | "purchase_goods_and_services" | "receive_payment_for_freelancing" | "receive_salary" | "other" | null;
  primaryPurposeOther?: string | null;
  sourceOfFunds?: "company_funds" | "ecommerce_reseller" | "gambling_proceeds" | "gifts" | "government_benefits" | "inheritance" | "investments_loans" | "pension_retirement" | "salary" | "sale_of_assets_real_estate" | "savings" | "someone_elses_funds" | null;
}

export interface KycLinkCreatedReply {
  kycLinkUrl: string;
}

/**
 * An event.
 *
 *     `data` is the object as its retrieve route returned it right after the change, null if it can no
 *     longer be shown. `createdAt` is when it happened, `timestamp` when it was delivered or read.
 *     `sequence` grows with each event of the object `objectId`, possibly with gaps.
 */
export interface KycLinkEvent {
  createdAt: string;
  data: KycLinkReply | null;
  eventAction: string;
  eventCategory: string;
  eventId: string;
  eventType: "KYC_LINK.CREATE" | "KYC_LINK.UPDATE";
  objectId: string;
  sequence: number;
  timestamp: string;
  version: string;
}

/**
 * Link to the hosted form.
 *
 *     `userId` is null until the user of the link is created.
 */
export interface KycLinkReply {
  completed: boolean;
  completedAt: string | null;
  createdAt: string;
  expiredAt: string;
  id: string;
  rails: Array<unknown>;
  userId: string | null;
  userType: unknown;
}

export interface KycOwner {
  address: Address | null;
  authLetterUrl: string | null;
  businessTitle?: string;
  countryOfBirth: string | null;
  dateOfBirth: string | null;
  documents: Array<string | KycDocument>;
  email: string | null;
  firstName: string | null;
  firstNameLocal: string | null;
  gender: "M" | "F" | null;
  govIdBackUrl: string | null;
  govIdCountry: string | null;
  govIdExpirationDate: string | null;
  govIdFrontUrl: string | null;
  govIdIssuanceAuthority: string | null;
  govIdIssuanceDate: string | null;
  govIdNumber: string | null;
  govIdType: "PASSPORT" | "ID_CARD" | "DRIVERS" | null;
  hasControl: boolean | null;
  hasOwnership: boolean | null;
  id: string;
  isSigner: boolean | null;
  lastName: string | null;
  lastNameLocal: string | null;
  middleName: string | null;
  middleNameLocal: string | null;
  nationality: string | null;
  phone: string | null;
  placeOfBirth: string | null;
  proofOfAddressType: "UTILITY_BILL" | "BANK_STATEMENT" | "RENTAL_AGREEMENT" | "TAX_DOCUMENT" | null;
  proofOfAddressUrl: string | null;
  relationshipEstablishedAt: string | null;
  role?: "OWNER_OR_OPERATOR" | "PARTNER" | "UBO" | "DIRECTOR_CONTROL_PERSON_OR_LEGAL_REP" | "AGENT_OR_AUTHORISED_PERSON";
  roles?: Array<"UBO" | "DIRECTOR" | "REPRESENTATIVE" | "SHAREHOLDER">;
  shareProportion: number | null;
  stateOfBirth: string | null;
  supplementaryInfo: string | null;
  supplementaryUrl: string | null;
  taxIdentificationNumber: string | null;
  taxResidenceCountry: string | null;
}

export interface KycOwnerList {
  count: number;
  data: Array<KycOwner>;
}

export interface KycOwnerUpdate {
  address?: Address;
  authLetterUrl?: string;
  businessTitle?: string;
  countryOfBirth?: string;
  dateOfBirth?: string;
  email?: string;
  firstName?: string;
  firstNameLocal?: string;
  gender?: "M" | "F";
  govIdBackUrl?: string;
  govIdCountry?: string;
  govIdExpirationDate?: string;
  govIdFrontUrl?: string;
  govIdIssuanceAuthority?: string;
  govIdIssuanceDate?: string;
  govIdNumber?: string;
  govIdType?: "PASSPORT" | "ID_CARD" | "DRIVERS";
  hasControl?: boolean;
  hasOwnership?: boolean;
  isSigner?: boolean;
  lastName?: string;
  lastNameLocal?: string;
  middleName?: string;
  middleNameLocal?: string;
  nationality?: string;
  phone?: string;
  placeOfBirth?: string;
  proofOfAddressType?: "UTILITY_BILL" | "BANK_STATEMENT" | "RENTAL_AGREEMENT" | "TAX_DOCUMENT";
  proofOfAddressUrl?: string;
  relationshipEstablishedAt?: string;
  role?: "OWNER_OR_OPERATOR" | "PARTNER" | "UBO" | "DIRECTOR_CONTROL_PERSON_OR_LEGAL_REP" | "AGENT_OR_AUTHORISED_PERSON";
  roles?: Array<"UBO" | "DIRECTOR" | "REPRESENTATIVE" | "SHAREHOLDER">;
  shareProportion?: number;
  stateOfBirth?: string;
  supplementaryInfo?: string;
  supplementaryUrl?: string;
  taxIdentificationNumber?: string;
  taxResidenceCountry?: string;
}

export interface LatencyReply {
  chains: "instant" | "real";
  rails: "instant" | "real";
}

export interface LatencyRequest {
  chains?: "instant" | "real" | null;
  rails?: "instant" | "real" | null;
}

export interface LiftAcceptance {
  amount?: string | null;
}

export interface LiftRejection {
  reason: string;
}

export interface LimitRemainingReply {
  leftCount: number | null;
  leftUsd: number | null;
  per: "ORG" | "USER";
  rule: string;
  window: "PAYMENT" | "DAY" | "MONTH";
}

export interface LimitSimulationReply {
  count: number;
  isComplete: boolean;
  limits: SimulatedRulesReply;
  since: string;
  today: SimulatedRulesReply;
  usd: number;
}

export interface LimitSimulationRequest {
  days?: number;
  limits: LimitsDocument;
}

export interface LimitsDocument {
  allow?: ListDocument | null;
  block?: ListDocument | null;
  coolDown?: CoolDownDocument | null;
  rules?: Array<RuleDocument>;
}

export interface LimitsReply {
  left: Array<LimitRemainingReply>;
  limits: LimitsDocument;
  setAt: string | null;
  version: number;
}

export interface LineResolution {
  comment: string;
  depositId?: string | null;
  resolution: "NO_ACTION" | "HANDLED" | "DUPLICATE" | "SETTLE" | "FAIL" | "RETURN" | "REVERSAL" | "DEPOSIT";
  transferId?: string | null;
}

export interface LinkRequest {
  rails: unknown;
}

export interface ListDocument {
  destinations: Array<string>;
  over?: "REFUSE" | "APPROVE";
}

export interface ListedAccount {
  accountHolderCity: string | null;
  accountHolderCountry: string | null;
  accountHolderName: string | null;
  accountHolderPostalCode: string | null;
  accountHolderStateProvinceRegion: string | null;
  accountHolderStreetLine1: string | null;
  accountId: string;
  accountNumber: string | null;
  accountType: string | null;
  bankCountry: string | null;
  bankName: string | null;
  businessIdentifierCode?: string;
  createdAt: string;
  metadata?: Record<string, string>;
  rail: RailReply;
  routingNumber: string | null;
  status: string;
  type: string;
  userId: string;
}

export interface ListedApproval {
  createdAt: string;
  expiresAt: string;
  fromDashboard: boolean;
  id: string;
  initiatorProfileId: string;
  needsSecond: boolean;
  status: "PENDING" | "APPROVED" | "REJECTED" | "EXPIRED";
  threshold: number;
  transferId: string;
  transferType: string;
  updatedAt: string;
  userId: string;
  votes: Array<CastVoteReply>;
  votesFor: number;
}

export interface ListedApprovalPage {
  approvals: Array<ListedApproval>;
  count: number;
  nextCursor?: string;
}

export interface ListedHit {
  category: "SANCTIONS" | "POLITICALLY_EXPOSED_PERSON";
  list: string;
  program: string;
  score: number;
}

export interface ListedReview {
  createdAt: string;
  documentsCount: number;
  id: string;
  rails: unknown;
  screening: ListedScreening;
  status: "INACTIVE" | "CREATED" | "PENDING" | "MANUAL_REVIEW" | "RFI_PENDING" | "INCOMPLETE" | "ACTIVE" | "REJECTED" | "CONTACT_SUPPORT";
  submittedAt: string;
  updatedAt: string;
  user: ListedUser;
  version: number;
}

export interface ListedScreening {
  hits: Array<ListedHit>;
  listVersion: string | null;
  unreadCount: number;
}

export interface ListedStatus {
  createdAt: string;
  rails: unknown;
  status: "INACTIVE" | "CREATED" | "PENDING" | "MANUAL_REVIEW" | "RFI_PENDING" | "INCOMPLETE" | "ACTIVE" | "REJECTED" | "CONTACT_SUPPORT";
  updatedAt: string;
  user: ListedUser;
}

export interface ListedUser {
  email: string;
  id: string;
  name: string;
  type: "individual" | "business";
}

export interface LoggedBodies {
  answerBody: unknown;
  at: string;
  keyId: string | null;
  leftOutAfter: number;
  method: string;
  milliseconds: number;
  path: string;
  query: Record<string, unknown>;
  requestBody: unknown;
  requestId: string | null;
  route: string;
  status: number;
  xRequestId: string;
}

export interface LoggedPage {
  count: number;
  nextCursor?: string;
  requests: Array<LoggedRequest>;
}

export interface LoggedRequest {
  at: string;
  keyId: string | null;
  leftOutAfter: number;
  method: string;
  milliseconds: number;
  path: string;
  query: Record<string, unknown>;
  requestId: string | null;
  route: string;
  status: number;
  xRequestId: string;
}

export interface MarketReply {
  received: number | null;
}

export interface Measure {
  digits?: number | null;
  filters?: TemplateFilters;
  function: "count" | "sum" | "average" | "minimum" | "maximum" | "distinctUsers" | "successShare" | "failureShare" | "median" | "p95" | "ratio" | "difference";
  ifZero?: "null" | "zero" | null;
  left?: Operand | null;
  of?: "amountUsd" | "amount" | "feesUsd" | "fees" | null;
  right?: Operand | null;
  rounding?: "halfUp" | "halfEven" | "down" | "up" | null;
}

export interface MetadataReply {
  metadata: Record<string, string>;
}

export interface MetadataUpdate {
  metadata: Record<string, string | null>;
}

export interface MethodStatus {
  message: string;
  status: "INACTIVE" | "CREATED" | "PENDING" | "MANUAL_REVIEW" | "RFI_PENDING" | "INCOMPLETE" | "ACTIVE" | "REJECTED" | "CONTACT_SUPPORT";
  warnings: Array<string>;
}

export interface MetricChange {
  name?: string | null;
  params?: MetricChangeParams | null;
  templateVersion?: number | null;
}

/** What the template takes, by name: GET /v2/reporting/templates has them all. */
export interface MetricChangeParams {
  approvalStatuses?: Array<"PENDING" | "APPROVED" | "REJECTED" | "EXPIRED">;
  breakdowns?: Array<"approvalStatus" | "chain" | "country" | "currency" | "destinationCurrency" | "endpointId" | "feePayer" | "holder" | "initiatedBy" | "outcome" | "rail" | "reason" | "sourceCurrency" | "transactionStatus" | "transactionType" | "userId" | "userType">;
  calculationInterval?: "day" | "week" | "month" | "quarter" | "year";
  chains?: Array<"POLYGON" | "ETHEREUM" | "SOLANA" | "BASE" | "BANK" | "OPTIMISM" | "ARBITRUM">;
  createdAfter?: string;
  createdBefore?: string;
  currencies?: Array<"usdc" | "usdt" | "usdHifi" | "usdg" | "usd" | "eur" | "brl" | "mxn" | "cop" | "ars" | "hkd" | "cny" | "sgd" | "ngn" | "kes" | "zmw" | "mwk" | "tzs" | "bwp" | "cdf" | "ghs" | "zar" | "ugx" | "rwf" | "xaf" | "xof">;
  destinationCurrencies?: Array<"usdc" | "usdt" | "usdHifi" | "usdg">;
  endpointIds?: Array<string>;
  holders?: Array<"customers" | "liquidity" | "fees" | "outside" | "in_transit" | "receivable" | "write_offs" | "suspense" | "payable">;
  limit?: number;
  reasons?: Array<string>;
  sourceCurrencies?: Array<"usdc" | "usdt" | "usdHifi" | "usdg">;
  timeZone?: string;
  transactionStatuses?: Array<"AWAITING_FUNDS" | "FIAT_INITIATED" | "FIAT_PENDING" | "FIAT_PROCESSED" | "CRYPTO_INITIATED" | "CRYPTO_PENDING" | "FIAT_FAILED" | "CRYPTO_FAILED" | "QUOTE_FAILED" | "NOT_INITIATED" | "FIAT_RETURNED" | "COMPLETED" | "PENDING_APPROVAL" | "INITIATED" | "PENDING" | "FAILED" | "REJECTED">;
  transactionTypes?: Array<"onramp" | "offramp" | "transfer" | "swap" | "bridge" | "correction">;
  userIds?: Array<string>;
  [name: string]: unknown;
}

export interface MetricEnvelope {
  data: MetricReply;
  metadata: Record<string, unknown>;
  status: string;
}

export interface MetricList {
  data: Array<MetricReply>;
  metadata: MetricListMetadata;
  status: string;
}

export interface MetricListMetadata {
  count: number;
  profileId: string;
}

export interface MetricPreview {
  definition?: TemplateDefinition | null;
  /** What the template takes, by name: GET /v2/reporting/templates has them all. */
  params: MetricPreviewParams;
  template?: string | null;
}

/** What the template takes, by name: GET /v2/reporting/templates has them all. */
export interface MetricPreviewParams {
  approvalStatuses?: Array<"PENDING" | "APPROVED" | "REJECTED" | "EXPIRED">;
  breakdowns?: Array<"approvalStatus" | "chain" | "country" | "currency" | "destinationCurrency" | "endpointId" | "feePayer" | "holder" | "initiatedBy" | "outcome" | "rail" | "reason" | "sourceCurrency" | "transactionStatus" | "transactionType" | "userId" | "userType">;
  calculationInterval?: "day" | "week" | "month" | "quarter" | "year";
  chains?: Array<"POLYGON" | "ETHEREUM" | "SOLANA" | "BASE" | "BANK" | "OPTIMISM" | "ARBITRUM">;
  createdAfter?: string;
  createdBefore?: string;
  currencies?: Array<"usdc" | "usdt" | "usdHifi" | "usdg" | "usd" | "eur" | "brl" | "mxn" | "cop" | "ars" | "hkd" | "cny" | "sgd" | "ngn" | "kes" | "zmw" | "mwk" | "tzs" | "bwp" | "cdf" | "ghs" | "zar" | "ugx" | "rwf" | "xaf" | "xof">;
  destinationCurrencies?: Array<"usdc" | "usdt" | "usdHifi" | "usdg">;
  endpointIds?: Array<string>;
  holders?: Array<"customers" | "liquidity" | "fees" | "outside" | "in_transit" | "receivable" | "write_offs" | "suspense" | "payable">;
  limit?: number;
  reasons?: Array<string>;
  sourceCurrencies?: Array<"usdc" | "usdt" | "usdHifi" | "usdg">;
  timeZone?: string;
  transactionStatuses?: Array<"AWAITING_FUNDS" | "FIAT_INITIATED" | "FIAT_PENDING" | "FIAT_PROCESSED" | "CRYPTO_INITIATED" | "CRYPTO_PENDING" | "FIAT_FAILED" | "CRYPTO_FAILED" | "QUOTE_FAILED" | "NOT_INITIATED" | "FIAT_RETURNED" | "COMPLETED" | "PENDING_APPROVAL" | "INITIATED" | "PENDING" | "FAILED" | "REJECTED">;
  transactionTypes?: Array<"onramp" | "offramp" | "transfer" | "swap" | "bridge" | "correction">;
  userIds?: Array<string>;
  [name: string]: unknown;
}

export interface MetricReply {
  createdAt: string;
  id: string;
  name: string;
  /** What the template takes, by name: GET /v2/reporting/templates has them all. */
  params: MetricReplyParams;
  profileId: string;
  template: string;
  templateVersion?: number;
  updatedAt: string;
}

/** What the template takes, by name: GET /v2/reporting/templates has them all. */
export interface MetricReplyParams {
  approvalStatuses?: Array<"PENDING" | "APPROVED" | "REJECTED" | "EXPIRED">;
  breakdowns?: Array<"approvalStatus" | "chain" | "country" | "currency" | "destinationCurrency" | "endpointId" | "feePayer" | "holder" | "initiatedBy" | "outcome" | "rail" | "reason" | "sourceCurrency" | "transactionStatus" | "transactionType" | "userId" | "userType">;
  calculationInterval?: "day" | "week" | "month" | "quarter" | "year";
  chains?: Array<"POLYGON" | "ETHEREUM" | "SOLANA" | "BASE" | "BANK" | "OPTIMISM" | "ARBITRUM">;
  createdAfter?: string;
  createdBefore?: string;
  currencies?: Array<"usdc" | "usdt" | "usdHifi" | "usdg" | "usd" | "eur" | "brl" | "mxn" | "cop" | "ars" | "hkd" | "cny" | "sgd" | "ngn" | "kes" | "zmw" | "mwk" | "tzs" | "bwp" | "cdf" | "ghs" | "zar" | "ugx" | "rwf" | "xaf" | "xof">;
  destinationCurrencies?: Array<"usdc" | "usdt" | "usdHifi" | "usdg">;
  endpointIds?: Array<string>;
  holders?: Array<"customers" | "liquidity" | "fees" | "outside" | "in_transit" | "receivable" | "write_offs" | "suspense" | "payable">;
  limit?: number;
  reasons?: Array<string>;
  sourceCurrencies?: Array<"usdc" | "usdt" | "usdHifi" | "usdg">;
  timeZone?: string;
  transactionStatuses?: Array<"AWAITING_FUNDS" | "FIAT_INITIATED" | "FIAT_PENDING" | "FIAT_PROCESSED" | "CRYPTO_INITIATED" | "CRYPTO_PENDING" | "FIAT_FAILED" | "CRYPTO_FAILED" | "QUOTE_FAILED" | "NOT_INITIATED" | "FIAT_RETURNED" | "COMPLETED" | "PENDING_APPROVAL" | "INITIATED" | "PENDING" | "FAILED" | "REJECTED">;
  transactionTypes?: Array<"onramp" | "offramp" | "transfer" | "swap" | "bridge" | "correction">;
  userIds?: Array<string>;
  [name: string]: unknown;
}

export interface MetricResultReply {
  data: Array<MetricResultReplyData>;
  metadata: ResultMetadata;
  status: string;
}

/** A period, named by its first day; the values of the breakdowns by their names; and the fields of the template. */
export interface MetricResultReplyData {
  periodStart?: string;
  [name: string]: unknown;
}

export interface MexicoBank {
  currency?: "mxn" | null;
  speiClabe?: string | null;
  speiInstitutionCode?: string | null;
  speiProtocol?: "clabe" | "debitcard" | "phonenum" | null;
}

export interface MexicoGlobalNetworkBank {
  currency?: "mxn" | null;
  speiClabe?: string | null;
}

export interface MicroDepositReply {
  amount: number;
  createdAt: string;
  currency: string;
  id: string;
  sourceBankInfo: SourceBankInfo;
}

export interface MicroDeposits {
  count: number;
  data: Array<MicroDepositReply>;
}

export interface NewAccount {
  accountHolder?: AccountHolder | null;
  africa?: AfricaBank | null;
  argentina?: ArgentinaBank | null;
  brazil?: BrazilBank | null;
  brazilGlobalNetwork?: BrazilGlobalNetworkBank | null;
  chinaGlobalNetwork?: ChinaGlobalNetworkBank | null;
  colombia?: ColombiaBank | null;
  europeGlobalNetwork?: EuropeGlobalNetworkBank | null;
  hongKongGlobalNetwork?: HongKongGlobalNetworkBank | null;
  metadata?: Record<string, string> | null;
  mexico?: MexicoBank | null;
  mexicoGlobalNetwork?: MexicoGlobalNetworkBank | null;
  nigeriaGlobalNetwork?: NigeriaGlobalNetworkBank | null;
  rail: "onramp" | "offramp";
  requestId?: string | null;
  singaporeGlobalNetwork?: SingaporeGlobalNetworkBank | null;
  type: "us" | "brazil" | "colombia" | "argentina" | "mexico" | "africa" | "brazilGlobalNetwork" | "nigeriaGlobalNetwork" | "mexicoGlobalNetwork" | "hongKongGlobalNetwork" | "chinaGlobalNetwork" | "singaporeGlobalNetwork" | "europeGlobalNetwork";
  us?: UsBank | null;
}

export interface NewBatch {
  chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE";
  currency: string;
  destination: BatchDestination;
  metadata?: Record<string, string> | null;
  requestId: string;
  requireApproval?: boolean | null;
  source: BatchSource;
}

export interface NewBridge {
  amount: number;
  destination: BridgeDestination;
  metadata?: Record<string, string> | null;
  requestId: string;
  requireApproval?: boolean | null;
  source: BridgeSource;
}

export interface NewBusiness {
  address?: Address | null;
  businessName: string;
  chains?: Array<"POLYGON" | "ETHEREUM" | "SOLANA" | "BASE"> | null;
  email: string;
  ipAddress?: string | null;
  metadata?: Record<string, string> | null;
  requestId?: string | null;
  signedAgreementId: string;
  type: "business";
  ultimateBeneficialOwners?: Array<BusinessOwner> | null;
}

export interface NewExternalWallet {
  address: string;
  chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE";
  name: string;
  referenceId: string;
}

export interface NewIndividual {
  address?: Address | null;
  chains?: Array<"POLYGON" | "ETHEREUM" | "SOLANA" | "BASE"> | null;
  dateOfBirth: string;
  email: string;
  firstName: string;
  ipAddress?: string | null;
  lastName: string;
  metadata?: Record<string, string> | null;
  requestId?: string | null;
  signedAgreementId: string;
  type: "individual";
}

export interface NewKycLink {
  rails?: Array<unknown> | null;
  recipientEmail?: string | null;
  redirectUrl?: string | null;
  templateId?: string | null;
  userId?: string | null;
  userType?: unknown;
}

export interface NewMetric {
  name: string;
  /** What the template takes, by name: GET /v2/reporting/templates has them all. */
  params: NewMetricParams;
  /** One of GROSS_VOLUME, TRANSACTION_COUNT, NEW_USERS, SWAP_VOLUME, FEES, OUTCOMES, COMPLETION_TIME, APPROVAL_TURNAROUND, WEBHOOK_HEALTH, BALANCES, or the organisation's own. */
  template: string;
}

/** What the template takes, by name: GET /v2/reporting/templates has them all. */
export interface NewMetricParams {
  approvalStatuses?: Array<"PENDING" | "APPROVED" | "REJECTED" | "EXPIRED">;
  breakdowns?: Array<"approvalStatus" | "chain" | "country" | "currency" | "destinationCurrency" | "endpointId" | "feePayer" | "holder" | "initiatedBy" | "outcome" | "rail" | "reason" | "sourceCurrency" | "transactionStatus" | "transactionType" | "userId" | "userType">;
  calculationInterval?: "day" | "week" | "month" | "quarter" | "year";
  chains?: Array<"POLYGON" | "ETHEREUM" | "SOLANA" | "BASE" | "BANK" | "OPTIMISM" | "ARBITRUM">;
  createdAfter?: string;
  createdBefore?: string;
  currencies?: Array<"usdc" | "usdt" | "usdHifi" | "usdg" | "usd" | "eur" | "brl" | "mxn" | "cop" | "ars" | "hkd" | "cny" | "sgd" | "ngn" | "kes" | "zmw" | "mwk" | "tzs" | "bwp" | "cdf" | "ghs" | "zar" | "ugx" | "rwf" | "xaf" | "xof">;
  destinationCurrencies?: Array<"usdc" | "usdt" | "usdHifi" | "usdg">;
  endpointIds?: Array<string>;
  holders?: Array<"customers" | "liquidity" | "fees" | "outside" | "in_transit" | "receivable" | "write_offs" | "suspense" | "payable">;
  limit?: number;
  reasons?: Array<string>;
  sourceCurrencies?: Array<"usdc" | "usdt" | "usdHifi" | "usdg">;
  timeZone?: string;
  transactionStatuses?: Array<"AWAITING_FUNDS" | "FIAT_INITIATED" | "FIAT_PENDING" | "FIAT_PROCESSED" | "CRYPTO_INITIATED" | "CRYPTO_PENDING" | "FIAT_FAILED" | "CRYPTO_FAILED" | "QUOTE_FAILED" | "NOT_INITIATED" | "FIAT_RETURNED" | "COMPLETED" | "PENDING_APPROVAL" | "INITIATED" | "PENDING" | "FAILED" | "REJECTED">;
  transactionTypes?: Array<"onramp" | "offramp" | "transfer" | "swap" | "bridge" | "correction">;
  userIds?: Array<string>;
  [name: string]: unknown;
}

export interface NewOfframp {
  description?: string | null;
  destination: OfframpDestination;
  developerFee?: DeveloperFees | Array<DeveloperFees> | null;
  fee?: Record<string, unknown> | null;
  metadata?: Record<string, string> | null;
  purposeOfPayment?: "gift" | "bills" | "groceries" | "travel" | "health" | "entertainment" | "housing" | "school-fees" | "other" | "invoice_payments" | "payment_for_services" | "payment_for_software" | "payment_for_imported_goods" | "travel_services" | "transfer_to_own_account" | "repayment_of_loans" | "payroll" | "payment_of_property_rental" | "information_service_charges" | "advertising_and_public_relations" | "royalty_and_ip_fees" | "financial_service_fees" | "advisory_and_consulting_fees" | "representative_office_expenses" | "tax_payment" | "transportation_fees" | "construction_costs" | "insurance_premium" | "offline_goods_trade" | "insurance_claims" | "remittance_to_family_or_friends" | "education_expenses" | "medical_treatment" | "donations" | "mutual_fund_investment" | "currency_exchange" | "advance_payment_for_goods" | "merchant_settlement" | "repatriation_fund_settlement" | null;
  requestId: string;
  requireApproval?: boolean | null;
  source: OfframpSource;
  supportingDocumentType?: "billing_document" | "order_document" | "shipment_document" | "regulatory_document" | "transport_document" | "other_document" | null;
  supportingDocumentUrl?: string | null;
  supportingInformation?: SupportingInformation | null;
}

export interface NewOnramp {
  destination: OnrampDestination;
  fee?: OnrampFee | null;
  isInstant?: boolean | null;
  metadata?: Record<string, string> | null;
  purposeOfPayment?: "gift" | "bills" | "groceries" | "travel" | "health" | "entertainment" | "housing" | "school-fees" | "other" | null;
  requestId: string;
  source: OnrampSource;
}

export interface NewPart {
  calculationModel: "FIXED" | "TIERED";
  tiers?: Array<NewTier> | null;
  type: "PERCENTAGE" | "FIXED";
  value?: number | null;
  walletAddress: string;
}

export interface NewReveal {
  field: "accountNumber" | "additionalIdNumber" | "certificateNumber" | "corrected" | "govIdNumber" | "iban" | "idNumber" | "incorporationNumber" | "leiNumber" | "number" | "partyAccount" | "pix" | "pixKey" | "registrationNumber" | "speiClabe" | "taxIdentificationNumber";
  reason: string;
  record: "ACCOUNT" | "KYC" | "OWNER" | "DOCUMENT";
  recordId: string;
}

export interface NewRule {
  chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE";
  includeHIFIFee: boolean;
  requestId: string;
  rules: Array<NewPart>;
}

export interface NewSchedule {
  at?: string;
  every: "day" | "week" | "month";
  format?: "csv" | "parquet";
  metricId?: string | null;
  name: string;
  params?: Record<string, unknown> | null;
  recipientIds?: Array<string> | null;
  template?: string | null;
  timeZone?: string;
}

export interface NewSwap {
  destination: SwapDestination;
  metadata?: Record<string, string> | null;
  minReceive?: string | null;
  requestId: string;
  source: SwapSource;
}

export interface NewTemplate {
  definition: TemplateDefinition;
  description?: string | "";
  displayName: string;
  name: string;
}

export interface NewTermsLink {
  idempotencyKey: string;
  redirectUrl?: string | null;
  templateId?: string | null;
}

export interface NewTier {
  max: string;
  min: string;
  value: number;
}

export interface NewTimeZone {
  timeZone: string;
}

export interface NewTransactionNote {
  text: string;
}

export interface NewVirtualAccount {
  destinationChain?: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE" | null;
  destinationCurrency: "usdc" | "usdt";
  externalWalletId?: string | null;
  sourceCurrency: "usd";
}

export interface NewWalletTransfer {
  amount: number;
  chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE";
  currency: string;
  destination: TransferDestination;
  fee?: FeeRequest | null;
  metadata?: Record<string, string> | null;
  requestId: string;
  requireApproval?: boolean | null;
  source: TransferSource;
}

export interface NewWebhook {
  createEventSpelling?: "CREATE" | "CREATED";
  description?: string | "" | null;
  eventTypes?: Array<string> | null;
  standardWebhooks?: boolean;
  url: string;
}

export interface NigeriaGlobalNetworkBank {
  accountNumber?: string | null;
  bankName?: string | null;
  currency?: "ngn" | null;
}

export interface NumbersReply {
  accountNumber: string;
  routingNumber: string;
}

export interface OfframpBeneficiary {
  jurisdictionOfIncorporation?: string | null;
  legalEntityName?: string | null;
  natureOfBusiness?: string | null;
  relationshipToBeneficiary?: string | null;
  website?: string | null;
}

export interface OfframpDepositReply {
  amount: number;
  chain: string;
  collectable: boolean;
  collected: boolean;
  contractAddress: string;
  currency: string;
  expiresAt: string;
  fromAddress: string;
  id: string;
  rawAmount: string;
  toAddress: string;
  transactionHash: string | null;
}

export interface OfframpDestination {
  accountId: string;
  achReference?: string | null;
  amount?: number | null;
  currency: string;
  paymentReference?: string | null;
  sameDayAch?: boolean | null;
  sepaReference?: string | null;
  swiftCharges?: unknown;
  swiftReference?: string | null;
  userId?: string | null;
  wireMessage?: string | null;
}

export interface OfframpDestinationReply {
  accountId: string;
  amount: number;
  currency: string;
  sameDayAch: boolean;
  user: PartyReply | null;
  userId: string;
}

export interface OfframpDetailsReply {
  amount_in_usd: number;
  approval?: ApprovalReply;
  createdAt: string;
  depositInformation: Array<OfframpDepositReply>;
  destination: OfframpDestinationReply;
  developerFee: DeveloperFeeReply | null;
  failedReason: string | null;
  id: string;
  quoteInformation: OfframpQuoteReply | null;
  receipt: OfframpReceiptReply;
  requestId: string;
  source: OfframpSourceReply;
  status: "CREATED" | "PENDING_APPROVAL" | "NOT_INITIATED" | "OPEN_QUOTE" | "QUOTE_FAILED" | "IN_REVIEW" | "AWAITING_FUNDS" | "CRYPTO_INITIATED" | "CRYPTO_PENDING" | "CRYPTO_PROCESSED" | "CRYPTO_FAILED" | "FIAT_INITIATED" | "FIAT_PENDING" | "FIAT_FAILED" | "CRYPTO_RETURNED" | "COMPLETED" | "REJECTED" | "EXPIRED";
  updatedAt: string;
}

/**
 * An event.
 *
 *     `data` is the object as its retrieve route returned it right after the change, null if it can no
 *     longer be shown. `createdAt` is when it happened, `timestamp` when it was delivered or read.
 *     `sequence` grows with each event of the object `objectId`, possibly with gaps.
 */
export interface OfframpEvent {
  createdAt: string;
  data: OfframpReply | null;
  eventAction: string;
  eventCategory: string;
  eventId: string;
  eventType: "OFFRAMP.TRANSACTION.CREATE" | "OFFRAMP.TRANSACTION.CREATED" | "OFFRAMP.CREATE" | "OFFRAMP.STATUS.PENDING_APPROVAL" | "OFFRAMP.UPDATE" | "OFFRAMP.STATUS.NOT_INITIATED" | "OFFRAMP.STATUS.OPEN_QUOTE" | "OFFRAMP.STATUS.QUOTE_FAILED" | "OFFRAMP.STATUS.IN_REVIEW" | "OFFRAMP.STATUS.AWAITING_FUNDS" | "OFFRAMP.STATUS.CRYPTO_INITIATED" | "OFFRAMP.STATUS.CRYPTO_PENDING" | "OFFRAMP.STATUS.CRYPTO_PROCESSED" | "OFFRAMP.STATUS.CRYPTO_FAILED" | "OFFRAMP.STATUS.FIAT_INITIATED" | "OFFRAMP.STATUS.FIAT_PENDING" | "OFFRAMP.STATUS.FIAT_FAILED" | "OFFRAMP.STATUS.CRYPTO_RETURNED" | "OFFRAMP.STATUS.COMPLETED" | "OFFRAMP.STATUS.REJECTED" | "OFFRAMP.STATUS.EXPIRED" | "OFFRAMP.RFI.OPEN" | "OFFRAMP.RFI.CLOSED";
  objectId: string;
  sequence: number;
  timestamp: string;
  version: string;
}

export interface OfframpPage {
  count: number;
  nextCursor?: string;
  records: Array<OfframpReply>;
}

export interface OfframpQuoteReply {
  expiresAt: string;
  rate: string;
  receiveGross: QuotedAmount;
  receiveNet: QuotedAmount;
  sendGross: QuotedAmount;
  sendNet: QuotedAmount;
}

export interface OfframpReceiptReply {
  paymentTracking: PaymentTrackingReply | null;
  transactionHash: string | null;
}

export interface OfframpReply {
  dryRun?: DryRunReply;
  metadata?: Record<string, string>;
  timeline?: TimelineReply;
  transferDetails: OfframpDetailsReply;
  transferType: string;
}

export interface OfframpSource {
  amount?: number | null;
  chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE";
  currency: string;
  externalWalletId?: string | null;
  returnAddress?: string | null;
  userId?: string | null;
}

export interface OfframpSourceReply {
  amount: number;
  chain: string;
  currency: string;
  externalWalletId: string | null;
  user: PartyReply | null;
  userId: string;
  walletAddress: string;
}

export interface OldestOrderReply {
  recordId: string | null;
  state: string;
  waitsFor: string | null;
  waitsSince: string;
}

export interface OnrampDestination {
  amount?: number | null;
  chain?: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE" | null;
  currency?: string | null;
  externalWalletId?: string | null;
  userId?: string | null;
}

export interface OnrampDestinationReply {
  amount: number;
  chain: string;
  currency: string;
  externalWalletId: string | null;
  user: PartyReply | null;
  userId: string;
  walletAddress: string;
}

export interface OnrampDetailsReply {
  amount_in_usd: number;
  createdAt: string;
  depositInfo: DepositInfoReply | null;
  destination: OnrampDestinationReply;
  developerFee: null;
  failedReason: string | null;
  id: string;
  quoteInformation: OnrampQuoteReply;
  receipt: OnrampReceiptReply;
  requestId: string;
  source: OnrampSourceReply;
  status: "CREATED" | "NOT_INITIATED" | "OPEN_QUOTE" | "QUOTE_FAILED" | "AWAITING_FUNDS" | "IN_REVIEW" | "FIAT_INITIATED" | "FIAT_PENDING" | "FIAT_PROCESSED" | "FIAT_FAILED" | "FIAT_RETURNED" | "CRYPTO_INITIATED" | "CRYPTO_PENDING" | "CRYPTO_FAILED" | "COMPLETED" | "UNKNOWN";
  updatedAt: string;
  virtualAccountId: string | null;
}

/**
 * An event.
 *
 *     `data` is the object as its retrieve route returned it right after the change, null if it can no
 *     longer be shown. `createdAt` is when it happened, `timestamp` when it was delivered or read.
 *     `sequence` grows with each event of the object `objectId`, possibly with gaps.
 */
export interface OnrampEvent {
  createdAt: string;
  data: OnrampReply | null;
  eventAction: string;
  eventCategory: string;
  eventId: string;
  eventType: "ONRAMP.TRANSACTION.CREATE" | "ONRAMP.TRANSACTION.CREATED" | "ONRAMP.CREATE" | "ONRAMP.STATUS.NOT_INITIATED" | "ONRAMP.UPDATE" | "ONRAMP.STATUS.OPEN_QUOTE" | "ONRAMP.STATUS.QUOTE_FAILED" | "ONRAMP.STATUS.AWAITING_FUNDS" | "ONRAMP.STATUS.IN_REVIEW" | "ONRAMP.STATUS.FIAT_INITIATED" | "ONRAMP.STATUS.FIAT_PENDING" | "ONRAMP.STATUS.FIAT_PROCESSED" | "ONRAMP.STATUS.FIAT_FAILED" | "ONRAMP.STATUS.FIAT_RETURNED" | "ONRAMP.STATUS.CRYPTO_INITIATED" | "ONRAMP.STATUS.CRYPTO_PENDING" | "ONRAMP.STATUS.CRYPTO_FAILED" | "ONRAMP.STATUS.COMPLETED" | "ONRAMP.STATUS.UNKNOWN" | "ONRAMP.RFI.OPEN" | "ONRAMP.RFI.CLOSED";
  objectId: string;
  sequence: number;
  timestamp: string;
  version: string;
}

export interface OnrampFee {
  type: "FIX" | "PERCENT";
  value: number;
}

export interface OnrampPage {
  count: number;
  nextCursor?: string;
  records: Array<OnrampReply>;
}

export interface OnrampQuoteReply {
  expiresAt: string;
  railFee: QuotedAmount;
  rate: string;
  receiveGross: QuotedAmount;
  receiveNet: QuotedAmount;
  sendGross: QuotedAmount;
  sendNet: QuotedAmount;
}

export interface OnrampReceiptReply {
  transactionHash?: string;
  userOpHash: string | null;
}

export interface OnrampReply {
  dryRun?: DryRunReply;
  metadata?: Record<string, string>;
  timeline?: TimelineReply;
  transferDetails: OnrampDetailsReply;
  transferType: string;
}

export interface OnrampSource {
  accountId?: string | null;
  amount?: number | null;
  currency: string;
  transferType?: "ach" | "wire" | null;
  userId: string;
}

export interface OnrampSourceReply {
  accountId: string | null;
  amount: number;
  bankInfo: BankInfoReply | null;
  currency: string;
  user: PartyReply | null;
  userId: string;
}

export interface OpenOrdersReply {
  count: number;
  oldest: OldestOrderReply | null;
  states: Array<OrderCountReply>;
}

export interface Operand {
  digits?: number | null;
  filters?: TemplateFilters;
  function: "count" | "sum" | "average" | "minimum" | "maximum" | "distinctUsers" | "successShare" | "failureShare" | "median" | "p95" | "ratio" | "difference";
  of?: "amountUsd" | "amount" | "feesUsd" | "fees" | null;
  rounding?: "halfUp" | "halfEven" | "down" | "up" | null;
}

export interface OperationReply {
  chain: string | null;
  transactionHash: string | null;
  userOpHash: string | null;
}

export interface OperationsReply {
  approve: OperationReply | null;
  burn: OperationReply | null;
  mint: OperationReply | null;
}

export interface OptionList {
  data: Array<string>;
  metadata: OptionMetadata;
  status: string;
}

export interface OptionMetadata {
  count: number;
  hasMore: boolean;
  limit: number;
  page: number;
  total: number;
  totalPages: number;
}

export interface OrderCountReply {
  count: number;
  state: string;
}

export interface OutcomeReply {
  defaultDelay: string | null;
  description: string;
  outcome: string;
  step: string;
  transferTypes: Array<string>;
}

export interface OutcomesReply {
  header: string;
  outcomes: Array<OutcomeReply>;
}

export interface OwnerStatus {
  details: IndividualDetails;
  id: string;
  message: string;
  reviewResult: CheckResultReply;
  status: "INACTIVE" | "CREATED" | "PENDING" | "MANUAL_REVIEW" | "RFI_PENDING" | "INCOMPLETE" | "ACTIVE" | "REJECTED" | "CONTACT_SUPPORT";
}

export interface OwnersReply {
  details: Array<OwnerStatus>;
  reviewResult: CheckResultReply;
}

export interface OwnershipChallengeReply {
  expiresAt: string;
  message: string;
}

export interface OwnershipProofRequest {
  signature: string;
}

export interface ParamReply {
  constraints: Record<string, unknown>;
  description: string;
  multiple: boolean;
  name: string;
  options: Array<string>;
  optionsEndpoint?: string;
  required: boolean;
  type: string;
}

export interface PartReply {
  calculationModel: "FIXED" | "TIERED";
  tiers: Array<TierReply> | null;
  type: "PERCENTAGE" | "FIXED";
  value: number | null;
  walletAddress: string;
}

export interface PartyReply {
  businessName: string | null;
  email: string;
  firstName: string | null;
  lastName: string | null;
}

export interface PastDecision {
  actor: string;
  at: string;
  comment: string | null;
  note: string | null;
  rejectReasons: Array<string>;
  status: "INACTIVE" | "CREATED" | "PENDING" | "MANUAL_REVIEW" | "RFI_PENDING" | "INCOMPLETE" | "ACTIVE" | "REJECTED" | "CONTACT_SUPPORT";
}

export interface PayeeReply {
  address: string;
  amount: string;
  userId: string | null;
  userName: string | null;
}

export interface PayeeVerificationReply {
  checkedAt: string;
  match: "match" | "close_match" | "no_match" | "unavailable";
  name?: string;
}

export interface PaymentScreeningList {
  count: number;
  nextCursor?: string;
  reviews: Array<PaymentScreeningReply>;
}

export interface PaymentScreeningReply {
  amount: string;
  categories: Array<string>;
  chain: string | null;
  createdAt: string;
  currency: string;
  destinationAddress: string | null;
  id: string;
  missing: Array<string>;
  paymentRail: string | null;
  provider: string | null;
  reference: string | null;
  sourceAddress: string | null;
  status: "IN_SCREENING" | "HELD" | "RELEASED" | "REJECTED" | "VOID";
  transferId: string;
  transferType: string;
  updatedAt: string;
  userId: string;
}

export interface PaymentTrackingReply {
  fedBatchId?: string;
  imad: string | null;
  omad: string | null;
  paymentRail: string;
  traceNumber?: string;
  uetr: string | null;
}

export interface PendingApproval {
  createdAt: string;
  id: string;
  status: "PENDING" | "APPROVED" | "REJECTED" | "EXPIRED";
  transferId: string;
  transferType: string;
  updatedAt: string;
}

export interface PlannedApprovalReply {
  expiresAt: string;
  needsSecond: boolean;
  threshold: number;
}

export interface PlannedJournalReply {
  postings: Array<PlannedPostingReply>;
  status: string;
}

export interface PlannedLimitsReply {
  findings: Array<FindingReply>;
  left: Array<LimitRemainingReply>;
}

export interface PlannedPostingReply {
  account: string;
  available: string;
  chain: string;
  currency: string;
  held: string;
  userId: string | null;
  walletAddress: string | null;
}

export interface Pong {
  message: string;
}

export interface PositionReply {
  acceptedAmount: string;
  currency: string;
  differenceAmount: string;
  ledgerAmount: string;
  outsideAmount: string;
  unexplainedAmount: string;
}

export interface ProviderCallsReply {
  count: number;
  failed: number;
  lastFailedAt: string | null;
  lastFailure: string | null;
}

export interface ProviderLinkReply {
  expiresAt: string | null;
  url: string;
}

export interface ProviderList {
  count: number;
  providers: Array<ProviderReply>;
}

export interface ProviderReply {
  calls: ProviderCallsReply | null;
  hasRunLive: boolean;
  health: "HEALTHY" | "FAILING" | "UNKNOWN";
  kind: "SIDECAR" | "PACKAGE" | "FILES" | "MANUAL" | "SANDBOX";
  lastAnswerAt: string | null;
  name: string;
  problemCount: number;
  serves: Array<ServedRouteReply>;
  waiting: Array<WaitingItemReply>;
  waitingCount: number;
}

export interface QuoteReply {
  expiresAt: string;
  rate: string;
  receiveGross: QuotedAmount;
  receiveNet: QuotedAmount;
  sendGross: QuotedAmount;
  sendNet: QuotedAmount;
}

export interface QuotedAmount {
  amount: string;
  currency: string;
}

export interface RailInstructions {
  accountNumber: string;
  routingNumber: string;
}

export interface RailRateReply {
  conversionRate: string;
  transferType: string;
}

export interface RailReply {
  currency: string;
  paymentRail: string | null;
  railType: string;
}

export interface RailStatus {
  limit?: Record<string, unknown>;
  message: string;
  offRamp: Record<string, Record<string, MethodStatus>>;
  onRamp: Record<string, Record<string, MethodStatus>>;
  status: "INACTIVE" | "CREATED" | "PENDING" | "MANUAL_REVIEW" | "RFI_PENDING" | "INCOMPLETE" | "ACTIVE" | "REJECTED" | "CONTACT_SUPPORT";
  warnings: Array<string>;
}

export interface RailStatusData {
  limit?: Record<string, unknown>;
  message: string;
  offRamp: Record<string, Record<string, MethodStatus>>;
  onRamp: Record<string, Record<string, MethodStatus>>;
  rails: string;
  status: "INACTIVE" | "CREATED" | "PENDING" | "MANUAL_REVIEW" | "RFI_PENDING" | "INCOMPLETE" | "ACTIVE" | "REJECTED" | "CONTACT_SUPPORT";
  userId: string;
  warnings: Array<string>;
}

export interface RateReply {
  conversionRate: string;
  conversionRates: Array<RailRateReply>;
  fromCurrency: string;
  toCurrency: string;
}

export interface ReceivableList {
  count: number;
  nextCursor?: string;
  reviews: Array<ReceivableReply>;
}

export interface ReceivableReply {
  amount: string;
  createdAt: string;
  currency: string;
  id: string;
  reason: string;
  status: "OPEN" | "RECOVERED" | "WRITTEN_OFF";
  transferId: string;
  transferType: string;
  updatedAt: string;
  userId: string;
}

export interface RecipientReply {
  accountId: string | null;
  accountNumber: string | null;
  address: string | null;
  bankName: string | null;
  count: number;
  userId: string | null;
  userName: string | null;
}

export interface ReconRunPage {
  count: number;
  nextCursor?: string;
  runs: Array<ReconRunReply>;
}

export interface ReconRunReply {
  blockHash: string | null;
  blockNumber: number | null;
  comparedAt: string;
  failure: string | null;
  id: string;
  openCount: number;
  source: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE" | "BANK_USD" | "BANK_EUR" | "BANK_BRL" | "BANK_MXN" | "BANK_COP" | "BANK_ARS" | "BANK_HKD" | "BANK_CNY" | "BANK_SGD" | "BANK_NGN" | "BANK_KES" | "BANK_ZMW" | "BANK_MWK" | "BANK_TZS" | "BANK_BWP" | "BANK_CDF" | "BANK_GHS" | "BANK_ZAR" | "BANK_UGX" | "BANK_RWF" | "BANK_XAF" | "BANK_XOF";
}

export interface ReconSourceReply {
  blockHash: string;
  blockNumber: number;
  failure: string | null;
  lastGoodAt: string | null;
  lastRunAt: string;
  positions: Array<PositionReply>;
  source: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE" | "BANK_USD" | "BANK_EUR" | "BANK_BRL" | "BANK_MXN" | "BANK_COP" | "BANK_ARS" | "BANK_HKD" | "BANK_CNY" | "BANK_SGD" | "BANK_NGN" | "BANK_KES" | "BANK_ZMW" | "BANK_MWK" | "BANK_TZS" | "BANK_BWP" | "BANK_CDF" | "BANK_GHS" | "BANK_ZAR" | "BANK_UGX" | "BANK_RWF" | "BANK_XAF" | "BANK_XOF";
}

export interface ReconSourcesReply {
  count: number;
  sources: Array<ReconSourceReply>;
}

export interface RejectRequest {
  reason?: string | "" | null;
}

export interface RejectedDocument {
  id: string;
  rejectReasons?: Array<string> | null;
}

export interface RejectionReply {
  approvalId: string;
  message: string;
  reason: string;
  status: "PENDING" | "APPROVED" | "REJECTED" | "EXPIRED";
  success: boolean;
  timestamp: string;
}

/**
 * An event.
 *
 *     `data` is the object as its retrieve route returned it right after the change, null if it can no
 *     longer be shown. `createdAt` is when it happened, `timestamp` when it was delivered or read.
 *     `sequence` grows with each event of the object `objectId`, possibly with gaps.
 */
export interface ReportEvent {
  createdAt: string;
  data: RunShape | null;
  eventAction: string;
  eventCategory: string;
  eventId: string;
  eventType: "REPORT.READY" | "REPORT.FAILED";
  objectId: string;
  sequence: number;
  timestamp: string;
  version: string;
}

export interface RequestReply {
  createdAt: string;
  href: string;
  id: string;
  isFinal: boolean;
  kind: string;
  outcomePlan: string | null;
  requestId: string;
  status: string | null;
  updatedAt: string;
}

export interface RequirementsReply {
  invalid: Record<string, unknown>;
  optional: Record<string, unknown>;
  rails: unknown;
  required: Record<string, unknown>;
  type: "individual" | "business";
  userId: string;
}

export interface ResendReply {
  count: number | null;
  hasMore: boolean;
  only: "all" | "failed";
  since: string;
}

export interface ResendRequest {
  only: "all" | "failed";
  since: string;
}

export interface ResolutionPage {
  count: number;
  nextCursor?: string;
  resolutions: Array<ResolutionReply>;
}

export interface ResolutionReply {
  accountId: string | null;
  action: "CONFIRM" | "FAIL" | "REDIRECT" | "SETTLE_OUTSIDE" | "PAYOUT_RETURNED" | "DEPOSIT_REVERSED" | "RELEASE" | "REJECT" | "RECOVER" | "WRITE_OFF";
  address: string | null;
  approvalId: string | null;
  approvalStatus: "PENDING" | "APPROVED" | "REJECTED" | "EXPIRED" | null;
  createdAt: string;
  evidence: string | null;
  failedReason: string | null;
  id: string;
  requestedBy: string;
  status: "PENDING_APPROVAL" | "APPROVED" | "COMPLETED" | "VOID" | "REJECTED" | "EXPIRED";
  transactionHash: string | null;
  transferId: string;
  transferType: string;
  updatedAt: string;
}

export interface ResolutionRequest {
  accountId?: string | null;
  action: "CONFIRM" | "FAIL" | "REDIRECT" | "SETTLE_OUTSIDE" | "PAYOUT_RETURNED" | "DEPOSIT_REVERSED" | "RELEASE" | "REJECT" | "RECOVER" | "WRITE_OFF";
  address?: string | null;
  evidence: string;
  requestId: string;
  transactionHash?: string | null;
  transferId: string;
}

export interface ResolvableReply {
  actions: Array<ActionReply>;
  attention: string | null;
  resolutions: Array<ResolutionReply>;
  status: string;
  transferId: string;
  transferType: string;
}

export interface ResultMetadata {
  breakdowns: Breakdowns | null;
  calculationInterval: string;
  dateRange: DateRange;
  filledCount: number;
  filters: Record<string, AppliedFilter>;
  hasMore: boolean;
  metric?: string;
  projectedRowCount: number | null;
  recordCount: number;
  template: string;
  timeZone: string;
}

export interface RevealedNumber {
  value: string;
}

export interface ReviewPage {
  count: number;
  nextCursor?: string;
  reviews: Array<ListedReview>;
}

export interface ReviewReply {
  createdAt: string;
  documents: Array<ReviewedDocument>;
  history: Array<PastDecision>;
  id: string;
  kycInfo: Record<string, unknown>;
  rails: unknown;
  screening: ReviewedScreening;
  status: "INACTIVE" | "CREATED" | "PENDING" | "MANUAL_REVIEW" | "RFI_PENDING" | "INCOMPLETE" | "ACTIVE" | "REJECTED" | "CONTACT_SUPPORT";
  submittedAt: string;
  ultimateBeneficialOwners: Array<Record<string, unknown>>;
  updatedAt: string;
  user: ListedUser;
  version: number;
}

export interface ReviewedAccount {
  accountHolder: ReviewedHolder | null;
  accountNumber: string | null;
  bankCountry: string | null;
  bankName: string | null;
  rail: RailReply;
  type: string;
}

export interface ReviewedDocument {
  description: string | null;
  expiryDate: string | null;
  fileId: string | null;
  id: string;
  issuedCountry: string;
  issuedDate: string | null;
  number: string | null;
  subType: string;
  type: string;
  uboId: string | null;
  url: string | null;
}

export interface ReviewedHolder {
  city: string | null;
  country: string | null;
  dateOfBirth: string | null;
  formationDate: string | null;
  name: string;
  nationality: string | null;
  type: string;
}

export interface ReviewedScreening {
  hits: Array<Record<string, unknown>>;
  listVersion: string | null;
  unread: Array<string>;
}

export interface RfiAnswer {
  answer: string;
  fileIds?: Array<string> | null;
}

export interface RfiClosing {
  comment?: string | "" | null;
}

export interface RfiCommand {
  action: "open" | "close";
}

export interface RfiQuestion {
  question: string;
}

export interface RfiReply {
  answer: string | null;
  answeredAt: string | null;
  closedAt: string | null;
  comment: string | null;
  createdAt: string;
  fileIds: Array<string>;
  id: string;
  openedBy: string;
  question: string | null;
  status: "OPEN" | "ANSWERED" | "CLOSED";
  updatedAt: string;
}

export interface RuleDeletedReply {
  message: string;
}

export interface RuleDocument {
  corridors?: Array<"ARBITRUM" | "BASE" | "ETHEREUM" | "OPTIMISM" | "POLYGON" | "SOLANA" | "ars" | "brl" | "bwp" | "cdf" | "cny" | "cop" | "eur" | "ghs" | "hkd" | "kes" | "mwk" | "mxn" | "ngn" | "rwf" | "sgd" | "tzs" | "ugx" | "usd" | "usd-chn" | "usd-hka" | "usd-sgp" | "xaf" | "xof" | "zar" | "zmw"> | null;
  id: string;
  kinds?: Array<string> | null;
  maxCount?: number | null;
  maxUsd?: string | null;
  over?: "REFUSE" | "APPROVE";
  per?: "ORG" | "USER";
  rails?: Array<"ach" | "achCop" | "bank" | "chats" | "fps" | "momo" | "pix" | "rtp" | "sepa" | "sepaInstant" | "spei" | "swift" | "transfers" | "wire"> | null;
  userIds?: Array<string> | null;
  window: "PAYMENT" | "DAY" | "MONTH";
}

export interface RuleMatchReply {
  count: number;
  ids: Array<string>;
  over: "REFUSE" | "APPROVE";
  rule: string;
  usd: number;
}

export interface RulePage {
  count: number;
  nextCursor: string | null;
  rules: Array<RuleReply>;
}

export interface RuleReply {
  chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE";
  id: string;
  includeHIFIFee: boolean;
  rules: Array<PartReply>;
}

export interface RunList {
  data: Array<RunShape>;
  metadata: Record<string, number>;
  status: string;
}

export interface RunReply {
  data: RunShape;
  metadata: Record<string, unknown>;
  status: string;
}

export interface RunShape {
  bytes: number | null;
  createdAt: string;
  downloadUrl: string | null;
  dueAt: string;
  expiresAt: string;
  fileName: string | null;
  format: string;
  id: string;
  name: string;
  periodEnd: string;
  periodStart: string;
  reason: string | null;
  scheduleId: string;
  status: string;
  timeZone: string;
}

export interface ScheduleChange {
  recipientIds?: Array<string> | null;
  templateVersion?: number | null;
}

export interface ScheduleList {
  data: Array<ScheduleShape>;
  metadata: Record<string, number>;
  status: string;
}

export interface ScheduleReply {
  data: ScheduleShape;
  metadata: Record<string, unknown>;
  status: string;
}

export interface ScheduleShape {
  at: string;
  createdAt: string;
  every: string;
  format: string;
  id: string;
  metricId: string | null;
  name: string;
  nextPeriodStart: string;
  nextRunAt: string;
  params: Record<string, unknown> | null;
  recipientIds: Array<string>;
  template: string | null;
  templateVersion?: number;
  timeZone: string;
}

export interface ScreeningHit {
  category: "SANCTIONS" | "POLITICALLY_EXPOSED_PERSON";
  entryId: string;
  list: string;
  listedName: string;
  name: string;
  program: string;
  score: number;
}

export interface SearchReply {
  count: number;
  results: Array<SearchResultReply>;
}

export interface SearchResultReply {
  detail: string;
  id: string;
  label: string;
  transaction?: TransactionReply;
  type: "user" | "wallet" | "externalWallet" | "bankAccount" | "transaction";
  userId: string;
}

export interface SectionReply {
  reviewResult: CheckResultReply;
}

export interface ServedRouteReply {
  countries: Array<string> | null;
  currencies: Array<string> | null;
  isFallback: boolean;
  rails: Array<string> | null;
  service: "PAYOUTS" | "DEPOSITS" | "IDENTITY" | "SCREENING" | "PAYMENT_SCREENING" | "RATES" | "TRAVEL_RULE";
}

export interface SharedSubmission {
  rails: unknown;
  shareToken: string;
}

export interface SimulatedDeposit {
  amount: string;
  description?: string | null;
  paymentRail: "WIRE" | "ACH";
  reference?: string | null;
  requestId: string;
  source: SimulatedDepositSource;
  userId?: string | null;
}

export interface SimulatedDepositSource {
  accountNumber: string;
  bankName: string;
  name: string;
  routingNumber: string;
}

export interface SimulatedRulesReply {
  refused: number;
  rules: Array<RuleMatchReply>;
  sentToApproval: number;
}

export interface SingaporeGlobalNetworkBank {
  accountNumber?: string | null;
  bankName?: string | null;
  currency?: "usd" | "sgd" | null;
  swiftCode?: string | null;
}

export interface SourceBankInfo {
  accountNumber: string | null;
  accountType: string | null;
  bankAddress: string | null;
  bankName: string | null;
  description: string | null;
  fedBatchId?: string;
  imad: string | null;
  omad: string | null;
  paymentRail: string | null;
  routingNumber: string | null;
  senderName: string | null;
  traceNumber?: string;
}

export interface StateMachineList {
  stateMachines: Array<StateMachineReply>;
}

export interface StateMachineReply {
  statuses: Array<StatusReply>;
  type: string;
}

export interface StatementAccount {
  closingBalance: string;
  currency: string;
  lines: Array<StatementLineReply>;
  openingBalance: string;
  totalIn: string;
  totalOut: string;
  wallet: StatementWallet;
}

export interface StatementCounts {
  accountCount: number;
  lineCount: number;
}

export interface StatementData {
  accounts: Array<StatementAccount>;
  createdAfter: string;
  createdBefore: string;
  organisation: string;
  timeZone: string;
  user: StatementUser;
}

export interface StatementLineReply {
  balance: string;
  in: string | null;
  metadata?: Record<string, string>;
  out: string | null;
  recordId: string;
  requestId: string;
  status: string;
  time: string;
  type: string;
}

export interface StatementReply {
  data: StatementData;
  metadata: StatementCounts;
  status: string;
}

export interface StatementUser {
  id: string;
  name: string;
}

export interface StatementWallet {
  address: string;
  chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE";
  id: string;
}

export interface StatusReply {
  isStart: boolean;
  isTerminal: boolean;
  next: Array<string>;
  reopensTo: Array<string>;
  status: string;
  stuckAfterSeconds: number | null;
  waitsFor: "CLIENT" | "ADMIN" | "REVIEWER" | "SENDER" | "CHAIN" | "BANK" | "IDENTITY_PROVIDER" | "SCREENING_PROVIDER" | "WORKER" | null;
}

export interface StatusTotalReply {
  amount: string;
  chain: string | null;
  count: number;
  currency: string;
  status: string;
}

export interface StuckList {
  count: number;
  nextCursor?: string;
  stuck: Array<StuckReply>;
}

export interface StuckReply {
  amount: string;
  attention: string | null;
  cause: "CHAIN" | "TREASURY" | "BANK" | "PROVIDER" | "APPROVAL" | "INFORMATION" | "DECISION" | "CUSTOMER" | "PLATFORM";
  chain: string | null;
  currency: string;
  id: string;
  status: string;
  type: string;
  waitsFor: "CLIENT" | "ADMIN" | "REVIEWER" | "SENDER" | "CHAIN" | "BANK" | "IDENTITY_PROVIDER" | "SCREENING_PROVIDER" | "WORKER";
  waitsSince: string;
  waitsUntil: string | null;
}

export interface Submission {
  rails: unknown;
}

export interface SubmissionReplies {
  AFRICA_GENERAL?: RailStatus;
  AFRICA_NIGERIA?: RailStatus;
  GLOBAL_NETWORK?: RailStatus;
  SOUTH_AMERICA_STANDARD?: RailStatus;
  USD?: BriefStatus;
}

export interface SupportingDocument {
  description?: string | null;
  fileId: string;
  type: string;
}

export interface SupportingInformation {
  beneficiaryDetails?: OfframpBeneficiary | null;
  detailedPurposeOfPayment?: string | null;
  documents?: Array<SupportingDocument> | null;
}

export interface SwapDestination {
  amount?: string | null;
  chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE";
  currency: string;
  externalWalletId?: string | null;
  userId?: string | null;
  walletAddress?: string | null;
}

export interface SwapDestinationReply {
  amount: number | null;
  chain: string;
  currency: string;
  externalWalletId: string | null;
  userId: string;
  walletAddress: string;
}

export interface SwapDetailsReply {
  billingInformation: BillingReply;
  createdAt: string;
  destination: SwapDestinationReply;
  error: string | null;
  errorDetails: SwapErrorReply | null;
  id: string;
  market?: MarketReply;
  quoteInformation: QuoteReply;
  requestId: string;
  source: SwapSourceReply;
  status: "OPEN_QUOTE" | "CREATED" | "PENDING" | "COMPLETED" | "FAILED" | "QUOTE_FAILED";
  updatedAt: string;
}

export interface SwapErrorReply {
  code: number | null;
  message: string | null;
}

/**
 * An event.
 *
 *     `data` is the object as its retrieve route returned it right after the change, null if it can no
 *     longer be shown. `createdAt` is when it happened, `timestamp` when it was delivered or read.
 *     `sequence` grows with each event of the object `objectId`, possibly with gaps.
 */
export interface SwapEvent {
  createdAt: string;
  data: SwapReply | null;
  eventAction: string;
  eventCategory: string;
  eventId: string;
  eventType: "WALLET.SWAP.TRANSACTION.CREATE" | "WALLET.SWAP.STATUS.OPEN_QUOTE" | "WALLET.SWAP.STATUS.CREATED" | "WALLET.SWAP.STATUS.PENDING" | "WALLET.SWAP.STATUS.COMPLETED" | "WALLET.SWAP.STATUS.FAILED" | "WALLET.SWAP.STATUS.QUOTE_FAILED";
  objectId: string;
  sequence: number;
  timestamp: string;
  version: string;
}

export interface SwapPage {
  count: number;
  data: Array<SwapReply>;
  nextCursor?: string;
}

export interface SwapProviderChoiceData {
  chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE";
  destinationCurrency: string;
  provider: "TREASURY" | "MARKET" | "BEST";
  sourceCurrency: string;
}

export interface SwapProvidersData {
  choices: Array<SwapProviderChoiceData>;
  pairs: Array<SwapProviderChoiceData>;
  version: number;
}

export interface SwapProvidersReply {
  data: SwapProvidersData;
  metadata: Record<string, unknown>;
  status: string;
}

export interface SwapProvidersRequest {
  choices: Array<SwapProviderChoiceData>;
}

export interface SwapReply {
  dryRun?: DryRunReply;
  metadata?: Record<string, string>;
  timeline?: TimelineReply;
  transferDetails: SwapDetailsReply;
  transferType: string;
}

export interface SwapSource {
  amount?: string | null;
  chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE";
  currency: string;
  userId: string;
}

export interface SwapSourceReply {
  amount: number;
  chain: string;
  currency: string;
  userId: string;
}

export interface TemplateChange {
  definition?: TemplateDefinition | null;
  description?: string | "" | null;
  displayName?: string | null;
}

export interface TemplateDefinition {
  breakdowns?: Array<string>;
  filters?: TemplateFilters;
  intervals?: Array<"day" | "week" | "month" | "quarter" | "year">;
  measure: Measure;
  params?: Array<string>;
  subject: "transactions" | "users" | "approvals" | "deliveries" | "balances";
}

export interface TemplateEnvelope {
  data: TemplateReply;
  metadata: Record<string, unknown>;
  status: string;
}

export interface TemplateFilters {
  amountUsd?: AmountRange | null;
  approvalStatuses?: Array<string>;
  chains?: Array<string>;
  countries?: Array<string>;
  currencies?: Array<string>;
  destinationCurrencies?: Array<string>;
  endpointIds?: Array<string>;
  feePayers?: Array<string>;
  holders?: Array<string>;
  initiatedBy?: Array<string>;
  outcomes?: Array<string>;
  rails?: Array<string>;
  transactionStatuses?: Array<string>;
  transactionTypes?: Array<string>;
  userIds?: Array<string>;
  userTypes?: Array<string>;
}

export interface TemplateList {
  data: Array<TemplateReply>;
  metadata: Record<string, number>;
  status: string;
}

export interface TemplateReply {
  breakdownOptions: Array<string>;
  definition?: TemplateDefinition;
  description: string;
  displayName: string;
  name: string;
  params: Array<ParamReply>;
  rules: Array<string>;
  summary?: string;
  supportedParams: Array<ParamReply>;
  supportsBreakdowns: boolean;
  template: string;
  version?: number;
}

export interface TermsAcceptance {
  sessionToken: string;
}

/**
 * An event.
 *
 *     `data` is the object as its retrieve route returned it right after the change, null if it can no
 *     longer be shown. `createdAt` is when it happened, `timestamp` when it was delivered or read.
 *     `sequence` grows with each event of the object `objectId`, possibly with gaps.
 */
export interface TermsEvent {
  createdAt: string;
  data: TermsLinkReply | null;
  eventAction: string;
  eventCategory: string;
  eventId: string;
  eventType: "TOS_LINK.UPDATE";
  objectId: string;
  sequence: number;
  timestamp: string;
  version: string;
}

export interface TermsLinkCreated {
  signedAgreementId: string;
  url: string;
}

export interface TermsLinkReply {
  createdAt: string;
  expiredAt: string;
  id: string;
  sessionToken: string;
  signed: boolean;
  signedAt: string | null;
  signedFrom: string | null;
  version: string | null;
}

export interface TestEventReply {
  eventId: string;
  eventType: string;
}

export interface TierReply {
  max: string;
  min: string;
  value: number;
}

export interface TimeZone {
  nextTimeZone: string | null;
  timeZone: string;
}

export interface TimeZoneReply {
  data: TimeZone;
  metadata: Record<string, unknown>;
  status: string;
}

export interface TimelineReply {
  isStuck: boolean;
  outcomePlan: string | null;
  steps: Array<TimelineStepReply>;
  waitsFor: "CLIENT" | "ADMIN" | "REVIEWER" | "SENDER" | "CHAIN" | "BANK" | "IDENTITY_PROVIDER" | "SCREENING_PROVIDER" | "WORKER" | null;
  waitsSince: string | null;
  waitsUntil: string | null;
}

export interface TimelineStepReply {
  actor: string;
  at: string;
  status: string;
}

export interface TokenIdentifierData {
  chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE" | "OPTIMISM" | "ARBITRUM";
  currency: string;
  identifier: string;
}

export interface TokenInfo {
  decimals: number;
  name: string;
  standard: string;
  symbol: string;
  tokenAddress: string;
}

export interface TransactionDetailsReply {
  createdAt: string;
  destination: EndReply;
  disbursements: Array<DisbursementLineReply>;
  history: Array<ChangeReply>;
  id: string;
  journals: Array<JournalReply>;
  metadata?: Record<string, string>;
  payees: Array<PayeeReply> | null;
  requestId: string;
  resource: string;
  source: EndReply;
  status: string;
  type: string;
  updatedAt: string;
  userId: string;
  userName: string | null;
}

export interface TransactionNoteReply {
  authorId: string;
  createdAt: string;
  id: string;
  text: string | null;
}

export interface TransactionNotesReply {
  count: number;
  notes: Array<TransactionNoteReply>;
}

export interface TransactionPageReply {
  count: number;
  data: Array<TransactionReply>;
  nextCursor?: string;
}

export interface TransactionReply {
  createdAt: string;
  destination: EndReply;
  failedReason?: string | null;
  fee?: EndReply | null;
  id: string;
  metadata?: Record<string, string>;
  recipient?: RecipientReply;
  requestId: string;
  source: EndReply;
  status: string;
  type: string;
  updatedAt: string;
  userId: string;
  userName: string | null;
}

export interface TransactionSummaryReply {
  isComplete: boolean;
  isOpenComplete: boolean;
  totals: Array<StatusTotalReply>;
}

export interface TransferDestination {
  userId?: string | null;
  walletAddress?: string | null;
}

export interface TransferDestinationReply {
  user: PartyReply | null;
  userId: string | null;
  walletAddress: string;
  walletType: string | null;
}

/**
 * An event.
 *
 *     `data` is the object as its retrieve route returned it right after the change, null if it can no
 *     longer be shown. `createdAt` is when it happened, `timestamp` when it was delivered or read.
 *     `sequence` grows with each event of the object `objectId`, possibly with gaps.
 */
export interface TransferEvent {
  createdAt: string;
  data: WalletTransferReply | null;
  eventAction: string;
  eventCategory: string;
  eventId: string;
  eventType: "WALLET.TRANSFER.CREATE" | "WALLET.TRANSFER.UPDATE";
  objectId: string;
  sequence: number;
  timestamp: string;
  version: string;
}

export interface TransferFeeReply {
  failedReason: string | null;
  feeAmount: number;
  feeId: string;
  feePercent: number | null;
  feeType: "FIX" | "PERCENT";
  status: "PENDING_APPROVAL" | "CREATED" | "INITIATED" | "PENDING" | "UNKNOWN" | "COMPLETED" | "FAILED" | "NOT_INITIATED" | "REJECTED" | "EXPIRED";
  transactionHash?: string;
}

export interface TransferReceiptReply {
  transactionHash?: string;
  userOpHash: string | null;
}

export interface TransferReview {
  createdAt: string;
  rfi: RfiReply | null;
  rfis: Array<RfiReply>;
  status: string;
  transferId: string;
  transferType: string;
  updatedAt: string;
  userId: string;
}

export interface TransferReviewPage {
  count: number;
  nextCursor?: string;
  reviews: Array<TransferReview>;
}

export interface TransferSource {
  userId: string;
}

export interface TransferSourceReply {
  user: PartyReply | null;
  userId: string;
  walletAddress: string;
  walletType: string;
}

/**
 * An event.
 *
 *     `data` is the object as its retrieve route returned it right after the change, null if it can no
 *     longer be shown. `createdAt` is when it happened, `timestamp` when it was delivered or read.
 *     `sequence` grows with each event of the object `objectId`, possibly with gaps.
 */
export interface TravelRuleEvent {
  createdAt: string;
  data: WaitingTransferReply | null;
  eventAction: string;
  eventCategory: string;
  eventId: string;
  eventType: "TRAVEL_RULE.DATA.MISSING";
  objectId: string;
  sequence: number;
  timestamp: string;
  version: string;
}

export interface TravelRuleMessageReply {
  ivms101: Record<string, unknown>;
}

export interface TravelRuleReply {
  isEnforced: boolean;
  jurisdiction: "EU" | "GB" | "US" | "SG" | "CH" | null;
  version: number;
}

export interface TravelRuleRequest {
  jurisdiction: "EU" | "GB" | "US" | "SG" | "CH" | null;
}

export interface TreasuryReply {
  address: string | null;
  tokens: Array<TreasuryTokenReply>;
}

export interface TreasuryTokenReply {
  balance: number | null;
  currency: string;
  floor: number | null;
  isLow: boolean;
  target: number | null;
}

export interface UsBank {
  accountNumber?: string | null;
  accountType?: "Checking" | "Savings" | null;
  bankAddress?: Address | null;
  bankName?: string | null;
  currency?: "usd" | null;
  iban?: string | null;
  routingNumber?: string | null;
  swiftCode?: string | null;
  transferType?: "ach" | "wire" | "swift" | "rtp" | null;
}

export interface UserDetailsReply {
  address: Address | null;
  businessName: string | null;
  createdAt: string;
  dateOfBirth: string | null;
  email: string | null;
  erasedAt: string | null;
  firstName: string | null;
  ipAddress: string | null;
  lastName: string | null;
  requestId: string;
  signedAgreementId: string;
  type: "individual" | "business";
  ultimateBeneficialOwners: Array<BusinessOwner>;
  updatedAt: string;
  userId: string;
}

/**
 * An event.
 *
 *     `data` is the object as its retrieve route returned it right after the change, null if it can no
 *     longer be shown. `createdAt` is when it happened, `timestamp` when it was delivered or read.
 *     `sequence` grows with each event of the object `objectId`, possibly with gaps.
 */
export interface UserEvent {
  createdAt: string;
  data: UserReply | null;
  eventAction: string;
  eventCategory: string;
  eventId: string;
  eventType: "USER.CREATE" | "USER.UPDATE";
  objectId: string;
  sequence: number;
  timestamp: string;
  version: string;
}

export interface UserPageReply {
  count: number;
  nextCursor?: string;
  users: Array<UserReply>;
}

export interface UserReply {
  createdAt: string;
  email: string;
  id: string;
  metadata?: Record<string, string>;
  name: string;
  type: "individual" | "business";
  wallets: Record<string, Record<string, WalletReply>>;
}

export interface UserUpdate {
  address?: Address | null;
  businessName?: string | null;
  dateOfBirth?: string | null;
  email?: string | null;
  firstName?: string | null;
  ipAddress?: string | null;
  lastName?: string | null;
  metadata?: Record<string, string | null> | null;
  signedAgreementId?: string | null;
  type?: "individual" | "business" | null;
  ultimateBeneficialOwners?: Array<BusinessOwner> | null;
}

/**
 * An event.
 *
 *     `data` is the object as its retrieve route returned it right after the change, null if it can no
 *     longer be shown. `createdAt` is when it happened, `timestamp` when it was delivered or read.
 *     `sequence` grows with each event of the object `objectId`, possibly with gaps.
 */
export interface VerificationEvent {
  createdAt: string;
  data: IndividualStatusData | BusinessStatusData | BriefStatusData | RailStatusData | null;
  eventAction: string;
  eventCategory: string;
  eventId: string;
  eventType: "KYC.STATUS.CREATE" | "KYC.STATUS.UPDATE";
  objectId: string;
  sequence: number;
  timestamp: string;
  version: string;
}

export interface VirtualAccountBeneficiary {
  address: string;
  name: string;
}

export interface VirtualAccountDestination {
  chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE";
  currency: string;
  externalWalletId: string | null;
  walletAddress: string;
}

export interface VirtualAccountEnvelope {
  accountInfo: VirtualAccountReply;
  message: string;
}

/**
 * An event.
 *
 *     `data` is the object as its retrieve route returned it right after the change, null if it can no
 *     longer be shown. `createdAt` is when it happened, `timestamp` when it was delivered or read.
 *     `sequence` grows with each event of the object `objectId`, possibly with gaps.
 */
export interface VirtualAccountEvent {
  createdAt: string;
  data: VirtualAccountReply | null;
  eventAction: string;
  eventCategory: string;
  eventId: string;
  eventType: "ACCOUNT.VIRTUAL_ACCOUNT.CREATE" | "ACCOUNT.VIRTUAL_ACCOUNT.UPDATE";
  objectId: string;
  sequence: number;
  timestamp: string;
  version: string;
}

export interface VirtualAccountPageReply {
  count: number;
  data: Array<VirtualAccountReply>;
  nextCursor?: string;
}

export interface VirtualAccountReply {
  createdAt: string;
  depositInstructions?: DepositInstructions | null;
  destination: VirtualAccountDestination;
  id: string;
  microDeposits?: MicroDeposits | null;
  settlementRuleId: string | null;
  source: VirtualAccountSource;
  status: "activated" | "deactivated";
  updatedAt: string;
  userId: string;
}

export interface VirtualAccountSource {
  currency: string;
  paymentRail: Array<string>;
}

export interface VoteReply {
  approverId: string;
  comment: string | null;
  createdAt: string;
  vote: string;
}

export interface WaitingItemReply {
  isStuck: boolean;
  problem: string | null;
  recordId: string | null;
  screeningId: string | null;
  userId: string | null;
  waitsSince: string;
}

export interface WaitingTransferList {
  count: number;
  transfers: Array<WaitingTransferReply>;
}

export interface WaitingTransferReply {
  amount: string;
  chain: string;
  createdAt: string;
  currency: string;
  direction: "deposit" | "payment";
  missing: Array<string>;
  screeningId: string;
  transferId: string;
  userId: string | null;
  walletAddress: string | null;
}

export interface WalletDataReply {
  kind: "SELF_HOSTED" | "HOSTED";
  owner: "USER" | "THIRD_PARTY";
  person: WalletOwnerPerson | null;
  provenAt: string | null;
  travelAddress: string | null;
  updatedAt: string;
  userId: string;
  vaspName: string | null;
  version: number;
  walletAddress: string;
}

export interface WalletDataRequest {
  kind: "SELF_HOSTED" | "HOSTED";
  owner: "USER" | "THIRD_PARTY";
  person?: WalletOwnerPerson | null;
  travelAddress?: string | null;
  vaspName?: string | null;
}

export interface WalletOwnerPerson {
  address?: Address | null;
  businessName?: string | null;
  dateOfBirth?: string | null;
  firstName?: string | null;
  govIdNumber?: string | null;
  lastName?: string | null;
  placeOfBirth?: string | null;
  type: "individual" | "business";
}

export interface WalletReply {
  address: string;
}

export interface WalletTransferDetailsReply {
  amount: number;
  amountIncludeDeveloperFee: number;
  approval?: ApprovalReply;
  chain: string;
  contractAddress: string;
  createdAt: string;
  currency: string;
  destination: TransferDestinationReply;
  developerFee: TransferFeeReply | null;
  failedReason: string | null;
  id: string;
  receipt: TransferReceiptReply;
  requestId: string;
  source: TransferSourceReply;
  status: "PENDING_APPROVAL" | "CREATED" | "INITIATED" | "PENDING" | "UNKNOWN" | "COMPLETED" | "FAILED" | "NOT_INITIATED" | "REJECTED" | "EXPIRED";
  updatedAt: string;
}

export interface WalletTransferPage {
  count: number;
  nextCursor?: string;
  records: Array<WalletTransferReply>;
}

export interface WalletTransferReply {
  dryRun?: DryRunReply;
  metadata?: Record<string, string>;
  timeline?: TimelineReply;
  transferDetails: WalletTransferDetailsReply;
  transferType: string;
}

export interface WebhookChange {
  createEventSpelling?: "CREATE" | "CREATED" | null;
  description?: string | "" | null;
  eventTypes?: Array<string> | null;
  skipMissed?: boolean;
  standardWebhooks?: boolean | null;
  status?: "ACTIVE" | "PAUSED" | null;
  url?: string | null;
}

export interface WebhookCreatedReply {
  createEventSpelling: "CREATE" | "CREATED";
  createdAt: string;
  description: string | null;
  eventTypes: Array<string>;
  flaggedAt: string | null;
  flaggedReason: string | null;
  id: string;
  jwksUrl: string;
  publicKey: string;
  publicKeys: Array<KeyReply>;
  secret: string | null;
  standardWebhooks: boolean;
  status: "ACTIVE" | "PAUSED";
  updatedAt: string;
  url: string;
}

export interface WebhookDeletedReply {
  message: string;
}

export interface WebhookList {
  count: number;
  webhooks: Array<WebhookReply>;
}

export interface WebhookReply {
  createEventSpelling: "CREATE" | "CREATED";
  createdAt: string;
  description: string | null;
  eventTypes: Array<string>;
  flaggedAt: string | null;
  flaggedReason: string | null;
  id: string;
  jwksUrl: string;
  publicKey: string;
  publicKeys: Array<KeyReply>;
  standardWebhooks: boolean;
  status: "ACTIVE" | "PAUSED";
  updatedAt: string;
  url: string;
}

/**
 * An event.
 *
 *     `data` is the object as its retrieve route returned it right after the change, null if it can no
 *     longer be shown. `createdAt` is when it happened, `timestamp` when it was delivered or read.
 *     `sequence` grows with each event of the object `objectId`, possibly with gaps.
 */
export interface WebhookTestEvent {
  createdAt: string;
  data: WebhookReply | null;
  eventAction: string;
  eventCategory: string;
  eventId: string;
  eventType: "WEBHOOK.TEST";
  objectId: string;
  sequence: number;
  timestamp: string;
  version: string;
}

/** Every event, by its type. */
export interface Events {
  "ACCOUNT.OFFRAMP.CREATE": BankAccountEvent;
  "ACCOUNT.OFFRAMP.UPDATE": BankAccountEvent;
  "ACCOUNT.ONRAMP.CREATE": BankAccountEvent;
  "ACCOUNT.ONRAMP.UPDATE": BankAccountEvent;
  "ACCOUNT.VIRTUAL_ACCOUNT.CREATE": VirtualAccountEvent;
  "ACCOUNT.VIRTUAL_ACCOUNT.UPDATE": VirtualAccountEvent;
  "KYC.DATA.UPDATE": KycEvent;
  "KYC.STATUS.CREATE": VerificationEvent;
  "KYC.STATUS.UPDATE": VerificationEvent;
  "KYC_LINK.CREATE": KycLinkEvent;
  "KYC_LINK.UPDATE": KycLinkEvent;
  "OFFRAMP.RFI.CLOSED": OfframpEvent;
  "OFFRAMP.RFI.OPEN": OfframpEvent;
  "OFFRAMP.STATUS.AWAITING_FUNDS": OfframpEvent;
  "OFFRAMP.STATUS.COMPLETED": OfframpEvent;
  "OFFRAMP.STATUS.CRYPTO_FAILED": OfframpEvent;
  "OFFRAMP.STATUS.CRYPTO_INITIATED": OfframpEvent;
  "OFFRAMP.STATUS.CRYPTO_PENDING": OfframpEvent;
  "OFFRAMP.STATUS.CRYPTO_PROCESSED": OfframpEvent;
  "OFFRAMP.STATUS.CRYPTO_RETURNED": OfframpEvent;
  "OFFRAMP.STATUS.EXPIRED": OfframpEvent;
  "OFFRAMP.STATUS.FIAT_FAILED": OfframpEvent;
  "OFFRAMP.STATUS.FIAT_INITIATED": OfframpEvent;
  "OFFRAMP.STATUS.FIAT_PENDING": OfframpEvent;
  "OFFRAMP.STATUS.IN_REVIEW": OfframpEvent;
  "OFFRAMP.STATUS.NOT_INITIATED": OfframpEvent;
  "OFFRAMP.STATUS.OPEN_QUOTE": OfframpEvent;
  "OFFRAMP.STATUS.PENDING_APPROVAL": OfframpEvent;
  "OFFRAMP.STATUS.QUOTE_FAILED": OfframpEvent;
  "OFFRAMP.STATUS.REJECTED": OfframpEvent;
  "OFFRAMP.TRANSACTION.CREATE": OfframpEvent;
  "ONRAMP.RFI.CLOSED": OnrampEvent;
  "ONRAMP.RFI.OPEN": OnrampEvent;
  "ONRAMP.STATUS.AWAITING_FUNDS": OnrampEvent;
  "ONRAMP.STATUS.COMPLETED": OnrampEvent;
  "ONRAMP.STATUS.CRYPTO_FAILED": OnrampEvent;
  "ONRAMP.STATUS.CRYPTO_INITIATED": OnrampEvent;
  "ONRAMP.STATUS.CRYPTO_PENDING": OnrampEvent;
  "ONRAMP.STATUS.FIAT_FAILED": OnrampEvent;
  "ONRAMP.STATUS.FIAT_INITIATED": OnrampEvent;
  "ONRAMP.STATUS.FIAT_PENDING": OnrampEvent;
  "ONRAMP.STATUS.FIAT_PROCESSED": OnrampEvent;
  "ONRAMP.STATUS.FIAT_RETURNED": OnrampEvent;
  "ONRAMP.STATUS.IN_REVIEW": OnrampEvent;
  "ONRAMP.STATUS.NOT_INITIATED": OnrampEvent;
  "ONRAMP.STATUS.OPEN_QUOTE": OnrampEvent;
  "ONRAMP.STATUS.QUOTE_FAILED": OnrampEvent;
  "ONRAMP.STATUS.UNKNOWN": OnrampEvent;
  "ONRAMP.TRANSACTION.CREATE": OnrampEvent;
  "REPORT.FAILED": ReportEvent;
  "REPORT.READY": ReportEvent;
  "TOS_LINK.UPDATE": TermsEvent;
  "TRAVEL_RULE.DATA.MISSING": TravelRuleEvent;
  "USER.CREATE": UserEvent;
  "USER.UPDATE": UserEvent;
  "WALLET.BRIDGE.CREATE": BridgeEvent;
  "WALLET.BRIDGE.UPDATE": BridgeEvent;
  "WALLET.SWAP.STATUS.COMPLETED": SwapEvent;
  "WALLET.SWAP.STATUS.CREATED": SwapEvent;
  "WALLET.SWAP.STATUS.FAILED": SwapEvent;
  "WALLET.SWAP.STATUS.OPEN_QUOTE": SwapEvent;
  "WALLET.SWAP.STATUS.PENDING": SwapEvent;
  "WALLET.SWAP.STATUS.QUOTE_FAILED": SwapEvent;
  "WALLET.SWAP.TRANSACTION.CREATE": SwapEvent;
  "WALLET.TOKEN.BALANCE.UPDATE": DepositEvent;
  "WALLET.TRANSFER.BATCH.CREATE": BatchEvent;
  "WALLET.TRANSFER.BATCH.UPDATE": BatchEvent;
  "WALLET.TRANSFER.CREATE": TransferEvent;
  "WALLET.TRANSFER.UPDATE": TransferEvent;
  "WEBHOOK.TEST": WebhookTestEvent;
}

export type ErrorName = "ACCOUNT_NOT_FOUND" | "FIELD_VALIDATION_ERROR" | "INACTIVE_ACCOUNT" | "INSUFFICIENT_BALANCE" | "INTERNAL_SERVER_ERROR" | "INVALID_ACCOUNT_DATA" | "INVALID_ACCOUNT_FOR_TRANSACTION" | "INVALID_API_KEY" | "INVALID_QUOTE" | "INVALID_TRANSACTION_ROUTE" | "INVALID_VERSION" | "INVALID_WALLET_CONFIG" | "LIMIT_EXCEEDED" | "PROFILE_FROZEN" | "QUOTE_NOT_FOUND" | "QUOTE_NOT_READY" | "RESOURCE_CONFLICT" | "RESOURCE_NOT_FOUND" | "TOO_MANY_REQUESTS" | "TRANSACTION_NOT_FOUND" | "TRANSACTION_REQUEST_ALREADY_EXISTS" | "UNAUTHORIZED" | "USER_ACTION_NOT_ALLOWED" | "USER_COMPLIANCE_DATA_INVALID" | "USER_COMPLIANCE_VERIFICATION_FAILED" | "USER_FROZEN" | "USER_NOT_FOUND" | "USER_ROLE_NOT_ALLOWED" | "WALLET_ALREADY_EXISTS" | "WALLET_NOT_FOUND" | (string & {});

// Written by `make sdk` from openapi.json; do not edit.

import { type Options, pages, pathOf, type Sender, type WithOptional } from "../core.js";
import type * as types from "./types.js";

export class AccountReviews {
  constructor(private readonly sender: Sender) {}

  /**
   * List accounts that wait for a decision.
   *
   * Oldest first; needs a key that may review.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; } = {}): Promise<types.AccountReviewPage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reviews/accounts"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor },
      },
      options,
    );
  }

  /** List accounts that wait for a decision, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; } = {}): AsyncGenerator<types.AccountReview> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.reviews,
    );
  }

  /**
   * Decide on a bank account.
   *
   * Approve (the account is then active) or reject; requires a key with the review role.
   */
  decide(accountId: string, body: types.AccountDecisionRequest, options: Options = {}): Promise<types.AccountStatusReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reviews/accounts/{accountId}", accountId),
        body,
      },
      options,
    );
  }
}

export class Accounts {
  constructor(private readonly sender: Sender) {}

  /**
   * List bank accounts.
   *
   * List accounts, newest first, including deleted ones; account numbers are masked.
   */
  list(userId: string, options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; rail?: "onramp" | "offramp"; type?: "us" | "brazil" | "colombia" | "argentina" | "mexico" | "africa" | "brazilGlobalNetwork" | "nigeriaGlobalNetwork" | "mexicoGlobalNetwork" | "hongKongGlobalNetwork" | "chinaGlobalNetwork" | "singaporeGlobalNetwork" | "europeGlobalNetwork"; currency?: "usd" | "brl" | "cop" | "ars" | "mxn" | "ngn" | "kes" | "ghs" | "tzs" | "ugx" | "bwp" | "xaf" | "mwk" | "rwf" | "zmw" | "xof" | "zar" | "hkd" | "cny" | "sgd" | "eur"; metadata?: Array<string>; } = {}): Promise<types.BankAccountPageReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}/accounts", userId),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "rail": options.rail, "type": options.type, "currency": options.currency, "metadata": options.metadata },
      },
      options,
    );
  }

  /** List bank accounts, page by page. */
  listAll(userId: string, options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; rail?: "onramp" | "offramp"; type?: "us" | "brazil" | "colombia" | "argentina" | "mexico" | "africa" | "brazilGlobalNetwork" | "nigeriaGlobalNetwork" | "mexicoGlobalNetwork" | "hongKongGlobalNetwork" | "chinaGlobalNetwork" | "singaporeGlobalNetwork" | "europeGlobalNetwork"; currency?: "usd" | "brl" | "cop" | "ars" | "mxn" | "ngn" | "kes" | "ghs" | "tzs" | "ugx" | "bwp" | "xaf" | "mwk" | "rwf" | "zmw" | "xof" | "zar" | "hkd" | "cny" | "sgd" | "eur"; metadata?: Array<string>; } = {}): AsyncGenerator<types.ListedAccount> {
    return pages(
      (cursor) => this.list(userId, { ...options, cursor }),
      (page) => page.banks,
    );
  }

  /**
   * Add a bank account.
   *
   * Add an account; the user must be verified on its rail.
   *
   * A well-formed but inconsistent number (check digits, country, range) creates a `REJECTED`
   * account and is named in `invalidFields`.
   */
  create(userId: string, body: WithOptional<types.NewAccount, "requestId">, options: Options = {}): Promise<types.AccountStatusReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/accounts", userId),
        body,
        idMember: "requestId",
      },
      options,
    );
  }

  /**
   * Retrieve a bank account.
   *
   * One account of this user, whole.
   */
  retrieve(userId: string, accountId: string, options: Options = {}): Promise<types.AccountReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}/accounts/{accountId}", userId, accountId),
      },
      options,
    );
  }

  /**
   * Delete a bank account.
   *
   * Disable the account permanently; a repeated call returns the same response.
   */
  delete(userId: string, accountId: string, options: Options = {}): Promise<types.AccountStatusReply> {
    return this.sender.send(
      {
        method: "DELETE",
        path: pathOf("/v2/users/{userId}/accounts/{accountId}", userId, accountId),
      },
      options,
    );
  }

  /**
   * Change the metadata of a bank account.
   *
   * Set and remove keys; keys that are not named stay. Nothing else of the account changes.
   *
   * No event is sent.
   */
  changeMetadata(userId: string, accountId: string, body: types.MetadataUpdate, options: Options = {}): Promise<types.MetadataReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/accounts/{accountId}/metadata", userId, accountId),
        body,
      },
      options,
    );
  }

  /**
   * Verify the payee of a bank account.
   *
   * Asks the bank now, before a payout; moves no money, and blocks none.
   *
   * `unavailable` if the rail or the provider can't say: that is nothing against the payee.
   */
  verifyPayee(userId: string, accountId: string, options: Options = {}): Promise<types.PayeeVerificationReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/accounts/{accountId}/payee-verification", userId, accountId),
      },
      options,
    );
  }
}

export class AddressPolicy {
  constructor(private readonly sender: Sender) {}

  /**
   * Retrieve the address policy.
   *
   * Return the organisation's policy on addresses outside the platform.
   */
  retrieve(options: Options = {}): Promise<types.AddressPolicyReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/organization/address-policy"),
      },
      options,
    );
  }

  /**
   * Set the address policy.
   *
   * Replace the policy; orders that are not signed yet follow its block list too.
   */
  replace(body: types.AddressPolicyRequest, options: Options = {}): Promise<types.AddressPolicyReply> {
    return this.sender.send(
      {
        method: "PUT",
        path: pathOf("/v2/organization/address-policy"),
        body,
      },
      options,
    );
  }
}

export class Approvals {
  constructor(private readonly sender: Sender) {}

  /**
   * List approvals.
   *
   * List approvals with their votes, newest first, whether or not the caller may vote.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; status?: Array<"PENDING" | "APPROVED" | "REJECTED" | "EXPIRED">; initiatorProfileId?: string; } = {}): Promise<types.ListedApprovalPage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/approvals"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "status": options.status, "initiatorProfileId": options.initiatorProfileId },
      },
      options,
    );
  }

  /** List approvals, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; status?: Array<"PENDING" | "APPROVED" | "REJECTED" | "EXPIRED">; initiatorProfileId?: string; } = {}): AsyncGenerator<types.ListedApproval> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.approvals,
    );
  }

  /**
   * Retrieve an approval in full.
   *
   * Get one approval in any status.
   */
  retrieve(approvalId: string, options: Options = {}): Promise<types.ListedApproval> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/approvals/{approvalId}", approvalId),
      },
      options,
    );
  }
}

export class AuditLog {
  constructor(private readonly sender: Sender) {}

  /**
   * List who did what.
   *
   * Newest first. Entries can't be edited.
   *
   * A page has some more entries than requested if several were recorded at the same time, and
   * fewer if a search scanned very many; continue while there is a `nextCursor`.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; actorType?: Array<"key" | "member" | "cli" | "person" | "worker" | "bank" | "rule">; actorId?: string; kind?: string; objectId?: string; } = {}): Promise<types.AuditLogReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/audit-log"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "actorType": options.actorType, "actorId": options.actorId, "kind": options.kind, "objectId": options.objectId },
      },
      options,
    );
  }

  /** List who did what, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; actorType?: Array<"key" | "member" | "cli" | "person" | "worker" | "bank" | "rule">; actorId?: string; kind?: string; objectId?: string; } = {}): AsyncGenerator<types.AuditLogEntryReply> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.entries,
    );
  }
}

export class Balances {
  constructor(private readonly sender: Sender) {}

  /**
   * Retrieve balances.
   *
   * Show total user balances, house accounts, and amounts in transit.
   */
  retrieve(options: Options = {}): Promise<types.BalancesReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/balances"),
      },
      options,
    );
  }
}

export class BankLines {
  constructor(private readonly sender: Sender) {}

  /**
   * List bank lines.
   *
   * List lines, the longest waiting first.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; status?: Array<"NEW" | "MATCHED" | "UNMATCHED" | "RESOLVED">; } = {}): Promise<types.BankLinePage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reviews/bank-lines"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "status": options.status },
      },
      options,
    );
  }

  /** List bank lines, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; status?: Array<"NEW" | "MATCHED" | "UNMATCHED" | "RESOLVED">; } = {}): AsyncGenerator<types.BankLine> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.reviews,
    );
  }

  /**
   * Retrieve a bank line.
   *
   * Return a line in any status.
   */
  retrieve(lineId: string, options: Options = {}): Promise<types.BankLine> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reviews/bank-lines/{lineId}", lineId),
      },
      options,
    );
  }

  /**
   * Resolve a bank line.
   *
   * Resolve a line. All but NO_ACTION, HANDLED and DUPLICATE have further effects.
   */
  resolve(lineId: string, body: types.LineResolution, options: Options = {}): Promise<types.BankLine> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reviews/bank-lines/{lineId}/resolve", lineId),
        body,
      },
      options,
    );
  }
}

export class Batches {
  constructor(private readonly sender: Sender) {}

  /**
   * List batch transfers.
   *
   * List the batches sent by one user or by the whole organisation, newest first.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; userId?: string; } = {}): Promise<types.BatchPage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/wallets/transfers/batches"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "userId": options.userId },
      },
      options,
    );
  }

  /** List batch transfers, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; userId?: string; } = {}): AsyncGenerator<types.BatchReply> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.records,
    );
  }

  /**
   * Create a batch transfer.
   *
   * Hold the sum and send it (CREATED), or wait for an admin (PENDING_APPROVAL).
   *
   * The same `requestId` with the same body returns the same batch.
   */
  create(body: WithOptional<types.NewBatch, "requestId">, options: Options & { dryRun?: boolean; sandbox?: string; } = {}): Promise<types.BatchReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/wallets/transfers/batches"),
        body,
        query: { "dryRun": options.dryRun },
        headers: { "Landbridge-Sandbox": options.sandbox },
        idMember: "requestId",
      },
      options,
    );
  }

  /**
   * Retrieve a batch transfer.
   *
   * Return one batch.
   */
  retrieve(transferId: string, options: Options & { expand?: "timeline"; } = {}): Promise<types.BatchReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/wallets/transfers/batches/{transferId}", transferId),
        query: { "expand": options.expand },
      },
      options,
    );
  }
}

export class Bridges {
  constructor(private readonly sender: Sender) {}

  /**
   * List bridges.
   *
   * List the bridges of one user or of the whole organisation, newest first.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; userId?: string; } = {}): Promise<types.BridgePage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/wallets/bridges"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "userId": options.userId },
      },
      options,
    );
  }

  /** List bridges, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; userId?: string; } = {}): AsyncGenerator<types.BridgeReply> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.data,
    );
  }

  /**
   * Create a bridge.
   *
   * Quote a bridge (OPEN_QUOTE); accept it within 10 minutes.
   *
   * With `requireApproval` it waits for an admin first (PENDING_APPROVAL), and holds the money.
   * The same `requestId` with the same body returns the same bridge.
   */
  create(body: WithOptional<types.NewBridge, "requestId">, options: Options & { dryRun?: boolean; sandbox?: string; } = {}): Promise<types.BridgeReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/wallets/bridges"),
        body,
        query: { "dryRun": options.dryRun },
        headers: { "Landbridge-Sandbox": options.sandbox },
        idMember: "requestId",
      },
      options,
    );
  }

  /**
   * Retrieve a bridge.
   *
   * Return one bridge.
   */
  retrieve(transferId: string, options: Options & { expand?: "timeline"; } = {}): Promise<types.BridgeReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/wallets/bridges/{transferId}", transferId),
        query: { "expand": options.expand },
      },
      options,
    );
  }

  /**
   * Accept a bridge.
   *
   * Hold the money and start the bridge. A repeated accept returns the same result.
   */
  accept(transferId: string, options: Options = {}): Promise<types.BridgeReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/wallets/bridges/{transferId}/accept", transferId),
      },
      options,
    );
  }
}

export class Chains {
  constructor(private readonly sender: Sender) {}

  /**
   * List connected chains.
   *
   * Connected chains with head, open orders and treasury; for admins also the installation.
   *
   * Each call asks the nodes for their head, for at most three seconds.
   */
  list(options: Options = {}): Promise<types.ChainList> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/chains"),
      },
      options,
    );
  }

  /**
   * List a payment's orders on chains.
   *
   * Orders of a payment on connected chains, with every transaction signed for them.
   */
  listOrders(recordId: string, options: Options = {}): Promise<types.ChainOrderList> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/chains/orders/{recordId}", recordId),
      },
      options,
    );
  }

  /**
   * Retrieve a connected chain.
   *
   * One chain, as in the list.
   */
  retrieve(name: string, options: Options = {}): Promise<types.ChainReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/chains/{name}", name),
      },
      options,
    );
  }
}

export class DepositReviews {
  constructor(private readonly sender: Sender) {}

  /**
   * List unmatched deposits.
   *
   * List unmatched deposits, the longest waiting first.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; } = {}): Promise<types.DepositReviewPage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reviews/deposits"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor },
      },
      options,
    );
  }

  /** List unmatched deposits, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; } = {}): AsyncGenerator<types.DepositReview> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.reviews,
    );
  }

  /**
   * Retrieve a deposit.
   *
   * Get a deposit in any status.
   */
  retrieve(incomingPaymentId: string, options: Options = {}): Promise<types.DepositReview> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reviews/deposits/{incomingPaymentId}", incomingPaymentId),
      },
      options,
    );
  }

  /**
   * Match a deposit manually.
   *
   * Match a deposit with an onramp of exactly this amount, or with a virtual account.
   */
  match(incomingPaymentId: string, body: types.DepositMatch, options: Options = {}): Promise<types.DepositReview> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reviews/deposits/{incomingPaymentId}/match", incomingPaymentId),
        body,
      },
      options,
    );
  }

  /**
   * Send a deposit back.
   *
   * Return the whole deposit to its sender by its rail.
   */
  return(incomingPaymentId: string, body: types.DepositReturn, options: Options = {}): Promise<types.DepositReview> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reviews/deposits/{incomingPaymentId}/return", incomingPaymentId),
        body,
      },
      options,
    );
  }

  /**
   * Settle a return outside.
   *
   * Record that the sender has the deposit back by means other than the bank's return.
   */
  settle(incomingPaymentId: string, body: types.DepositSettlement, options: Options = {}): Promise<types.DepositReview> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reviews/deposits/{incomingPaymentId}/settle", incomingPaymentId),
        body,
      },
      options,
    );
  }
}

export class DepositScreenings {
  constructor(private readonly sender: Sender) {}

  /**
   * List deposit screenings.
   *
   * List screenings, the oldest first. A held deposit is decided on by a resolution.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; status?: Array<"IN_SCREENING" | "HELD" | "RELEASED" | "REJECTED" | "LOST">; } = {}): Promise<types.DepositScreeningList> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reviews/deposit-screenings"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "status": options.status },
      },
      options,
    );
  }

  /** List deposit screenings, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; status?: Array<"IN_SCREENING" | "HELD" | "RELEASED" | "REJECTED" | "LOST">; } = {}): AsyncGenerator<types.DepositScreeningReply> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.reviews,
    );
  }

  /**
   * Retrieve a deposit screening.
   *
   * Return a screening, open or closed.
   */
  retrieve(screeningId: string, options: Options = {}): Promise<types.DepositScreeningReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reviews/deposit-screenings/{screeningId}", screeningId),
      },
      options,
    );
  }
}

export class Deposits {
  constructor(private readonly sender: Sender) {}

  /**
   * List deposits.
   *
   * Newest first; coins from outside, from other users, from onramps and bridges.
   */
  list(userId: string, options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE"; currency: "usdHifi" | "usdc" | "usdg" | "usdt"; status?: "CONFIRMED" | "COMPLETED"; minAmount?: string; }): Promise<types.DepositPage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}/wallets/deposits", userId),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "chain": options.chain, "currency": options.currency, "status": options.status, "minAmount": options.minAmount },
      },
      options,
    );
  }

  /** List deposits, page by page. */
  listAll(userId: string, options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE"; currency: "usdHifi" | "usdc" | "usdg" | "usdt"; status?: "CONFIRMED" | "COMPLETED"; minAmount?: string; }): AsyncGenerator<types.DepositReply> {
    return pages(
      (cursor) => this.list(userId, { ...options, cursor }),
      (page) => page.records,
    );
  }

  /**
   * Retrieve a deposit.
   *
   * One deposit of this user, however small.
   */
  retrieve(userId: string, depositId: string, options: Options = {}): Promise<types.DepositReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}/wallets/deposits/{depositId}", userId, depositId),
      },
      options,
    );
  }
}

export class Disbursements {
  constructor(private readonly sender: Sender) {}

  /**
   * List disbursements.
   *
   * List the disbursements to one user or of the whole organisation, newest first.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; userId?: string; } = {}): Promise<types.DisbursementPage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/disbursements"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "userId": options.userId },
      },
      options,
    );
  }

  /** List disbursements, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; userId?: string; } = {}): AsyncGenerator<types.DisbursementReply> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.records,
    );
  }

  /**
   * Retrieve a disbursement.
   *
   * Return one disbursement.
   */
  retrieve(disbursementId: string, options: Options & { expand?: "timeline"; } = {}): Promise<types.DisbursementReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/disbursements/{disbursementId}", disbursementId),
        query: { "expand": options.expand },
      },
      options,
    );
  }
}

export class Events {
  constructor(private readonly sender: Sender) {}

  /**
   * List events.
   *
   * Oldest first: a client that continues with `nextCursor` never misses an event.
   *
   * A page may have fewer events than its limit, or none, and still continue: where events of
   * these types are rare it ends early, and at the end of the log `nextCursor` is for future
   * events. It is null only if nothing can follow.
   */
  list(options: Options & { eventType?: Array<string>; objectId?: string; order?: "asc" | "desc"; limit?: number; createdAfter?: string; createdBefore?: string; cursor?: string; } = {}): Promise<types.EventPage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/events"),
        query: { "eventType": options.eventType, "objectId": options.objectId, "order": options.order, "limit": options.limit, "createdAfter": options.createdAfter, "createdBefore": options.createdBefore, "cursor": options.cursor },
      },
      options,
    );
  }

  /** List events, page by page. */
  listAll(options: Options & { eventType?: Array<string>; objectId?: string; order?: "asc" | "desc"; limit?: number; createdAfter?: string; createdBefore?: string; } = {}): AsyncGenerator<types.Envelope> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.records,
    );
  }

  /**
   * Retrieve an event.
   *
   * One event, with its deliveries to each endpoint.
   */
  retrieve(eventId: string, options: Options = {}): Promise<types.EventWithDeliveries> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/events/{eventId}", eventId),
      },
      options,
    );
  }
}

export class ExternalWallets {
  constructor(private readonly sender: Sender) {}

  /**
   * List external wallets.
   *
   * List addresses, newest first; pass `nextCursor` as `createdBefore`.
   */
  list(userId: string, options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; } = {}): Promise<types.ExternalWalletPage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}/wallets/external", userId),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor },
      },
      options,
    );
  }

  /** List external wallets, page by page. */
  listAll(userId: string, options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; } = {}): AsyncGenerator<types.ExternalWalletReply> {
    return pages(
      (cursor) => this.list(userId, { ...options, cursor }),
      (page) => page.externalWallets,
    );
  }

  /**
   * Register an external wallet.
   *
   * Registers an address outside the platform, to which the user may then send.
   */
  create(userId: string, body: types.NewExternalWallet, options: Options & { idempotencyKey?: string; } = {}): Promise<types.ExternalWalletReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/wallets/external", userId),
        body,
        headers: { "Idempotency-Key": options.idempotencyKey },
      },
      options,
    );
  }

  /**
   * Retrieve an external wallet.
   *
   * One registered address of this user.
   */
  retrieve(userId: string, externalWalletId: string, options: Options = {}): Promise<types.ExternalWalletReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}/wallets/external/{externalWalletId}", userId, externalWalletId),
      },
      options,
    );
  }
}

export class Files {
  constructor(private readonly sender: Sender) {}

  /**
   * Upload a file.
   *
   * Keeps a pdf, jpeg, png, heic or tif of up to 10 MB, sent as the part `file`.
   */
  create(fileName: string, content: Uint8Array<ArrayBuffer>, options: Options & { idempotencyKey?: string; } = {}): Promise<types.FileReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/files"),
        upload: { name: fileName, content },
        headers: { "Idempotency-Key": options.idempotencyKey },
      },
      options,
    );
  }

  /**
   * Retrieve a file.
   *
   * Metadata of a file, without its content.
   */
  retrieve(fileId: string, options: Options = {}): Promise<types.FileReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/files/{fileId}", fileId),
      },
      options,
    );
  }

  /**
   * Delete a file.
   *
   * Deletes a file that no document references, for good; returns its last state.
   */
  delete(fileId: string, options: Options = {}): Promise<types.FileReply> {
    return this.sender.send(
      {
        method: "DELETE",
        path: pathOf("/v2/files/{fileId}", fileId),
      },
      options,
    );
  }

  /**
   * Download a file.
   *
   * The bytes as they were uploaded; not for analysts and keys that only read.
   */
  download(fileId: string, options: Options = {}): Promise<Uint8Array> {
    return this.sender.download(
      {
        method: "GET",
        path: pathOf("/v2/files/{fileId}/content", fileId),
      },
      options,
    );
  }
}

export class Kyc {
  constructor(private readonly sender: Sender) {}

  /**
   * List KYC statuses.
   *
   * List statuses, newest first; name and e-mail match partially and ignore case.
   */
  listStatuses(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; userId?: string; userName?: string; userEmail?: string; rails?: Array<"USD" | "SOUTH_AMERICA_STANDARD" | "AFRICA_GENERAL" | "AFRICA_NIGERIA" | "GLOBAL_NETWORK">; status?: Array<"INACTIVE" | "CREATED" | "PENDING" | "MANUAL_REVIEW" | "RFI_PENDING" | "INCOMPLETE" | "ACTIVE" | "REJECTED" | "CONTACT_SUPPORT">; } = {}): Promise<Array<types.ListedStatus>> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/kyc/status"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "userId": options.userId, "userName": options.userName, "userEmail": options.userEmail, "rails": options.rails, "status": options.status },
      },
      options,
    );
  }

  /**
   * Retrieve KYC data.
   *
   * Return every member of the user's type; members without a value are null.
   */
  retrieve(userId: string, options: Options & { expand?: Array<"ultimateBeneficialOwners" | "documents" | "ultimateBeneficialOwners.documents">; } = {}): Promise<types.KycIndividual | types.KycBusiness> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}/kyc", userId),
        query: { "expand": options.expand },
      },
      options,
    );
  }

  /**
   * Update KYC data.
   *
   * Change the given members; null removes a value.
   */
  update(userId: string, body: types.IndividualKycUpdate | types.BusinessKycUpdate, options: Options & { expand?: Array<"ultimateBeneficialOwners" | "documents" | "ultimateBeneficialOwners.documents">; } = {}): Promise<types.KycIndividual | types.KycBusiness> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/kyc", userId),
        body,
        query: { "expand": options.expand },
      },
      options,
    );
  }

  /**
   * List documents.
   *
   * List all documents of the user, including documents of its owners.
   */
  listDocuments(userId: string, options: Options = {}): Promise<types.KycDocumentList> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}/kyc/documents", userId),
      },
      options,
    );
  }

  /**
   * Add documents.
   *
   * Add 1 to 20 documents, all or none, and return the added documents.
   */
  addDocuments(userId: string, body: Array<types.IndividualDocumentAdd> | Array<types.BusinessDocumentAdd>, options: Options & { idempotencyKey?: string; } = {}): Promise<types.KycDocumentList> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/kyc/documents", userId),
        body,
        headers: { "Idempotency-Key": options.idempotencyKey },
      },
      options,
    );
  }

  /**
   * Retrieve a document.
   *
   * Return one document of the user or of one of its owners.
   */
  retrieveDocument(userId: string, documentId: string, options: Options = {}): Promise<types.KycDocument> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}/kyc/documents/{documentId}", userId, documentId),
      },
      options,
    );
  }

  /**
   * Update a document.
   *
   * Changes the members that are given; type, subType and uboId never change.
   */
  updateDocument(userId: string, documentId: string, body: types.KycDocumentUpdate, options: Options = {}): Promise<types.KycDocument> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/kyc/documents/{documentId}", userId, documentId),
        body,
      },
      options,
    );
  }

  /**
   * Open the page of the identity provider.
   *
   * Return a new address of the provider's page, on which the person continues.
   *
   * The user's case must be PENDING, INCOMPLETE or RFI_PENDING at a connected provider.
   */
  openProviderLink(userId: string, body: types.LinkRequest, options: Options = {}): Promise<types.ProviderLinkReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/kyc/provider-links", userId),
        body,
      },
      options,
    );
  }

  /**
   * Retrieve KYC requirements.
   *
   * Return the requirements of a rail and the missing data; an array for several rails.
   */
  retrieveRequirements(userId: string, options: Options & { rails: Array<"USD" | "SOUTH_AMERICA_STANDARD" | "AFRICA_GENERAL" | "AFRICA_NIGERIA" | "GLOBAL_NETWORK">; }): Promise<types.RequirementsReply | Array<types.RequirementsReply>> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}/kyc/requirements", userId),
        query: { "rails": options.rails },
      },
      options,
    );
  }

  /**
   * Submit KYC with a share token.
   *
   * Submit the current data, and have the provider take over an earlier verification.
   *
   * Refused if no connected provider verifies for one of the rails.
   */
  submitShared(userId: string, body: types.SharedSubmission, options: Options = {}): Promise<types.SubmissionReplies> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/kyc/shared-submissions", userId),
        body,
      },
      options,
    );
  }

  /**
   * Retrieve the KYC status.
   *
   * Return the status with the findings; INACTIVE if no data was ever submitted.
   */
  retrieveStatus(userId: string, options: Options & { rails?: "USD" | "SOUTH_AMERICA_STANDARD" | "AFRICA_GENERAL" | "AFRICA_NIGERIA" | "GLOBAL_NETWORK"; } = {}): Promise<types.IndividualStatus | types.BusinessStatus | types.BriefStatus | types.RailStatus> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}/kyc/status", userId),
        query: { "rails": options.rails },
      },
      options,
    );
  }

  /**
   * Submit KYC.
   *
   * Submit the current data; a rail already submitted keeps its status.
   */
  submit(userId: string, body: types.Submission, options: Options = {}): Promise<types.SubmissionReplies> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/kyc/submissions", userId),
        body,
      },
      options,
    );
  }

  /**
   * List owners.
   *
   * List all ultimate beneficial owners of a business.
   */
  listOwners(userId: string, options: Options = {}): Promise<types.KycOwnerList> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}/kyc/ubos", userId),
      },
      options,
    );
  }

  /**
   * Add an owner.
   *
   * Adds an ultimate beneficial owner to a business.
   */
  addOwner(userId: string, body: types.KycOwnerUpdate, options: Options & { idempotencyKey?: string; } = {}): Promise<types.KycOwner> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/kyc/ubos", userId),
        body,
        headers: { "Idempotency-Key": options.idempotencyKey },
      },
      options,
    );
  }

  /**
   * Retrieve an owner.
   *
   * One ultimate beneficial owner of this business.
   */
  retrieveOwner(userId: string, uboId: string, options: Options = {}): Promise<types.KycOwner> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}/kyc/ubos/{uboId}", userId, uboId),
      },
      options,
    );
  }

  /**
   * Update an owner.
   *
   * Change the given members; null removes a value.
   */
  updateOwner(userId: string, uboId: string, body: types.KycOwnerUpdate, options: Options = {}): Promise<types.KycOwner> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/kyc/ubos/{uboId}", userId, uboId),
        body,
      },
      options,
    );
  }
}

export class KycLinks {
  constructor(private readonly sender: Sender) {}

  /**
   * Make a link to the hosted form.
   *
   * Create a link, which is valid for five days and can be completed once.
   */
  create(body: types.NewKycLink, options: Options & { idempotencyKey?: string; } = {}): Promise<types.KycLinkCreatedReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/kyc-link"),
        body,
        headers: { "Idempotency-Key": options.idempotencyKey },
      },
      options,
    );
  }
}

export class KycReviews {
  constructor(private readonly sender: Sender) {}

  /**
   * List KYC reviews.
   *
   * List summaries, longest waiting first; each review has the full content.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; status?: Array<"INACTIVE" | "CREATED" | "PENDING" | "MANUAL_REVIEW" | "RFI_PENDING" | "INCOMPLETE" | "ACTIVE" | "REJECTED" | "CONTACT_SUPPORT">; } = {}): Promise<types.ReviewPage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reviews/kyc"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "status": options.status },
      },
      options,
    );
  }

  /** List KYC reviews, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; status?: Array<"INACTIVE" | "CREATED" | "PENDING" | "MANUAL_REVIEW" | "RFI_PENDING" | "INCOMPLETE" | "ACTIVE" | "REJECTED" | "CONTACT_SUPPORT">; } = {}): AsyncGenerator<types.ListedReview> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.reviews,
    );
  }

  /**
   * Retrieve a KYC review.
   *
   * Return one case in any status.
   */
  retrieve(caseId: string, options: Options = {}): Promise<types.ReviewReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reviews/kyc/{caseId}", caseId),
      },
      options,
    );
  }

  /**
   * Decide a KYC review.
   *
   * Decide a case; of two concurrent decisions one succeeds, the other returns 409.
   */
  decide(caseId: string, body: types.DecisionBody, options: Options = {}): Promise<types.ReviewReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reviews/kyc/{caseId}", caseId),
        body,
      },
      options,
    );
  }
}

export class Limits {
  constructor(private readonly sender: Sender) {}

  /**
   * Retrieve limits.
   *
   * Get the rules of the organisation and their remaining amounts.
   */
  retrieve(options: Options & { userId?: string; } = {}): Promise<types.LimitsReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/limits"),
        query: { "userId": options.userId },
      },
      options,
    );
  }

  /**
   * Simulate limits.
   *
   * Simulate other rules on the payments of the last days; changes nothing.
   */
  simulate(body: types.LimitSimulationRequest, options: Options = {}): Promise<types.LimitSimulationReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/limits/simulate"),
        body,
      },
      options,
    );
  }
}

export class Metrics {
  constructor(private readonly sender: Sender) {}

  /**
   * List saved metrics.
   *
   * List all, newest first.
   */
  list(options: Options = {}): Promise<types.MetricList> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reporting/metrics"),
      },
      options,
    );
  }

  /**
   * Save a metric.
   *
   * Validate and save a metric without calculating it. At most 1,000 per organisation.
   */
  create(body: types.NewMetric, options: Options & { idempotencyKey?: string; } = {}): Promise<types.MetricEnvelope> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reporting/metrics"),
        body,
        headers: { "Idempotency-Key": options.idempotencyKey },
      },
      options,
    );
  }

  /**
   * Calculate a metric.
   *
   * Calculate a metric without saving it.
   */
  preview(body: types.MetricPreview, options: Options = {}): Promise<types.MetricResultReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reporting/metrics/preview"),
        body,
      },
      options,
    );
  }

  /**
   * Calculate a metric into a file.
   *
   * Download a preview, or the transactions behind it; nothing is saved.
   */
  downloadPreview(body: types.MetricPreview, options: Options & { format?: "csv" | "parquet"; content?: "results" | "transactions"; } = {}): Promise<Uint8Array> {
    return this.sender.download(
      {
        method: "POST",
        path: pathOf("/v2/reporting/metrics/preview/download"),
        body,
        query: { "format": options.format, "content": options.content },
      },
      options,
    );
  }

  /**
   * Retrieve a saved metric.
   *
   * Return one metric.
   */
  retrieve(metricId: string, options: Options = {}): Promise<types.MetricEnvelope> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reporting/metrics/{metricId}", metricId),
      },
      options,
    );
  }

  /**
   * Update a saved metric.
   *
   * Change the name or the given parameters; the template cannot change.
   */
  update(metricId: string, body: types.MetricChange, options: Options = {}): Promise<types.MetricEnvelope> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reporting/metrics/{metricId}", metricId),
        body,
      },
      options,
    );
  }

  /**
   * Delete a saved metric.
   *
   * Delete permanently; returns the deleted metric.
   */
  delete(metricId: string, options: Options = {}): Promise<types.MetricEnvelope> {
    return this.sender.send(
      {
        method: "DELETE",
        path: pathOf("/v2/reporting/metrics/{metricId}", metricId),
      },
      options,
    );
  }

  /**
   * Calculate a saved metric into a file.
   *
   * Download the results, or the transactions behind them.
   */
  download(metricId: string, options: Options & { format?: "csv" | "parquet"; content?: "results" | "transactions"; } = {}): Promise<Uint8Array> {
    return this.sender.download(
      {
        method: "GET",
        path: pathOf("/v2/reporting/metrics/{metricId}/download", metricId),
        query: { "format": options.format, "content": options.content },
      },
      options,
    );
  }

  /**
   * Calculate a saved metric.
   *
   * Calculate the metric now.
   */
  retrieveResults(metricId: string, options: Options = {}): Promise<types.MetricResultReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reporting/metrics/{metricId}/results", metricId),
      },
      options,
    );
  }

  /**
   * List what a parameter may be.
   *
   * List a page of the values of `transactionTypes`, `userIds` and other template filters.
   */
  listOptions(name: string, options: Options & { page?: number; limit?: number; } = {}): Promise<types.OptionList> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reporting/params/{name}/options", name),
        query: { "page": options.page, "limit": options.limit },
      },
      options,
    );
  }
}

export class Offramps {
  constructor(private readonly sender: Sender) {}

  /**
   * List offramps.
   *
   * Newest first, of one user or of the whole organisation.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; userId?: string; } = {}): Promise<types.OfframpPage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/offramps"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "userId": options.userId },
      },
      options,
    );
  }

  /** List offramps, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; userId?: string; } = {}): AsyncGenerator<types.OfframpReply> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.records,
    );
  }

  /**
   * Create an offramp.
   *
   * Quote a payout to a bank account (OPEN_QUOTE). Accept the quote within ten minutes.
   *
   * With `requireApproval` it first awaits an admin (PENDING_APPROVAL) for a day at most, and is
   * quoted on approval. The same `requestId` with the same body returns the same offramp.
   */
  create(body: WithOptional<types.NewOfframp, "requestId">, options: Options & { dryRun?: boolean; sandbox?: string; } = {}): Promise<types.OfframpReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/offramps"),
        body,
        query: { "dryRun": options.dryRun },
        headers: { "Landbridge-Sandbox": options.sandbox },
        idMember: "requestId",
      },
      options,
    );
  }

  /**
   * Rate of an offramp.
   *
   * Return the fiat per stablecoin; `usd-hka`, `usd-chn` and `usd-sgp` are dollars abroad.
   */
  retrieveRate(options: Options & { fromCurrency: string; toCurrency: string; }): Promise<types.RateReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/offramps/rates"),
        query: { "fromCurrency": options.fromCurrency, "toCurrency": options.toCurrency },
      },
      options,
    );
  }

  /**
   * Retrieve an offramp.
   *
   * Get an offramp.
   */
  retrieve(transferId: string, options: Options & { expand?: "timeline"; } = {}): Promise<types.OfframpReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/offramps/{transferId}", transferId),
        query: { "expand": options.expand },
      },
      options,
    );
  }

  /**
   * Cancel an offramp in review.
   *
   * Cancel an offramp that is IN_REVIEW. Received coins are returned.
   */
  cancel(transferId: string, options: Options = {}): Promise<types.OfframpReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/offramps/{transferId}/cancel", transferId),
      },
      options,
    );
  }

  /**
   * Accept an offramp's quote.
   *
   * Accept the offramp at its quote. A repeated accept returns the same reply.
   *
   * Coins of a registered external wallet are then awaited: `depositInformation` gives the
   * address and the deadline.
   */
  accept(transferId: string, options: Options = {}): Promise<types.OfframpReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/offramps/{transferId}/quote/accept", transferId),
      },
      options,
    );
  }

  /**
   * Renew an offramp's expired quote.
   *
   * Quote an expired offramp again, as a new one. A repeated call returns the same one.
   *
   * An approval of the last day is kept if the policy has not changed since, no more is debited
   * and at most 1% less arrives. Otherwise the new offramp awaits an approval.
   */
  renewQuote(transferId: string, options: Options = {}): Promise<types.OfframpReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/offramps/{transferId}/quote/renew", transferId),
      },
      options,
    );
  }
}

export class Onramps {
  constructor(private readonly sender: Sender) {}

  /**
   * List onramps.
   *
   * List transfers, newest first, of one user or of the whole organisation.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; userId?: string; } = {}): Promise<types.OnrampPage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/onramps"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "userId": options.userId },
      },
      options,
    );
  }

  /** List onramps, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; userId?: string; } = {}): AsyncGenerator<types.OnrampReply> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.records,
    );
  }

  /**
   * Create an onramp.
   *
   * Quote an onramp (OPEN_QUOTE). Accept the quote within 24 hours.
   *
   * The same `requestId` with the same body returns the same onramp.
   */
  create(body: WithOptional<types.NewOnramp, "requestId">, options: Options & { dryRun?: boolean; sandbox?: string; } = {}): Promise<types.OnrampReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/onramps"),
        body,
        query: { "dryRun": options.dryRun },
        headers: { "Landbridge-Sandbox": options.sandbox },
        idMember: "requestId",
      },
      options,
    );
  }

  /**
   * Rate of an onramp.
   *
   * Return the stablecoins received per unit of fiat.
   */
  retrieveRate(options: Options & { fromCurrency: string; toCurrency: string; }): Promise<types.RateReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/onramps/rates"),
        query: { "fromCurrency": options.fromCurrency, "toCurrency": options.toCurrency },
      },
      options,
    );
  }

  /**
   * Retrieve an onramp.
   *
   * Get an onramp.
   */
  retrieve(transferId: string, options: Options & { expand?: "timeline"; } = {}): Promise<types.OnrampReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/onramps/{transferId}", transferId),
        query: { "expand": options.expand },
      },
      options,
    );
  }

  /**
   * Cancel an onramp in review.
   *
   * Cancel an onramp that is IN_REVIEW. A received deposit is returned to its sender.
   */
  cancel(transferId: string, options: Options = {}): Promise<types.OnrampReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/onramps/{transferId}/cancel", transferId),
      },
      options,
    );
  }

  /**
   * Accept an onramp's quote.
   *
   * Accept the quote and return the deposit instructions.
   *
   * A repeated accept returns the same reply.
   */
  accept(transferId: string, options: Options = {}): Promise<types.AcceptedOnrampReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/onramps/{transferId}/quote/accept", transferId),
      },
      options,
    );
  }

  /**
   * Refresh an onramp's quote.
   *
   * Refresh an open quote at the current price, valid for another 24 hours.
   */
  refreshQuote(transferId: string, options: Options = {}): Promise<types.OnrampReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/onramps/{transferId}/quote/refresh", transferId),
      },
      options,
    );
  }
}

export class PaymentScreenings {
  constructor(private readonly sender: Sender) {}

  /**
   * List payment screenings.
   *
   * List screenings, the oldest first. A held payment is decided on by a resolution.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; status?: Array<"IN_SCREENING" | "HELD" | "RELEASED" | "REJECTED" | "VOID">; } = {}): Promise<types.PaymentScreeningList> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reviews/payment-screenings"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "status": options.status },
      },
      options,
    );
  }

  /** List payment screenings, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; status?: Array<"IN_SCREENING" | "HELD" | "RELEASED" | "REJECTED" | "VOID">; } = {}): AsyncGenerator<types.PaymentScreeningReply> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.reviews,
    );
  }

  /**
   * Retrieve a payment screening.
   *
   * Return a screening, open or closed.
   */
  retrieve(paymentScreeningId: string, options: Options = {}): Promise<types.PaymentScreeningReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reviews/payment-screenings/{paymentScreeningId}", paymentScreeningId),
      },
      options,
    );
  }
}

export class Proofs {
  constructor(private readonly sender: Sender) {}

  /**
   * Retrieve the latest checkpoint.
   *
   * Return the signed root of all changes.
   *
   * With `since`, the proof precedes it that the tree begins with that many leaves unchanged.
   * Answers 404 before the first checkpoint.
   */
  retrieveCheckpoint(options: Options & { since?: number; } = {}): Promise<Uint8Array> {
    return this.sender.download(
      {
        method: "GET",
        path: pathOf("/v2/proofs/checkpoint"),
        query: { "since": options.since },
      },
      options,
    );
  }

  /**
   * Prove reserves.
   *
   * Return what a confirmed close says is owed and held, with its proof.
   *
   * With `userId`, the proof follows that this user's balances are in what is owed; it hides
   * those of all others. Answers 409 until a checkpoint covers the close.
   */
  retrieveReserves(closeId: string, options: Options & { userId?: string; } = {}): Promise<Uint8Array> {
    return this.sender.download(
      {
        method: "GET",
        path: pathOf("/v2/proofs/reserves/{closeId}", closeId),
        query: { "userId": options.userId },
      },
      options,
    );
  }

  /**
   * Prove a payment.
   *
   * Return proofs that show one party its entries, and hide those of all others.
   *
   * Answers 409 until a checkpoint covers the payment.
   */
  retrieveTransfer(transferId: string, options: Options & { userId?: string; } = {}): Promise<Uint8Array> {
    return this.sender.download(
      {
        method: "GET",
        path: pathOf("/v2/proofs/transfers/{transferId}", transferId),
        query: { "userId": options.userId },
      },
      options,
    );
  }
}

export class Providers {
  constructor(private readonly sender: Sender) {}

  /**
   * List connected providers.
   *
   * Providers with what they serve, their health, and the oldest that wait for each.
   *
   * No provider is called for it. Admins of the only organisation also get the numbers of calls.
   */
  list(options: Options = {}): Promise<types.ProviderList> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/providers"),
      },
      options,
    );
  }
}

export class Receivables {
  constructor(private readonly sender: Sender) {}

  /**
   * List receivables.
   *
   * List receivables, the oldest first; with `transferId`, the receivable of that payment.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; status?: Array<"OPEN" | "RECOVERED" | "WRITTEN_OFF">; transferId?: string; } = {}): Promise<types.ReceivableList> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reviews/receivables"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "status": options.status, "transferId": options.transferId },
      },
      options,
    );
  }

  /** List receivables, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; status?: Array<"OPEN" | "RECOVERED" | "WRITTEN_OFF">; transferId?: string; } = {}): AsyncGenerator<types.ReceivableReply> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.reviews,
    );
  }

  /**
   * Retrieve a receivable.
   *
   * Return a receivable, open or closed.
   */
  retrieve(receivableId: string, options: Options = {}): Promise<types.ReceivableReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reviews/receivables/{receivableId}", receivableId),
      },
      options,
    );
  }
}

export class Reconciliation {
  constructor(private readonly sender: Sender) {}

  /**
   * List daily closes.
   *
   * List closes of any status, the latest signature first.
   */
  listCloses(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; } = {}): Promise<types.ClosePage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reconciliation/closes"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor },
      },
      options,
    );
  }

  /** List daily closes, page by page. */
  listClosesAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; } = {}): AsyncGenerator<types.CloseReply> {
    return pages(
      (cursor) => this.listCloses({ ...options, cursor }),
      (page) => page.closes,
    );
  }

  /**
   * Sign a day's close.
   *
   * Sign the close of a day that has ended; a second person confirms it.
   *
   * A day has one close: a repeated request is refused, unless it was rejected.
   */
  signClose(body: types.CloseSignature, options: Options = {}): Promise<types.CloseWithContent> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reconciliation/closes"),
        body,
      },
      options,
    );
  }

  /**
   * Retrieve a daily close.
   *
   * Return a close with what was signed.
   */
  retrieveClose(closeId: string, options: Options = {}): Promise<types.CloseWithContent> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reconciliation/closes/{closeId}", closeId),
      },
      options,
    );
  }

  /**
   * Confirm a daily close.
   *
   * Confirm what another person has signed. It never changes again.
   */
  confirmClose(closeId: string, body: types.CloseConfirmation, options: Options = {}): Promise<types.CloseReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reconciliation/closes/{closeId}/confirm", closeId),
        body,
      },
      options,
    );
  }

  /**
   * Reject a daily close.
   *
   * Reject a close that waits, or withdraw your own; the day can be signed again.
   */
  rejectClose(closeId: string, body: types.CloseRejection, options: Options = {}): Promise<types.CloseReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reconciliation/closes/{closeId}/reject", closeId),
        body,
      },
      options,
    );
  }

  /**
   * List differences.
   *
   * List differences, newest first; the bounds are those of `since`.
   */
  listDifferences(options: Options & { status?: Array<"TIMING" | "OPEN" | "PROPOSED" | "RESOLVED">; kind?: Array<"MISSING_OUTSIDE" | "UNKNOWN_OUTSIDE" | "AMOUNT" | "DUPLICATE" | "POSITION" | "REORGED" | "SOURCE_SILENT" | "STATEMENT_GAP">; source?: Array<"POLYGON" | "ETHEREUM" | "SOLANA" | "BASE" | "BANK_USD" | "BANK_EUR" | "BANK_BRL" | "BANK_MXN" | "BANK_COP" | "BANK_ARS" | "BANK_HKD" | "BANK_CNY" | "BANK_SGD" | "BANK_NGN" | "BANK_KES" | "BANK_ZMW" | "BANK_MWK" | "BANK_TZS" | "BANK_BWP" | "BANK_CDF" | "BANK_GHS" | "BANK_ZAR" | "BANK_UGX" | "BANK_RWF" | "BANK_XAF" | "BANK_XOF">; assigneeId?: string; recordId?: string; limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; } = {}): Promise<types.DifferencePage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reconciliation/differences"),
        query: { "status": options.status, "kind": options.kind, "source": options.source, "assigneeId": options.assigneeId, "recordId": options.recordId, "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor },
      },
      options,
    );
  }

  /** List differences, page by page. */
  listDifferencesAll(options: Options & { status?: Array<"TIMING" | "OPEN" | "PROPOSED" | "RESOLVED">; kind?: Array<"MISSING_OUTSIDE" | "UNKNOWN_OUTSIDE" | "AMOUNT" | "DUPLICATE" | "POSITION" | "REORGED" | "SOURCE_SILENT" | "STATEMENT_GAP">; source?: Array<"POLYGON" | "ETHEREUM" | "SOLANA" | "BASE" | "BANK_USD" | "BANK_EUR" | "BANK_BRL" | "BANK_MXN" | "BANK_COP" | "BANK_ARS" | "BANK_HKD" | "BANK_CNY" | "BANK_SGD" | "BANK_NGN" | "BANK_KES" | "BANK_ZMW" | "BANK_MWK" | "BANK_TZS" | "BANK_BWP" | "BANK_CDF" | "BANK_GHS" | "BANK_ZAR" | "BANK_UGX" | "BANK_RWF" | "BANK_XAF" | "BANK_XOF">; assigneeId?: string; recordId?: string; limit?: number; createdBefore?: string; createdAfter?: string; } = {}): AsyncGenerator<types.DifferenceReply> {
    return pages(
      (cursor) => this.listDifferences({ ...options, cursor }),
      (page) => page.differences,
    );
  }

  /**
   * Retrieve a difference.
   *
   * Return a difference of any status, and what was decided on it.
   */
  retrieveDifference(differenceId: string, options: Options = {}): Promise<types.DifferenceWithHistory> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reconciliation/differences/{differenceId}", differenceId),
      },
      options,
    );
  }

  /**
   * Accept an explanation.
   *
   * Accept another person's explanation: later runs expect the amount.
   *
   * If the explanation adjusts the ledger, this posts the journal, and later runs find nothing.
   */
  acceptDifference(differenceId: string, body: types.DifferenceAcceptance, options: Options = {}): Promise<types.DifferenceReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reconciliation/differences/{differenceId}/accept", differenceId),
        body,
      },
      options,
    );
  }

  /**
   * Assign a difference.
   *
   * Assign an unresolved difference to a member, or to nobody.
   */
  assignDifference(differenceId: string, body: types.DifferenceAssignment, options: Options = {}): Promise<types.DifferenceReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reconciliation/differences/{differenceId}/assign", differenceId),
        body,
      },
      options,
    );
  }

  /**
   * Reject an explanation.
   *
   * Reject an explanation, or withdraw your own: the difference is open again.
   */
  rejectDifference(differenceId: string, body: types.ExplanationRejection, options: Options = {}): Promise<types.DifferenceReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reconciliation/differences/{differenceId}/reject", differenceId),
        body,
      },
      options,
    );
  }

  /**
   * Explain a difference.
   *
   * Explain an open difference, which then waits for a second person.
   *
   * With `adjustLedger` their acceptance books it; otherwise nothing is booked.
   */
  resolveDifference(differenceId: string, body: types.DifferenceExplanation, options: Options = {}): Promise<types.DifferenceReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reconciliation/differences/{differenceId}/resolve", differenceId),
        body,
      },
      options,
    );
  }

  /**
   * List halts.
   *
   * List halts, newest first; the bounds are those of `haltedAt`.
   */
  listHalts(options: Options & { status?: Array<"HALTED" | "PROPOSED" | "LIFTED" | "CLEARED">; limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; } = {}): Promise<types.HaltPage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reconciliation/halts"),
        query: { "status": options.status, "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor },
      },
      options,
    );
  }

  /** List halts, page by page. */
  listHaltsAll(options: Options & { status?: Array<"HALTED" | "PROPOSED" | "LIFTED" | "CLEARED">; limit?: number; createdBefore?: string; createdAfter?: string; } = {}): AsyncGenerator<types.HaltReply> {
    return pages(
      (cursor) => this.listHalts({ ...options, cursor }),
      (page) => page.halts,
    );
  }

  /**
   * Lift a halt.
   *
   * Lift a halt that another person has proposed to lift: its payments go on.
   */
  acceptLift(haltId: string, body: types.LiftAcceptance, options: Options = {}): Promise<types.HaltReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reconciliation/halts/{haltId}/accept", haltId),
        body,
      },
      options,
    );
  }

  /**
   * Propose to lift a halt.
   *
   * Say why payments may go on; they wait for a second person.
   */
  liftHalt(haltId: string, body: types.HaltLift, options: Options = {}): Promise<types.HaltReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reconciliation/halts/{haltId}/lift", haltId),
        body,
      },
      options,
    );
  }

  /**
   * Reject the lift of a halt.
   *
   * Reject a proposal to lift a halt, or withdraw your own: its payments wait on.
   */
  rejectLift(haltId: string, body: types.LiftRejection, options: Options = {}): Promise<types.HaltReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reconciliation/halts/{haltId}/reject", haltId),
        body,
      },
      options,
    );
  }

  /**
   * List runs.
   *
   * List the comparisons of the last 90 days, newest first.
   */
  listRuns(options: Options & { source?: Array<"POLYGON" | "ETHEREUM" | "SOLANA" | "BASE" | "BANK_USD" | "BANK_EUR" | "BANK_BRL" | "BANK_MXN" | "BANK_COP" | "BANK_ARS" | "BANK_HKD" | "BANK_CNY" | "BANK_SGD" | "BANK_NGN" | "BANK_KES" | "BANK_ZMW" | "BANK_MWK" | "BANK_TZS" | "BANK_BWP" | "BANK_CDF" | "BANK_GHS" | "BANK_ZAR" | "BANK_UGX" | "BANK_RWF" | "BANK_XAF" | "BANK_XOF">; limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; } = {}): Promise<types.ReconRunPage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reconciliation/runs"),
        query: { "source": options.source, "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor },
      },
      options,
    );
  }

  /** List runs, page by page. */
  listRunsAll(options: Options & { source?: Array<"POLYGON" | "ETHEREUM" | "SOLANA" | "BASE" | "BANK_USD" | "BANK_EUR" | "BANK_BRL" | "BANK_MXN" | "BANK_COP" | "BANK_ARS" | "BANK_HKD" | "BANK_CNY" | "BANK_SGD" | "BANK_NGN" | "BANK_KES" | "BANK_ZMW" | "BANK_MWK" | "BANK_TZS" | "BANK_BWP" | "BANK_CDF" | "BANK_GHS" | "BANK_ZAR" | "BANK_UGX" | "BANK_RWF" | "BANK_XAF" | "BANK_XOF">; limit?: number; createdBefore?: string; createdAfter?: string; } = {}): AsyncGenerator<types.ReconRunReply> {
    return pages(
      (cursor) => this.listRuns({ ...options, cursor }),
      (page) => page.runs,
    );
  }

  /**
   * List sources.
   *
   * Return each chain and bank account that is compared, with its last comparison.
   */
  listSources(options: Options = {}): Promise<types.ReconSourcesReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reconciliation/sources"),
      },
      options,
    );
  }
}

export class ReportRuns {
  constructor(private readonly sender: Sender) {}

  /**
   * Retrieve a run.
   *
   * Return the run of a schedule for one period.
   */
  retrieve(runId: string, options: Options = {}): Promise<types.RunReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reporting/runs/{runId}", runId),
      },
      options,
    );
  }

  /**
   * Download a report.
   *
   * Download the file of a run, as CSV or Parquet.
   */
  download(runId: string, options: Options = {}): Promise<Uint8Array> {
    return this.sender.download(
      {
        method: "GET",
        path: pathOf("/v2/reporting/runs/{runId}/download", runId),
      },
      options,
    );
  }
}

export class ReportSchedules {
  constructor(private readonly sender: Sender) {}

  /**
   * List schedules.
   *
   * List all, newest first.
   */
  list(options: Options = {}): Promise<types.ScheduleList> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reporting/schedules"),
      },
      options,
    );
  }

  /**
   * Create a schedule.
   *
   * Schedule a report after each day, week or month. At most 100.
   */
  create(body: types.NewSchedule, options: Options & { idempotencyKey?: string; } = {}): Promise<types.ScheduleReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reporting/schedules"),
        body,
        headers: { "Idempotency-Key": options.idempotencyKey },
      },
      options,
    );
  }

  /**
   * Retrieve a schedule.
   *
   * Return one schedule, with the time of its next report.
   */
  retrieve(scheduleId: string, options: Options = {}): Promise<types.ScheduleReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reporting/schedules/{scheduleId}", scheduleId),
      },
      options,
    );
  }

  /**
   * Update a schedule.
   *
   * Change the recipients, or the version of the organisation's own template.
   *
   * Both apply from the next report on.
   */
  update(scheduleId: string, body: types.ScheduleChange, options: Options = {}): Promise<types.ScheduleReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reporting/schedules/{scheduleId}", scheduleId),
        body,
      },
      options,
    );
  }

  /**
   * Delete a schedule.
   *
   * Delete a schedule; existing reports can be downloaded as long as before.
   */
  delete(scheduleId: string, options: Options = {}): Promise<types.ScheduleReply> {
    return this.sender.send(
      {
        method: "DELETE",
        path: pathOf("/v2/reporting/schedules/{scheduleId}", scheduleId),
      },
      options,
    );
  }

  /**
   * List runs.
   *
   * List the runs of a schedule in the last 90 days, newest period first.
   */
  listRuns(scheduleId: string, options: Options = {}): Promise<types.RunList> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reporting/schedules/{scheduleId}/runs", scheduleId),
      },
      options,
    );
  }
}

export class ReportTemplates {
  constructor(private readonly sender: Sender) {}

  /**
   * List metric templates.
   *
   * List every template with its parameters: Landbridge's own first, then yours.
   */
  list(options: Options = {}): Promise<types.TemplateList> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reporting/templates"),
      },
      options,
    );
  }

  /**
   * Create a metric template.
   *
   * Create a template of the organisation's own. At most 100.
   */
  create(body: types.NewTemplate, options: Options = {}): Promise<types.TemplateEnvelope> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reporting/templates"),
        body,
      },
      options,
    );
  }

  /**
   * Retrieve a metric template.
   *
   * Return one template; your own with its definition, and as `NAME@2` in that version.
   */
  retrieve(name: string, options: Options = {}): Promise<types.TemplateEnvelope> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reporting/templates/{name}", name),
      },
      options,
    );
  }

  /**
   * Update a metric template.
   *
   * Add a version; saved metrics and schedules stay on theirs until they are moved.
   */
  update(name: string, body: types.TemplateChange, options: Options = {}): Promise<types.TemplateEnvelope> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reporting/templates/{name}", name),
        body,
      },
      options,
    );
  }

  /**
   * Delete a metric template.
   *
   * Delete all versions, unless a saved metric or a schedule uses one of them.
   */
  delete(name: string, options: Options = {}): Promise<types.TemplateEnvelope> {
    return this.sender.send(
      {
        method: "DELETE",
        path: pathOf("/v2/reporting/templates/{name}", name),
      },
      options,
    );
  }
}

export class ReportTimeZone {
  constructor(private readonly sender: Sender) {}

  /**
   * Retrieve the time zone.
   *
   * Return the value of the parameter `timeZone` that is available besides UTC.
   */
  retrieve(options: Options = {}): Promise<types.TimeZoneReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reporting/time-zone"),
      },
      options,
    );
  }

  /**
   * Set the time zone.
   *
   * Start building days of a zone; reports use the previous one until they are complete.
   *
   * Until then, setting another zone answers 409.
   */
  replace(body: types.NewTimeZone, options: Options = {}): Promise<types.TimeZoneReply> {
    return this.sender.send(
      {
        method: "PUT",
        path: pathOf("/v2/reporting/time-zone"),
        body,
      },
      options,
    );
  }
}

export class RequestLog {
  constructor(private readonly sender: Sender) {}

  /**
   * List requests.
   *
   * Newest first, kept for a week; the last second may still be missing.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; method?: "DELETE" | "GET" | "HEAD" | "OPTIONS" | "PATCH" | "POST" | "PUT"; status?: string; path?: string; xRequestId?: string; requestId?: string; } = {}): Promise<types.LoggedPage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/request-log"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "method": options.method, "status": options.status, "path": options.path, "xRequestId": options.xRequestId, "requestId": options.requestId },
      },
      options,
    );
  }

  /** List requests, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; method?: "DELETE" | "GET" | "HEAD" | "OPTIONS" | "PATCH" | "POST" | "PUT"; status?: string; path?: string; xRequestId?: string; requestId?: string; } = {}): AsyncGenerator<types.LoggedRequest> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.requests,
    );
  }

  /**
   * Retrieve a request.
   *
   * The newest request that was answered with this X-Request-Id, with both bodies.
   */
  retrieve(xRequestId: string, options: Options = {}): Promise<types.LoggedBodies> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/request-log/{xRequestId}", xRequestId),
      },
      options,
    );
  }
}

export class Requests {
  constructor(private readonly sender: Sender) {}

  /**
   * Find out what became of a request.
   *
   * Return the resource a request created, if its response was lost; 404 if none.
   */
  retrieve(requestId: string, options: Options = {}): Promise<types.RequestReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/requests/{requestId}", requestId),
      },
      options,
    );
  }
}

export class Resolutions {
  constructor(private readonly sender: Sender) {}

  /**
   * List resolutions.
   *
   * List resolutions of any status, newest first.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; status?: Array<"PENDING_APPROVAL" | "APPROVED" | "COMPLETED" | "VOID" | "REJECTED" | "EXPIRED">; } = {}): Promise<types.ResolutionPage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reviews/resolutions"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "status": options.status },
      },
      options,
    );
  }

  /** List resolutions, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; status?: Array<"PENDING_APPROVAL" | "APPROVED" | "COMPLETED" | "VOID" | "REJECTED" | "EXPIRED">; } = {}): AsyncGenerator<types.ResolutionReply> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.resolutions,
    );
  }

  /**
   * Request a resolution.
   *
   * Request a resolution, which waits for a second person at /v2/transfer-approvals.
   */
  create(body: WithOptional<types.ResolutionRequest, "requestId">, options: Options = {}): Promise<types.ResolutionReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reviews/resolutions"),
        body,
        idMember: "requestId",
      },
      options,
    );
  }

  /**
   * List possible actions on a payment.
   *
   * List the possible actions; none while the payment continues or waits for its owner.
   */
  listActions(transferId: string, options: Options = {}): Promise<types.ResolvableReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reviews/resolutions/actions/{transferId}", transferId),
      },
      options,
    );
  }

  /**
   * Retrieve a resolution.
   *
   * Return a resolution of any status.
   */
  retrieve(resolutionId: string, options: Options = {}): Promise<types.ResolutionReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reviews/resolutions/{resolutionId}", resolutionId),
      },
      options,
    );
  }
}

export class Sandbox {
  constructor(private readonly sender: Sender) {}

  /**
   * Move the organisation's clock on.
   *
   * Everything that falls due by the new time is done, in order, before the response.
   */
  advanceClock(body: types.ClockAdvance, options: Options & { idempotencyKey?: string; } = {}): Promise<types.ClockReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/sandbox/clock/advance"),
        body,
        headers: { "Idempotency-Key": options.idempotencyKey },
      },
      options,
    );
  }

  /**
   * Retrieve the latency.
   *
   * Latency of the organisation's simulated chains and banks.
   */
  retrieveLatency(options: Options = {}): Promise<types.LatencyReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/sandbox/latency"),
      },
      options,
    );
  }

  /**
   * Set the latency.
   *
   * Instant, or realistic: confirmations, cut-off times, weekends and bank holidays.
   */
  setLatency(body: types.LatencyRequest, options: Options = {}): Promise<types.LatencyReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/sandbox/latency"),
        body,
      },
      options,
    );
  }

  /**
   * Deposit for an offramp.
   *
   * Coins arrive from the external wallet that funds the offramp.
   */
  depositCoins(transferId: string, body: types.CoinDeposit, options: Options & { idempotencyKey?: string; } = {}): Promise<types.CoinDepositReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/sandbox/offramps/{transferId}/deposit", transferId),
        body,
        headers: { "Idempotency-Key": options.idempotencyKey },
      },
      options,
    );
  }

  /**
   * Deposit for an onramp.
   *
   * Fiat arrives at the bank, and is matched or returned as real fiat would be.
   */
  depositFiat(transferId: string, body: types.FiatDeposit, options: Options & { idempotencyKey?: string; } = {}): Promise<types.FiatDepositReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/sandbox/onramps/{transferId}/deposit", transferId),
        body,
        headers: { "Idempotency-Key": options.idempotencyKey },
      },
      options,
    );
  }

  /**
   * List what can be forced.
   *
   * Every step=outcome that the header Landbridge-Sandbox of a create accepts.
   */
  listOutcomes(options: Options = {}): Promise<types.OutcomesReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/sandbox/outcomes"),
      },
      options,
    );
  }

  /**
   * Simulate an RFI.
   *
   * Open a request for information on an onramp or offramp, or close it.
   */
  changeRfi(transferId: string, body: types.RfiCommand, options: Options = {}): Promise<types.TransferReview> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/sandbox/transfers/{transferId}/rfi", transferId),
        body,
      },
      options,
    );
  }

  /**
   * Fund a wallet.
   *
   * Credit coins to the user's wallet at once.
   */
  fundWallet(userId: string, body: types.FundingRequest, options: Options & { idempotencyKey?: string; } = {}): Promise<types.FundingReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/sandbox/users/{userId}/wallets/fund", userId),
        body,
        headers: { "Idempotency-Key": options.idempotencyKey },
      },
      options,
    );
  }
}

export class Service {
  constructor(private readonly sender: Sender) {}

  /**
   * Check the connection and the key.
   *
   * Answers `pong` to a caller with a valid key.
   */
  ping(options: Options = {}): Promise<types.Pong> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/ping"),
      },
      options,
    );
  }
}

export class SettlementRules {
  constructor(private readonly sender: Sender) {}

  /**
   * List settlement rules.
   *
   * List rules, newest first; pass `nextCursor` as `createdBefore`.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; chain?: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE"; } = {}): Promise<types.RulePage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/virtual-accounts/settlement-rules"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "chain": options.chain },
      },
      options,
    );
  }

  /** List settlement rules, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; chain?: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE"; } = {}): AsyncGenerator<types.RuleReply> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.rules,
    );
  }

  /**
   * Create a settlement rule.
   *
   * Create a rule; it has no effect until it is applied to a virtual account.
   */
  create(body: WithOptional<types.NewRule, "requestId">, options: Options = {}): Promise<types.RuleReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/virtual-accounts/settlement-rules"),
        body,
        idMember: "requestId",
      },
      options,
    );
  }

  /**
   * Retrieve a settlement rule.
   *
   * Get a rule.
   */
  retrieve(ruleId: string, options: Options = {}): Promise<types.RuleReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/virtual-accounts/settlement-rules/{ruleId}", ruleId),
      },
      options,
    );
  }

  /**
   * Delete a settlement rule.
   *
   * Delete a rule; refused while the rule is applied to a virtual account.
   */
  delete(ruleId: string, options: Options = {}): Promise<types.RuleDeletedReply> {
    return this.sender.send(
      {
        method: "DELETE",
        path: pathOf("/v2/virtual-accounts/settlement-rules/{ruleId}", ruleId),
      },
      options,
    );
  }

  /**
   * Update a settlement rule.
   *
   * Replace the whole rule, for future deposits.
   */
  update(ruleId: string, body: WithOptional<types.NewRule, "requestId">, options: Options = {}): Promise<types.RuleReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/virtual-accounts/settlement-rules/{ruleId}/update", ruleId),
        body,
        idMember: "requestId",
      },
      options,
    );
  }
}

export class Statements {
  constructor(private readonly sender: Sender) {}

  /**
   * Make an account statement.
   *
   * Return the movements of a user's wallets between two balances that tie to the ledger.
   *
   * JSON and PDF hold at most 10,000 lines; CSV is unlimited.
   */
  download(options: Options & { userId: string; walletId?: string; currency?: "usdHifi" | "usdc" | "usdg" | "usdt"; createdAfter: string; createdBefore: string; timeZone?: string; format?: "json" | "csv" | "pdf"; detail?: "payments" | "steps"; }): Promise<types.StatementReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reporting/statements"),
        query: { "userId": options.userId, "walletId": options.walletId, "currency": options.currency, "createdAfter": options.createdAfter, "createdBefore": options.createdBefore, "timeZone": options.timeZone, "format": options.format, "detail": options.detail },
      },
      options,
    );
  }

  /**
   * Make an account statement.
   *
   * Return the movements of a user's wallets between two balances that tie to the ledger.
   *
   * JSON and PDF hold at most 10,000 lines; CSV is unlimited.
   */
  downloadFile(options: Options & { userId: string; walletId?: string; currency?: "usdHifi" | "usdc" | "usdg" | "usdt"; createdAfter: string; createdBefore: string; timeZone?: string; format: "csv" | "pdf"; detail?: "payments" | "steps"; }): Promise<Uint8Array> {
    return this.sender.download(
      {
        method: "GET",
        path: pathOf("/v2/reporting/statements"),
        query: { "userId": options.userId, "walletId": options.walletId, "currency": options.currency, "createdAfter": options.createdAfter, "createdBefore": options.createdBefore, "timeZone": options.timeZone, "format": options.format, "detail": options.detail },
      },
      options,
    );
  }
}

export class SwapProviders {
  constructor(private readonly sender: Sender) {}

  /**
   * Retrieve the providers of swaps.
   *
   * Return the organisation's choices, and the pairs that have a market.
   */
  retrieve(options: Options = {}): Promise<types.SwapProvidersReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/organization/swap-providers"),
      },
      options,
    );
  }

  /**
   * Choose the providers of swaps.
   *
   * Replace the choices; they apply to new quotes.
   */
  replace(body: types.SwapProvidersRequest, options: Options = {}): Promise<types.SwapProvidersReply> {
    return this.sender.send(
      {
        method: "PUT",
        path: pathOf("/v2/organization/swap-providers"),
        body,
      },
      options,
    );
  }
}

export class Swaps {
  constructor(private readonly sender: Sender) {}

  /**
   * List swaps.
   *
   * List the swaps of one user or of the whole organisation, newest first.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; userId?: string; } = {}): Promise<types.SwapPage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/wallets/swaps"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "userId": options.userId },
      },
      options,
    );
  }

  /** List swaps, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; userId?: string; } = {}): AsyncGenerator<types.SwapReply> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.data,
    );
  }

  /**
   * Create a swap.
   *
   * Quote a swap (OPEN_QUOTE) after checking the balance; accept it within 30 seconds.
   *
   * The same `requestId` with the same body returns the same swap.
   */
  create(body: WithOptional<types.NewSwap, "requestId">, options: Options & { dryRun?: boolean; sandbox?: string; } = {}): Promise<types.SwapReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/wallets/swaps"),
        body,
        query: { "dryRun": options.dryRun },
        headers: { "Landbridge-Sandbox": options.sandbox },
        idMember: "requestId",
      },
      options,
    );
  }

  /**
   * Retrieve a swap.
   *
   * Return one swap.
   */
  retrieve(swapId: string, options: Options & { expand?: "timeline"; } = {}): Promise<types.SwapReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/wallets/swaps/{swapId}", swapId),
        query: { "expand": options.expand },
      },
      options,
    );
  }

  /**
   * Accept a swap.
   *
   * Execute the swap at its quote. A repeated accept returns the same result.
   */
  accept(swapId: string, options: Options = {}): Promise<types.SwapReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/wallets/swaps/{swapId}/accept", swapId),
      },
      options,
    );
  }
}

export class TermsLinks {
  constructor(private readonly sender: Sender) {}

  /**
   * Make a terms link.
   *
   * Create a link; the same key returns the same link.
   */
  create(body: WithOptional<types.NewTermsLink, "idempotencyKey">, options: Options = {}): Promise<types.TermsLinkCreated> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/tos-link"),
        body,
        idMember: "idempotencyKey",
      },
      options,
    );
  }

  /**
   * Retrieve a terms link.
   *
   * Return the acceptance state of the terms, and the expiry of the link.
   *
   * The `sessionToken` accepts the terms, so it is empty for a key without the scope `pay`.
   */
  retrieve(signedAgreementId: string, options: Options = {}): Promise<types.TermsLinkReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/tos-link/{signedAgreementId}", signedAgreementId),
      },
      options,
    );
  }

  /**
   * Accept the terms.
   *
   * Accept the terms; a repeated call returns the first response.
   */
  accept(signedAgreementId: string, body: types.TermsAcceptance, options: Options = {}): Promise<types.TermsLinkReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/tos-link/{signedAgreementId}/accept", signedAgreementId),
        body,
      },
      options,
    );
  }
}

export class Transactions {
  constructor(private readonly sender: Sender) {}

  /**
   * Search.
   *
   * Find users, wallets and transfers that match the text, 20 at most.
   *
   * An amount matches what a transfer sends or delivers: any that has ended, and the 2,000 under
   * way that are due last.
   */
  search(options: Options & { q: string; }): Promise<types.SearchReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/search"),
        query: { "q": options.q },
      },
      options,
    );
  }

  /**
   * List state machines.
   *
   * List the statuses of every kind of record, what follows each, and whom it waits for.
   *
   * The same for all organisations; it changes only with a new version of Landbridge. The
   * OpenAPI document has it as `x-state-machines`.
   */
  listStateMachines(options: Options = {}): Promise<types.StateMachineList> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/state-machines"),
      },
      options,
    );
  }

  /**
   * List stuck payments.
   *
   * List payments and deposits that take longer than they should, the longest first.
   */
  listStuck(options: Options & { cause?: Array<"CHAIN" | "TREASURY" | "BANK" | "PROVIDER" | "APPROVAL" | "INFORMATION" | "DECISION" | "CUSTOMER" | "PLATFORM">; type?: Array<string>; limit?: number; cursor?: string; } = {}): Promise<types.StuckList> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/stuck"),
        query: { "cause": options.cause, "type": options.type, "limit": options.limit, "cursor": options.cursor },
      },
      options,
    );
  }

  /** List stuck payments, page by page. */
  listStuckAll(options: Options & { cause?: Array<"CHAIN" | "TREASURY" | "BANK" | "PROVIDER" | "APPROVAL" | "INFORMATION" | "DECISION" | "CUSTOMER" | "PLATFORM">; type?: Array<string>; limit?: number; } = {}): AsyncGenerator<types.StuckReply> {
    return pages(
      (cursor) => this.listStuck({ ...options, cursor }),
      (page) => page.stuck,
    );
  }

  /**
   * List transactions.
   *
   * List transfers of all kinds, newest first unless `sort` says otherwise.
   *
   * A search through very many may end its page early; continue while there is a `nextCursor`.
   * `amountUsd` sorts by what the source is worth in dollars today: all transfers that have
   * ended, and the 2,000 under way that are due last. `sort` takes no `metadata`.
   * With `id`, repeated or separated by commas up to 100 times, the list is one page of these
   * transfers, and of the other filters only `type` counts.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; sort?: "-createdAt" | "createdAt" | "-amountUsd" | "amountUsd"; id?: Array<string>; expand?: "parties"; type?: Array<"WALLET.SWAP" | "WALLET.TRANSFER" | "WALLET.TRANSFER.BATCH" | "WALLET.BRIDGE" | "ONRAMP" | "OFFRAMP" | "DISBURSEMENT">; status?: Array<"AWAITING_FUNDS" | "COMPLETED" | "CREATED" | "CRYPTO_FAILED" | "CRYPTO_INITIATED" | "CRYPTO_PENDING" | "CRYPTO_PROCESSED" | "CRYPTO_RETURNED" | "DESTINATION_FAILED" | "DESTINATION_INITIATED" | "DESTINATION_PENDING" | "EXPIRED" | "FAILED" | "FIAT_FAILED" | "FIAT_INITIATED" | "FIAT_PENDING" | "FIAT_PROCESSED" | "FIAT_RETURNED" | "INITIATED" | "IN_REVIEW" | "NOT_INITIATED" | "OPEN_QUOTE" | "PENDING" | "PENDING_APPROVAL" | "QUOTE_FAILED" | "REJECTED" | "SOURCE_FAILED" | "SOURCE_INITIATED" | "SOURCE_PENDING" | "SOURCE_PROCESSED" | "UNKNOWN">; userId?: string; currency?: "ars" | "brl" | "bwp" | "cdf" | "cny" | "cop" | "eur" | "ghs" | "hkd" | "kes" | "mwk" | "mxn" | "ngn" | "rwf" | "sgd" | "tzs" | "ugx" | "usd" | "usdHifi" | "usdc" | "usdg" | "usdt" | "xaf" | "xof" | "zar" | "zmw"; minAmount?: string; maxAmount?: string; metadata?: Array<string>; } = {}): Promise<types.TransactionPageReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/transactions"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "sort": options.sort, "id": options.id, "expand": options.expand, "type": options.type, "status": options.status, "userId": options.userId, "currency": options.currency, "minAmount": options.minAmount, "maxAmount": options.maxAmount, "metadata": options.metadata },
      },
      options,
    );
  }

  /** List transactions, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; sort?: "-createdAt" | "createdAt" | "-amountUsd" | "amountUsd"; id?: Array<string>; expand?: "parties"; type?: Array<"WALLET.SWAP" | "WALLET.TRANSFER" | "WALLET.TRANSFER.BATCH" | "WALLET.BRIDGE" | "ONRAMP" | "OFFRAMP" | "DISBURSEMENT">; status?: Array<"AWAITING_FUNDS" | "COMPLETED" | "CREATED" | "CRYPTO_FAILED" | "CRYPTO_INITIATED" | "CRYPTO_PENDING" | "CRYPTO_PROCESSED" | "CRYPTO_RETURNED" | "DESTINATION_FAILED" | "DESTINATION_INITIATED" | "DESTINATION_PENDING" | "EXPIRED" | "FAILED" | "FIAT_FAILED" | "FIAT_INITIATED" | "FIAT_PENDING" | "FIAT_PROCESSED" | "FIAT_RETURNED" | "INITIATED" | "IN_REVIEW" | "NOT_INITIATED" | "OPEN_QUOTE" | "PENDING" | "PENDING_APPROVAL" | "QUOTE_FAILED" | "REJECTED" | "SOURCE_FAILED" | "SOURCE_INITIATED" | "SOURCE_PENDING" | "SOURCE_PROCESSED" | "UNKNOWN">; userId?: string; currency?: "ars" | "brl" | "bwp" | "cdf" | "cny" | "cop" | "eur" | "ghs" | "hkd" | "kes" | "mwk" | "mxn" | "ngn" | "rwf" | "sgd" | "tzs" | "ugx" | "usd" | "usdHifi" | "usdc" | "usdg" | "usdt" | "xaf" | "xof" | "zar" | "zmw"; minAmount?: string; maxAmount?: string; metadata?: Array<string>; } = {}): AsyncGenerator<types.TransactionReply> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.data,
    );
  }

  /**
   * Summarise transactions.
   *
   * Count transfers by status, and sum what they send.
   *
   * Counts among the newest 1,000 transfers, and all that have not ended, up to 2,000.
   */
  summarise(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; type?: Array<"WALLET.SWAP" | "WALLET.TRANSFER" | "WALLET.TRANSFER.BATCH" | "WALLET.BRIDGE" | "ONRAMP" | "OFFRAMP" | "DISBURSEMENT">; userId?: string; currency?: "ars" | "brl" | "bwp" | "cdf" | "cny" | "cop" | "eur" | "ghs" | "hkd" | "kes" | "mwk" | "mxn" | "ngn" | "rwf" | "sgd" | "tzs" | "ugx" | "usd" | "usdHifi" | "usdc" | "usdg" | "usdt" | "xaf" | "xof" | "zar" | "zmw"; minAmount?: string; maxAmount?: string; } = {}): Promise<types.TransactionSummaryReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/transactions/summary"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "type": options.type, "userId": options.userId, "currency": options.currency, "minAmount": options.minAmount, "maxAmount": options.maxAmount },
      },
      options,
    );
  }

  /**
   * Retrieve a transaction.
   *
   * Get a transfer of any kind, with its change history and its journals.
   */
  retrieve(transactionId: string, options: Options = {}): Promise<types.TransactionDetailsReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/transactions/{transactionId}", transactionId),
      },
      options,
    );
  }

  /**
   * Change the metadata of a transaction.
   *
   * Set keys of a transfer of any kind, in any status; null removes one, the others stay.
   *
   * Nothing else of the transfer changes, and no event is sent.
   */
  changeMetadata(transactionId: string, body: types.MetadataUpdate, options: Options = {}): Promise<types.MetadataReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/transactions/{transactionId}/metadata", transactionId),
        body,
      },
      options,
    );
  }

  /**
   * List the notes on a transaction.
   *
   * List all notes, oldest first.
   */
  listNotes(transactionId: string, options: Options = {}): Promise<types.TransactionNotesReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/transactions/{transactionId}/notes", transactionId),
      },
      options,
    );
  }

  /**
   * Add a note to a transaction.
   *
   * Add a note for the organisation's team, which can't be changed or removed.
   *
   * Nothing of the transfer changes, and no event is sent. A transfer has at most 100 notes.
   */
  addNote(transactionId: string, body: types.NewTransactionNote, options: Options & { idempotencyKey?: string; } = {}): Promise<types.TransactionNoteReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/transactions/{transactionId}/notes", transactionId),
        body,
        headers: { "Idempotency-Key": options.idempotencyKey },
      },
      options,
    );
  }
}

export class TransferApprovals {
  constructor(private readonly sender: Sender) {}

  /**
   * List pending approvals.
   *
   * List pending approvals, newest first; for callers who may approve.
   */
  list(options: Options & { limit?: number; offset?: number; } = {}): Promise<types.ApprovalPage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/transfer-approvals"),
        query: { "limit": options.limit, "offset": options.offset },
      },
      options,
    );
  }

  /**
   * Retrieve an approval.
   *
   * Get one approval with its votes, in any status.
   */
  retrieve(approvalId: string, options: Options = {}): Promise<types.ApprovalEnvelope> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/transfer-approvals/{approvalId}", approvalId),
      },
      options,
    );
  }

  /**
   * Approve a payment.
   *
   * Vote for a payment; it continues once enough have. The body is optional.
   */
  approve(approvalId: string, body: types.ApproveRequest | null = null, options: Options = {}): Promise<types.ApprovalVoteReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/transfer-approvals/{approvalId}/approve", approvalId),
        body,
      },
      options,
    );
  }

  /**
   * Reject a payment.
   *
   * Vote against a payment; it is rejected and its hold released. The body is optional.
   */
  reject(approvalId: string, body: types.RejectRequest | null = null, options: Options = {}): Promise<types.RejectionReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/transfer-approvals/{approvalId}/reject", approvalId),
        body,
      },
      options,
    );
  }
}

export class TransferReviews {
  constructor(private readonly sender: Sender) {}

  /**
   * List reviews of payments.
   *
   * List requests, the longest waiting first, each with its payment.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; status?: Array<"OPEN" | "ANSWERED" | "CLOSED">; } = {}): Promise<types.TransferReviewPage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reviews/transfers"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "status": options.status },
      },
      options,
    );
  }

  /** List reviews of payments, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; status?: Array<"OPEN" | "ANSWERED" | "CLOSED">; } = {}): AsyncGenerator<types.TransferReview> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.reviews,
    );
  }

  /**
   * Retrieve the review of a payment.
   *
   * Get any onramp or offramp with all its requests for information.
   */
  retrieve(transferId: string, options: Options = {}): Promise<types.TransferReview> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/reviews/transfers/{transferId}", transferId),
      },
      options,
    );
  }

  /**
   * Open a request for information.
   *
   * Open a request for information; the payment stays IN_REVIEW until it is closed.
   */
  openRfi(transferId: string, body: types.RfiQuestion, options: Options = {}): Promise<types.TransferReview> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reviews/transfers/{transferId}/rfi", transferId),
        body,
      },
      options,
    );
  }

  /**
   * Answer a request for information.
   *
   * Record the customer's answer and files.
   */
  answerRfi(transferId: string, body: types.RfiAnswer, options: Options = {}): Promise<types.TransferReview> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reviews/transfers/{transferId}/rfi/answer", transferId),
        body,
      },
      options,
    );
  }

  /**
   * Close a request for information.
   *
   * Close the request; the payment continues from its previous status.
   */
  closeRfi(transferId: string, body: types.RfiClosing | null = null, options: Options = {}): Promise<types.TransferReview> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/reviews/transfers/{transferId}/rfi/close", transferId),
        body,
      },
      options,
    );
  }
}

export class Transfers {
  constructor(private readonly sender: Sender) {}

  /**
   * List wallet transfers.
   *
   * List the transfers sent by one user or by the whole organisation, newest first.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; userId?: string; } = {}): Promise<types.WalletTransferPage> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/wallets/transfers"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "userId": options.userId },
      },
      options,
    );
  }

  /** List wallet transfers, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; userId?: string; } = {}): AsyncGenerator<types.WalletTransferReply> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.records,
    );
  }

  /**
   * Create a wallet transfer.
   *
   * Hold the coins and send them (CREATED), or wait for an admin (PENDING_APPROVAL).
   *
   * The same `requestId` with the same body returns the same transfer.
   */
  create(body: WithOptional<types.NewWalletTransfer, "requestId">, options: Options & { dryRun?: boolean; sandbox?: string; } = {}): Promise<types.WalletTransferReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/wallets/transfers"),
        body,
        query: { "dryRun": options.dryRun },
        headers: { "Landbridge-Sandbox": options.sandbox },
        idMember: "requestId",
      },
      options,
    );
  }

  /**
   * Retrieve a wallet transfer.
   *
   * Return one wallet transfer.
   */
  retrieve(transferId: string, options: Options & { expand?: "timeline"; } = {}): Promise<types.WalletTransferReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/wallets/transfers/{transferId}", transferId),
        query: { "expand": options.expand },
      },
      options,
    );
  }
}

export class TravelRule {
  constructor(private readonly sender: Sender) {}

  /**
   * Retrieve the travel rule.
   *
   * Return the jurisdiction of which the organisation applies the travel rule.
   */
  retrieve(options: Options = {}): Promise<types.TravelRuleReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/organization/travel-rule"),
      },
      options,
    );
  }

  /**
   * Set the travel rule.
   *
   * Set the jurisdiction; transfers that were not sent or credited yet follow it too.
   */
  replace(body: types.TravelRuleRequest, options: Options = {}): Promise<types.TravelRuleReply> {
    return this.sender.send(
      {
        method: "PUT",
        path: pathOf("/v2/organization/travel-rule"),
        body,
      },
      options,
    );
  }

  /**
   * Retrieve the exchange of travel rule data.
   *
   * Return the setting, and the organisation's own travel address.
   */
  retrieveExchangeSetting(options: Options = {}): Promise<types.ExchangeSettingReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/organization/travel-rule-exchange"),
      },
      options,
    );
  }

  /**
   * Set the exchange of travel rule data.
   *
   * Replace the setting; payments that have no exchange yet follow it.
   */
  replaceExchangeSetting(body: types.ExchangeSettingRequest, options: Options = {}): Promise<types.ExchangeSettingReply> {
    return this.sender.send(
      {
        method: "PUT",
        path: pathOf("/v2/organization/travel-rule-exchange"),
        body,
      },
      options,
    );
  }

  /**
   * List exchanges of travel rule data.
   *
   * List the hundred newest exchanges; inquiries of others that wait for people are OPEN.
   */
  listExchanges(options: Options & { direction?: Array<"OUTGOING" | "INCOMING">; status?: Array<"OPEN" | "APPROVED" | "REJECTED" | "CONFIRMED" | "CANCELLED">; transferId?: string; } = {}): Promise<types.ExchangeList> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/travel-rule/exchanges"),
        query: { "direction": options.direction, "status": options.status, "transferId": options.transferId },
      },
      options,
    );
  }

  /**
   * Retrieve an exchange of travel rule data.
   *
   * Return an exchange, without personal data.
   */
  retrieveExchange(exchangeId: string, options: Options = {}): Promise<types.ExchangeReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/travel-rule/exchanges/{exchangeId}", exchangeId),
      },
      options,
    );
  }

  /**
   * Approve an inquiry.
   *
   * Approve the inquiry of another provider: it may send the coins.
   */
  approveInquiry(exchangeId: string, body: types.InquiryApproval, options: Options = {}): Promise<types.ExchangeReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/travel-rule/exchanges/{exchangeId}/approve", exchangeId),
        body,
      },
      options,
    );
  }

  /**
   * Retrieve the message of an exchange.
   *
   * Return originator and beneficiary.
   *
   * Analysts, and keys with no scope but `read`, are refused: the numbers are not masked.
   */
  retrieveExchangeMessage(exchangeId: string, options: Options = {}): Promise<types.ExchangeMessageReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/travel-rule/exchanges/{exchangeId}/message", exchangeId),
      },
      options,
    );
  }

  /**
   * Reject an inquiry.
   *
   * Reject the inquiry of another provider.
   */
  rejectInquiry(exchangeId: string, body: types.InquiryRejection, options: Options = {}): Promise<types.ExchangeReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/travel-rule/exchanges/{exchangeId}/reject", exchangeId),
        body,
      },
      options,
    );
  }

  /**
   * Retrieve a travel rule message.
   *
   * Return originator and beneficiary of a screened transfer, by the id of its screening.
   *
   * Analysts, and keys with no scope but `read`, are refused: the numbers are not masked.
   */
  retrieveMessage(messageId: string, options: Options = {}): Promise<types.TravelRuleMessageReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/travel-rule/messages/{messageId}", messageId),
      },
      options,
    );
  }

  /**
   * List transfers that wait for data.
   *
   * List what waits for data about a counterparty wallet, among the 500 oldest screenings.
   */
  listWaiting(options: Options = {}): Promise<types.WaitingTransferList> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/travel-rule/waiting"),
      },
      options,
    );
  }

  /**
   * Retrieve a travel rule wallet.
   *
   * Return what the user stated about a counterparty wallet.
   */
  retrieveWallet(userId: string, walletAddress: string, options: Options = {}): Promise<types.WalletDataReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}/travel-rule-wallets/{walletAddress}", userId, walletAddress),
      },
      options,
    );
  }

  /**
   * Set a travel rule wallet.
   *
   * State what a counterparty wallet is; transfers that wait for it are checked again.
   *
   * Other data than before need another proof of ownership.
   */
  replaceWallet(userId: string, walletAddress: string, body: types.WalletDataRequest, options: Options = {}): Promise<types.WalletDataReply> {
    return this.sender.send(
      {
        method: "PUT",
        path: pathOf("/v2/users/{userId}/travel-rule-wallets/{walletAddress}", userId, walletAddress),
        body,
      },
      options,
    );
  }

  /**
   * Create an ownership challenge.
   *
   * Return a message to sign with the key of a self-hosted wallet, within half an hour.
   *
   * It replaces the challenge before.
   */
  createChallenge(userId: string, walletAddress: string, options: Options = {}): Promise<types.OwnershipChallengeReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/travel-rule-wallets/{walletAddress}/challenge", userId, walletAddress),
      },
      options,
    );
  }

  /**
   * Prove the ownership of a wallet.
   *
   * Check the signature of the challenge; transfers that wait for it are checked again.
   */
  proveOwnership(userId: string, walletAddress: string, body: types.OwnershipProofRequest, options: Options = {}): Promise<types.WalletDataReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/travel-rule-wallets/{walletAddress}/prove", userId, walletAddress),
        body,
      },
      options,
    );
  }
}

export class Users {
  constructor(private readonly sender: Sender) {}

  /**
   * List users.
   *
   * List users, newest first; names and e-mail match partially and ignore case.
   *
   * A search over many users may end a page early: continue while there is a `nextCursor`.
   */
  list(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; type?: "individual" | "business"; firstName?: string; lastName?: string; businessName?: string; email?: string; metadata?: Array<string>; } = {}): Promise<types.UserPageReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users"),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "type": options.type, "firstName": options.firstName, "lastName": options.lastName, "businessName": options.businessName, "email": options.email, "metadata": options.metadata },
      },
      options,
    );
  }

  /** List users, page by page. */
  listAll(options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; type?: "individual" | "business"; firstName?: string; lastName?: string; businessName?: string; email?: string; metadata?: Array<string>; } = {}): AsyncGenerator<types.UserReply> {
    return pages(
      (cursor) => this.list({ ...options, cursor }),
      (page) => page.users,
    );
  }

  /**
   * Create a user.
   *
   * Create the user and a wallet on each of `chains` (default POLYGON and ETHEREUM).
   */
  create(body: WithOptional<types.NewIndividual | types.NewBusiness, "requestId">, options: Options = {}): Promise<types.UserReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users"),
        body,
        idMember: "requestId",
      },
      options,
    );
  }

  /**
   * Retrieve a user.
   *
   * One user with its wallets.
   */
  retrieve(userId: string, options: Options = {}): Promise<types.UserReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}", userId),
      },
      options,
    );
  }

  /**
   * Update a user.
   *
   * Changes the members that are given.
   */
  update(userId: string, body: types.UserUpdate, options: Options = {}): Promise<types.UserReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}", userId),
        body,
      },
      options,
    );
  }

  /**
   * Whether a user is frozen.
   *
   * Return the freeze state, its time and reason.
   */
  retrieveFreeze(userId: string, options: Options = {}): Promise<types.FreezeReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}/freeze", userId),
      },
      options,
    );
  }

  /**
   * Freeze a user.
   *
   * Freeze a user: reads only; a repeated call returns the same response.
   *
   * A frozen user can make no payments and open no wallets or accounts.
   */
  freeze(userId: string, body: types.FreezeRequest, options: Options = {}): Promise<types.FreezeReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/freeze", userId),
        body,
      },
      options,
    );
  }

  /**
   * Retrieve a user's particulars.
   *
   * Return the current names, birth date, address and owners, and the accepted terms.
   */
  retrieveParticulars(userId: string, options: Options = {}): Promise<types.UserDetailsReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}/particulars", userId),
      },
      options,
    );
  }

  /**
   * Erase personal data.
   *
   * Erase permanently; the user must be frozen, with no balance and no pending payments.
   */
  erasePersonalData(userId: string, options: Options = {}): Promise<types.ErasureReply> {
    return this.sender.send(
      {
        method: "DELETE",
        path: pathOf("/v2/users/{userId}/personal-data", userId),
      },
      options,
    );
  }

  /**
   * Reveal a masked number.
   *
   * Returns one number, after writing who sees it and why to the audit log.
   *
   * For analysts, who see numbers masked. A key with no scope but `read` is refused.
   */
  revealNumber(userId: string, body: types.NewReveal, options: Options = {}): Promise<types.RevealedNumber> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/revealed-numbers", userId),
        body,
      },
      options,
    );
  }

  /**
   * Unfreeze a user.
   *
   * Unfreeze the user, who may move money again.
   */
  unfreeze(userId: string, options: Options = {}): Promise<types.FreezeReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/unfreeze", userId),
      },
      options,
    );
  }
}

export class VirtualAccounts {
  constructor(private readonly sender: Sender) {}

  /**
   * List virtual accounts.
   *
   * List all accounts, newest first; pass `nextCursor` as `createdBefore`.
   */
  list(userId: string, options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; sourceCurrency?: "usd"; destinationCurrency?: "usdc" | "usdt"; destinationChain?: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE"; } = {}): Promise<types.VirtualAccountPageReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}/virtual-accounts", userId),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor, "sourceCurrency": options.sourceCurrency, "destinationCurrency": options.destinationCurrency, "destinationChain": options.destinationChain },
      },
      options,
    );
  }

  /** List virtual accounts, page by page. */
  listAll(userId: string, options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; sourceCurrency?: "usd"; destinationCurrency?: "usdc" | "usdt"; destinationChain?: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE"; } = {}): AsyncGenerator<types.VirtualAccountReply> {
    return pages(
      (cursor) => this.list(userId, { ...options, cursor }),
      (page) => page.data,
    );
  }

  /**
   * Create a virtual account.
   *
   * Open another account of the user, who must be verified on the USD rail.
   */
  create(userId: string, body: types.NewVirtualAccount, options: Options & { idempotencyKey?: string; } = {}): Promise<types.VirtualAccountEnvelope> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/virtual-accounts", userId),
        body,
        headers: { "Idempotency-Key": options.idempotencyKey },
      },
      options,
    );
  }

  /**
   * Retrieve a virtual account.
   *
   * Get one account of this user, with its micro-deposits, which the parameters filter.
   */
  retrieve(userId: string, accountId: string, options: Options & { limit?: number; createdBefore?: string; createdAfter?: string; } = {}): Promise<types.VirtualAccountReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}/virtual-accounts/{accountId}", userId, accountId),
        query: { "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter },
      },
      options,
    );
  }

  /**
   * Deactivate a virtual account.
   *
   * Deactivate: future deposits are returned; earlier deposits are still settled.
   */
  deactivate(userId: string, accountId: string, options: Options = {}): Promise<types.VirtualAccountEnvelope> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/virtual-accounts/{accountId}/deactivate", userId, accountId),
      },
      options,
    );
  }

  /**
   * Reactivate a virtual account.
   *
   * Reactivate: accept deposits again under the same number.
   */
  reactivate(userId: string, accountId: string, options: Options = {}): Promise<types.VirtualAccountEnvelope> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/virtual-accounts/{accountId}/reactivate", userId, accountId),
      },
      options,
    );
  }

  /**
   * Remove a settlement rule.
   *
   * Remove the settlement rule; future deposits are delivered whole.
   */
  removeSettlementRule(userId: string, accountId: string, options: Options = {}): Promise<types.RuleDeletedReply> {
    return this.sender.send(
      {
        method: "DELETE",
        path: pathOf("/v2/users/{userId}/virtual-accounts/{accountId}/settlement-rules", userId, accountId),
      },
      options,
    );
  }

  /**
   * Apply a settlement rule.
   *
   * Apply a settlement rule to future deposits, replacing the previous rule.
   */
  applySettlementRule(userId: string, accountId: string, ruleId: string, options: Options = {}): Promise<types.RuleDeletedReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/virtual-accounts/{accountId}/settlement-rules/{ruleId}", userId, accountId, ruleId),
      },
      options,
    );
  }

  /**
   * Simulate a deposit.
   *
   * Returns the body; an onramp is then created and completes by itself.
   */
  simulateDeposit(userId: string, accountId: string, body: WithOptional<types.SimulatedDeposit, "requestId">, options: Options = {}): Promise<types.SimulatedDeposit> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/virtual-accounts/{accountId}/simulate-deposit", userId, accountId),
        body,
        idMember: "requestId",
      },
      options,
    );
  }

  /**
   * Update a virtual account.
   *
   * Change the destination of future deposits; the account keeps its number.
   */
  update(userId: string, accountId: string, body: types.NewVirtualAccount, options: Options = {}): Promise<types.VirtualAccountEnvelope> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/virtual-accounts/{accountId}/update", userId, accountId),
        body,
      },
      options,
    );
  }
}

export class Wallets {
  constructor(private readonly sender: Sender) {}

  /**
   * Add wallets on more chains.
   *
   * Open wallets on `chains`; existing wallets stay unchanged.
   */
  addChains(userId: string, body: types.AddChains, options: Options = {}): Promise<types.UserReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/users/{userId}/wallets/add", userId),
        body,
      },
      options,
    );
  }

  /**
   * Balance of a wallet.
   *
   * Return the balance of `currency` in the user's wallet on `chain`.
   */
  retrieveBalance(userId: string, options: Options & { chain: "POLYGON" | "ETHEREUM" | "SOLANA" | "BASE"; currency: "usdHifi" | "usdc" | "usdg" | "usdt"; }): Promise<types.BalanceReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/users/{userId}/wallets/balance", userId),
        query: { "chain": options.chain, "currency": options.currency },
      },
      options,
    );
  }
}

export class Webhooks {
  constructor(private readonly sender: Sender) {}

  /**
   * List webhooks.
   *
   * All endpoints, newest first.
   */
  list(options: Options = {}): Promise<types.WebhookList> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/webhooks"),
      },
      options,
    );
  }

  /**
   * Create a webhook.
   *
   * It receives events from now on. An organisation has at most 20 endpoints.
   */
  create(body: types.NewWebhook, options: Options & { idempotencyKey?: string; } = {}): Promise<types.WebhookCreatedReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/webhooks"),
        body,
        headers: { "Idempotency-Key": options.idempotencyKey },
      },
      options,
    );
  }

  /**
   * Retrieve a webhook.
   *
   * One endpoint, with the keys that verify its tokens.
   */
  retrieve(webhookId: string, options: Options = {}): Promise<types.WebhookReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/webhooks/{webhookId}", webhookId),
      },
      options,
    );
  }

  /**
   * Update a webhook.
   *
   * Also pauses and resumes it: a paused endpoint resumes where it stopped.
   */
  update(webhookId: string, body: types.WebhookChange, options: Options = {}): Promise<types.WebhookCreatedReply> {
    return this.sender.send(
      {
        method: "PATCH",
        path: pathOf("/v2/webhooks/{webhookId}", webhookId),
        body,
      },
      options,
    );
  }

  /**
   * Delete a webhook.
   *
   * Its pending deliveries are dropped and its keys deleted.
   */
  delete(webhookId: string, options: Options = {}): Promise<types.WebhookDeletedReply> {
    return this.sender.send(
      {
        method: "DELETE",
        path: pathOf("/v2/webhooks/{webhookId}", webhookId),
      },
      options,
    );
  }

  /**
   * List deliveries.
   *
   * Newest first, each with its last attempt.
   *
   * A long search may end a page early: continue with `nextCursor`.
   */
  listDeliveries(webhookId: string, options: Options & { status?: Array<"PENDING" | "DELIVERED" | "REFUSED" | "GIVEN_UP" | "REPLACED">; eventType?: Array<string>; eventId?: string; limit?: number; createdBefore?: string; createdAfter?: string; cursor?: string; } = {}): Promise<types.DeliveriesReply> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/webhooks/{webhookId}/deliveries", webhookId),
        query: { "status": options.status, "eventType": options.eventType, "eventId": options.eventId, "limit": options.limit, "createdBefore": options.createdBefore, "createdAfter": options.createdAfter, "cursor": options.cursor },
      },
      options,
    );
  }

  /** List deliveries, page by page. */
  listDeliveriesAll(webhookId: string, options: Options & { status?: Array<"PENDING" | "DELIVERED" | "REFUSED" | "GIVEN_UP" | "REPLACED">; eventType?: Array<string>; eventId?: string; limit?: number; createdBefore?: string; createdAfter?: string; } = {}): AsyncGenerator<types.DeliveryReply> {
    return pages(
      (cursor) => this.listDeliveries(webhookId, { ...options, cursor }),
      (page) => page.deliveries,
    );
  }

  /**
   * Retrieve a delivery.
   *
   * Includes its last thirty attempts: time, duration, and the beginning of each response.
   */
  retrieveDelivery(webhookId: string, deliveryId: string, options: Options = {}): Promise<types.DeliveryWithAttempts> {
    return this.sender.send(
      {
        method: "GET",
        path: pathOf("/v2/webhooks/{webhookId}/deliveries/{deliveryId}", webhookId, deliveryId),
      },
      options,
    );
  }

  /**
   * Resend a delivery.
   *
   * Retries it at once, whatever its status, and for another 24 hours.
   */
  resendDelivery(webhookId: string, deliveryId: string, options: Options & { idempotencyKey?: string; } = {}): Promise<types.DeliveryReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/webhooks/{webhookId}/deliveries/{deliveryId}/resend", webhookId, deliveryId),
        headers: { "Idempotency-Key": options.idempotencyKey },
      },
      options,
    );
  }

  /**
   * Resend everything since a time.
   *
   * Resends every event since then, or only those whose delivery was refused or given up.
   */
  resendSince(webhookId: string, body: types.ResendRequest, options: Options & { idempotencyKey?: string; } = {}): Promise<types.ResendReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/webhooks/{webhookId}/resend", webhookId),
        body,
        headers: { "Idempotency-Key": options.idempotencyKey },
      },
      options,
    );
  }

  /**
   * Rotate keys.
   *
   * Publishes a new key at once, which signs after the overlap; by default a day.
   */
  rotate(webhookId: string, body: types.KeyRotation | null = null, options: Options & { idempotencyKey?: string; } = {}): Promise<types.WebhookCreatedReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/webhooks/{webhookId}/rotate", webhookId),
        body,
        headers: { "Idempotency-Key": options.idempotencyKey },
      },
      options,
    );
  }

  /**
   * Send a test event.
   *
   * Sends a WEBHOOK.TEST event to this endpoint only, whatever its event types are.
   */
  test(webhookId: string, options: Options & { idempotencyKey?: string; } = {}): Promise<types.TestEventReply> {
    return this.sender.send(
      {
        method: "POST",
        path: pathOf("/v2/webhooks/{webhookId}/test", webhookId),
        headers: { "Idempotency-Key": options.idempotencyKey },
      },
      options,
    );
  }
}

/** All resources of the interface. */
export class Resources {
  readonly accountReviews: AccountReviews;
  readonly accounts: Accounts;
  readonly addressPolicy: AddressPolicy;
  readonly approvals: Approvals;
  readonly auditLog: AuditLog;
  readonly balances: Balances;
  readonly bankLines: BankLines;
  readonly batches: Batches;
  readonly bridges: Bridges;
  readonly chains: Chains;
  readonly depositReviews: DepositReviews;
  readonly depositScreenings: DepositScreenings;
  readonly deposits: Deposits;
  readonly disbursements: Disbursements;
  readonly events: Events;
  readonly externalWallets: ExternalWallets;
  readonly files: Files;
  readonly kyc: Kyc;
  readonly kycLinks: KycLinks;
  readonly kycReviews: KycReviews;
  readonly limits: Limits;
  readonly metrics: Metrics;
  readonly offramps: Offramps;
  readonly onramps: Onramps;
  readonly paymentScreenings: PaymentScreenings;
  readonly proofs: Proofs;
  readonly providers: Providers;
  readonly receivables: Receivables;
  readonly reconciliation: Reconciliation;
  readonly reportRuns: ReportRuns;
  readonly reportSchedules: ReportSchedules;
  readonly reportTemplates: ReportTemplates;
  readonly reportTimeZone: ReportTimeZone;
  readonly requestLog: RequestLog;
  readonly requests: Requests;
  readonly resolutions: Resolutions;
  readonly sandbox: Sandbox;
  readonly service: Service;
  readonly settlementRules: SettlementRules;
  readonly statements: Statements;
  readonly swapProviders: SwapProviders;
  readonly swaps: Swaps;
  readonly termsLinks: TermsLinks;
  readonly transactions: Transactions;
  readonly transferApprovals: TransferApprovals;
  readonly transferReviews: TransferReviews;
  readonly transfers: Transfers;
  readonly travelRule: TravelRule;
  readonly users: Users;
  readonly virtualAccounts: VirtualAccounts;
  readonly wallets: Wallets;
  readonly webhooks: Webhooks;

  constructor(sender: Sender) {
    this.accountReviews = new AccountReviews(sender);
    this.accounts = new Accounts(sender);
    this.addressPolicy = new AddressPolicy(sender);
    this.approvals = new Approvals(sender);
    this.auditLog = new AuditLog(sender);
    this.balances = new Balances(sender);
    this.bankLines = new BankLines(sender);
    this.batches = new Batches(sender);
    this.bridges = new Bridges(sender);
    this.chains = new Chains(sender);
    this.depositReviews = new DepositReviews(sender);
    this.depositScreenings = new DepositScreenings(sender);
    this.deposits = new Deposits(sender);
    this.disbursements = new Disbursements(sender);
    this.events = new Events(sender);
    this.externalWallets = new ExternalWallets(sender);
    this.files = new Files(sender);
    this.kyc = new Kyc(sender);
    this.kycLinks = new KycLinks(sender);
    this.kycReviews = new KycReviews(sender);
    this.limits = new Limits(sender);
    this.metrics = new Metrics(sender);
    this.offramps = new Offramps(sender);
    this.onramps = new Onramps(sender);
    this.paymentScreenings = new PaymentScreenings(sender);
    this.proofs = new Proofs(sender);
    this.providers = new Providers(sender);
    this.receivables = new Receivables(sender);
    this.reconciliation = new Reconciliation(sender);
    this.reportRuns = new ReportRuns(sender);
    this.reportSchedules = new ReportSchedules(sender);
    this.reportTemplates = new ReportTemplates(sender);
    this.reportTimeZone = new ReportTimeZone(sender);
    this.requestLog = new RequestLog(sender);
    this.requests = new Requests(sender);
    this.resolutions = new Resolutions(sender);
    this.sandbox = new Sandbox(sender);
    this.service = new Service(sender);
    this.settlementRules = new SettlementRules(sender);
    this.statements = new Statements(sender);
    this.swapProviders = new SwapProviders(sender);
    this.swaps = new Swaps(sender);
    this.termsLinks = new TermsLinks(sender);
    this.transactions = new Transactions(sender);
    this.transferApprovals = new TransferApprovals(sender);
    this.transferReviews = new TransferReviews(sender);
    this.transfers = new Transfers(sender);
    this.travelRule = new TravelRule(sender);
    this.users = new Users(sender);
    this.virtualAccounts = new VirtualAccounts(sender);
    this.wallets = new Wallets(sender);
    this.webhooks = new Webhooks(sender);
  }
}

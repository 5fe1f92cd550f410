// Sidecar of a made-up bank, in TypeScript without packages: copy it, and replace `Bank`.
//
// It serves the provider protocol (docs/reference/provider-protocol.md). Its order of work is what
// makes it safe: an order is stored before the bank is called, and the bank is called with our key,
// so that a crash or a repeated call never pays twice. Credits are a log with one entry for each,
// so that any page can be read again.
//
//     export SIDECAR_KEY_ID=2026-11 SIDECAR_SECRET=<32 characters or more>
//     node --experimental-strip-types sidecar.ts --port 9100 --data orders.jsonl \
//         [--webhook-url URL] [--test]

import { createHash, createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";

const TOLERANCE_S = 300;
// A document of an application has up to 10 MiB, and base64 adds a third.
const BODY_BYTES_MAX = 14 * 1024 * 1024;
const SECRET_LENGTH_MIN = 32;
// Messages of one kind in an answer of the inbox.
const INBOX_MAX = 20;
// Of the made-up bank. Silence is longer than any caller waits.
const [SETTLES_AFTER_MS, RETURNS_AFTER_MS, SILENCE_MS] = [300, 1_000, 35_000];
const VALUES = { usdc: "0.9999", usdt: "1.0002", eur: "1.17", brl: "0.1825", mxn: "0.0557" };

type Message = Record<string, unknown>;
type Answer = { status: number; message: Message };
type Order = {
  key: string;
  amount: string;
  currency: string;
  payee?: Message;
  returns?: string;
  testOutcome?: string;
};
// A deposit, or with the direction "payment" one destination of a payment.
type Transfer = {
  key: string;
  orgId: string;
  amount: string;
  currency: string;
  direction?: string;
  testOutcome?: string;
};
type Screening = { screeningKey: string; content: string; transfer: Transfer; at: number };
type Applicant = {
  key: string;
  orgId: string;
  rail: string;
  facts: Message;
  testOutcome?: string;
};
type Application = {
  applicationKey: string;
  content: string;
  applicant: Applicant;
  submittedAt?: number;
};
// A question of ours to another provider, and what became of the transfer.
type Inquiry = {
  inquiryKey: string;
  content: string;
  request: Message;
  confirmation?: string;
  at: number;
};
type InboxKind = "inquiries" | "confirmations";
// What another provider sent: an inquiry, or what became of its transfer.
type Inbound = {
  inboundKey: string;
  kind: InboxKind;
  id: string;
  message: Message;
  isReceived: boolean;
  resolution?: string;
};
type Credit = { id: string; amount: string; currency: string };
// A credit, or without one a reversal. The number of entries before one is the cursor.
type LogEntry = { creditId: string; credit?: Credit };
type Account = { accountKey: string; request: string; answer: Message };
type StoredOrder = {
  order: Order;
  content: string;
  refusal: string | null;
  calls: number;
  isSubmitted: boolean;
  isFailed: boolean;
  at: number;
};

type Stored = StoredOrder | LogEntry | Account | Screening | Application | Inquiry | Inbound;

// The first key signs, both are accepted: a secret is replaced without a stop.
const keys = new Map<string, string>();
for (const age of ["", "OLD_"]) {
  const id = process.env[`SIDECAR_${age}KEY_ID`];
  if (id) keys.set(id, process.env[`SIDECAR_${age}SECRET`] ?? "");
}

function signature(
  secret: string,
  purpose: string,
  timestamp: string,
  subject: string,
  body: Buffer,
): string {
  const head = `landbridge-v1\n${purpose}\n${timestamp}\n${subject}\n`;
  return createHmac("sha256", secret).update(head).update(body).digest("hex");
}

function signedHeaders(purpose: string, subject: string, body: Buffer, keyId?: string) {
  const [[firstId]] = [...keys];
  const id = keyId ?? firstId;
  const timestamp = String(Math.floor(Date.now() / 1000));
  return {
    "Landbridge-Key": id,
    "Landbridge-Timestamp": timestamp,
    "Landbridge-Signature": signature(keys.get(id) ?? "", purpose, timestamp, subject, body),
  };
}

/** Made-up bank. Replace it: each method calls the real one, with `key` as idempotency key. */
class Bank {
  /** Submit a payment; safe to repeat with the same key. Return a `failureCode` only if the bank has
   * refused it and can't carry it out any more. */
  async pay(_key: string, _order: Order): Promise<string | null> {
    return null;
  }

  /** Open an account for deposits; safe to repeat with the same key. */
  async openAccount(key: string, currency: string): Promise<Message> {
    const digest = createHash("sha256").update(key).digest().readBigUInt64BE();
    const accountNumber = `9${String(digest % 10n ** 15n).padStart(15, "0")}`;
    const coordinates = {
      accountNumber,
      bankName: "Made-up Bank",
      bankAddress: "1 Example Street, Springfield",
      beneficiaryName: "Example Platform",
      beneficiaryAddress: "2 Example Street, Springfield",
    };
    if (currency !== "usd") return { ...coordinates, instruction: `Pay to ${accountNumber}.` };
    const numbers = { routingNumber: "123456780", accountNumber };
    return { ...coordinates, rails: { ach: numbers, wire: numbers } };
  }

  /** Return `pending`, `clear` or `hit`, and what a hit is about; safe to repeat.
   * A final answer must be the same for ever: store it if the real provider changes its mind. */
  async screen(screening: Screening): Promise<{ state: string; categories: string[] }> {
    const outcome = screening.transfer.testOutcome;
    const isEarly = Date.now() - screening.at < SETTLES_AFTER_MS;
    if (outcome === "late" && isEarly) return { state: "pending", categories: [] };
    if (outcome === "hit") return { state: "hit", categories: ["sanctions"] };
    return { state: "clear", categories: [] };
  }

  /** Return `match`, `close_match` with the holder's name, `no_match` or `unavailable`. */
  async verifyPayee(request: Message): Promise<Message> {
    const match = String(request.testOutcome ?? "unavailable");
    return match === "close_match" ? { match, name: "A. Holder" } : { match };
  }

  /** Return dollars per unit of those that the bank prices, as decimal texts. */
  async rates(currencies: string[]): Promise<Message> {
    return Object.fromEntries(Object.entries(VALUES).filter(([each]) => currencies.includes(each)));
  }

  /** Send an inquiry about a transfer to another provider; safe to repeat. */
  async sendInquiry(_key: string, _request: Message): Promise<void> {}

  /** Return the `state` of an inquiry of ours, and the `comment` of a rejection.
   * A final answer must be the same for ever: store it if the real provider changes its mind. */
  async inquiryState(inquiry: Inquiry): Promise<Message> {
    const outcome = inquiry.request.testOutcome ?? "unknown";
    if (outcome === "refuse") return { state: "refused" };
    if (outcome === "unknown") return { state: "unknown_counterparty" };
    if (Date.now() - inquiry.at < SETTLES_AFTER_MS) return { state: "pending" };
    if (outcome === "reject") return { state: "rejected", comment: "No such wallet." };
    return { state: "approved" };
  }

  /** Answer an inquiry of another provider; safe to repeat. */
  async resolveInquiry(_id: string, _resolution: Message): Promise<void> {}

  /** Report what became of a transfer; without a `transactionHash` nothing was sent. */
  async confirmTransfer(_key: string, _confirmation: Message): Promise<void> {}

  /** Create the applicant of a verification; safe to repeat with the same key. */
  async createApplicant(_key: string, _applicant: Applicant): Promise<void> {}

  /** Add a document: `file` is in base64. Safe to repeat with the same `documentId`. */
  async attach(_key: string, _document: Message): Promise<void> {}

  /** Start the verification; safe to repeat. */
  async submit(_key: string): Promise<void> {}

  /** Return the `state` of a submitted verification, and what its review says.
   * A final answer must be the same for ever: store it if the real provider changes its mind. */
  async review(applicant: Applicant, submittedAt: number): Promise<Message> {
    if (Date.now() - submittedAt < SETTLES_AFTER_MS) {
      return { state: "pending", expectedInSeconds: 1 };
    }
    switch (applicant.testOutcome) {
      case "retry":
        return { state: "retry", rejectReasons: ["BLURRED"], fields: ["lastName"] };
      case "decline":
        return { state: "declined", rejectReasons: ["FORGED"] };
      case "information":
        return { state: "information", comment: "Say where the funds come from." };
      case "review":
        return { state: "review", note: "The name is common." };
    }
    return { state: "approved" };
  }

  /** Return the provider's own page for the person; undefined if it has none. */
  async link(key: string): Promise<string | undefined> {
    const token = createHash("sha256").update(key).digest("hex");
    return `https://bank.example.com/verify/${token}`;
  }

  /** Return the state at the bank, and the failure code if there is one. */
  async state(_key: string, stored: StoredOrder): Promise<{ state: string; failureCode?: string }> {
    const ageMs = Date.now() - stored.at;
    if (ageMs < SETTLES_AFTER_MS) return { state: "pending" };
    const outcome = stored.order.testOutcome;
    if (outcome === "fail") return { state: "failed", failureCode: "account_closed" };
    if (outcome === "return" && ageMs > RETURNS_AFTER_MS) return { state: "returned" };
    return { state: "settled" };
  }
}

/** What a line of the file says; undefined if a crash cut it off: then it was never answered. */
function whole(line: string): Stored | undefined {
  try {
    return JSON.parse(line) as Stored;
  } catch {
    return undefined;
  }
}

/** Orders and accounts by key, and credits, in a file of one line per change: the memory that
 * makes calls safe to repeat. */
class Store {
  readonly log: LogEntry[] = [];
  readonly accounts = new Map<string, Account>();
  readonly screenings = new Map<string, Screening>();
  readonly applications = new Map<string, Application>();
  readonly inquiries = new Map<string, Inquiry>();
  // In the order in which they came.
  readonly inbox = new Map<string, Inbound>();
  // Orders that return a credit and have not failed, by credit.
  readonly returns = new Map<string, string>();
  private readonly stored = new Map<string, StoredOrder>();
  private readonly path: string;

  constructor(path: string) {
    this.path = path;
    if (!existsSync(path)) return;
    for (const line of readFileSync(path, "utf8").split("\n")) {
      const stored = whole(line);
      if (stored) this.apply(stored);
    }
  }

  find(key: string): StoredOrder | undefined {
    return this.stored.get(key);
  }

  /** Add a credit or a reversal; a known one stays as it is. Reversals come behind their credits. */
  addToLog(entry: LogEntry): void {
    const isKnown = this.log.some(
      (each) => each.creditId === entry.creditId && !each.credit === !entry.credit,
    );
    if (!isKnown) this.save(entry);
  }

  /** Add a message of another provider; a known one stays as it is. */
  addToInbox(kind: InboxKind, id: string, message: Message): void {
    const inboundKey = `${kind} ${id}`;
    if (this.inbox.has(inboundKey)) return;
    this.save({ inboundKey, kind, id, message, isReceived: false });
  }

  /** Return a credit, unless it was reversed. */
  credit(id: string): Credit | undefined {
    const entries = this.log.filter((each) => each.creditId === id);
    return entries.every((each) => each.credit) ? entries[0]?.credit : undefined;
  }

  /** Store something as it is now; on disk before this returns. */
  save(stored: Stored): void {
    const file = openSync(this.path, "a");
    try {
      appendFileSync(file, `\n${JSON.stringify(stored)}`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    this.apply(stored);
  }

  private apply(stored: Stored): void {
    if ("inquiryKey" in stored) this.inquiries.set(stored.inquiryKey, stored);
    else if ("inboundKey" in stored) this.inbox.set(stored.inboundKey, stored);
    else if ("applicationKey" in stored) this.applications.set(stored.applicationKey, stored);
    else if ("screeningKey" in stored) this.screenings.set(stored.screeningKey, stored);
    else if ("accountKey" in stored) this.accounts.set(stored.accountKey, stored);
    else if ("creditId" in stored) this.log.push(stored);
    else {
      const { key, returns } = stored.order;
      this.stored.set(key, stored);
      if (!returns || stored.refusal) return;
      if (!stored.isFailed) this.returns.set(returns, key);
      else if (this.returns.get(returns) === key) this.returns.delete(returns);
    }
  }
}

/** Answers to the calls of the protocol. */
class Sidecar {
  private readonly store: Store;
  private readonly bank: Bank;
  private readonly isTest: boolean;
  private readonly webhookUrl: string | undefined;

  constructor(store: Store, bank: Bank, isTest: boolean, webhookUrl: string | undefined) {
    this.store = store;
    this.bank = bank;
    this.isTest = isTest;
    this.webhookUrl = webhookUrl;
  }

  async answer(path: string, message: Message): Promise<Answer> {
    switch (path) {
      case "/v1/describe":
        return this.describe();
      case "/v1/payouts":
        return this.pay(message as Order);
      case "/v1/payouts/query":
        return this.query(String(message.key));
      case "/v1/accounts":
        return this.openAccount(message);
      case "/v1/credits/query":
        return this.credits(message);
      case "/v1/screenings":
        return this.screen(message as Transfer);
      case "/v1/screenings/query":
        return this.queryScreening(String(message.key));
      case "/v1/payees":
        return this.verifyPayee(message);
      case "/v1/rates/query":
        return this.rates(message);
      case "/v1/travel-rule/inquiries":
        return this.sendInquiry(message);
      case "/v1/travel-rule/resolutions":
        return this.resolveInquiry(message);
      case "/v1/travel-rule/confirmations":
        return this.confirmTransfer(message);
      case "/v1/travel-rule/inbox":
        return this.readInbox(message);
      case "/v1/applications":
        return this.createApplication(message as Applicant);
      case "/v1/applications/documents":
        return this.attachDocument(message);
      case "/v1/applications/submit":
        return this.submitApplication(String(message.key));
      case "/v1/applications/query":
        return this.queryApplication(String(message.key));
      case "/v1/applications/link":
        return this.openLink(String(message.key));
      case "/v1/test/credits":
        if (this.isTest) return this.makeTestCredit(message);
    }
    return { status: 404, message: { code: "unknown_path" } };
  }

  private async openAccount(message: Message): Promise<Answer> {
    const { key, orgId, currency } = message;
    if (![key, orgId, currency].every((each) => typeof each === "string")) {
      return { status: 400, message: { code: "invalid" } };
    }
    const accountKey = String(key);
    const request = JSON.stringify([orgId, currency]);
    let account = this.store.accounts.get(accountKey);
    if (account === undefined) {
      const opened = await this.bank.openAccount(accountKey, String(currency));
      account = { accountKey, request, answer: { key, currency, ...opened } };
      if (!this.store.accounts.has(accountKey)) this.store.save(account);
    }
    if (account.request !== request) return { status: 409, message: { code: "key_conflict" } };
    return { status: 200, message: account.answer };
  }

  private credits(message: Message): Answer {
    const [after, limit] = [Number(message.after ?? 0), Number(message.limit)];
    if (!Number.isInteger(after) || !Number.isInteger(limit)) {
      return { status: 400, message: { code: "invalid" } };
    }
    const page = this.store.log.slice(after, after + limit);
    const credits = page.flatMap((each) => each.credit ?? []);
    const reversed = page.flatMap((each) => (each.credit ? [] : each.creditId));
    const next = String(after + page.length);
    return { status: 200, message: { credits, reversed, next } };
  }

  private async screen(transfer: Transfer): Promise<Answer> {
    const { key, orgId, amount, currency, testOutcome: outcome } = transfer;
    const isWhole = [key, orgId, amount, currency].every((each) => typeof each === "string");
    if (!isWhole || (outcome && !this.isTest)) return { status: 400, message: { code: "invalid" } };
    const content = JSON.stringify(transfer);
    const known = this.store.screenings.get(key);
    if (known === undefined) {
      this.store.save({ screeningKey: key, content, transfer, at: Date.now() });
      if (outcome === "late") void this.notify({ key });
      if (outcome === "silence") await new Promise((resolve) => setTimeout(resolve, SILENCE_MS));
    } else if (known.content !== content) {
      return { status: 409, message: { code: "key_conflict" } };
    }
    return this.queryScreening(key);
  }

  private async queryScreening(key: string): Promise<Answer> {
    const screening = this.store.screenings.get(key);
    if (screening === undefined) return { status: 404, message: { code: "unknown_key" } };
    const found = await this.bank.screen(screening);
    const providerReference = `screening-${key}`;
    return { status: 200, message: { key, providerReference, expectedInSeconds: 1, ...found } };
  }

  private async verifyPayee(message: Message): Promise<Answer> {
    const { orgId, currency, rail, payee, testOutcome: outcome } = message;
    const isWhole = [orgId, currency, rail].every((each) => typeof each === "string") && payee;
    if (!isWhole || (outcome && !this.isTest)) return { status: 400, message: { code: "invalid" } };
    return { status: 200, message: await this.bank.verifyPayee(message) };
  }

  private async rates(message: Message): Promise<Answer> {
    const { currencies } = message;
    if (!Array.isArray(currencies) || currencies.length === 0) {
      return { status: 400, message: { code: "invalid" } };
    }
    const usd = await this.bank.rates(currencies.map(String));
    return { status: 200, message: { at: new Date().toISOString(), usd } };
  }

  private async sendInquiry(message: Message): Promise<Answer> {
    const { key, orgId, counterparty, walletAddress, token, amount, ivms101 } = message;
    const texts = [key, orgId, counterparty, walletAddress, token, amount];
    const isWhole = texts.every((each) => typeof each === "string") && ivms101;
    const outcome = message.testOutcome;
    if (!isWhole || (outcome && !this.isTest)) return { status: 400, message: { code: "invalid" } };
    const inquiryKey = String(key);
    const content = JSON.stringify(message);
    const known = this.store.inquiries.get(inquiryKey);
    if (known && known.content !== content) {
      return { status: 409, message: { code: "key_conflict" } };
    }
    const inquiry = known ?? { inquiryKey, content, request: message, at: Date.now() };
    if (!known) {
      this.store.save(inquiry);
      void this.notify({ key });
    }
    await this.bank.sendInquiry(inquiryKey, message);
    if (outcome === "inquire") {
      const id = `inquiry-${inquiryKey}`;
      const same = { id, orgId, counterparty, walletAddress, token, amount, ivms101 };
      this.store.addToInbox("inquiries", id, same);
    }
    if (outcome === "silence" && !known) {
      await new Promise((resolve) => setTimeout(resolve, SILENCE_MS));
    }
    return { status: 200, message: { key, ...(await this.bank.inquiryState(inquiry)) } };
  }

  private async resolveInquiry(message: Message): Promise<Answer> {
    const { id, isApproved } = message;
    if (typeof id !== "string" || typeof isApproved !== "boolean") {
      return { status: 400, message: { code: "invalid" } };
    }
    const inquiry = this.store.inbox.get(`inquiries ${id}`);
    if (inquiry === undefined) return { status: 404, message: { code: "unknown_key" } };
    const resolution = JSON.stringify(message);
    if (inquiry.resolution === undefined) this.store.save({ ...inquiry, resolution });
    else if (inquiry.resolution !== resolution) {
      return { status: 409, message: { code: "key_conflict" } };
    }
    await this.bank.resolveInquiry(id, message);
    if (this.isTest && isApproved) {
      const { orgId, counterparty } = inquiry.message;
      const transactionHash = `0x${createHash("sha256").update(id).digest("hex")}`;
      const madeUp = { id, orgId, counterparty, transactionHash };
      this.store.addToInbox("confirmations", id, madeUp);
    }
    return { status: 200, message: { id } };
  }

  private async confirmTransfer(message: Message): Promise<Answer> {
    const { key } = message;
    if (typeof key !== "string") return { status: 400, message: { code: "invalid" } };
    const inquiry = this.store.inquiries.get(key);
    if (inquiry === undefined) return { status: 404, message: { code: "unknown_key" } };
    const confirmation = JSON.stringify(message);
    if (inquiry.confirmation === undefined) this.store.save({ ...inquiry, confirmation });
    else if (inquiry.confirmation !== confirmation) {
      return { status: 409, message: { code: "key_conflict" } };
    }
    await this.bank.confirmTransfer(key, message);
    return { status: 200, message: { id: key } };
  }

  private readInbox(message: Message): Answer {
    const { limit, inquiries = [], confirmations = [] } = message;
    const isWhole = Array.isArray(inquiries) && Array.isArray(confirmations);
    const count = Number.isInteger(limit) ? Number(limit) : 0;
    if (!isWhole || count < 1 || count > INBOX_MAX) {
      return { status: 400, message: { code: "invalid" } };
    }
    const named = [
      ...inquiries.map((id) => `inquiries ${id}`),
      ...confirmations.map((id) => `confirmations ${id}`),
    ];
    for (const each of named) {
      const inbound = this.store.inbox.get(each);
      if (inbound && !inbound.isReceived) this.store.save({ ...inbound, isReceived: true });
    }
    const unread = (kind: InboxKind) =>
      [...this.store.inbox.values()]
        .filter((each) => each.kind === kind && !each.isReceived)
        .slice(0, count)
        .map((each) => each.message);
    const page = { inquiries: unread("inquiries"), confirmations: unread("confirmations") };
    return { status: 200, message: page };
  }

  private async createApplication(applicant: Applicant): Promise<Answer> {
    const { key, orgId, rail, facts, testOutcome: outcome } = applicant;
    const isWhole = [key, orgId, rail].every((each) => typeof each === "string") && facts;
    if (!isWhole || (outcome && !this.isTest)) return { status: 400, message: { code: "invalid" } };
    const content = JSON.stringify(applicant);
    const known = this.store.applications.get(key);
    if (known === undefined) this.store.save({ applicationKey: key, content, applicant });
    else if (known.content !== content) return { status: 409, message: { code: "key_conflict" } };
    if (outcome === "refuse") return { status: 422, message: { key, code: "unsupported" } };
    await this.bank.createApplicant(key, applicant);
    if (outcome === "silence" && known === undefined) {
      await new Promise((resolve) => setTimeout(resolve, SILENCE_MS));
    }
    return this.queryApplication(key);
  }

  private async attachDocument(document: Message): Promise<Answer> {
    const { key, documentId, type } = document;
    if (![key, documentId, type].every((each) => typeof each === "string")) {
      return { status: 400, message: { code: "invalid" } };
    }
    if (this.store.applications.has(String(key))) await this.bank.attach(String(key), document);
    return this.queryApplication(String(key));
  }

  private async submitApplication(key: string): Promise<Answer> {
    const application = this.store.applications.get(key);
    if (application !== undefined && application.submittedAt === undefined) {
      await this.bank.submit(key);
      const submittedAt = this.store.applications.get(key)?.submittedAt ?? Date.now();
      this.store.save({ ...application, submittedAt });
      void this.notify({ key });
    }
    return this.queryApplication(key);
  }

  private async queryApplication(key: string): Promise<Answer> {
    const application = this.store.applications.get(key);
    if (application === undefined) return { status: 404, message: { code: "unknown_key" } };
    const { applicant, submittedAt } = application;
    const review =
      submittedAt === undefined
        ? { state: "created" }
        : await this.bank.review(applicant, submittedAt);
    const providerReference = `application-${key}`;
    return { status: 200, message: { key, providerReference, ...review } };
  }

  private async openLink(key: string): Promise<Answer> {
    const url = this.store.applications.has(key) ? await this.bank.link(key) : undefined;
    if (url === undefined) return { status: 404, message: { code: "unknown_key" } };
    return { status: 200, message: { key, url, expiresInSeconds: 600 } };
  }

  private makeTestCredit(message: Message): Answer {
    const credit = message.credit as Credit;
    if (typeof credit?.id !== "string") return { status: 400, message: { code: "invalid" } };
    this.store.addToLog({ creditId: credit.id, credit: message.isReversed ? undefined : credit });
    void this.notify({ credits: true });
    return { status: 200, message: {} };
  }

  private describe(): Answer {
    const outcomes = ["settle", "refuse", "fail", "return", "silence", "not_done"];
    const testOutcomes = this.isTest ? outcomes : [];
    const deposits = ["usd", "eur", "brl", "mxn"];
    const screeningOutcomes = this.isTest ? ["clear", "hit", "late", "silence"] : [];
    const payees = ["match", "close_match", "no_match", "unavailable"];
    const payeeOutcomes = this.isTest ? payees : [];
    const verified = ["approve", "retry", "decline", "information", "review", "refuse", "silence"];
    const identityOutcomes = this.isTest ? verified : [];
    const exchanged = ["approve", "reject", "refuse", "unknown", "silence", "inquire"];
    const travelOutcomes = this.isTest ? exchanged : [];
    const tested = { testOutcomes, screeningOutcomes, payeeOutcomes, identityOutcomes };
    const lists = { deposits, rates: Object.keys(VALUES), ...tested, travelOutcomes };
    return { status: 200, message: { name: "Made-up bank", protocol: 1, ...lists } };
  }

  private async pay(order: Order): Promise<Answer> {
    const { key, amount, currency, testOutcome: outcome } = order;
    const hasPayee = order.payee || order.returns;
    if (![key, amount, currency].every((each) => typeof each === "string") || !hasPayee) {
      return { status: 400, message: { code: "invalid" } };
    }
    const content = JSON.stringify(order);
    let stored = this.store.find(key);
    if (stored !== undefined && stored.content !== content) {
      return { status: 409, message: { code: "key_conflict" } };
    }
    if (stored === undefined) {
      const refusal = this.refusal(order);
      const at = Date.now();
      stored = { order, content, refusal, calls: 0, isSubmitted: false, isFailed: false, at };
    }
    stored.calls += 1;
    this.store.save(stored);
    if (stored.refusal) {
      return { status: 422, message: { key, failureCode: stored.refusal } };
    }
    if (outcome === "not_done" && stored.calls === 1) {
      return { status: 503, message: { code: "not_done" } };
    }
    const isFirst = stored.calls === 1;
    if (!stored.isSubmitted) {
      stored.refusal = await this.bank.pay(key, order);
      if (stored.refusal) {
        this.store.save(stored);
        return { status: 422, message: { key, failureCode: stored.refusal } };
      }
      stored.isSubmitted = true;
      this.store.save(stored);
      void this.notify({ key });
    }
    if (outcome === "silence" && isFirst) {
      await new Promise((resolve) => setTimeout(resolve, SILENCE_MS));
    }
    return this.query(key);
  }

  /** Return why a new order is refused for good, if it is. */
  private refusal(order: Order): string | null {
    if (order.testOutcome && !this.isTest) return "unsupported";
    if (order.testOutcome === "refuse") return "account_invalid";
    if (!order.returns) return null;
    const credit = this.store.credit(order.returns);
    if (!credit || this.store.returns.has(order.returns)) return "credit_gone";
    const isWhole = credit.amount === order.amount && credit.currency === order.currency;
    return isWhole ? null : "unsupported";
  }

  private async query(key: string): Promise<Answer> {
    const stored = this.store.find(key);
    if (!stored?.isSubmitted) return { status: 404, message: { code: "unknown_key" } };
    const { amount, currency } = stored.order;
    const state = await this.bank.state(key, stored);
    if (["failed", "returned"].includes(state.state) && !stored.isFailed) {
      stored.isFailed = true;
      this.store.save(stored);
    }
    const providerReference = `bank-${key}`;
    return {
      status: 200,
      message: { key, amount, currency, providerReference, expectedInSeconds: 1, ...state },
    };
  }

  /** Announce that a payout has changed, or credits, until it is acknowledged. */
  private async notify(message: Message): Promise<void> {
    if (this.webhookUrl === undefined) return;
    const body = Buffer.from(JSON.stringify(message));
    const id = randomUUID();
    for (const pauseS of [0.5, 1, 5, 30, 300]) {
      await new Promise((resolve) => setTimeout(resolve, pauseS * 1000));
      const headers = {
        ...signedHeaders("webhook", id, body),
        "Landbridge-Webhook-Id": id,
        "Content-Type": "application/json",
      };
      try {
        const signal = AbortSignal.timeout(10_000);
        const got = await fetch(this.webhookUrl, { method: "POST", body, headers, signal });
        if (got.ok) return;
      } catch {
        // asked again after the pause
      }
    }
  }
}

function isSigned(path: string, headers: IncomingMessage["headers"], body: Buffer): boolean {
  const secret = keys.get(String(headers["landbridge-key"]));
  const timestamp = String(headers["landbridge-timestamp"]);
  if (secret === undefined || !/^[0-9]{1,11}$/.test(timestamp)) return false;
  if (Math.abs(Number(timestamp) - Date.now() / 1000) > TOLERANCE_S) return false;
  const expected = Buffer.from(signature(secret, "request", timestamp, `POST ${path}`, body));
  const given = Buffer.from(String(headers["landbridge-signature"]));
  return expected.length === given.length && timingSafeEqual(expected, given);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) request.destroy();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function serve(
  sidecar: Sidecar,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  const path = request.url ?? "";
  const given = String(request.headers["landbridge-signature"] ?? "");
  let answer: Answer = { status: 401, message: { code: "signature_invalid" } };
  const isKnown = request.method === "POST" && isSigned(path, request.headers, body);
  if (isKnown) {
    let message: unknown = null;
    try {
      message = JSON.parse(body.toString());
    } catch {
      // answered as invalid
    }
    const isMessage = typeof message === "object" && message !== null && !Array.isArray(message);
    answer = isMessage
      ? await sidecar.answer(path, message as Message)
      : { status: 400, message: { code: "invalid" } };
  }
  const content = Buffer.from(JSON.stringify(answer.message));
  const keyId = isKnown ? String(request.headers["landbridge-key"]) : undefined;
  response.writeHead(answer.status, {
    "Content-Type": "application/json",
    "Content-Length": content.length,
    ...signedHeaders("answer", `${answer.status} ${given}`, content, keyId),
  });
  response.end(content);
}

const { values } = parseArgs({
  options: {
    port: { type: "string" },
    data: { type: "string" },
    "webhook-url": { type: "string" },
    test: { type: "boolean", default: false }, // takes test outcomes; pays nobody
  },
});
if (!values.port || !values.data) throw new Error("--port and --data are required");
if (keys.size === 0 || [...keys.values()].some((each) => each.length < SECRET_LENGTH_MIN)) {
  throw new Error("SIDECAR_KEY_ID and SIDECAR_SECRET (32 characters or more) are required");
}
const sidecar = new Sidecar(
  new Store(values.data),
  new Bank(),
  values.test,
  values["webhook-url"],
);
// Nothing is logged but the port: payees are personal data.
const server = createServer((request, response) => {
  serve(sidecar, request, response).catch(() => response.destroy());
});
server.listen(Number(values.port), "127.0.0.1", () => {
  console.log(`listening on ${(server.address() as AddressInfo).port}`);
});

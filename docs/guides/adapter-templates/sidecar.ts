// Sidecar of a made-up bank, in TypeScript without packages: copy it, and replace `Bank`.
//
// It serves the provider protocol (docs/reference/provider-protocol.md). Its order of work is what
// makes it safe: an order is stored before the bank is called, and the bank is called with our key,
// so that a crash or a repeated call never pays twice.
//
//     export SIDECAR_KEY_ID=2026-11 SIDECAR_SECRET=<32 characters or more>
//     node --experimental-strip-types sidecar.ts --port 9100 --data orders.jsonl \
//         [--webhook-url URL] [--test]

import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";

const TOLERANCE_S = 300;
const BODY_BYTES_MAX = 1_000_000;
const SECRET_LENGTH_MIN = 32;
// Of the made-up bank. Silence is longer than any caller waits.
const [SETTLES_AFTER_MS, RETURNS_AFTER_MS, SILENCE_MS] = [300, 1_000, 35_000];

type Message = Record<string, unknown>;
type Answer = { status: number; message: Message };
type Order = {
  key: string;
  amount: string;
  currency: string;
  payee: Message;
  testOutcome?: string;
};
type StoredOrder = {
  order: Order;
  content: string;
  refusal: string | null;
  calls: number;
  isSubmitted: boolean;
  at: number;
};

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
  /** Submit a payment; safe to repeat with the same key. */
  async pay(_key: string, _order: Order): Promise<void> {}

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

/** Orders by key, in a file of one line per change: the memory that makes calls safe to repeat. */
class Orders {
  private readonly stored = new Map<string, StoredOrder>();
  private readonly path: string;

  constructor(path: string) {
    this.path = path;
    if (!existsSync(path)) return;
    for (const line of readFileSync(path, "utf8").split("\n")) {
      if (!line.endsWith("}")) continue; // the last line, if a crash cut it off
      const each = JSON.parse(line) as StoredOrder;
      this.stored.set(each.order.key, each);
    }
  }

  find(key: string): StoredOrder | undefined {
    return this.stored.get(key);
  }

  /** Store an order as it is now; on disk before this returns. */
  save(stored: StoredOrder): void {
    const file = openSync(this.path, "a");
    try {
      appendFileSync(file, `\n${JSON.stringify(stored)}`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    this.stored.set(stored.order.key, stored);
  }
}

/** Answers to the calls of the protocol. */
class Sidecar {
  private readonly orders: Orders;
  private readonly bank: Bank;
  private readonly isTest: boolean;
  private readonly webhookUrl: string | undefined;

  constructor(orders: Orders, bank: Bank, isTest: boolean, webhookUrl: string | undefined) {
    this.orders = orders;
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
      default:
        return { status: 404, message: { code: "unknown_path" } };
    }
  }

  private describe(): Answer {
    const outcomes = ["settle", "refuse", "fail", "return", "silence", "not_done"];
    const testOutcomes = this.isTest ? outcomes : [];
    return { status: 200, message: { name: "Made-up bank", protocol: 1, testOutcomes } };
  }

  private async pay(order: Order): Promise<Answer> {
    const { key, amount, currency, payee, testOutcome: outcome } = order;
    if (![key, amount, currency].every((each) => typeof each === "string") || !payee) {
      return { status: 400, message: { code: "invalid" } };
    }
    const content = JSON.stringify(order);
    let stored = this.orders.find(key);
    if (stored !== undefined && stored.content !== content) {
      return { status: 409, message: { code: "key_conflict" } };
    }
    if (stored === undefined) {
      let refusal: string | null = null;
      if (outcome && !this.isTest) refusal = "unsupported";
      else if (outcome === "refuse") refusal = "account_invalid";
      const at = Date.now();
      stored = { order, content, refusal, calls: 0, isSubmitted: false, at };
    }
    stored.calls += 1;
    this.orders.save(stored);
    if (stored.refusal) {
      return { status: 422, message: { key, failureCode: stored.refusal } };
    }
    if (outcome === "not_done" && stored.calls === 1) {
      return { status: 503, message: { code: "not_done" } };
    }
    const isFirst = stored.calls === 1;
    if (!stored.isSubmitted) {
      await this.bank.pay(key, order);
      stored.isSubmitted = true;
      this.orders.save(stored);
      void this.notify(key);
    }
    if (outcome === "silence" && isFirst) {
      await new Promise((resolve) => setTimeout(resolve, SILENCE_MS));
    }
    return this.query(key);
  }

  private async query(key: string): Promise<Answer> {
    const stored = this.orders.find(key);
    if (!stored?.isSubmitted) return { status: 404, message: { code: "unknown_key" } };
    const { amount, currency } = stored.order;
    const state = await this.bank.state(key, stored);
    const providerReference = `bank-${key}`;
    return {
      status: 200,
      message: { key, amount, currency, providerReference, expectedInSeconds: 1, ...state },
    };
  }

  /** Announce that a payout has changed, until it is acknowledged. */
  private async notify(key: string): Promise<void> {
    if (this.webhookUrl === undefined) return;
    const body = Buffer.from(JSON.stringify({ key }));
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
  new Orders(values.data),
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

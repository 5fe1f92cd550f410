// A customer's day by the TypeScript library: a verified user, a swap, a payout, a list, an error.

import { Conflict, InvalidRequest, Landbridge, LandbridgeError, NotFound, NotReached, ServerError } from "./index.js";
import { NotGenuine, RecentEvents, unwrap } from "./webhooks.js";

declare const console: { log(line: string): void };
declare function setTimeout(run: () => void, milliseconds: number): unknown;

const lb = new Landbridge();
const address = {
  addressLine1: "1 Main Street",
  city: "Denver",
  stateProvinceRegion: "CO",
  postalCode: "80202",
  country: "USA",
} as const;

async function until(read: () => Promise<string>, wanted: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const status = await read();
    if (status === wanted) return;
    await new Promise<void>((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`never ${wanted}, but ${await read()}`);
}

function check(isTrue: boolean, sentence: string): void {
  if (!isTrue) throw new Error(`not true: ${sentence}`);
}

const agreement = crypto.randomUUID();
await lb.termsLinks.create({ idempotencyKey: agreement });
const link = await lb.termsLinks.retrieve(agreement);
await lb.termsLinks.accept(agreement, { sessionToken: link.sessionToken as string });
const user = await lb.users.create({
  type: "individual",
  firstName: "Ada",
  lastName: "Approval",
  email: "ada@example.com",
  dateOfBirth: "1990-01-01",
  address,
  signedAgreementId: agreement,
});
await lb.sandbox.fundWallet(user.id, { chain: "POLYGON", currency: "usdc", amount: "500" });

const swap = await lb.swaps.create({
  source: { userId: user.id, chain: "POLYGON", currency: "usdc", amount: "10" },
  destination: { chain: "POLYGON", currency: "usdt" },
});
const unanswered: string[] = [];
const lossy: typeof fetch = async (_, init) => {
  unanswered.push(String(init?.body));
  throw new Error("the answer is lost");
};
try {
  await new Landbridge({ fetch: lossy, retries: 1 }).swaps.create({
    source: { userId: user.id, chain: "POLYGON", currency: "usdc", amount: "10" },
    destination: { chain: "POLYGON", currency: "usdt" },
  });
  check(false, "a lost answer is an error");
} catch (error) {
  const key = error instanceof NotReached ? error.idempotencyKey : undefined;
  check(key !== undefined && unanswered.length === 2, "the error has the id");
  check(unanswered.every((each) => JSON.parse(each).requestId === key), "the id is that of the request");
}

const done = await lb.swaps.accept(swap.transferDetails.id);
check(done.transferDetails.status === "COMPLETED", "the swap is completed");

await lb.kyc.update(user.id, {
  phone: "+13035550123",
  nationality: "USA",
  address,
  taxIdentificationNumber: "123-45-6789",
});
const page = new TextEncoder().encode(`%PDF-1.4\n%${"x".repeat(12_000)}\n%%EOF\n`);
const file = await lb.files.create("passport.pdf", page);
await lb.kyc.addDocuments(user.id, [
  { type: "PASSPORT", subType: "SINGLE_SIDE", issuedCountry: "USA", number: "P1234567", expiryDate: "2100-01-01", fileId: file.id },
]);
await lb.kyc.submit(user.id, { rails: ["USD"] });
await until(async () => ((await lb.kyc.retrieveStatus(user.id, { rails: "USD" })) as { status: string }).status, "ACTIVE");
const account = await lb.accounts.create(user.id, {
  rail: "offramp",
  type: "us",
  accountHolder: { type: "individual", name: "Ada Approval", address },
  us: {
    transferType: "wire",
    accountType: "Checking",
    accountNumber: "000123456789",
    routingNumber: "021000021",
    bankName: "Test Bank",
    currency: "usd",
  },
});
const payout = await lb.offramps.create({
  source: { userId: user.id, chain: "POLYGON", currency: "usdc", amount: 100 },
  destination: { accountId: account.id, currency: "usd" },
});
await lb.offramps.accept(payout.transferDetails.id);
await until(async () => (await lb.offramps.retrieve(payout.transferDetails.id)).transferDetails.status, "COMPLETED");

const requestId = crypto.randomUUID();
const body = {
  source: { userId: user.id, chain: "POLYGON", currency: "usdc", amount: "1" },
  destination: { chain: "POLYGON", currency: "usdt" },
} as const;
await lb.swaps.create({ ...body, requestId });
await lb.swaps.create({ ...body, requestId });
let found = 0;
for await (const each of lb.swaps.listAll({ userId: user.id, limit: 1 })) found += each.transferDetails.id ? 1 : 0;
check(found === 2, "one request id makes one swap");
try {
  await lb.swaps.create({ ...body, source: { ...body.source, amount: "2" }, requestId });
  check(false, "another body is refused");
} catch (error) {
  check(error instanceof Conflict, "it is a conflict");
}
try {
  await lb.swaps.retrieve(crypto.randomUUID());
} catch (error) {
  check(error instanceof NotFound && error.requestId !== null, "it is missing");
}
try {
  await lb.swaps.create({ ...body, source: { ...body.source, amount: "1.1234567" } });
} catch (error) {
  check(error instanceof InvalidRequest && error.errorName === "FIELD_VALIDATION_ERROR", "it is invalid");
  check(error instanceof InvalidRequest && error.content["error"] === error.errorName, "it has the whole answer");
}
for (const head of ["null", "7", '{"alg":"RS256","kid":"constructor"}', '{"alg":"RS256","kid":"__proto__"}']) {
  const headers = { authorization: `Bearer ${[head, "{}", "x"].map((each) => btoa(each)).join(".")}` };
  try {
    await unwrap(new Uint8Array(), headers, { endpointId: "endpoint", keys: { key: "" } });
    check(false, "a forged token is refused");
  } catch (error) {
    check(error instanceof NotGenuine, `a token with ${head} is not genuine`);
  }
}
const cut = new ReadableStream({ start: (stream) => stream.error(new Error("the connection is lost")) });
const answers = [new Response(cut), new Response("null", { status: 503 }), new Response("null", { status: 500 })];
const sent: RequestInit[] = [];
const odd = new Landbridge({
  fetch: async (_, init) => {
    sent.push(init as RequestInit);
    return answers.shift() as Response;
  },
});
try {
  await odd.swaps.create(body);
  check(false, "a server error is one");
} catch (error) {
  check(error instanceof ServerError && error.status === 500, "an answer that is no object is a server error");
}
check(sent.length === 3 && new Set(sent.map((each) => each.body)).size === 1, "an answer cut off is asked for again");
check(sent[0]?.redirect === "manual", "no redirect is followed");
for (const id of ["", ".", "..", "x/freeze"]) {
  try {
    await lb.users.retrieve(id);
    check(false, `${id} is no id`);
  } catch (error) {
    check(error instanceof LandbridgeError && error.message.includes("can't be part of"), `${id} is refused`);
  }
}
const handled = new RecentEvents();
check(!handled.has("evt_1") && handled.add("evt_1") && handled.has("evt_1"), "a handled event is known");
const refused = new TypeError("connection refused");
const absent = new Landbridge({ baseUrl: "http://ada:secret@127.0.0.1:9", retries: 0, fetch: () => Promise.reject(refused) });
try {
  await absent.service.ping();
  check(false, "a server that is not there gives no answer");
} catch (error) {
  const isNamed = error instanceof NotReached && error.name === "NotReached" && error.message.includes("GET http://127.0.0.1:9/v2/ping: TypeError");
  check(isNamed && error.cause === refused, "the address is named, without a password");
}
console.log("all true");

// A swap and a payout by the client that @hey-api/openapi-ts generates.

import { client } from "./client/client.gen.js";
import { accountsCreate, offrampsAccept, offrampsCreate, offrampsRetrieve, swapsAccept, swapsCreate, swapsList, swapsRetrieve } from "./client/index.js";

declare const process: { env: Record<string, string | undefined> };

function check(isTrue: boolean, sentence: string): void {
  if (!isTrue) throw new Error(`not true: ${sentence}`);
}

const userId = process.env["USER_ID"] ?? "";
client.setConfig({ baseUrl: process.env["LANDBRIDGE_URL"] ?? "", auth: process.env["LANDBRIDGE_API_KEY"] ?? "" });
const throwOnError = true;

const swapOf = (amount: string) => ({
  requestId: crypto.randomUUID(),
  source: { userId, chain: "POLYGON", currency: "usdc", amount } as const,
  destination: { chain: "POLYGON", currency: "usdt" } as const,
});
const { data: swap } = await swapsCreate({ body: swapOf("10"), throwOnError });
const { data: accepted } = await swapsAccept({ path: { swapId: swap.transferDetails.id }, throwOnError });
check(accepted.transferDetails.status === "COMPLETED", "the swap is completed");
const { data: page } = await swapsList({ query: { userId, limit: 10 }, throwOnError });
check(page.data.some((each) => each.transferDetails.id === swap.transferDetails.id), "the swap is listed");

const refused = await swapsCreate({ body: swapOf("1.1234567") });
check(refused.error?.error === "FIELD_VALIDATION_ERROR", "the amount is invalid");
const missing = await swapsRetrieve({ path: { swapId: crypto.randomUUID() } });
check(missing.response?.status === 404, "there is no such swap");

const { data: account } = await accountsCreate({
  path: { userId },
  body: {
    rail: "offramp",
    type: "us",
    accountHolder: {
      type: "individual",
      name: "Ada Approval",
      address: {
        addressLine1: "1 Main Street",
        city: "Denver",
        stateProvinceRegion: "CO",
        postalCode: "80202",
        country: "USA",
      },
    },
    us: {
      transferType: "wire",
      accountType: "Checking",
      accountNumber: "000123456789",
      routingNumber: "021000021",
      bankName: "Test Bank",
      currency: "usd",
    },
  },
  throwOnError,
});
const { data: payout } = await offrampsCreate({
  body: {
    requestId: crypto.randomUUID(),
    source: { userId, chain: "POLYGON", currency: "usdc", amount: 100 },
    destination: { accountId: account.id, currency: "usd" },
  },
  throwOnError,
});
const path = { transferId: payout.transferDetails.id };
await offrampsAccept({ path, throwOnError });
let status = "";
for (let tries = 0; tries < 300 && status !== "COMPLETED"; tries += 1) {
  await new Promise((resolve) => setTimeout(resolve, 100));
  status = (await offrampsRetrieve({ path, throwOnError })).data.transferDetails.status;
}
check(status === "COMPLETED", "the payout is completed");
console.log("all true");

// Reads every request of a Bruno collection with Bruno's own parser; prints their number.

const { readdirSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const { bruToJsonV2 } = require("@usebruno/lang");

const collection = process.argv[2];
let count = 0;
for (const folder of readdirSync(collection, { withFileTypes: true })) {
  if (!folder.isDirectory() || folder.name === "environments") continue;
  for (const name of readdirSync(join(collection, folder.name))) {
    const request = bruToJsonV2(readFileSync(join(collection, folder.name, name), "utf8"));
    if (!request.http.url.startsWith("{{baseUrl}}/v2/")) throw new Error(`${name} has no address`);
    if (request.http.body === "json") JSON.parse(request.body.json);
    count += 1;
  }
}
console.log(count);

/** Webhooks: verify that a request comes from your installation, and read its event. */

import { LandbridgeError } from "./errors.js";
import type { Events, WebhookReply } from "./generated/types.js";

/** Any event; `eventType` says which. */
export type AnyEvent = Events[keyof Events];

/** The request is forged, altered, too old, or for another endpoint. Answer 401, which is final. */
export class NotGenuine extends LandbridgeError {
  /** Read the endpoint's keys again and answer 503: the event is sent again. */
  readonly isKeyUnknown: boolean;

  constructor(reason: string, isKeyUnknown = false) {
    super(reason);
    this.isKeyUnknown = isKeyUnknown;
  }
}

/** The event was handled before; answer 200 and do nothing. */
export class AlreadySeen extends LandbridgeError {}

/** Remembers events; a table with a unique key serves several processes. */
export interface SeenEvents {
  /** Remember an event; false if it was known. */
  add(eventId: string): boolean | Promise<boolean>;
}

/**
 * Events that this process has handled, the most recent ones.
 *
 * Test `has(event.eventId)` before the work, and `add` it after: then an event is handled when it is sent again
 * after a failure.
 */
export class RecentEvents implements SeenEvents {
  private readonly ids = new Set<string>();

  constructor(private readonly size = 10_000) {}

  /** Whether an event is among them. */
  has(eventId: string): boolean {
    return this.ids.has(eventId);
  }

  add(eventId: string): boolean {
    if (this.ids.has(eventId)) return false;
    this.ids.add(eventId);
    if (this.ids.size > this.size) this.ids.delete(this.ids.values().next().value as string);
    return true;
  }
}

export interface Verification {
  endpointId: string;
  /** Public keys of the endpoint, PEM by `kid`: the token must be valid. */
  keys?: Record<string, string>;
  /** Secret of Standard Webhooks: its signature must be valid. */
  secret?: string;
  /** Seconds; default 300. */
  tolerance?: number;
  /**
   * Remembers the event in `unwrap`, before your work. That is right for a table in the transaction of the work, which
   * forgets the event if the work fails; otherwise see `RecentEvents`.
   */
  seen?: SeenEvents;
}

type Headers_ = Record<string, string | string[] | undefined>;

/** Return the published keys of an endpoint, for `unwrap`. */
export function keysOf(webhook: WebhookReply): Record<string, string> {
  return Object.fromEntries(webhook.publicKeys.map((each) => [each.kid, each.publicKey]));
}

/** Return the event of a request; `body` are the bytes as received. */
export async function unwrap(body: Uint8Array<ArrayBuffer>, headers: Headers_, how: Verification): Promise<AnyEvent> {
  if (!how.secret && Object.keys(how.keys ?? {}).length === 0) {
    throw new NotGenuine("there is neither a key nor a secret to verify with");
  }
  const given = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    given.set(name.toLowerCase(), Array.isArray(value) ? value.join(", ") : (value ?? ""));
  }
  const tolerance = how.tolerance ?? 300;
  if (how.keys && Object.keys(how.keys).length > 0) {
    await verifyToken(body, given, how.endpointId, how.keys, tolerance);
  }
  if (how.secret) await verifySignature(body, given, how.secret, tolerance);
  let event: AnyEvent;
  try {
    event = JSON.parse(new TextDecoder().decode(body)) as AnyEvent;
  } catch {
    throw new NotGenuine("the body is no event");
  }
  if (how.seen && !(await how.seen.add(event.eventId))) throw new AlreadySeen(event.eventId);
  return event;
}

async function verifyToken(
  body: Uint8Array<ArrayBuffer>,
  headers: Map<string, string>,
  endpointId: string,
  keys: Record<string, string>,
  tolerance: number,
): Promise<void> {
  const [scheme, token] = (headers.get("authorization") ?? "").split(" ");
  const parts = (token ?? "").split(".");
  if (scheme?.toLowerCase() !== "bearer" || parts.length !== 3) throw new NotGenuine("the request has no token");
  const [head, payload, signature] = parts as [string, string, string];
  const header = decoded(head);
  // Never an algorithm that the token itself chooses.
  if (header["alg"] !== "RS256") throw new NotGenuine("the token is not signed by RS256");
  const kid = String(header["kid"]);
  const pem = Object.hasOwn(keys, kid) ? keys[kid] : undefined;
  if (pem === undefined) throw new NotGenuine(`key ${kid} is unknown`, true);
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("spki", der(pem), algorithm, false, ["verify"]);
  const signed = new TextEncoder().encode(`${head}.${payload}`);
  if (!(await crypto.subtle.verify(algorithm, key, bytes(signature), signed))) {
    throw new NotGenuine("the signature of the token is not valid");
  }
  const claims = decoded(payload);
  const now = Date.now() / 1000;
  if (claims["aud"] !== endpointId) throw new NotGenuine("the token is for another endpoint");
  if (Number(claims["exp"]) + tolerance < now || Number(claims["iat"]) - tolerance > now) {
    throw new NotGenuine("the token is too old, or of the future");
  }
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  const hex = Array.from(digest, (each) => each.toString(16).padStart(2, "0")).join("");
  if (claims["bodySha256"] !== hex) throw new NotGenuine("the token is for another body");
}

/** Verify by standardwebhooks.com. */
async function verifySignature(
  body: Uint8Array<ArrayBuffer>,
  headers: Map<string, string>,
  secret: string,
  tolerance: number,
): Promise<void> {
  const at = headers.get("webhook-timestamp") ?? "";
  if (!/^\d+$/.test(at) || Math.abs(Date.now() / 1000 - Number(at)) > tolerance) {
    throw new NotGenuine("the time of the signature is missing, or too far away");
  }
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const raw = bytes(secret.replace(/^whsec_/, ""));
  const key = await crypto.subtle.importKey("raw", raw, algorithm, false, ["verify"]);
  const prefix = new TextEncoder().encode(`${headers.get("webhook-id") ?? ""}.${at}.`);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  for (const each of (headers.get("webhook-signature") ?? "").split(" ")) {
    if (each.startsWith("v1,") && (await crypto.subtle.verify("HMAC", key, bytes(each.slice(3)), signed))) return;
  }
  throw new NotGenuine("no signature is of this body with this secret");
}

/** Return the bytes of Base64, also of the form for URLs. */
function bytes(text: string): Uint8Array<ArrayBuffer> {
  try {
    const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
    return Uint8Array.from(binary, (each) => each.charCodeAt(0));
  } catch {
    throw new NotGenuine("a signature is not Base64");
  }
}

function der(pem: string): Uint8Array<ArrayBuffer> {
  return bytes(pem.replace(/-----[^-]+-----/g, "").replace(/\s/g, ""));
}

function decoded(part: string): Record<string, unknown> {
  let found: unknown = null;
  try {
    found = JSON.parse(new TextDecoder().decode(bytes(part)));
  } catch {
    // Answered below, as what is no object.
  }
  if (typeof found !== "object" || found === null) throw new NotGenuine("the token is not readable");
  return found as Record<string, unknown>;
}

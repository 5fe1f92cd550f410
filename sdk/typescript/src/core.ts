/** How a call is sent, sent again, and answered. */

import { errorOf, LandbridgeError, NotReached } from "./errors.js";
import { VERSION } from "./version.js";

/** Options of every call. */
export interface Options {
  /** Milliseconds until the attempt is given up. */
  timeout?: number;
  signal?: AbortSignal;
}

/** One call of an operation. */
export interface Call {
  method: string;
  path: string;
  body?: unknown;
  upload?: { name: string; content: Uint8Array<ArrayBuffer> };
  query?: Record<string, unknown>;
  headers?: Record<string, string | undefined>;
  /** Member of the body that identifies the request; filled in, as the header of keys, where it is missing. */
  idMember?: string;
}

/** Sends calls. */
export interface Sender {
  send<T>(call: Call, options: Options): Promise<T>;
  download(call: Call, options: Options): Promise<Uint8Array>;
}

/** `T` with this member optional, also if `T` is a union. */
export type WithOptional<T, K extends string> = T extends unknown
  ? Omit<T, K> & Partial<Pick<T, K & keyof T>>
  : never;

export interface Settings {
  /** Default: LANDBRIDGE_API_KEY. */
  apiKey?: string;
  /** Default: LANDBRIDGE_URL, else http://127.0.0.1:8080. */
  baseUrl?: string;
  /** Milliseconds of an attempt; default 30,000. */
  timeout?: number;
  /** How often a request is sent again after a lost answer, a 429 or a 503; default 2. */
  retries?: number;
  fetch?: typeof fetch;
}

// The service was not reached, or says that the same request may be sent again.
const TEMPORARY = new Set([429, 502, 503, 504]);
const KEY_HEADER = "Idempotency-Key";
const FIRST_PAUSE_MS = 200;
const PAUSE_MAX_MS = 30_000;

declare const process: { env: Record<string, string | undefined> } | undefined;

function environment(name: string): string | undefined {
  return typeof process === "undefined" ? undefined : process.env[name];
}

/** Sends calls by `fetch`. */
export class Core implements Sender {
  private readonly key: string;
  private readonly url: string;
  private readonly timeout: number;
  private readonly retries: number;
  private readonly fetch: typeof fetch;

  constructor(settings: Settings) {
    const key = settings.apiKey ?? environment("LANDBRIDGE_API_KEY");
    if (!key) throw new LandbridgeError("give apiKey, or set LANDBRIDGE_API_KEY");
    this.key = key;
    this.url = (settings.baseUrl ?? environment("LANDBRIDGE_URL") ?? "http://127.0.0.1:8080").replace(/\/$/, "");
    this.timeout = settings.timeout ?? 30_000;
    this.retries = settings.retries ?? 2;
    this.fetch = settings.fetch ?? fetch;
  }

  async send<T>(call: Call, options: Options): Promise<T> {
    return JSON.parse(new TextDecoder().decode(await this.answered(call, options))) as T;
  }

  async download(call: Call, options: Options): Promise<Uint8Array> {
    return this.answered(call, options);
  }

  /** Return the bytes of a response that succeeded, read to its end; every attempt sends the same. */
  private async answered(call: Call, options: Options): Promise<Uint8Array> {
    const url = this.url + call.path + queryOf(call.query ?? {});
    const headers: Record<string, string> = {
      Authorization: `Bearer ${this.key}`,
      "User-Agent": `landbridge-sdk-typescript/${VERSION}`,
    };
    for (const [name, value] of Object.entries(call.headers ?? {})) {
      if (value !== undefined) headers[name] = value;
      else if (name === KEY_HEADER) headers[name] = crypto.randomUUID();
    }
    const sent = sentBody(call, headers);
    for (let attempt = 0; ; attempt += 1) {
      let response: Response | undefined;
      let content = new Uint8Array();
      let lost: unknown;
      try {
        const limit = AbortSignal.timeout(options.timeout ?? this.timeout);
        const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
        // A redirect would send a write again, as another one, or to another server.
        response = await this.fetch(url, { method: call.method, headers, body: sent.body, signal, redirect: "manual" });
        content = new Uint8Array(await response.arrayBuffer());
      } catch (error) {
        options.signal?.throwIfAborted();
        // An answer that was cut off is none.
        response = undefined;
        lost = error;
      }
      const pause = attempt < this.retries ? pauseOf(attempt, response) : undefined;
      if (pause !== undefined) {
        await new Promise((resolve) => setTimeout(resolve, pause));
      } else if (response === undefined) {
        // An address may contain a name and a password, which no message shows.
        const address = this.url.replace(/\/\/[^/]*@/, "//");
        const message = `no answer to ${call.method} ${address}${call.path}: ${String(lost)}`;
        throw withKey(new NotReached(message, { cause: lost }), sent.key);
      } else if (response.ok) {
        return content;
      } else {
        throw withKey(errorOf(response, content), sent.key);
      }
    }
  }
}

/** Go through all pages of a list; the end of the log of events has a cursor too, for later ones. */
export async function* pages<P extends { nextCursor?: string | null }, T>(
  read: (cursor: string | undefined) => Promise<P>,
  itemsOf: (page: P) => T[],
): AsyncGenerator<T> {
  let cursor: string | undefined;
  for (;;) {
    const page = await read(cursor);
    yield* itemsOf(page);
    const next = page.nextCursor ?? undefined;
    if (next === undefined || next === cursor) return;
    cursor = next;
  }
}

/** Return a path with its parameters in their order, each escaped; none may make it another operation's. */
export function pathOf(template: string, ...values: string[]): string {
  const odd = values.find((each) => each.includes("/") || /^\.*$/.test(each));
  if (odd !== undefined) throw new LandbridgeError(`"${odd.slice(0, 100)}" can't be part of ${template}`);
  let next = 0;
  return template.replace(/\{\w+\}/g, () => encodeURIComponent(values[next++] as string));
}

/** Return an error with the id under which to send the request again. */
function withKey<E extends LandbridgeError>(error: E, key: string | undefined): E {
  if (key !== undefined) error.idempotencyKey = key;
  return error;
}

/** Return the body, and the id under which the request may be sent again. */
function sentBody(call: Call, headers: Record<string, string>): { body?: BodyInit; key?: string } {
  const key = headers[KEY_HEADER];
  if (call.upload !== undefined) {
    const form = new FormData();
    form.append("file", new Blob([call.upload.content]), call.upload.name);
    return { body: form, key };
  }
  if (call.body === undefined || call.body === null) return { key };
  headers["Content-Type"] = "application/json";
  const given = call.body as Record<string, unknown>;
  if (call.idMember === undefined) return { body: JSON.stringify(given), key };
  const id = given[call.idMember] ?? crypto.randomUUID();
  return { body: JSON.stringify({ ...given, [call.idMember]: id }), key: String(id) };
}

function queryOf(query: Record<string, unknown>): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null) pairs.append(name, String(each));
    }
  }
  return pairs.size > 0 ? `?${pairs.toString()}` : "";
}

/** How long to wait before the next attempt; undefined if there must be none. */
function pauseOf(attempt: number, response: Response | undefined): number | undefined {
  if (response !== undefined && !TEMPORARY.has(response.status)) return undefined;
  const asked = response?.headers.get("Retry-After");
  if (asked && /^\d+$/.test(asked)) return Math.min(Number(asked) * 1000, PAUSE_MAX_MS);
  return Math.min(FIRST_PAUSE_MS * 2 ** attempt, PAUSE_MAX_MS) * (0.5 + Math.random());
}

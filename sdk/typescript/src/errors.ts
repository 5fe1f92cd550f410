/** Errors of calls: branch on the class, or on `errorName`; `details` is for people. */

import type { ErrorName } from "./generated/types.js";

/** A call that failed, or a webhook that is not genuine. */
export class LandbridgeError extends Error {
  /** Id under which a write was sent, also one that the client has made: send it again under this one. */
  idempotencyKey?: string;

  constructor(message?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No answer arrived. A write may have been carried out: send it again under its id. */
export class NotReached extends LandbridgeError {}

/** The server refused the request. */
export class ApiError extends LandbridgeError {
  readonly status: number;
  /** Name in the catalogue of errors. */
  readonly errorName: ErrorName;
  readonly code: number | undefined;
  readonly details: string;
  /** The `X-Request-Id` to quote when you ask for help. */
  readonly requestId: string | null;
  /** The whole answer. */
  readonly content: Record<string, unknown>;

  constructor(response: Response, content: Record<string, unknown>) {
    const error = content["error"];
    // In reporting, `error` is an object.
    const detail = (typeof error === "object" && error !== null ? error : { code: error }) as Record<string, unknown>;
    const name = String(detail["code"] ?? "");
    const details = String(detail["message"] ?? content["errorDetails"] ?? "");
    const requestId = response.headers.get("X-Request-Id");
    super(`${response.status} ${name}: ${details} (${requestId})`);
    this.status = response.status;
    this.errorName = name;
    this.code = typeof content["code"] === "number" ? content["code"] : undefined;
    this.details = details;
    this.requestId = requestId;
    this.content = content;
  }
}

/** 400: the request can't be carried out as it is; `details` names the field. */
export class InvalidRequest extends ApiError {}
/** 401: the API key is missing or not valid. */
export class NotAuthenticated extends ApiError {}
/** 403: this key may not do this. */
export class NotAllowed extends ApiError {}
/** 404: there is no such object in this organisation. */
export class NotFound extends ApiError {}
/** 409: the state forbids it, or the id was used for another request. */
export class Conflict extends ApiError {}
/** 429: too many requests, also after the retries of the client. */
export class RateLimited extends ApiError {}
/** 5xx: a fault of the server, or it is busy. */
export class ServerError extends ApiError {}

const BY_STATUS: Record<number, typeof ApiError> = {
  400: InvalidRequest,
  401: NotAuthenticated,
  403: NotAllowed,
  404: NotFound,
  409: Conflict,
  429: RateLimited,
};

/** Return the error of a response; a proxy's own answer has no name. */
export function errorOf(response: Response, body: Uint8Array): ApiError {
  let content: unknown;
  try {
    content = JSON.parse(new TextDecoder().decode(body));
  } catch {
    // Not JSON: not ours.
  }
  const isOurs = typeof content === "object" && content !== null;
  const kind = BY_STATUS[response.status] ?? (response.status >= 500 ? ServerError : ApiError);
  return new kind(response, isOurs ? (content as Record<string, unknown>) : {});
}

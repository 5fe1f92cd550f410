/** Client library of Landbridge, the self-hosted stablecoin payments platform. */

import { Core, type Settings } from "./core.js";
import { Resources } from "./generated/resources.js";

export type { Options, Settings } from "./core.js";
export * from "./errors.js";
export type * as types from "./generated/types.js";
export { VERSION } from "./version.js";
export * as webhooks from "./webhooks.js";

/** Client of an installation, with one API key. */
export class Landbridge extends Resources {
  constructor(settings: Settings = {}) {
    super(new Core(settings));
  }
}

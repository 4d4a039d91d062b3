import type { Principal } from "./access/principal.ts";
import type { LiveCatalogue } from "./catalogue/live-catalogue.ts";
import type { Clock } from "./lib/clock.ts";
import type { ReadCache } from "./lib/read-cache.ts";
import type { Sealer } from "./sealing/sealer.ts";
import type { Storage } from "./storage/storage.ts";

/** What the services go by, out of the configuration. */
export interface Settings {
  readonly pageSize: number;
  readonly references: "open" | "strict";
  /** True: sealed members read "" for everybody. */
  readonly maskSecrets: boolean;
  /** True: the certificate list's `filter` works in both modes. */
  readonly filterAlways: boolean;
  /** Where people reach the server, without a slash at its end; undefined: wherever they ask. */
  readonly publicUrl: string | undefined;
  /** The hash of KEYDESK_ADMIN_TOKEN; null where it is not set. */
  readonly operatorHash: string | null;
}

/** What every service function gets first. */
export interface ServiceContext {
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly liveCatalogue: LiveCatalogue;
  readonly readCache: ReadCache;
}

/** A service context with the caller of one request. */
export interface RequestContext extends ServiceContext {
  readonly principal: Principal;
}

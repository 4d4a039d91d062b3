import type { Attempts } from "./abuse/attempts.ts";
import type { ClientAddresses } from "./abuse/client-addresses.ts";
import type { Principal } from "./access/principal.ts";
import type { LiveCatalogue } from "./catalogue/live-catalogue.ts";
import type { KeyFormat } from "./credentials/key-form.ts";
import type { Clock } from "./lib/clock.ts";
import type { ReadCache } from "./lib/read-cache.ts";
import type { Passwords } from "./passwords/passwords.ts";
import type { Sealer } from "./sealing/sealer.ts";
import type { Storage } from "./storage/storage.ts";
import type { Verifier } from "./verification/verifier.ts";

/** What the services go by, out of the configuration. */
export interface Settings {
  readonly pageSize: number;
  readonly references: "open" | "strict";
  /** The form of keys that are minted. */
  readonly keyFormat: KeyFormat;
  /** True: sealed members read "" for everybody. */
  readonly maskSecrets: boolean;
  /** True: the certificate list's `filter` works in both modes. */
  readonly filterAlways: boolean;
  /** What links to this server begin with, without a slash at its end; empty: links begin with `/`. */
  readonly publicUrl: string;
  /** How long a claim link can be opened. */
  readonly claimLifeSeconds: number;
  /** Life of an OAuth token. */
  readonly oauthTokenLifeMs: number;
  /** The header with a visitor's credential, as proxies forward it. */
  readonly forwardAuthHeader: string;
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
  readonly passwords: Passwords;
  readonly clientAddresses: ClientAddresses;
  /** Failed authentications, and who has to wait. */
  readonly attempts: Attempts;
  readonly verifier: Verifier;
}

/** A service context with the caller of one request. */
export interface RequestContext extends ServiceContext {
  readonly principal: Principal;
}

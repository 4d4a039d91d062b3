import type { LeakAction } from "../contract/leak-actions.ts";
import type { Clock } from "../kernel/clock.ts";
import type { MailServer } from "../kernel/outbound/mail-server.ts";
import type { SmtpServer } from "../kernel/outbound/smtp-url.ts";
import type { Metrics } from "../kernel/metrics/metrics.ts";
import type { Outbound } from "../kernel/outbound/outbound.ts";
import type { ReadCache } from "../kernel/read-cache.ts";
import type { Sealer } from "../kernel/sealing/sealer.ts";
import type { Problems } from "../kernel/problems.ts";
import type { Storage } from "../storage/storage.ts";
import type { StoreClock } from "../storage/store-clock.ts";
import type { WriteHealth } from "../storage/write-health.ts";
import type { Attempts } from "./abuse/attempts.ts";
import type { ClientAddresses } from "./abuse/client-addresses.ts";
import type { Damages } from "./damages.ts";
import type { RevokedLately } from "./revoked-lately.ts";
import type { Principal } from "./principal.ts";
import type { AuditLogNotes } from "./audit-notes.ts";

/** By what another gateway may hash a legacy key whole: what the `h` in it says. */
export const keyHashes = ["sha256", "murmur128", "murmur64"] as const;

/** One of them. */
export type KeyHash = typeof keyHashes[number];

/** The form of minted keys: the legacy one, with its `h`, or `kd_<env>_<random>_<checksum>`. */
export type KeyFormat = { name: "legacy"; hash?: KeyHash } | { name: "kd"; env: string };

/**
 * The access that a plan gives that an organisation never had: none, or every API without a limit.
 */
export type UnknownPlanChoice = "refuse" | "allow";

/** The services' part of the configuration. */
export interface Settings {
  readonly pageSize: number;
  readonly references: "open" | "strict";
  readonly unknownPlan: UnknownPlanChoice;
  /** True: what memory holds of keys decides while the store is away. */
  readonly verifiesWhileAway: boolean;
  /** The form of keys that are minted. */
  readonly keyFormat: KeyFormat;
  /** True: sealed members read "" for everybody. */
  readonly maskSecrets: boolean;
  /** Characters of a developer's new password, at least. */
  readonly leastPassword: number;
  /** The file of breached passwords' hashes, which new ones are looked for in; "": none. */
  readonly breachedPasswords: string;
  /** True: the certificate list's `filter` works in both modes. */
  readonly filterAlways: boolean;
  /** True: the certificate list has the original's members and no others. */
  readonly originalCertificateLists: boolean;
  /** The prefix of links to this server, without a final slash; empty: links begin with `/`. */
  readonly publicUrl: string;
  /**
   * The prefix of links to the first organisation's developer's pages; empty: as the one above.
   */
  readonly portalUrl: string;
  /** The mail server that KEYDESK_SMTP_URL names; undefined: the stored one counts. */
  readonly smtp: SmtpServer | undefined;
  /** The sender of mails by that server without another one; empty: none. */
  readonly mailFrom: string;
  /** How many key requests may wait for a decision, and how many bytes one keeps; 0: any number. */
  readonly pendingLimits: { readonly developer: number; readonly organisation: number };
  readonly requestBytes: number;
  /** The destinations of audit log checkpoints besides channels. */
  readonly headsGo: { readonly file: boolean; readonly witnesses: boolean };
  /** How many keys the access tokens of one person may end within an hour without `approve`. */
  readonly revokeRateLimit: number;
  /** The folder for files and sockets of gateways that go by hashes; "": none. */
  readonly gatewayFolder: string;
  /** How many processes serve this store, as the operator says. */
  readonly processes: number;
  /** After what time without use a browser's session ends; 0: never before its time. */
  readonly sessionIdleMs: number;
  /** How long a one-time link can be opened. */
  readonly oneTimeLinkLifeSeconds: number;
  /** How long an offer waits for its developer. */
  readonly offerLifeMs: number;
  /** Whether the older interface shows a declined request to anyone who reads it by its id. */
  readonly includesDeclined: boolean;
  /** Life of an OAuth token. */
  readonly oauthTokenLifeMs: number;
  /** The header with a visitor's credential, as proxies forward it. */
  readonly forwardAuthHeader: string;
  /** For how many days use is kept by hour, and by day. */
  readonly usageLife: { readonly hour: number; readonly day: number };
  /** How long a new access token lives at the most, in milliseconds; null: for ever. */
  readonly longestTokenMs: number | null;
  /**
   * Whether leaks can be reported, what is done about access tokens, and the published keys of a
   * partner; "": none.
   */
  readonly leaks: {
    readonly open: boolean;
    readonly tokens: LeakAction;
    readonly partnerKeys: string;
  };
}

/**
 * The context that every service function gets first. A feature that needs more says so in its own
 * type: `WithCatalogue`, `WithVerifier`, `WithPasswords`. open-server.ts makes the whole.
 */
export interface ServiceContext {
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** The clock by which nodes that share the store take turns. */
  readonly storeClock: StoreClock;
  readonly settings: Settings;
  readonly readCache: ReadCache;
  readonly clientAddresses: ClientAddresses;
  /** The one way to other servers. */
  readonly outbound: Outbound;
  /** The server that mails are handed to now; undefined: there is none. */
  readonly mail: () => Promise<MailServer | undefined>;
  /** Lasting problems: `/readyz` answers by them. */
  readonly problems: Problems;
  /** This process's metrics of its own work; undefined: none. */
  readonly metrics: Metrics | undefined;
  /** The results of writes to the store. */
  readonly writing: Pick<WriteHealth, "last">;
  /** The damaged rows. */
  readonly damages: Damages;
  /** The revocations of the last 30 days, kept outside of the store. */
  readonly revokedLately: RevokedLately;
  /** Failed authentications, and who has to wait. */
  readonly attempts: Attempts;
  /** The audit log's rows for calls that change nothing. */
  readonly notes: AuditLogNotes;
}

/** A service context with the caller of one request. */
export interface RequestContext extends ServiceContext {
  readonly principal: Principal;
}

import { join } from "node:path";
import { Attempts } from "./calls/abuse/attempts.ts";
import { ClientAddresses } from "./calls/abuse/client-addresses.ts";
import type { RequestContext, ServiceContext } from "./calls/context.ts";
import { Damages, PAGE_PROBLEM } from "./calls/damages.ts";
import { RevokedLately } from "./calls/revoked-lately.ts";
import { AuditLogNotes } from "./calls/audit-notes.ts";
import { type Config, ConfigInvalid, postgresLimits, unknownPlanChoice } from "./config.ts";
import { findTokenOwner } from "./features/people/access-tokens.store.ts";
import { findFirstOrganisation } from "./features/people/organisations.store.ts";
import type { WithOpenApprovals } from "./features/people/left-open.ts";
import { TokenUses, type WithTokenUses } from "./features/people/token-uses.ts";
import { LiveCatalogue, type WithCatalogue } from "./features/plans/catalogue/live-catalogue.ts";
import type { WithPasswords } from "./features/accounts/developer-accounts.service.ts";
import {
  KeyMigrator,
  type WithMigrator,
} from "./features/migration/lazy-migration/key-migrator.ts";
import {
  ShadowCalls,
  type WithShadowCalls,
} from "./features/migration/shadow-mode/shadow-calls.ts";
import { Verifier, type WithVerifier } from "./features/verification/verifier.ts";
import { type Clock, systemClock, toTimestamp } from "./kernel/clock.ts";
import { Metrics } from "./kernel/metrics/metrics.ts";
import { randomBytes, toHex } from "./kernel/ids.ts";
import { wayToStored } from "./features/notifications/mail-server.ts";
import type { ClientCertificate } from "./kernel/outbound/outbound.ts";
import { openOutbound } from "./kernel/outbound/open-outbound.ts";
import { entryOfServer, parseSmtpUrl, type SmtpServer } from "./kernel/outbound/smtp-url.ts";
import { Passwords } from "./kernel/passwords/passwords.ts";
import { ReadCache } from "./kernel/read-cache.ts";
import { Sealer } from "./kernel/sealing/sealer.ts";
import { Problems } from "./kernel/problems.ts";
import { ThisNode, type WithNode } from "./maintenance/nodes/this-node.ts";
import { openStream, type StreamCertificates } from "./maintenance/audit-stream/open-stream.ts";
import { parseStreamAddress } from "./maintenance/audit-stream/stream-address.ts";
import {
  type AuditStream,
  leavesToServers,
  type WithStream,
} from "./maintenance/audit-stream/audit-stream.ts";
import { finishPendingRestore } from "./maintenance/restored/finish-restore.ts";
import { ensurePurgeTime } from "./maintenance/retention/last-purge.ts";
import { refuseOtherSchema } from "./other-schema.ts";
import { checkSealingKeys } from "./maintenance/sealing-keys/sealing-keys.transactions.ts";
import { countedStorage, tracedStorage } from "./storage/measured-storage.ts";
import { openStorage, type StorageLocation, type WriterChoice } from "./storage/open-storage.ts";
import type { Connection, Storage, StoreEnd, StoreSigns } from "./storage/storage.ts";
import { DatabaseClock, storeClockBy } from "./storage/store-clock.ts";
import { attemptWrite } from "./storage/write-attempt.transactions.ts";
import { WriteHealth } from "./storage/write-health.ts";
import { ensureStore } from "./store-folder.ts";
import { SEALING_KEY_FILE } from "./store-files.ts";

/** The open server: what every feature's functions need of it. */
export type ServerContext =
  & ServiceContext
  & WithCatalogue
  & WithVerifier
  & WithMigrator
  & WithShadowCalls
  & WithPasswords
  & WithTokenUses
  & WithOpenApprovals
  & WithNode
  & WithStream;

/** The open server and its caller. */
export type ServerCall = ServerContext & RequestContext;

/**
 * How a server is opened. `keydesk serve` writes on a thread of its own; command line and tests
 * write on theirs.
 */
export interface OpenOptions {
  writer: WriterChoice;
  clock?: Clock;
  /** Replaces the clock by which nodes take turns: the database's, or of a file `clock`. */
  storeClock?: Clock;
  /** True: an empty store is made where a part of one is missing, and what is left is set aside. */
  fresh?: boolean;
  /**
   * True: what it commits to the audit log is sent to the stream by this process, which starts
   * that; else it is left to servers, and no one waits.
   */
  sends?: boolean;
  /** Called when nothing more can be written: the process should end. */
  onStoreEnd?(end: StoreEnd): void;
}

/**
 * An open store with everything that services need; the composition that server, command line and
 * tests share.
 */
export async function openServer(config: Config, options: OpenOptions): Promise<ServerContext> {
  const keys = await ensureStore(config, options.fresh ?? false);
  const outbound = outboundOf(config);
  const clock = options.clock ?? systemClock;
  const problems = new Problems(clock);
  const writing = new WriteHealth(problems);
  const metrics = config.METRICS === "on" ? new Metrics() : undefined;
  const stream = options.sends ? streamOf(config) : undefined;
  const outlet = stream ?? (config.AUDIT_STREAM === undefined ? undefined : leavesToServers);
  const signs = signsOf(writing, problems, options);
  const location = locationIn(config, options);
  const store = await openStorage(location, keys, options.writer, signs, outlet);
  const storage = tracedStorage(metrics ? countedStorage(store, metrics) : store);
  writing.start(() => {
    const position = -1 - parseInt(toHex(randomBytes(6)), 16);
    return storage.commit(attemptWrite, { position, at: toTimestamp(clock.now()) });
  });
  const revokedLately = new RevokedLately(config.DATA_DIR);
  try {
    await beginStore(config, { storage, clock, revokedLately });
  } catch (error) {
    await writing.close();
    await storage.close();
    throw error;
  }
  const sealer = new Sealer(keys);
  const damages = new Damages({ storage, sealer, clock, problems, revokedLately });
  const settings = settingsOf(config);
  const migrator = new KeyMigrator({ storage, clock, sealer, settings, outbound });
  const verifier = new Verifier(storage, clock, damages, verifying(config, settings), migrator);
  const shadowCalls = new ShadowCalls(storage);
  const notes = notesIn(storage, clock);
  const tokenUses = new TokenUses(storage, clock);
  const { reader } = storage;
  const storeClock = storeClockIn(reader, clock, options);
  return {
    storage: {
      ...storage,
      outlet,
      close: async () => {
        await tokenUses.flush();
        await verifier.close();
        await shadowCalls.flush();
        await notes.close();
        await damages.flush();
        await stream?.stop();
        await writing.close();
        await storage.close();
      },
    },
    node: new ThisNode(config.PORT),
    verifier,
    shadowCalls,
    notes,
    stream,
    tokenUses,
    openApprovals: async (org_id, without) => {
      // Loaded with the first change of people: a start waits for none of it.
      const it = await import("./features/key-requests/open-approvals.service.ts");
      return await it.openApprovals(reader, { org_id, now: clock.now(), without });
    },
    sealer,
    clock,
    storeClock,
    problems,
    metrics,
    writing,
    damages,
    revokedLately,
    settings,
    migrator,
    liveCatalogue: new LiveCatalogue(),
    readCache: new ReadCache(),
    outbound,
    mail: mailServer(config, { storage, sealer, outbound }),
    passwords: new Passwords(),
    clientAddresses: new ClientAddresses(config.TRUSTED_PROXIES, config.AUDIT_ADDRESSES),
    attempts: new Attempts(clock, { processes: config.PROCESSES }),
  };
}

/** The one way out of this process. */
function outboundOf(config: Config) {
  return openOutbound({
    entries: config.OUTBOUND,
    ...authorities(config),
    client: providerClient(config),
  });
}

function notesIn(storage: Storage, clock: Clock): AuditLogNotes {
  return new AuditLogNotes(storage, clock, {
    ownerOf: (hash) => findTokenOwner(storage.reader, { hash }),
    firstOrganisation: async () => (await findFirstOrganisation(storage.reader))?.id,
  });
}

/** The clock that all nodes of a store share. */
function storeClockIn(
  reader: Connection,
  clock: Clock,
  options: OpenOptions,
): ServerContext["storeClock"] {
  return options.storeClock || reader.dialect === "sqlite"
    ? storeClockBy(options.storeClock ?? clock, clock)
    : new DatabaseClock(reader, clock);
}

/** The location of the store. A fresh one is made if requested, whatever exists. */
function locationIn(config: Config, { fresh }: OpenOptions) {
  const location = locationOf(config);
  if ("url" in location && !fresh) {
    location.ifEmpty = (session) => refuseOtherSchema(config, session);
  }
  return location;
}

function verifying(config: Config, { unknownPlan }: ServiceContext["settings"]) {
  return {
    unknownPlan,
    maxStaleMs: config.VERIFY_MAX_STALE_MS,
    allowStale: config.VERIFY_STALE === "allow",
    processes: config.PROCESSES,
  };
}

/** Hears how the store writes, and makes problems of it. */
function signsOf(
  writing: WriteHealth,
  problems: Problems,
  { onStoreEnd }: OpenOptions,
): StoreSigns {
  return {
    began: () => writing.began(),
    ended: (how) => writing.ended(how),
    room: (lacks) => writing.room(lacks),
    log: (keptBack) => writing.log(keptBack),
    over: (end) => {
      writing.over(end);
      onStoreEnd?.(end);
    },
    damaged: (reason) => problems.begin(PAGE_PROBLEM, { reason, stops: "nothing" }),
    whole: () => problems.end(PAGE_PROBLEM),
  };
}

/** Prepares a store before its first use. Throws ConfigInvalid for another sealing key. */
async function beginStore(
  config: Config,
  { storage, clock, revokedLately }: Pick<ServerContext, "storage" | "clock" | "revokedLately">,
): Promise<void> {
  await revokedLately.load();
  const { wrong, isForgotten } = await storage.commit(checkSealingKeys, null);
  if (isForgotten) throw new ConfigInvalid(KEYS_FORGOTTEN);
  if (wrong.length > 0) throw new ConfigInvalid(wrongKeysText(config, wrong));
  await ensurePurgeTime(storage, clock);
  if (config.DATABASE_URL) return;
  const { DATA_DIR, databaseFile } = config;
  await finishPendingRestore({ storage, clock, revokedLately }, DATA_DIR, databaseFile);
}

/** The features' part of the configuration. */
function settingsOf(config: Config): ServiceContext["settings"] {
  return {
    pageSize: config.PAGE_SIZE,
    references: config.REFERENCES,
    unknownPlan: unknownPlanChoice(config),
    verifiesWhileAway: config.VERIFY_STALE === "allow",
    keyFormat: config.KEY_FORMAT === "kd"
      ? { name: "kd", env: config.KEY_ENV }
      : { name: "legacy", hash: config.KEY_HASH },
    maskSecrets: config.MASK_SECRETS,
    leastPassword: config.PASSWORD_MIN,
    breachedPasswords: breaches(config),
    filterAlways: config.CERTS_FILTER === "always",
    originalCertificateLists: config.CERTS_ANSWER === "original",
    publicUrl: config.PUBLIC_URL ?? "",
    portalUrl: config.PORTAL_URL ?? "",
    smtp: smtpOf(config),
    mailFrom: config.MAIL_FROM ?? "",
    pendingLimits: {
      developer: config.PENDING_PER_DEVELOPER,
      organisation: config.PENDING_PER_ORGANISATION,
    },
    requestBytes: config.REQUEST_BYTES,
    headsGo: {
      file: config.AUDIT_CHECKPOINTS_FILE !== undefined,
      witnesses: config.AUDIT_WITNESSES.length > 0,
    },
    revokeRateLimit: config.REVOKE_RATE_LIMIT,
    gatewayFolder: config.GATEWAY_FOLDER ?? "",
    processes: config.PROCESSES,
    sessionIdleMs: config.SESSION_IDLE_MINUTES * 60_000,
    oneTimeLinkLifeSeconds: config.ONE_TIME_LINK_LIFE,
    includesDeclined: config.DECLINED === "shown",
    offerLifeMs: config.OFFER_DAYS * 24 * 60 * 60 * 1000,
    oauthTokenLifeMs: config.OAUTH_TOKEN_LIFE * 1000,
    forwardAuthHeader: config.FORWARD_AUTH_HEADER,
    usageLife: { hour: config.RETAIN_USE_HOURS_DAYS, day: config.RETAIN_USE_DAYS },
    longestTokenMs: config.TOKEN_LONGEST_DAYS === 0
      ? null
      : config.TOKEN_LONGEST_DAYS * 24 * 60 * 60 * 1000,
    leaks: {
      open: config.LEAK_REPORTS === "on",
      tokens: config.LEAKED_TOKENS,
      partnerKeys: config.LEAK_PARTNER_KEYS ?? "",
    },
  };
}

/** The server that mails are handed to: the one that its own setting names, else the stored one. */
function mailServer(
  config: Config,
  ctx: Pick<ServiceContext, "storage" | "sealer" | "outbound">,
): ServiceContext["mail"] {
  const server = smtpOf(config);
  const trusted = authorities(config);
  if (!server) return () => wayToStored(ctx, trusted.ca);
  const entries = [...config.OUTBOUND, entryOfServer(server)];
  const own = {
    server,
    from: config.MAIL_FROM ?? "",
    outbound: openOutbound({ entries, ...trusted }),
    ...trusted,
    trustsLoopback: true,
  };
  return () => Promise.resolve(own);
}

function smtpOf({ SMTP_URL }: Config): SmtpServer | undefined {
  return SMTP_URL === undefined ? undefined : parseSmtpUrl(SMTP_URL);
}

/** The file of breached passwords, which has to be there; "": none. */
function breaches({ PASSWORD_BREACHES_FILE: path }: Config): string {
  try {
    if (path !== undefined) Deno.openSync(path).close();
  } catch {
    throw new ConfigInvalid(
      "KEYDESK_PASSWORD_BREACHES_FILE: the file is not there, or can't be read",
    );
  }
  return path ?? "";
}

/** The certificates that are trusted in place of the public ones, where a file has them. */
function authorities({ OUTBOUND_CA_FILE: path }: Config): { ca?: string } {
  if (path === undefined) return {};
  try {
    const ca = Deno.readTextFileSync(path);
    if (/-----BEGIN CERTIFICATE-----/.test(ca)) return { ca };
  } catch {
    throw new ConfigInvalid("KEYDESK_OUTBOUND_CA_FILE: the file is not there, or can't be read");
  }
  throw new ConfigInvalid("KEYDESK_OUTBOUND_CA_FILE: the file holds no certificate in PEM");
}

/** The stream of the audit log, where the settings name one. */
function streamOf(config: Config): AuditStream | undefined {
  const { AUDIT_STREAM: place, AUDIT_STREAM_CA_FILE: ca, AUDIT_STREAM_CLIENT_FILE: client } =
    config;
  const address = place === undefined ? undefined : parseStreamAddress(place);
  return address && openStream(address, readStreamCertificates(ca, client));
}

/** Throws ConfigInvalid for a file that is not there, or does not hold what it is for. */
export function readStreamCertificates(caFile?: string, clientFile?: string): StreamCertificates {
  const ca = caFile === undefined ? undefined : pemOf("KEYDESK_AUDIT_STREAM_CA_FILE", caFile);
  if (clientFile === undefined) return { ca: ca?.certificates };
  const client = clientIn("KEYDESK_AUDIT_STREAM_CLIENT_FILE", clientFile);
  return { ca: ca?.certificates, client };
}

/** The certificate by which this server proves itself to identity providers, where it is set. */
function providerClient({ PROVIDER_CLIENT_FILE: path }: Config): ClientCertificate | undefined {
  return path === undefined ? undefined : clientIn("KEYDESK_PROVIDER_CLIENT_FILE", path);
}

function clientIn(setting: string, path: string): ClientCertificate {
  const { certificates: cert, key } = pemOf(setting, path);
  if (key === "") throw new ConfigInvalid(`${setting}: the file holds no private key in PEM`);
  return { cert, key };
}

function pemOf(setting: string, path: string): { certificates: string; key: string } {
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch {
    throw new ConfigInvalid(`${setting}: the file is not there, or can't be read`);
  }
  const blocks = text.match(/-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g) ?? [];
  const certificates = blocks.filter((one) => one.startsWith("-----BEGIN CERTIFICATE-----"));
  const key = blocks.find((one) => /^-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(one)) ?? "";
  if (certificates.length > 0) return { certificates: certificates.join("\n"), key };
  throw new ConfigInvalid(`${setting}: the file holds no certificate in PEM`);
}

/** The location of the store and its use, by the settings. */
export function locationOf(config: Config): StorageLocation {
  return config.DATABASE_URL
    ? { url: config.DATABASE_URL, migrate: config.UPGRADE, limits: postgresLimits(config) }
    : { path: config.databaseFile, migrate: config.UPGRADE };
}

const KEYS_FORGOTTEN =
  "the store no longer knows the sealing key that it was sealed with: something else than Keydesk emptied its table sealing_keys. Restore a copy, or the rows of that table from one";

/** That these versions are not what the store was sealed with, and where they stand. */
export function wrongKeysText(config: Config, versions: readonly number[]): string {
  const place = config.SEALING_KEY
    ? `KEYDESK_SEALING_KEY${config.SEALING_KEY_FILE === undefined ? "" : "_FILE"}`
    : join(config.DATA_DIR, SEALING_KEY_FILE);
  return `${place}: version ${versions.join(", ")} is not the key that this store was sealed with`;
}

import type { ReceivedRequest } from "../packages/http-listener/request.ts";
import { join } from "node:path";
import type { Peer } from "../packages/http-listener/request.ts";
import type { Principal } from "./calls/principal.ts";
import { Origin } from "./calls/origin.ts";
import { callLimits, type Config, ConfigInvalid, retentionOf } from "./config.ts";
import type { Endpoint } from "./contract/endpoint.ts";
import {
  type OpenOptions,
  openServer,
  type ServerCall,
  type ServerContext,
} from "./open-server.ts";
import { features } from "./endpoints.ts";
import { Authenticator } from "./features/people/authenticate.ts";
import { Callers } from "./features/people/callers.ts";
import {
  AdministratorDiffers,
  ensureFirstAccessToken,
  type FirstAccessToken,
  OrganisationDiffers,
} from "./features/people/first-access-token.ts";
import { Sessions } from "./features/people/sessions.ts";
import { DeveloperCallers } from "./features/portal/access/developer-callers.ts";
import { hasUnworded } from "./features/developers/developer-words.store.ts";
import { indexDevelopers } from "./features/developers/developer-words.transactions.ts";
import { hasUnfolded } from "./features/developers/folded-emails.store.ts";
import { foldEmails } from "./features/developers/folded-emails.transactions.ts";
import { hasUnhashed } from "./features/developers/sso-keys.store.ts";
import { hashSsoKeys } from "./features/developers/sso-keys.transactions.ts";
import { startAlerts } from "./features/notifications/alerts/start-alerts.ts";
import { startDeliveries } from "./features/notifications/start-deliveries.ts";
import { startRechecks } from "./features/people/identity-providers/start-rechecks.ts";
import { startEndingTemporaryAccess } from "./features/sign-in/temporary-access/end-temporary-access.ts";
import { startGateways } from "./features/gateways/start-gateways.ts";
import { startLazyMigration } from "./features/migration/lazy-migration/start-lazy-migration.ts";
import { startJobs } from "./features/jobs/start-jobs.ts";
import { type Indexed, startIndexer } from "./features/key-requests/search-indexer.ts";
import { LeakWorker, reportsWait } from "./features/hygiene/leaks/work-off.ts";
import { AccessLog } from "./http/access-log.ts";
import { createApp } from "./http/app.ts";
import { BodyReader } from "./http/body-reader.ts";
import type { Asked } from "./http/call.ts";
import { routesOf } from "./http/routes.ts";
import type { RequestIds } from "./http/request-id.ts";
import { answerNoRequest } from "./http/serve.ts";
import { UnderWay } from "./http/under-way.ts";
import { UnknownNotes } from "./http/unknown-names.ts";
import { HttpListener } from "../packages/http-listener/listener.ts";
import type { Deadline } from "./kernel/deadline.ts";
import { collectAfterCrowd } from "./kernel/collect.ts";
import { inTime } from "./kernel/in-time.ts";
import type { Log } from "./kernel/log.ts";
import { answerScrape } from "./maintenance/metrics/hidden-metrics.ts";
import { serveMetrics, Watch, watchLoop } from "./maintenance/metrics/watch.ts";
import { connectionsWithin, openFilesLimit } from "./open-files.ts";
import { startScrub } from "./maintenance/damage/scrub.ts";
import { startHeartbeat } from "./maintenance/nodes/heartbeat.ts";
import { startPurger } from "./maintenance/retention/purger.ts";
import { appendAll, startAppender } from "./maintenance/audit-log/appender.ts";
import { startHeadNews } from "./maintenance/audit-log/head-news.ts";
import { startHeadWatch } from "./maintenance/audit-log/head-watch.ts";
import { witnessesOf } from "./maintenance/audit-log/witness.ts";
import { startWitnessing } from "./maintenance/audit-log/witnessing.ts";
import { routeTable } from "./route-table.ts";
import { storageWithin } from "./storage/storage-within.ts";
import { FIRST_TOKEN_FILE } from "./store-files.ts";

/**
 * How long a stop waits for bodies under way, for every answer, for clients to take what was
 * answered last, for leases to be given back, and for the store.
 */
const BODY_GRACE_MS = 1000;
const STOP_GRACE_MS = 5000;
const IDLE_GRACE_MS = 500;
const VERIFIER_GRACE_MS = 2000;
const CLOSE_GRACE_MS = 1000;

/**
 * The problem that a stopping server reports: nothing is wrong, but calls are to be sent elsewhere.
 */
const DRAINING = "draining";

/** The interface over an open server, without a listener: tests call it in process. */
export interface Application {
  readonly ctx: ServerContext;
  readonly bodies: BodyReader;
  readonly underWay: UnderWay;
  readonly log: Log;
  readonly first: FirstAccessToken;
  /** Answers scrapes; undefined where nothing is counted. */
  readonly watch: Watch | undefined;
  /** `peer`: who is connected; none for a call in process. */
  fetch(request: ReceivedRequest, peer?: Peer): Response | Promise<Response>;
  /** Answers what is no request, or one that no one could answer, and logs it. */
  refuse(error: unknown): Response;
}

/** Opens the store and puts the interface over it. */
export async function openApplication(
  config: Config,
  options: OpenOptions & { log: Log; checkAnswers?: boolean },
): Promise<Application> {
  const ctx = await openServer(config, { ...options, sends: true });
  logWhatBegins(ctx, options.log);
  const first = await firstAccessToken(ctx, config);
  await ctx.stream?.start(ctx);
  const bodies = new BodyReader({
    bytes: config.BODY_LIMIT,
    timeoutMs: config.BODY_TIMEOUT * 1000,
  });
  const underWay = new UnderWay(ctx.metrics?.doings);
  const authenticator = new Authenticator(
    ctx.storage.reader,
    ctx.clock,
    ctx.attempts,
    ctx.damages,
    { whileAway: config.VERIFY_STALE === "allow" },
  );
  const developers = new DeveloperCallers(ctx);
  const callers = new Callers(authenticator, new Sessions(ctx), developers, ctx);
  const watch = ctx.metrics && new Watch({ ctx, underWay });
  const log = new AccessLog(options.log, ctx.metrics?.calls);
  const findCaller = (endpoint: Endpoint, asked: Asked, origin: Origin) =>
    callers.find(endpoint, asked, origin);
  const originOf = (ids: RequestIds, { peer, request: { headers } }: Asked) =>
    new Origin(ids, peer, headers, ctx.clientAddresses);
  // Inherited: copying every member of the server costs more than most calls do.
  const contextOf = (principal: Principal, deadline?: Deadline): ServerCall =>
    Object.assign(
      Object.create(ctx),
      deadline ? { principal, storage: storageWithin(ctx.storage, deadline) } : { principal },
    );
  const fetch = createApp(routesOf<ServerCall, keyof typeof features>(routeTable, features), {
    contextOf,
    originOf,
    findCaller,
    notes: ctx.notes,
    bodies,
    underWay,
    ...callLimits(config, ctx.storage.reader.dialect),
    briefWaitMs: config.VERIFY_MAX_STALE_MS,
    log,
    unknownNotes: config.V1_UNKNOWN === "warn" ? new UnknownNotes(options.log) : undefined,
    checkAnswer: options.checkAnswers ? checked : undefined,
  }, {
    corsOrigins: config.CORS_ORIGINS,
    methodOverride: config.METHOD_OVERRIDE,
    wellKnown: {
      contacts: config.SECURITY_CONTACT,
      publicUrl: config.PUBLIC_URL,
      nowMs: () => ctx.clock.now(),
    },
    https: config.PUBLIC_URL?.startsWith("https:") ?? false,
    pages: {
      // Loaded with the first page that a person asks for.
      "/portal": async (asked) => {
        const { answerPortal } = await import("./features/portal/pages/portal-pages.ts");
        return await answerPortal(asked, { contextOf, originOf, developers, bodies, log });
      },
    },
    openText: async (asked) => {
      const { method } = asked.request;
      if (!OPEN_TEXTS.has(asked.path) || method !== "GET" && method !== "HEAD") return undefined;
      const { answerOpenText } = await import("./features/portal/pages/open-texts.ts");
      return await answerOpenText(asked, { contextOf, originOf, log });
    },
    // On a port that processes share, chance would say whose figures these are.
    hidden: watch && !config.REUSE_PORT
      ? (asked) =>
        answerScrape(asked, { operators: first.org_id, watch, findCaller, originOf, log })
      : undefined,
  });
  return {
    ctx,
    bodies,
    underWay,
    log: options.log,
    first,
    watch,
    fetch,
    refuse: (error) => answerNoRequest(error, log),
  };
}

/** The texts about public APIs. */
const OPEN_TEXTS = new Set(["/robots.txt", "/llms.txt", "/.well-known/api-catalog"]);

/** Writes problems, refused sign-ins and damages into the log as they come. */
function logWhatBegins({ problems, notes, damages }: ServerContext, log: Log): void {
  problems.listen((event, { name, reason, stops }, lasted_ms) =>
    log.line(
      event === "begins" && name !== DRAINING ? "error" : "info",
      `problem ${event}`,
      { problem: name, reason, stops, lasted_ms },
    )
  );
  notes.listen((refused) => log.line("warn", "sign-in refused", { ...refused }));
  damages.listen(({ org_id, object, object_id, what }) =>
    log.line("error", "damage found", { org_id, object, object_id, what })
  );
}

/** Throws ConfigInvalid where the store began with other settings, and closes it. */
async function firstAccessToken(ctx: ServerContext, config: Config): Promise<FirstAccessToken> {
  const given = { token: config.ADMIN_TOKEN, org_id: config.ORG_ID };
  const file = join(config.DATA_DIR, FIRST_TOKEN_FILE);
  try {
    return await ensureFirstAccessToken(ctx, given, file);
  } catch (error) {
    await ctx.storage.close();
    if (error instanceof OrganisationDiffers) throw new ConfigInvalid(ORGANISATION_DIFFERS);
    throw error instanceof AdministratorDiffers
      ? new ConfigInvalid(administratorDiffers(config))
      : error;
  }
}

function administratorDiffers({ ADMIN_TOKEN_FILE }: Config): string {
  const setting = `KEYDESK_ADMIN_TOKEN${ADMIN_TOKEN_FILE === undefined ? "" : "_FILE"}`;
  return `${setting}: counts at the first start alone, and this store began with another access token; ` +
    "leave the setting out, and make a further access token with `keydesk token create`";
}

const ORGANISATION_DIFFERS =
  "KEYDESK_ORG_ID: counts at the first start alone, and the first organisation of this store has another id; " +
  "leave the setting out, or make a further organisation with this id by POST /v1/organisations";

/** For tests: loaded only there, since it knows the whole document. */
async function checked(endpoint: Endpoint, output: unknown): Promise<void> {
  const { checkAnswer } = await import("./reference/check-answer.ts");
  checkAnswer(endpoint, output);
}

/**
 * The work for certificates of earlier releases. Loaded with the first look: a start does not wait
 * for it.
 */
const certificateWork: Indexed = {
  waits: async (db) => (await import("./features/certificates/certificate-work.ts")).waits(db),
  index: async (store) =>
    await (await import("./features/certificates/certificate-work.ts")).work(store),
};

/** A server that listens. */
export interface RunningServer {
  /** With the port that was really taken. */
  readonly address: { hostname: string; port: number };
  /** How many connections there may be at once, and by how many open files. */
  readonly connections: number;
  readonly openFiles: number;
  /** The address of the port with the metrics; undefined if there is none. */
  readonly metrics: { hostname: string; port: number } | undefined;
  /**
   * Serves on for `ms` milliseconds, or until `skipped` resolves, while `/readyz` says 503, so that
   * anyone who balances between servers turns away. Each answer from here on is the last of its
   * connection. On a port that is shared `/readyz` stays as it is: who asks there asks for all
   * processes, and the others are ready.
   */
  drain(ms: number, skipped: Promise<void>): Promise<void>;
  /**
   * Stops accepting, finishes what runs, closes the store. Resolves within ten seconds, whatever
   * clients do.
   */
  stop(): Promise<void>;
}

/**
 * Starts listening, with as many connections as so many open files allow. Throws when the address
 * is taken.
 */
export function startServer(
  config: Config,
  application: Application,
  openFiles = openFilesLimit(),
): RunningServer {
  const metrics = openMetrics(config, application);
  const { clientAddresses } = application.ctx;
  const { log } = application;
  const server = new HttpListener({
    hostname: config.HOST,
    port: config.PORT,
    reusePort: config.REUSE_PORT,
    most: connectionsWithin(openFiles),
    idleMs: config.IDLE_TIMEOUT * 1000,
    countedBy: (hostname) => clientAddresses.connectedFrom(hostname),
    handle: application.fetch,
    refuse: application.refuse,
    onCrowdGone: collectAfterCrowd,
    onRefused: (reason, count) => log.line("warn", "connections refused", { reason, count }),
  });
  const { hostname, port } = server.address;
  application.ctx.node.listensOn(port);
  const background = startBackground(config, application);
  const counted = application.ctx.metrics;
  if (counted) counted.connections = () => server.connections;
  const loop = counted && watchLoop(
    (ms) => counted.loopDelay.add(ms),
    counted.doings,
    (ms, ran) => log.line("warn", "the event loop was held up", { ms, ran }),
  );
  return {
    address: { hostname, port },
    connections: connectionsWithin(openFiles),
    openFiles,
    metrics: metrics?.address,
    drain: async (ms, skipped) => {
      const reason = "the server was told to stop";
      if (!config.REUSE_PORT) application.ctx.problems.begin(DRAINING, { reason, stops: "all" });
      server.endConnections();
      await inTime(skipped, ms, () => {});
    },
    stop: async () => {
      loop?.stop();
      void metrics?.shutdown();
      const finished = server.shutdown();
      const left = background.stop();
      await inTime(finished, BODY_GRACE_MS, () => {});
      application.bodies.abandonAll();
      await finishesOrIdles(finished, application.underWay, STOP_GRACE_MS - BODY_GRACE_MS);
      application.ctx.passwords.close();
      const { verifier, notes } = application.ctx;
      const closed = Promise.all([verifier.close(), notes.close(), left]);
      await inTime(closed, VERIFIER_GRACE_MS, () => {});
      // A commit that still waits there, behind another process's lock, was not acknowledged.
      await inTime(application.ctx.storage.close(), CLOSE_GRACE_MS, () => {});
    },
  };
}

/** Starts what runs beside calls; `stop` ends it, and gives back what this node has leased. */
function startBackground(
  config: Config,
  { ctx, log }: Application,
): { stop(): Promise<unknown> } {
  const { storage } = ctx;
  const heartbeat = startHeartbeat(ctx);
  const indexer = startIndexer(storage, [
    {
      waits: hasUnworded,
      index: (store) => store.commit(indexDevelopers, { from: "" }),
    },
    {
      waits: hasUnhashed,
      index: (store) => store.commit(hashSsoKeys, { from: "" }),
    },
    {
      waits: hasUnfolded,
      index: (store) => store.commit(foldEmails, null),
    },
    certificateWork,
    ...leakWork(ctx),
  ]);
  const appender = startAppender(ctx);
  const heads = startHeadWatch(ctx, config.DATA_DIR, log, {
    headsFile: config.AUDIT_CHECKPOINTS_FILE,
  });
  const witnessing = startWitnessing(ctx, witnessesOf(config.AUDIT_WITNESSES));
  const headNews = startHeadNews(ctx);
  const purger = startPurger(ctx, retentionOf(config), {
    // Retention cuts rows off the log, so they have to be in it.
    before: () => appendAll(ctx),
  });
  const deliveries = startDeliveries(ctx, log);
  const alerts = startAlerts(ctx, log);
  const jobs = startJobs(ctx, log);
  const gateways = startGateways(ctx, log);
  const lazyMigration = startLazyMigration(ctx, log);
  const looks = [startEndingTemporaryAccess, startRechecks].map((start) => start(ctx, log));
  const scrub = startScrub(ctx, config.SCRUB_HOURS * 60 * 60 * 1000);
  return {
    stop: () => {
      indexer.stop();
      purger.stop();
      // Other nodes take over what this one had the right to, instead of waiting until it ends.
      const leases = [scrub, alerts, jobs, gateways, lazyMigration, ...looks].map((one) =>
        one.stop()
      );
      // The last appended rows belong into the checkpoints that are kept, and that are sent.
      const auditLog = appender.stop().then(async () => {
        const [isNotified] = await Promise.all([headNews.stop(), witnessing.stop(), heads.stop()]);
        await deliveries.stop({ sendsOnce: isNotified });
      });
      return Promise.all([heartbeat.stop(), auditLog, ...leases]);
    },
  };
}

/**
 * Opens the port with the figures, where the settings want one. Throws ConfigInvalid where it can't
 * be had.
 */
function openMetrics(config: Config, application: Application) {
  const { watch } = application;
  const { METRICS_HOST: hostname, METRICS_PORT: port } = config;
  if (!watch || port === undefined) return undefined;
  try {
    return serveMetrics({ hostname, port }, watch, application.refuse);
  } catch (cause) {
    const why = cause instanceof Deno.errors.AddrInUse
      ? "the address is in use"
      : "no such address";
    throw new ConfigInvalid(
      `can't listen on ${hostname} port ${port} (KEYDESK_METRICS_HOST, KEYDESK_METRICS_PORT): ${why}`,
      { cause },
    );
  }
}

/**
 * Reports of leaks are processed beside the searches. If the endpoint for reports is off, only
 * those that the server administrator takes in are.
 */
function leakWork(ctx: ServerContext): Indexed[] {
  const worker = new LeakWorker(ctx);
  return [{ waits: reportsWait, index: () => worker.turn() }];
}

/**
 * Waits until everything has ended, or nothing has been under way for a while, but no longer than
 * `ms`.
 */
async function finishesOrIdles(
  finished: Promise<unknown>,
  underWay: UnderWay,
  ms: number,
): Promise<void> {
  const tick = 50;
  for (let waited = 0, idle = 0; waited < ms && idle < IDLE_GRACE_MS; waited += tick) {
    if (await inTime(finished.then(() => true), tick, () => false)) return;
    idle = underWay.count === 0 ? idle + tick : 0;
  }
}

import { join } from "node:path";
import type { Peer } from "./abuse/client-addresses.ts";
import { activityRoutes } from "./activity/activity.routes.ts";
import { Authenticator } from "./access/authenticate.ts";
import { ensureFirstCredential, type FirstCredential } from "./access/first-credential.ts";
import { organisationRoutes } from "./access/organisations.routes.ts";
import { peopleRoutes } from "./access/people.routes.ts";
import { Sessions } from "./access/sessions.ts";
import { sessionRoutes } from "./access/sessions.routes.ts";
import { nativePlanRoutes } from "./catalogue/native.routes.ts";
import { portalRoutes } from "./catalogue/portal.routes.ts";
import { certificateRoutes } from "./certificates/certificates.routes.ts";
import { nativeCertificateRoutes } from "./certificates/native.routes.ts";
import { claimRoutes } from "./claims/claims.routes.ts";
import { type Config, retentionOf } from "./config.ts";
import { type DeskOptions, openDesk } from "./desk.ts";
import { AccessLog } from "./http/access-log.ts";
import { developerAccountRoutes } from "./developer-accounts/developer-accounts.routes.ts";
import { nativeDeveloperRoutes } from "./developer-accounts/native.routes.ts";
import { hasUnworded } from "./developers/developer-words.store.ts";
import { indexDevelopers } from "./developers/developer-words.transactions.ts";
import { createApp } from "./http/app.ts";
import { BodyReader } from "./http/body-reader.ts";
import { UnderWay } from "./http/under-way.ts";
import { healthRoutes } from "./http/health.routes.ts";
import { keyRoutes } from "./keys/keys.routes.ts";
import { keyRequestRoutes } from "./key-requests/key-requests.routes.ts";
import { nativeKeyRequestRoutes } from "./key-requests/native.routes.ts";
import { startIndexer } from "./key-requests/search-indexer.ts";
import { startPurger } from "./retention/purger.ts";
import { planRoutes } from "./plans/plans.routes.ts";
import { referenceRoutes } from "./reference/reference.routes.ts";
import { serverInfoRoutes } from "./server-info/server-info.routes.ts";
import type { Log } from "./lib/log.ts";
import { oauthRoutes } from "./oauth/oauth.routes.ts";
import { verificationRoutes } from "./verification/verification.routes.ts";
import type { ServiceContext } from "./context.ts";

/** Every bound endpoint; test/api compares them with the registry. */
export const routes = [
  ...keyRequestRoutes,
  ...nativeKeyRequestRoutes,
  ...claimRoutes,
  ...keyRoutes,
  ...developerAccountRoutes,
  ...nativeDeveloperRoutes,
  ...portalRoutes,
  ...planRoutes,
  ...nativePlanRoutes,
  ...certificateRoutes,
  ...nativeCertificateRoutes,
  ...oauthRoutes,
  ...verificationRoutes,
  ...activityRoutes,
  ...peopleRoutes,
  ...organisationRoutes,
  ...sessionRoutes,
  ...serverInfoRoutes,
  ...healthRoutes,
  ...referenceRoutes,
];

/** The file in the data directory that holds the first administrator's credential. */
export const FIRST_CREDENTIAL_FILE = "administrator-credential";

/**
 * How long a stop waits for bodies under way, for every answer, for clients to take what was answered last, for
 * leases to be given back, and for the store.
 */
const BODY_GRACE_MS = 1000;
const STOP_GRACE_MS = 5000;
const IDLE_GRACE_MS = 500;
const VERIFIER_GRACE_MS = 2000;
const CLOSE_GRACE_MS = 1000;

/** The interface over an open desk, without a listener: what tests call in process. */
export interface Application {
  readonly ctx: ServiceContext;
  readonly bodies: BodyReader;
  readonly underWay: UnderWay;
  readonly first: FirstCredential;
  /** `peer`: who is connected; none for a call in process. */
  fetch(request: Request, peer?: Peer): Response | Promise<Response>;
}

/** Opens the store and puts the interface over it. */
export async function openApplication(
  config: Config,
  options: DeskOptions & { log: Log; checkAnswers?: boolean },
): Promise<Application> {
  const ctx = await openDesk(config, options);
  const file = join(config.DATA_DIR, FIRST_CREDENTIAL_FILE);
  const first = await ensureFirstCredential(ctx, config.ADMIN_TOKEN, file).catch(async (error) => {
    await ctx.storage.close();
    throw error;
  });
  const bodies = new BodyReader({
    bytes: config.BODY_LIMIT,
    timeoutMs: config.BODY_TIMEOUT * 1000,
  });
  const underWay = new UnderWay();
  const app = createApp(routes, {
    service: ctx,
    authenticator: new Authenticator(ctx.storage.reader, ctx.clock, ctx.attempts, {
      whileAway: config.VERIFY_STALE === "allow",
    }),
    sessions: new Sessions(ctx.storage.reader, ctx.clock),
    bodies,
    underWay,
    log: new AccessLog(options.log),
    checkAnswers: options.checkAnswers ?? false,
  }, config.CORS_ORIGINS);
  return { ctx, bodies, underWay, first, fetch: (request, peer) => app.fetch(request, peer) };
}

/** A server that listens. */
export interface RunningServer {
  /** With the port that was really taken. */
  readonly address: { hostname: string; port: number };
  /** Stops accepting, finishes what runs, closes the store. Resolves within ten seconds, whatever clients do. */
  stop(): Promise<void>;
}

/** Starts listening. Throws when the address is taken. */
export async function startServer(
  config: Config,
  application: Application,
): Promise<RunningServer> {
  const listening = Promise.withResolvers<Deno.NetAddr>();
  const server = Deno.serve({
    hostname: config.HOST,
    port: config.PORT,
    onListen: listening.resolve,
    onError: () => new Response(null, { status: 500 }),
  }, application.fetch);
  const { hostname, port } = await listening.promise;
  const { storage, clock } = application.ctx;
  const indexer = startIndexer(storage, [{
    waits: hasUnworded,
    index: (store) => store.commit(indexDevelopers, { from: "" }),
  }]);
  const purger = startPurger(storage, clock, retentionOf(config));
  return {
    address: { hostname, port },
    stop: async () => {
      indexer.stop();
      purger.stop();
      const finished = server.shutdown();
      await settlesWithin(finished, BODY_GRACE_MS);
      application.bodies.abandonAll();
      await finishesOrIdles(finished, application.underWay, STOP_GRACE_MS - BODY_GRACE_MS);
      application.ctx.passwords.close();
      await settlesWithin(application.ctx.verifier.close(), VERIFIER_GRACE_MS);
      // What still waits there, behind another process's lock, was not acknowledged to anybody.
      await settlesWithin(application.ctx.storage.close(), CLOSE_GRACE_MS);
    },
  };
}

/** Waits until everything has ended, or nothing has been under way for a while, but no longer than `ms`. */
async function finishesOrIdles(
  finished: Promise<unknown>,
  underWay: UnderWay,
  ms: number,
): Promise<void> {
  const tick = 50;
  for (let waited = 0, idle = 0; waited < ms && idle < IDLE_GRACE_MS; waited += tick) {
    if (await settlesWithin(finished, tick)) return;
    idle = underWay.count === 0 ? idle + tick : 0;
  }
}

/** Waits for a promise, but no longer than `ms`; false when that was too short. */
async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<boolean>((resolve) => timer = setTimeout(() => resolve(false), ms));
  const inTime = await Promise.race([promise.then(() => true), expired]);
  clearTimeout(timer);
  return inTime;
}

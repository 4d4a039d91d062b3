import type { z } from "zod";
import type { ServiceContext } from "../calls/context.ts";
import { Failure } from "../kernel/failure.ts";
import { once } from "../kernel/once.ts";
import { storeItself } from "../storage/storage-within.ts";
import { storeMark } from "../storage/store-mark.store.ts";
import type { lastCommit, writing } from "./health.contract.ts";

/** The purposes of a node: every call, or the questions of gateways. */
type Purpose = "everything" | "verify";

/**
 * Throws `unavailable`, with what is wrong in sentences, where calls of this purpose should go to
 * another node.
 */
export async function checkReady(ctx: ServiceContext, purpose: Purpose): Promise<void> {
  const { storage, problems, settings } = ctx;
  // The cache decides without the store, if the settings allow it.
  const needsStore = purpose === "everything" || !settings.verifiesWhileAway;
  const away = needsStore
    ? await storage.ping().then(() => undefined, (error: unknown) => ({ error }))
    : undefined;
  const stopped = problems.stops("reads") ||
    (purpose === "everything" && problems.stops("writes"));
  if (away || stopped) {
    throw new Failure("unavailable", { details: sentences(ctx), cause: causeOf(away?.error) });
  }
}

/** The result of the last change. No size, path, address or secret: everybody may read it. */
export function describeLastCommit(ctx: ServiceContext): z.output<typeof lastCommit> {
  const last = ctx.writing.last();
  return last === undefined ? null : {
    outcome: last.outcome,
    reason: last.reason ?? null,
    age_seconds: seconds(last.ageMs),
  };
}

/** The result with the size of the store's log: for administrators. */
export function describeWriting(ctx: ServiceContext): z.output<typeof writing> {
  const log = ctx.storage.log();
  return {
    last_commit: describeLastCommit(ctx),
    log_bytes: log?.bytes ?? null,
    // The files' times are the machine's.
    checkpoint_age_seconds: log?.checkpointAt === undefined
      ? null
      : Math.max(0, seconds(Date.now() - log.checkpointAt)),
  };
}

/** The store's mark, read once; undefined while the store is away. */
export function markOf(ctx: ServiceContext): Promise<string | undefined> {
  const storage = storeItself(ctx.storage);
  const known = marks.get(storage);
  const read = known ?? once(() => storeMark(storage.reader));
  if (!known) marks.set(storage, read);
  return read().catch(() => undefined);
}

const marks = new WeakMap<object, () => Promise<string>>();

/** Problems by their names alone: a reason may be for operators only. */
function sentences(ctx: ServiceContext): string[] {
  const last = describeLastCommit(ctx);
  return [
    ...ctx.problems.current().map(({ name, since }) => `${name} since ${since}`),
    ...last === null ? [] : [
      `the last commit ${last.reason === null ? "was kept" : `failed (${last.reason})`} ` +
      `${last.age_seconds} s ago`,
    ],
  ];
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

function causeOf(error: unknown): unknown {
  return error instanceof Failure ? error.cause : error;
}

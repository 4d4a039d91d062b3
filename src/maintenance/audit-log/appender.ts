import type { ServiceContext } from "../../calls/context.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { repeatedly } from "../../kernel/repeatedly.ts";
import type { Connection } from "../../storage/storage.ts";
import { appendToAuditLog, leaveAuditLog } from "./append.transactions.ts";
import { newAuditLogKey, usableKey } from "./signing-key.ts";
import {
  appendLease,
  auditLogKeys,
  findLog,
  placeBeforeWaiting,
  TAKEN_IN,
  waitingOrganisation,
} from "./logs.store.ts";

/**
 * How long the appender rests when nothing waits, and how many times as long as a round took when
 * something does.
 */
const REST_MS = 500;
const REST_FACTOR = 3;

type Context = Pick<
  ServiceContext,
  "storage" | "sealer" | "clock" | "storeClock" | "problems"
>;

/** The name of the problem that lasts as long as checkpoints can't be signed. */
const UNSIGNED = "audit_log_unsigned";

/** The name of the problem that lasts as long as rows name places that their log does not have. */
const CUT_BACK = "audit_log_cut_back";
/** The name of the problem that lasts as long as a log takes nothing in. */
const STUCK = "audit_log_stuck";

/** How long appendAll waits for a server that has that right, and how often it looks. */
const PATIENCE_MS = 2 * appendLease.lengthMs;
const LOOK_MS = 50;

/** The appending node. */
interface Holder {
  id: string;
  leaseMs: number;
  /** True: it has the right. */
  holds: boolean;
}

/**
 * Takes committed rows of the audit log into the logs until it is stopped, within a second, and
 * those that wait at the end; then the other nodes do so at once. Never rejects.
 */
export function startAppender(ctx: Context): { stop(): Promise<void> } {
  const holder = { id: newId(ctx.clock.now()), leaseMs: appendLease.lengthMs, holds: false };
  const turn = async () => {
    const started = performance.now();
    let rest = REST_MS;
    try {
      // A quarter of the writer's time at the most, however much waits.
      if (await appendRound(ctx, holder) === "more") {
        rest = Math.min(REST_MS, REST_FACTOR * (performance.now() - started));
      }
    } catch {
      // A store that can't be reached now is asked again at the next turn; calls tell of it.
    }
    return rest;
  };
  const turns = repeatedly(turn, REST_MS);
  return {
    stop: async () => {
      await turns.stop();
      // The last rows belong into the checkpoint that this server leaves.
      try {
        while (await appendRound(ctx, holder) === "more");
      } catch {
        // The next server takes it in.
      }
      // A store that is away hears nothing: then the right ends by itself.
      if (holder.holds) {
        await ctx.storage.commit(leaveAuditLog, { holder: holder.id }).catch(() => {});
      }
    },
  };
}

/**
 * Takes in all that waits now, or leaves it to the server that does so, and comes back when nothing
 * waits; after ten seconds in any case where another has the right and does nothing.
 */
export async function appendAll(ctx: Context): Promise<void> {
  const holder = { id: newId(ctx.clock.now()), leaseMs: 0, holds: false };
  const deadline = performance.now() + PATIENCE_MS;
  while (true) {
    const round = await appendRound(ctx, holder);
    if (round === "done") return;
    if (round === "more") continue;
    if (performance.now() > deadline) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** A batch of each organisation in which rows wait: whether more wait, or are another node's. */
async function appendRound(ctx: Context, holder: Holder): Promise<"done" | "more" | "leased"> {
  const { storage, sealer, storeClock, problems } = ctx;
  const { reader } = storage;
  let org_id = await waitingOrganisation(reader, { behind: "" });
  if (org_id === undefined) {
    problems.end(CUT_BACK);
    problems.end(STUCK);
    return "done";
  }
  if (await appendLease.isOthers(reader, holder.id, await storeClock.now())) return "leased";
  const newKey = usableKey(await auditLogKeys(reader)) ? null : newAuditLogKey(sealer);
  let more = false;
  const cutBack: string[] = [];
  const stuck: string[] = [];
  for (; org_id !== undefined; org_id = await waitingOrganisation(reader, { behind: org_id })) {
    if (await isCutBack(reader, org_id)) {
      cutBack.push(org_id);
      continue;
    }
    const { id, leaseMs } = holder;
    const input = { org_id, holder: id, leaseMs, newKey, now: await storeClock.now() };
    try {
      const { leased, rows, signed } = await storage.commit(appendToAuditLog, input);
      holder.holds = leased;
      if (!leased) return "leased";
      if (signed) problems.end(UNSIGNED);
      else problems.begin(UNSIGNED, { reason: NO_KEY, stops: "nothing" });
      more ||= rows === TAKEN_IN;
    } catch (error) {
      // A store that is away is away for every log.
      if (error instanceof Failure && error.code === "unavailable") throw error;
      // A problem with one log delays no other.
      stuck.push(org_id);
    }
  }
  if (cutBack.length === 0) problems.end(CUT_BACK);
  else problems.begin(CUT_BACK, { reason: `${NO_PLACE}: ${cutBack[0]}`, stops: "nothing" });
  const reason = `rows cannot be added to the log of ${stuck.join(", ")}: keydesk audit verify`;
  if (stuck.length > 0) problems.begin(STUCK, { reason, stops: "nothing" });
  else problems.end(STUCK);
  return more ? "more" : "done";
}

/**
 * Whether a row has a place behind the log's end. Nothing is taken in then: a log that begins anew
 * would give the same places to others.
 */
async function isCutBack(db: Connection, org_id: string): Promise<boolean> {
  // The row first: a log that grows meanwhile has only more places.
  const place = await placeBeforeWaiting(db, org_id);
  return place !== undefined && place >= ((await findLog(db, org_id))?.size ?? 0);
}

const NO_PLACE =
  "rows of the audit log have positions that their log does not have: it is missing or was cut back, and takes no more rows";

const NO_KEY =
  "the key for checkpoints of the audit log was sealed with a sealing key that is missing";

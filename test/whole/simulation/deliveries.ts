/**
 * Messages on their way out of a simulated desk: a receiver whose answers the seed decides, and
 * what must be true.
 */
import { isUrgent } from "../../../src/features/notifications/delivery.ts";
import { senders } from "../../../src/features/notifications/delivery-engine.ts";
import { startDeliveries } from "../../../src/features/notifications/start-deliveries.ts";
import { sendWebhook } from "../../../src/features/notifications/webhook-sender.ts";
import {
  type OutboundAnswer,
  type OutboundCall,
  OutboundFailed,
} from "../../../src/kernel/outbound/outbound.ts";
import type { Application } from "../../../src/server.ts";
import { SqliteConnection } from "../../../src/storage/engines/sqlite-connection.ts";
import { statement } from "../../../src/storage/statement.ts";
import type { Connection } from "../../../src/storage/storage.ts";
import type { Random } from "../../support/random.ts";
import { virtual } from "./virtual.ts";

// Loading takes turns that no seed decides.
Object.assign(senders, { webhook: sendWebhook });

/** What the channel of every history is made with; nobody listens there. */
export const CHANNEL = { name: "Simulated", url: "http://127.0.0.1:9/" };

/**
 * A receiver that outlives the desks, and what it has taken, in its order; the same may come twice.
 */
export class Receiver {
  readonly taken: { event_id: string; object_id: string }[] = [];
  readonly #random: Random;
  /** True: it takes everything from now on. */
  isCalm = false;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Delivers what this desk has to tell, until it is stopped. */
  serve({ ctx, log }: Application): { stop(): void } {
    const outbound = {
      send: (call: OutboundCall) => this.#take(call),
      connect: () => Promise.reject(new Error("nobody is mailed here")),
      missing: () => undefined,
    };
    return startDeliveries({ ...ctx, outbound }, log);
  }

  async #take({ body = "" }: OutboundCall): Promise<OutboundAnswer> {
    const random = this.#random;
    await new Promise((resolve) => setTimeout(resolve, random.below(this.isCalm ? 5 : 300)));
    const dice = this.isCalm ? 1 : random.next();
    if (dice < 0.15) return answered(503);
    const { data } = JSON.parse(String(body));
    this.taken.push({ event_id: data.event_id, object_id: data.id });
    if (dice < 0.25) throw new OutboundFailed("the answer was lost");
    return answered(204);
  }
}

function answered(status: number): OutboundAnswer {
  return { status, headers: new Headers(), body: "", durationMs: 1 };
}

type Nothing = Record<never, never>;

const messagesSql = statement<Nothing>()((db) =>
  db.selectFrom("outbox_events as e").leftJoin(
    "deliveries as d",
    (join) => join.onRef("d.org_id", "=", "e.org_id").onRef("d.event_id", "=", "e.id"),
  ).select(["e.id", "e.topic", "e.object_id", "e.position", "e.fanned", "d.state"])
    .where("e.position", "is not", null).orderBy("e.position")
);

const waitingSql = statement<Nothing>()((db) =>
  db.selectFrom("deliveries").select("id").where("state", "=", "waiting").limit(1)
);
const unfannedSql = statement<Nothing>()((db) =>
  db.selectFrom("outbox_events").select("id")
    .where("position", "is not", null).where("fanned", "is", null).limit(1)
);

const HOUR_MS = 60 * 60 * 1000;
/** After a jump back of the clock, and the longest wait. */
const HOURS = 60;

/**
 * Lets everything arrive: nothing goes wrong any more, and an hour passes whenever nobody has
 * anything to do.
 */
export async function arrive({ ctx: { storage: { reader } } }: Application): Promise<void> {
  for (let hour = 0; hour < HOURS; hour++) {
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const waits = await reader.row(waitingSql, {}) ?? await reader.row(unfannedSql, {});
    if (waits === undefined) return;
    virtual.wall += HOUR_MS;
  }
}

/**
 * What was lost, invented or moved on its way from the store of this file to the receiver, in
 * words; empty: nothing.
 */
export async function deliveryProblems(
  path: string,
  taken: Receiver["taken"],
): Promise<{ problems: string[]; messages: number }> {
  const connection = SqliteConnection.openReader(path);
  try {
    return await problemsOf(connection, taken);
  } finally {
    connection.close();
  }
}

async function problemsOf(db: Connection, taken: Receiver["taken"]) {
  const messages = await db.rows(messagesSql, {});
  const came = new Map<string, number>();
  for (const [n, { event_id }] of taken.entries()) {
    if (!came.has(event_id)) came.set(event_id, n);
  }
  const known = new Map(messages.map((one) => [one.id, one]));
  const problems = [...came.keys()].filter((id) => !known.has(id))
    .map((id) => `deliveries: ${id} was told, and no change had left it`);
  const behind = new Map<string, { id: string; at: number }>();
  for (const { id, topic, object_id, fanned, state } of messages) {
    const at = came.get(id);
    if (fanned === null || state === null) problems.push(`deliveries: ${topic} ${id} was lost`);
    else if (state === "waiting") problems.push(`deliveries: ${topic} ${id} waits for ever`);
    else if (state === "delivered" && at === undefined) {
      problems.push(`deliveries: ${topic} ${id} is said to have arrived, and did not`);
    }
    // What is urgent may overtake.
    if (at === undefined || isUrgent(topic)) continue;
    const before = behind.get(object_id);
    if (before && before.at > at) {
      problems.push(`deliveries: ${topic} ${id} came before ${before.id} of the same object`);
    }
    if (!before || before.at < at) behind.set(object_id, { id, at });
  }
  return { problems, messages: messages.length };
}

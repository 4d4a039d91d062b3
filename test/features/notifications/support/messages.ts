/** Messages about made-up plans, on a desk whose clock stands until it is moved. */
import { DeliveryEngine } from "../../../../src/features/notifications/delivery-engine.ts";
import { defineTransaction } from "../../../../src/storage/storage.ts";
import { addToOutbox } from "../../../../src/changes/outbox.ts";
import { openTestDesk, type TestDesk, testEachEngine } from "../../../support/desk.ts";
import { movableClock } from "../../../support/keys.ts";
import { call } from "../../../support/people.ts";
import { deliver, type Received } from "../../../support/receiver.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** Leaves messages as changes do, many in one transaction. */
export const tell = defineTransaction(
  "test.tell",
  async (
    tx,
    input: { org_id: string; now: number; told: { topic: string; object_id: string }[] },
  ) => {
    const { org_id, now } = input;
    for (const one of input.told) {
      await addToOutbox(tx, { org_id, user_id: "test", token_id: "", now }, one);
    }
  },
);

/** One that a test moves. */
export type Clock = ReturnType<typeof movableClock>;

/** A desk whose clock stands until it is moved, on each engine. */
export function onEngines(
  promise: string,
  test: (desk: TestDesk, clock: Clock) => Promise<void>,
): void {
  testEachEngine(`deliveries: ${promise}`, async (engine) => {
    const clock = movableClock();
    await using desk = await openTestDesk(engine, { clock, extra: [tell] });
    await test(desk, clock);
  });
}

/** Leaves messages about objects, such as `a:updated`. */
export async function say(desk: TestDesk, clock: Clock, ...words: string[]): Promise<void> {
  const told = words.map((word) => {
    const [object_id = "", verb = ""] = word.split(":");
    return { topic: `plan.${verb}`, object_id };
  });
  await desk.app.ctx.storage.commit(tell, { org_id: desk.org_id, now: clock.now(), told });
}

/** The object of a message and the last word of its topic, as `say` takes them. */
export const wordOf = ({ json }: Received) => `${json.data.id}:${json.type.split(".")[1]}`;

/** Turns and moves the clock on, until nothing waits that is tried by itself within `ms`. */
export async function goOn(
  engine: DeliveryEngine,
  clock: Clock,
  ms: number,
  step = MINUTE,
): Promise<void> {
  for (const end = clock.at + ms; clock.at < end; clock.at += step) await deliver(engine);
  await deliver(engine);
}

/** The state of each delivery, by the word of its message. */
export async function statesOf(desk: TestDesk): Promise<Record<string, string>> {
  const { data } = await call(desk, "GET", "/v1/deliveries?limit=100");
  return Object.fromEntries(
    data.map((one: Record<string, string>) => [
      `${one.object_id}:${one.topic?.split(".")[1]}`,
      one.state,
    ]),
  );
}

import { type Command, InvalidArgumentError, Option } from "commander";
import { toTimestamp } from "../kernel/clock.ts";
import { atDesk } from "./at-desk.ts";
import { type DeskOptions, withDeskOptions, withWideOption } from "./desk-options.ts";
import { forOne } from "./each.ts";
import { type ListOptions, printList, printObject } from "./listing.ts";
import { toCount } from "./requests.ts";
import { printable } from "./table.ts";
import { terminal } from "./terminal.ts";

/** `keydesk deliveries list|show|replay|now`. */
export function addDeliveriesCommands(program: Command): void {
  const deliveries = program.command("deliveries")
    .description("what targets were told, and what did not arrive")
    .addHelpText(
      "after",
      `
Examples:
  keydesk deliveries list --state dead
  keydesk deliveries list --object 65b0c1d2e3f4a5b6c7d8e9f0
  keydesk deliveries show 65b0c1d2e3f4a5b6c7d8e9f7a1b2c3d4a1b2c3d4
  keydesk deliveries replay 65b0c1d2e3f4a5b6c7d8e9f7a1b2c3d4a1b2c3d4
  keydesk deliveries replay --target 65b0c1d2e3f4a5b6c7d8e9f6 --after 2026-03-01
  keydesk deliveries now`,
    );
  withWideOption(withDeskOptions(deliveries.command("list")))
    .description("list deliveries, newest first")
    .option("--target <id>", "only to this target")
    .option("--object <id>", "only about this object: who was told of it")
    .option("--topic <topic>", "only of this topic")
    .addOption(
      new Option("--state <state>", "only in this state")
        .choices(["waiting", "delivered", "dead", "skipped"]),
    )
    .option("--limit <n>", "so many at the most", toCount)
    .option("--json", "print one JSON object a line")
    .action(listDeliveries);
  withDeskOptions(deliveries.command("show <id>"))
    .description("show a delivery with each of its tries")
    .option("--json", "print JSON")
    .action(showDelivery);
  withDeskOptions(deliveries.command("replay [id]"))
    .description("send one delivery once more, or those of a span of time to a target")
    .option("--target <id>", "to this target, what it was not told or what was given up")
    .option("--after <time>", "of changes from this time on", toTime)
    .option("--before <time>", "of changes until shortly before this time", toTime)
    .option("--topic <topic>", "only this topic, or a pattern such as key_request.*")
    .option("--object <id>", "only about this object")
    .option("--delivered", "also what was delivered already")
    .option("--json", "print JSON")
    .action((id: string | undefined, options: ReplayOptions, command: Command) => {
      const isSpan = options.target !== undefined && options.after !== undefined;
      if ((id !== undefined) === isSpan) {
        command.error("error: expected the id of a delivery, or --target with --after");
      }
      return id === undefined ? replaySpan(options) : replayOne(id, options);
    });
  toNow(deliveries);
}

function toNow(deliveries: Command): void {
  withDeskOptions(deliveries.command("now"))
    .description("send what waits for its next try within five seconds")
    .option("--target <id>", "to this target alone")
    .option("--json", "print JSON")
    .action(deliverNow);
}

async function deliverNow(
  { target, ...options }: DeskOptions & { target?: string; json?: boolean },
): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const targets = target === undefined
      ? await allTargets((cursor) => client.listChannels({ limit: 100, cursor }))
      : [await forOne("target", target, () => client.getChannel({ id: target }))];
    let woken = 0;
    for (const { id, name, state } of targets) {
      woken += (await forOne("target", id, () => client.deliverNow({ id }))).woken;
      if (state === "paused") {
        terminal().err(
          printable(`${name} is paused: what waits there is sent once it is resumed.`),
        );
      }
    }
    if (options.json) terminal().out(JSON.stringify({ woken }));
    else terminal().err(`${woken} messages that waited: a server sends them within five seconds.`);
  });
}

async function allTargets<T>(
  page: (cursor: string | undefined) => Promise<{ data: T[]; next_cursor: string | null }>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const { data, next_cursor } = await page(cursor);
    all.push(...data);
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

/** A time in an option, as ISO 8601. */
export function toTime(text: string): string {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new InvalidArgumentError("Expected a time such as 2026-03-01.");
  return toTimestamp(at);
}

/** What `keydesk deliveries list` is called with. */
interface DeliveryListOptions extends ListOptions {
  target?: string;
  object?: string;
  topic?: string;
  state?: "waiting" | "delivered" | "dead";
}

async function listDeliveries(options: DeliveryListOptions & DeskOptions): Promise<void> {
  const { target, object, topic, state } = options;
  const filter = { channel_id: target, object_id: object, topic, state };
  await atDesk(
    options,
    ({ client }) =>
      printList((place) => client.listDeliveries({ ...place, ...filter }), options, {
        head: ["STATE", "TRIES", "CHANGED", "TOPIC", "OBJECT", "ID"],
        widths: [9, 5, 20, 26, 24, 40],
        extra: ["TRIES", "OBJECT"],
        cells: (one) => [
          one.state,
          String(one.attempts),
          `${one.event_at.slice(0, 19)}Z`,
          one.topic,
          one.object_id,
          one.id,
        ],
        empty: "There is no delivery that matches.",
      }),
  );
}

async function showDelivery(id: string, options: { json?: boolean } & DeskOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    await printObject(await forOne("delivery", id, () => client.getDelivery({ id })), options);
  });
}

interface ReplayOptions extends DeskOptions {
  target?: string;
  after?: string;
  before?: string;
  topic?: string;
  object?: string;
  delivered?: boolean;
  json?: boolean;
}

async function replayOne(id: string, options: ReplayOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const { state } = await forOne("delivery", id, () => client.replayDelivery({ id }));
    if (options.json) terminal().out(JSON.stringify({ replayed: 1 }));
    else terminal().err(`Delivery ${id} is ${state}: a server sends it once more.`);
  });
}

async function replaySpan(options: ReplayOptions): Promise<void> {
  const { target = "", after = "", before, topic, object, delivered } = options;
  await atDesk(options, async ({ client }) => {
    let replayed = 0;
    let cursor: string | undefined;
    do {
      const body = {
        channel_id: target,
        after,
        before,
        object_id: object,
        cursor,
        topics: topic === undefined ? undefined : [topic],
        states: ["dead" as const, "unsent" as const, ...delivered ? ["delivered" as const] : []],
      };
      const step = await forOne("target", target, () => client.replayDeliveries({ body }));
      replayed += step.replayed;
      cursor = step.next_cursor ?? undefined;
    } while (cursor !== undefined);
    if (options.json) terminal().out(JSON.stringify({ replayed }));
    else terminal().err(`${replayed} messages: a server sends them once more.`);
  });
}

import type { Client } from "../client/keydesk-client.ts";
import { forOne } from "./each.ts";
import { printValues } from "./forms.ts";
import { calls, lists, noun, runs } from "./noun.ts";
import { choice, flag, opt, toTime } from "./options.ts";
import { printable } from "./table.ts";
import { terminal } from "./terminal.ts";

const delivery = { kind: "delivery" };

/** `keydesk deliveries`. */
export const addDeliveriesCommands = noun({
  name: "deliveries",
  summary: "messages to notification channels, and failed ones",
  examples: [
    "list --state dead",
    "list --object 65b0c1d2e3f4a5b6c7d8e9f0",
    "show 65b0c1d2e3f4a5b6c7d8e9f7a1b2c3d4a1b2c3d4",
    "replay 65b0c1d2e3f4a5b6c7d8e9f7a1b2c3d4a1b2c3d4",
    "replay --channel 65b0c1d2e3f4a5b6c7d8e9f6 --after 2026-03-01",
    "now",
  ],
  verbs: [
    lists({
      verb: "list",
      summary: "list deliveries, newest first",
      options: {
        channel_id: opt("--channel <id>", "only to this channel"),
        object_id: opt("--object <id>", "only about this object: who was notified"),
        topic: opt("--topic <topic>", "only of this topic"),
        state: choice("--state <state>", "only in this state", [
          "waiting",
          "delivered",
          "dead",
          "skipped",
        ]),
      },
      limit: true,
      read: ({ client, query }) => client.listDeliveries(query),
      columns: [
        { head: "STATE", width: 9, of: "state" },
        { head: "TRIES", width: 5, of: "attempts", extra: 1 },
        { head: "CHANGED", width: 20, of: ({ event_at }) => `${event_at.slice(0, 19)}Z` },
        { head: "TOPIC", width: 26, of: "topic" },
        { head: "OBJECT", width: 24, of: "object_id", extra: 2 },
        { head: "ID", width: 40, of: "id" },
      ],
      empty: "There is no delivery that matches.",
    }),
    calls({
      verb: "show <id>",
      summary: "show a delivery with each of its tries",
      of: delivery,
      json: "print JSON",
      call: ({ client, id }) => client.getDelivery({ id }),
    }),
    calls({
      verb: "replay [id]",
      summary: "send one delivery once more, or those of a span of time to a channel",
      options: {
        channel_id: opt(
          "--channel <id>",
          "to this channel, what was not sent or was given up",
        ),
        after: opt("--after <time>", "of changes from this time on", toTime),
        before: opt("--before <time>", "of changes until shortly before this time", toTime),
        topic: opt("--topic <topic>", "only this topic, or a pattern such as key_request.*"),
        object_id: opt("--object <id>", "only about this object"),
        delivered: flag("--delivered", "also what was delivered already"),
      },
      json: "print JSON",
      refuses: ({ channel_id, after }, [id]) =>
        (id !== undefined) === (channel_id !== undefined && after !== undefined)
          ? "expected the id of a delivery, or --channel with --after"
          : undefined,
      async call({ client, words: [id], given: { topic, delivered, ...span } }) {
        if (id !== undefined) {
          const { state } = await forOne(
            delivery.kind,
            id,
            () => client.replayDelivery({ id }),
          );
          return { replayed: 1, state };
        }
        const { channel_id = "", after = "" } = span;
        const topics = topic === undefined ? undefined : [topic];
        const states = ["dead" as const, "unsent" as const];
        const wanted = { topics, states: [...states, ...delivered ? ["delivered" as const] : []] };
        let replayed = 0;
        let cursor: string | undefined;
        do {
          const body = { ...span, ...wanted, channel_id, after, cursor };
          const step = await forOne("channel", channel_id, () => client.replayDeliveries({ body }));
          replayed += step.replayed;
          cursor = step.next_cursor ?? undefined;
        } while (cursor !== undefined);
        return { replayed, state: undefined };
      },
      printed: ({ replayed }) => ({ replayed }),
      done: ({ replayed, state }, { word }) =>
        state === undefined
          ? `${replayed} messages: a server sends them once more.`
          : `Delivery ${word} is ${state}: a server sends it once more.`,
    }),
    runs({
      verb: "now",
      summary: "send what waits for its next try within five seconds",
      options: { channel: opt("--channel <id>", "to this channel alone") },
      json: "print JSON",
      async run({ client, given: { channel }, form }) {
        let woken = 0;
        for (const { id, name, state } of await channelsOf(client, channel)) {
          woken += (await forOne("channel", id, () => client.deliverNow({ id }))).woken;
          if (state === "paused") {
            const said = `${name} is paused: waiting messages are sent once it is resumed.`;
            terminal().err(printable(said));
          }
        }
        if (form) return await printValues([{ woken }], form);
        terminal().err(`${woken} messages that waited: a server sends them within five seconds.`);
      },
    }),
  ],
});

/** One channel, or all of them. */
async function channelsOf(client: Client, id: string | undefined) {
  if (id === undefined) return await Array.fromAsync(client.listChannels.all({ limit: 100 }));
  return [await forOne("channel", id, () => client.getChannel({ id }))];
}

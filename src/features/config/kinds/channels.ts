import { z } from "zod";
import {
  createChannel,
  deleteChannel,
  updateChannel,
} from "../../notifications/channels.operations.ts";
import { channelsBelow } from "../../notifications/channels.store.ts";
import { toChannel } from "../../notifications/show-channel.ts";
import { setAlertRules } from "../../notifications/alerts/alerts.operations.ts";
import { rulesOf } from "../../notifications/alerts/alerts.store.ts";
import { type Kind, type Members, type Present, shapeOf } from "../kind.ts";

/** Channels of an organisation, at the most. */
const MOST = 1000;

/** Notification channels. Their signing secrets are made here and are in no file. */
export const channels: Kind = {
  name: "channels",
  permission: "admin",
  noun: "channel",
  schema: z.strictObject(shapeOf(createChannel)),
  needs: ["name"],
  sets: ["topics"],
  fixed: ["kind"],
  // There is one that mails, by whatever name.
  maySame: true,
  keyOf: ({ kind, name }) => kind === "mail" ? "mail" : `webhook ${String(name)}`,
  async read({ ctx: { storage: { reader }, principal: { org_id }, clock } }) {
    const rows = await channelsBelow(reader, { org_id, below: "~" }, MOST);
    return rows.reverse().map((row): Present => {
      const { id, kind, name, url, template, topics, mail } = toChannel(row, clock.now());
      const { unknown_placeholders: _, ...config } = mail ?? {};
      const own = kind === "mail" ? { mail: config } : { url };
      const key = kind === "mail" ? "mail" : `webhook ${name}`;
      return { id, key, members: { kind, name, ...own, template, topics: topics.toSorted() } };
    });
  },
  create: (_, __, body) => [{ operation: createChannel, body }],
  change: (_, { present: { id }, after }) => [
    { operation: updateChannel, params: { id }, body: withoutKind(after) },
  ],
  remove: (_, { id }) => [{ operation: deleteChannel, params: { id } }],
};

function withoutKind({ kind: _, ...body }: Members): Members {
  return body;
}

/** When alerts of ends are sent. */
export const alerts: Kind = {
  name: "alerts",
  permission: "admin",
  noun: "alert rules",
  single: true,
  schema: z.strictObject(shapeOf(setAlertRules)),
  sets: ["days"],
  keyOf: () => "",
  async read({ ctx: { storage: { reader }, principal: { org_id } } }) {
    const { days, at_end } = await rulesOf(reader, org_id);
    return [{ id: org_id, key: "", members: { days: [...days], at_end } }];
  },
  change: (_, { after }) => [{ operation: setAlertRules, body: after }],
};

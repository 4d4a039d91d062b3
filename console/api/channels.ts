import type { z } from "zod";
import type { channel } from "../../src/features/notifications/channels.contract.ts";
import { say } from "../said.ts";
import { alphabetical } from "./alphabetical.ts";
import { api } from "./client.ts";
import { listChannels } from "./channel-endpoints.ts";
import { queries, useQuery } from "./queries.ts";

/** A webhook, mailbox or chat that is notified of changes. */
export type Channel = z.output<typeof channel>;

/** The key of all channels in `queries`. */
const CHANNELS = ["channels"];

/** Channels of one answer, and answers at the most: an organisation has a few. */
const PAGE = 100;
const PAGES = 5;

/** All channels, those that fail first, then by name, paused ones last. */
export async function readChannels(): Promise<Channel[]> {
  const all: Channel[] = [];
  let cursor: string | undefined;
  for (let n = 0; n < PAGES; n++) {
    const page = await api.call(listChannels, { query: { limit: PAGE, cursor } });
    all.push(...page.data);
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  return all.sort((a, b) => rankOf(a) - rankOf(b) || alphabetical(a.name, b.name));
}

function rankOf(channel: Channel): number {
  if (channel.state === "paused") return 2;
  return channel.failing_since === null && !lacksSettings(channel) ? 1 : 0;
}

/** Whether the server's settings keep it from being reached. */
export function lacksSettings({ missing_outbound, missing_settings }: Channel): boolean {
  return missing_outbound !== null || missing_settings.length > 0;
}

/** Channels by their ids; undefined while unknown. */
export function useChannels(): ReadonlyMap<string, Channel> | undefined {
  const { data } = useQuery({ queryKey: CHANNELS, queryFn: readChannels, staleTime: 30_000 });
  return data && new Map(data.map((one) => [one.id, one]));
}

/** After a change of channels: who shows them reads them again. */
export function channelsChanged(): void {
  void queries.invalidateQueries({ queryKey: CHANNELS });
}

/** Whether it is a webhook, which has an address and a secret. */
export function isWebhook({ kind }: Channel): boolean {
  return kind === "webhook";
}

/** The host of a channel's URL, or its kind, for a line below its name. */
export function hostOf(channel: Channel): string {
  if (channel.mail) {
    return channel.mail.from === "" ? "mails to people" : say`from ${channel.mail.from}`;
  }
  return URL.canParse(channel.url) ? new URL(channel.url).host : channel.kind;
}

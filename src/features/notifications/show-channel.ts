import type { z } from "zod";
import { presentAction } from "../../contract/former-names.ts";
import { mailKinds } from "../../contract/mail-kinds.ts";
import { placeholdersOf } from "../../contract/mail-placeholders.ts";
import type { MailName } from "../../contract/mail-names.ts";
import { type MailConfig, mailConfigOf } from "./mail-config.ts";
import { filled, type MailValues, type UnknownPlaceholders } from "./mail-words.ts";
import type { channel as shape } from "./channels.contract.ts";
import { topicPatterns } from "./topics.contract.ts";
import type { ChannelRow } from "./channels.store.ts";

/** A channel without what the settings of a server say of it. */
export type ChannelView = Omit<z.output<typeof shape>, "missing_outbound" | "missing_settings">;

/** A channel as it is shown: no secret, and when the one before the rotation ends. */
export function toChannel(row: ChannelRow, now: number): ChannelView {
  const { id, kind, name, state, state_reason, state_changed_at, failing_since, created_at } = row;
  // as: channels.transactions.ts writes both. Topics of earlier code have their present names;
  // those that are gone are left out.
  const topics = [...new Set((JSON.parse(row.topics) as string[]).map(presentAction))]
    .filter((one) => topicPatterns.has(one));
  const { url = "", template = "standard" } = JSON.parse(row.config) as Record<string, string>;
  const mail = kind === "mail" ? mailConfigOf(row) : null;
  const until = row.old_secret_until;
  return {
    id,
    kind,
    name,
    url,
    // as: the contract lets nothing else in.
    template: template as ChannelView["template"],
    mail: mail && { ...mail, unknown_placeholders: unknownIn(mail) },
    topics,
    state,
    state_reason,
    state_changed_at,
    failing_since,
    failures: Number(row.failures),
    old_secret_until: until !== null && Date.parse(until) > now ? until : null,
    created_at,
  };
}

/** The placeholders of a channel's own words that will stand in its mails as they were written. */
function unknownIn(
  { mails }: MailConfig,
): { mail: MailName; placeholders: string[] }[] {
  return mailKinds.flatMap(({ name }) => {
    const { subject = "", text = "" } = mails[name] ?? {};
    const values: MailValues = Object.fromEntries(placeholdersOf(name).map((one) => [one, ""]));
    const unknown: UnknownPlaceholders = new Set();
    filled(`${subject}\n${text}`, values, unknown);
    return unknown.size === 0 ? [] : [{ mail: name, placeholders: [...unknown] }];
  });
}

import type { z } from "zod";
import type { mailInput } from "../../../src/features/notifications/mail.contract.ts";
import type { Channel } from "../../api/channels.ts";

/** The configuration of a mail channel, as the server takes it. */
export type MailDraft = z.input<typeof mailInput>;

/** The configuration as the server returns it. */
export type MailView = NonNullable<Channel["mail"]>;

/** The returned configuration, to be sent back with changes. */
export function draftOf({ unknown_placeholders: _, ...rest }: MailView): MailDraft {
  // as: the names of mails and words came from the server, which knows no others.
  return rest as MailDraft;
}

const PLACEHOLDER = /\{\{\s*([^{}]{0,100}?)\s*\}\}/g;

/** The placeholders of a text that are none of `known`, as they were written. */
export function unknownIn(text: string, known: readonly string[]): string[] {
  const found = [...text.matchAll(PLACEHOLDER)];
  return found.filter(([, name = ""]) => !known.includes(name)).map(([whole]) => whole);
}

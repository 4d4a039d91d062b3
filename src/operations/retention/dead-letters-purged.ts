/** The trouble's name; it stops nothing, and lasts until a day comes on which there were none. */
export const DEAD_LETTERS_PURGED = "dead_letters_purged";

/** What retention removed today although nobody was ever told of it. */
export function deadLettersPurged(n: number): string {
  return `${n} messages that were given up are older than KEYDESK_RETAIN_OUTBOX_DAYS and were removed: ` +
    "their targets never got them";
}

/**
 * Whom a mail is for. Never an address: that is looked up when it is sent, so an erased one is
 * nowhere.
 */
export interface Recipient {
  /**
   * `previous`: a developer, at the address that they had before. `code`: anyone who asked for a
   * code, who may be no developer yet. `invited`: who is none yet.
   */
  kind: "person" | "developer" | "owner" | "previous" | "code" | "invited";
  /** Of a person or a developer; of an owner the certificate's, of a code or invitation its own. */
  id: string;
}

/** A recipient as deliveries name it. */
export function writeRecipient({ kind, id }: Recipient): string {
  return `${kind}:${id}`;
}

const kinds = ["person", "developer", "owner", "previous", "code", "invited"] as const;

/** The recipient that a delivery names; null: the channel itself. */
export function readRecipient(text: string): Recipient | null {
  const kind = text.slice(0, text.indexOf(":"));
  const known = kinds.find((one) => one === kind);
  return known ? { kind: known, id: text.slice(known.length + 1) } : null;
}

/** Whom a mail is for. Never an address: that is looked up when it is sent, so an erased one stands nowhere. */
export interface Recipient {
  kind: "person" | "developer" | "owner";
  /** Of a person or a developer; of an owner the certificate's. */
  id: string;
}

/** A recipient as deliveries name it. */
export function writeRecipient({ kind, id }: Recipient): string {
  return `${kind}:${id}`;
}

/** The recipient that a delivery names; null: its target is told by itself. */
export function readRecipient(text: string): Recipient | null {
  const kind = text.slice(0, text.indexOf(":"));
  if (kind !== "person" && kind !== "developer" && kind !== "owner") return null;
  return { kind, id: text.slice(kind.length + 1) };
}

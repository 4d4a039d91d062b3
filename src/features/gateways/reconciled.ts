import type { AskedToReconcile, GatewayRow, Reconciled } from "./gateway.ts";

type Stored = Reconciled | (AskedToReconcile & { readonly last: Reconciled | null });

/** How it is asked for that a gateway's keys are compared; undefined: no one asks. */
export function askedOf({ reconciled }: Pick<GatewayRow, "reconciled">) {
  const found = read(reconciled);
  return found && "asked" in found ? found.asked : undefined;
}

/** The result of the last comparison; undefined: there was none. */
export function reconciledOf(text: string): Reconciled | undefined {
  const found = read(text);
  return found && "asked" in found ? found.last ?? undefined : found;
}

/** The text that asks for a comparison, and keeps what the last one has found. */
export function askText(before: string, asked: AskedToReconcile["asked"]): string {
  const stored: Stored = { asked, last: reconciledOf(before) ?? null };
  return JSON.stringify(stored);
}

/** The text of what a comparison has found. */
export function foundText(found: Reconciled): string {
  return JSON.stringify(found);
}

function read(text: string): Stored | undefined {
  // as: askText and foundText write nothing else.
  return text === "" ? undefined : JSON.parse(text) as Stored;
}

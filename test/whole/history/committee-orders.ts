import { sha256 } from "../../../src/kernel/sha256.ts";
import type { Decision } from "./committee.ts";
import type { Table } from "./committee-table.ts";

/**
 * The interleavings of a history: for each key request on which at least two calls were under way
 * at the same moment, the order in which all calls on it began and ended, with who made them, what
 * they were and how they ended. Two with the same text are the same interleaving.
 */
export function ordersOf({ members }: Table, decisions: readonly Decision[]): string[] {
  const own = decisions.filter(({ kind }) => !["create", "suspend", "resume"].includes(kind));
  const nameOf = (by: string) => members.find(({ id }) => id === by)?.name ?? "";
  return [...Map.groupBy(own, ({ id }) => id).values()].flatMap((calls) => {
    const isBeside = calls.some((one, n) => calls.some((other, m) => n < m && meet(one, other)));
    if (!isBeside) return [];
    const moments = calls.flatMap((call, n) => [
      { at: call.begin, text: `+${n} ${call.kind} ${nameOf(call.by)}` },
      { at: call.end, text: `-${n} ${call.outcome}` },
    ]);
    const order = moments.sort((a, b) => a.at - b.at).map(({ text }) => text).join("\n");
    return [sha256(order).slice(0, 16)];
  });
}

function meet(a: Decision, b: Decision): boolean {
  return a.begin < b.end && b.begin < a.end;
}

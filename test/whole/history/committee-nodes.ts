import { type Engine, openTestDesk } from "../../support/desk.ts";
import { offerTokens } from "../../support/granted-keys.ts";
import type { Node } from "./clients.ts";
import { checkCommittee } from "./committee-check.ts";
import { ordersOf } from "./committee-orders.ts";
import { setTable, type Table } from "./committee-table.ts";
import { Committee } from "./committee.ts";

/** A committee at nodes that are processes. */
export interface Sitting {
  committee: Committee;
  table: Table;
}

/** Adds what it decides about, and lets it sit down. `sealingKey`: that of the nodes. */
export async function sitDown(nodes: readonly Node[], sealingKey: string): Promise<Sitting> {
  const [node] = nodes;
  if (!node) throw new Error("no node");
  const table = await setTable(node);
  const { body: { organisation } } = await node("GET", "/v1/me");
  const tokenOf = offerTokens(sealingKey, organisation.id);
  return { committee: new Committee(table, nodes, tokenOf, { newest: 3 }), table };
}

/**
 * What was decided wrongly, in words, and how many interleavings there were: the store is read by a
 * desk of this process, which the nodes' settings open.
 */
export async function sumUp(
  engine: Engine,
  environment: Record<string, string>,
  { committee, table }: Sitting,
): Promise<{ problems: string[]; told: string }> {
  await committee.lookAtEverything();
  await using desk = await openTestDesk(engine, { environment });
  const problems = await checkCommittee(desk.app.ctx.storage.reader, table, committee);
  const orders = ordersOf(table, committee.decisions);
  const told = `a committee's ${orders.length} interleavings (${new Set(orders).size} distinct) ` +
    `with ${committee.acknowledged} acknowledged`;
  return { problems, told };
}

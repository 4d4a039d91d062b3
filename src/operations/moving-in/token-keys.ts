/**
 * Which of the keys that came are tokens, as the run that is under way was shown by their sessions:
 * only of those is a text that somebody chose looked up as it was wrapped there.
 */
import type { RequestContext } from "../../calls/context.ts";
import { type Wrapping, wrappings } from "../../features/keys/chosen-keys.ts";
import { markedOf, unmarkedOf } from "../../features/keys/chosen-keys.store.ts";
import type { Finding } from "./findings.ts";
import type { Item } from "./items.ts";
import { markTokens } from "./mark-tokens.transactions.ts";

/** Notes what these items and findings tell. Nothing is written where it is known. */
export async function noteTokens(
  { storage, principal: { org_id } }: RequestContext,
  items: readonly Item[],
  findings: readonly Finding[],
): Promise<void> {
  const tokens: { id: string; wrapping: Wrapping }[] = [];
  for (const wrapping of wrappings) {
    const ids = items.filter((item) => item.kind === "key" && item.wrapping === wrapping)
      .map(({ id }) => id);
    const unmarked = await unmarkedOf(storage.reader, org_id, ids, wrapping);
    tokens.push(...unmarked.map((id) => ({ id, wrapping })));
  }
  const told = findings.filter(({ code }) => code === "basic_password").map(({ id }) => id);
  const userNames = await markedOf(storage.reader, org_id, told);
  if (tokens.length + userNames.length === 0) return;
  await storage.commit(markTokens, { org_id, tokens, userNames });
}

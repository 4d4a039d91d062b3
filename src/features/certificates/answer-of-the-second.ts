import type { RequestContext } from "../../calls/context.ts";
import { Answer } from "../../kernel/answer.ts";
import { rowsOf } from "../../storage/touched-rows.ts";

/**
 * The answer under this name at `now`, made of the organisation's certificates alone; from memory while neither they
 * nor the second has changed. The standing of a certificate depends on the clock: it changes at a whole second or right
 * after one.
 */
export async function answerOfTheSecond(
  ctx: RequestContext,
  now: number,
  name: string,
  make: () => Promise<string>,
): Promise<Answer<string>> {
  const { principal: { org_id }, storage: { changes }, readCache } = ctx;
  const second = `${Math.floor(now / 1000)}${now % 1000 === 0 ? "" : "+"}`;
  const parts = rowsOf("certificates", org_id);
  const made = async () => ({ answer: await make(), parts });
  return new Answer(await readCache.get(`${org_id} ${name}`, changes, made, second));
}

import type { RequestContext } from "../../calls/context.ts";
import { Answer } from "../../kernel/answer.ts";
import { rowsOf } from "../../storage/touched-rows.ts";

/**
 * The answer under this name at `now`, made of the organisation's certificates alone; from memory
 * while neither they nor the second has changed.
 */
export async function answerOfTheSecond(
  ctx: RequestContext,
  now: number,
  name: string,
  make: () => Promise<string>,
): Promise<Answer<string>> {
  const { answer } = await keptOfCertificates(ctx, secondOf(now), name, async () => {
    const text = await make();
    return { answer: new Answer(text), length: text.length };
  });
  return answer;
}

/** The value of a moment; "": it is the same at every moment. */
export async function keptOfCertificates<T extends { readonly length: number }>(
  { principal: { org_id }, storage: { changes }, readCache }: RequestContext,
  moment: string,
  name: string,
  make: () => Promise<T>,
): Promise<T> {
  const parts = rowsOf("certificates", org_id);
  const made = async () => ({ answer: await make(), parts });
  return await readCache.get(`${org_id} ${name}`, changes, made, moment);
}

/**
 * The standing of a certificate depends on the clock: it changes at a whole second or right after
 * one. Names what lies between two changes.
 */
export function secondOf(now: number): string {
  return `${Math.floor(now / 1000)}${now % 1000 === 0 ? "" : "+"}`;
}

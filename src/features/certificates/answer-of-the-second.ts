import type { RequestContext } from "../../calls/context.ts";
import { Answer } from "../../kernel/answer.ts";

/**
 * The answer under this name at `now`, from memory while neither the store nor the second has changed. The standing of
 * a certificate depends on the clock: it changes at a whole second or right after one.
 */
export async function answerOfTheSecond(
  ctx: RequestContext,
  now: number,
  name: string,
  make: () => Promise<string>,
): Promise<Answer<string>> {
  const second = `${Math.floor(now / 1000)}${now % 1000 === 0 ? "" : "+"}`;
  const mark = () => {
    const change = ctx.storage.changeMark();
    return change === undefined ? undefined : `${change} ${second}`;
  };
  return new Answer(await ctx.readCache.get(`${ctx.principal.org_id} ${name}`, mark, make));
}

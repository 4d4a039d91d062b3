import type { RequestContext } from "../../calls/context.ts";
import { Answer } from "../../kernel/answer.ts";
import { Failure } from "../../kernel/failure.ts";
import { findLog } from "./trail-log.store.ts";

/** The organisation's newest checkpoint, as signed. Throws `not_found` where there is none yet. */
export async function newestCheckpoint(
  { storage: { reader }, principal: { org_id } }: RequestContext,
): Promise<Answer<string>> {
  const { checkpoint } = await findLog(reader, org_id) ?? { checkpoint: "" };
  if (checkpoint === "") throw new Failure("not_found");
  return new Answer(checkpoint, { "content-type": "text/plain; charset=utf-8" });
}

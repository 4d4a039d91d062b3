import type { z } from "zod";
import { list } from "../refusals/refusals.service.ts";
import type { myKeyDetail } from "./keys.contract.ts";
import { type MyContext, ownerOf } from "./own.ts";

/** Refused calls that a holder is told of. */
const MOST = 10;

type Refusals = z.output<typeof myKeyDetail>["refusals"];

/**
 * The newest calls of a key of the caller's that were refused, as its holder reads them: nothing of
 * doors and addresses, nor of a time when the key was another's.
 */
export async function ownRefusals(ctx: MyContext, key: string): Promise<Refusals> {
  const { developer_id: developer } = ownerOf(ctx);
  const { data } = await list(ctx, { key, developer, limit: MOST });
  return data.flatMap(({ at, reason, status, api_id, limit, per_seconds, retry_after, opens }) =>
    // What nobody knows is nobody's.
    reason === "unknown"
      ? []
      : [{ at, reason, status, api_id, limit, per_seconds, retry_after, opens }]
  );
}

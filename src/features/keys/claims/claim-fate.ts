import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { publicBrand } from "../../branding/public-brand.ts";
import { previewOf } from "./claim-preview.ts";
import type { claimFate } from "./claims.contract.ts";
import { findByHash } from "./claims.store.ts";

type Fate = z.output<typeof claimFate>;

/** What became of the claim of a token's hash. Throws `claim_gone` where there never was one. */
export async function fateOf(ctx: RequestContext, hash: string): Promise<Fate> {
  const { storage: { reader }, clock } = ctx;
  const claim = await findByHash(reader, { hash });
  if (!claim) throw new Failure("claim_gone");
  const { name, logo, colour, support } = await publicBrand(reader, claim.org_id);
  const organisation = { name, logo, colour, support };
  const { state, closed_at, expires_at } = claim;
  if (state !== "open") return { state, at: closed_at, organisation };
  if (expires_at <= toTimestamp(clock.now())) {
    return { state: "expired", at: expires_at, organisation };
  }
  return { state: await isOver(ctx, hash) ? "stopped" : "open", at: null, organisation };
}

/** Whether what an open claim hands over opens nothing now. */
async function isOver(ctx: RequestContext, hash: string): Promise<boolean> {
  try {
    await previewOf(ctx, hash);
    return false;
  } catch (error) {
    if (error instanceof Failure && error.code === "claim_gone") return true;
    throw error;
  }
}

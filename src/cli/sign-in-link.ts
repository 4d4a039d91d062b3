import type { ServiceContext } from "../calls/context.ts";
import { isInForce } from "../features/access/access-token.ts";
import { listTokens } from "../features/access/access-tokens.store.ts";
import { FIRST_TOKEN } from "../features/access/operator.transactions.ts";
import { newSignInCode } from "../features/access/sessions.service.ts";

/**
 * A link that signs a browser in once: as the holder of the access token `token_id`, else as the
 * first administrator; undefined where the latter's access token is not in force. The code stands
 * in the fragment, which no browser sends and no log holds; the link is for a person's eyes alone.
 */
export async function signInLink(
  ctx: ServiceContext,
  org_id: string,
  url: string,
  token_id?: string,
): Promise<string | undefined> {
  const id = token_id ?? await firstToken(ctx, org_id);
  return id && `${url}/console#code=${await newSignInCode(ctx, org_id, id)}`;
}

async function firstToken(ctx: ServiceContext, org_id: string): Promise<string | undefined> {
  const now = ctx.clock.now();
  const tokens = await listTokens(ctx.storage.reader, { org_id });
  return tokens.find((token) => token.name === FIRST_TOKEN && isInForce(token, now))?.id;
}

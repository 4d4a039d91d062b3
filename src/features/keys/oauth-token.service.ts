import type { RequestContext } from "../../calls/context.ts";
import { randomAlphanumeric } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { issueTransaction } from "./oauth.transactions.ts";

/** The form of our tokens: 256 bits in base62. */
export const TOKEN = /^kdt_[A-Za-z0-9]{43}$/;

/** A token of an OAuth client; `ends` in milliseconds since 1970. */
interface IssuedToken {
  access_token: string;
  ends: number;
}

/** Issues a token to a client whose secret was right; see issueTransaction. */
export async function issueTokenTo(
  { storage, clock, settings }: Pick<RequestContext, "storage" | "clock" | "settings">,
  client: { org_id: string; key_id: string; client_id: string },
): Promise<IssuedToken> {
  const access_token = `kdt_${randomAlphanumeric(43)}`;
  const { ends } = await storage.commit(issueTransaction, {
    ...client,
    hash: sha256(access_token),
    now: clock.now(),
    lifeMs: settings.oauthTokenLifeMs,
  });
  return { access_token, ends };
}

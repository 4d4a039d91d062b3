import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { identitiesOf } from "../identities.store.ts";
import { isManagedLink } from "../identity-link.ts";
import { providersThat } from "./offered-providers.ts";
import type { identityList } from "./provider-sign-in.contract.ts";

/** The accounts at identity providers that sign a person in. */
export async function accountsOf(
  ctx: RequestContext,
  user_id: string,
): Promise<z.output<typeof identityList>> {
  const { storage: { reader }, sealer, principal: { org_id } } = ctx;
  const known = await providersThat({ reader, sealer }, org_id, "people");
  const providers = known.map(({ id, terms: { name } }) => ({ id, name }));
  const rows = await identitiesOf(reader, { org_id, user_id });
  const data = rows.map((row) => ({
    id: row.id,
    provider_id: row.provider_id,
    provider: providers.find((one) => one.id === row.provider_id)?.name ?? "",
    date_created: row.created_at,
    last_used_at: row.last_used_at,
    managed: isManagedLink(sealer, row),
  }));
  return { data, providers: data.some(({ managed }) => managed) ? [] : providers };
}

/** Why an account that is proved is not linked. */
export const NOT_FRESH =
  'an account was not linked: the claim "auth_time" is missing or older than five minutes, or acr and amr are not as demanded';

import type { Sealer } from "../../../kernel/sealing/sealer.ts";
import type { Connection } from "../../../storage/storage.ts";
import { isUnended } from "../../people/access-token.ts";
import { countPeopleOfRole, tokensOfRole } from "../../people/roles.store.ts";
import { openedProvider } from "../../people/identity-providers/identity-provider.ts";
import { providersOf } from "../../people/identity-providers/identity.store.ts";
import type { RoleUses } from "./role-view.ts";

/** How many have a role at `now`: who left, or has ended, has none. */
export async function usesOf(
  db: Connection,
  sealer: Sealer,
  { org_id, role, now }: { org_id: string; role: string; now: number },
): Promise<RoleUses> {
  const tokens = await tokensOfRole(db, { org_id, role });
  const providers = await providersOf(db, { org_id });
  return {
    people: await countPeopleOfRole(db, { org_id, role }),
    access_tokens: tokens.filter((one) => isUnended(one, now)).length,
    identity_providers: providers.filter((row) => {
      const groups = openedProvider(sealer, row)?.terms.groups ?? [];
      return groups.some((one) => one.role === role);
    }).length,
  };
}

import type { Sealer } from "../../../kernel/sealing/sealer.ts";
import type { Connection } from "../../../storage/storage.ts";
import { openedProvider } from "./identity-provider.ts";
import { providersOf } from "./identity.store.ts";
import { isProblem } from "./provider-states.service.ts";
import { providerStatesOf } from "./provider-states.store.ts";

/** The problems of an organisation's identity providers, a sentence each. */
export async function providerWarnings(
  reader: Connection,
  sealer: Sealer,
  org_id: string,
  now: number,
): Promise<string[]> {
  const states = (await providerStatesOf(reader, { org_id })).filter((one) => isProblem(one, now));
  if (states.length === 0) return [];
  const names = new Map<string, string>();
  for (const row of await providersOf(reader, { org_id })) {
    const name = openedProvider(sealer, row)?.terms.name;
    if (name !== undefined) names.set(row.id, name);
  }
  return states.flatMap(({ id, problem }) => {
    const name = names.get(id);
    return name === undefined ? [] : [`The identity provider "${name}": ${problem}.`];
  });
}

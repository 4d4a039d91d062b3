import type { Sealer } from "../../../kernel/sealing/sealer.ts";
import type { Connection } from "../../../storage/storage.ts";
import { type Provider, type ProviderFor, providerOf } from "./identity-provider.ts";
import { providersOf } from "./identity.store.ts";

/** The identity providers that addresses of a domain are offered, the oldest first. */
export async function providersFor(
  { reader, sealer }: { reader: Connection; sealer: Sealer },
  org_id: string,
  domain: string,
): Promise<{ id: string; name: string }[]> {
  const rows = await providersOf(reader, { org_id });
  return rows.flatMap((row) => {
    const opened = providerOf(sealer, row, "people");
    return opened?.terms.domains.includes(domain) ? [{ id: row.id, name: opened.terms.name }] : [];
  });
}

/** Those that sign these in, the oldest first. */
export async function providersThat(
  { reader, sealer }: { reader: Connection; sealer: Sealer },
  org_id: string,
  audience: ProviderFor,
): Promise<Provider[]> {
  const rows = await providersOf(reader, { org_id });
  return rows.flatMap((row) => providerOf(sealer, row, audience) ?? []);
}

/**
 * A PostgreSQL whose schema holds no store, though this installation has one in another schema: the
 * role's or the database's search_path names another one than before.
 */
import { keyChecks } from "./changes/checksum-demand.store.ts";
import type { Config } from "./config.ts";
import { Sealer } from "./kernel/sealing/sealer.ts";
import { readHeads } from "./maintenance/audit-log/kept-heads.ts";
import type { StoreSession } from "./storage/engines/store-session.ts";
import { StoreIncomplete } from "./store-files.ts";

/**
 * Throws StoreIncomplete where the schema that tables would be made in is not that of the store
 * which the data folder or the sealing key knows. `session`: on a database without a store.
 */
export async function refuseOtherSchema(
  config: Pick<Config, "DATA_DIR" | "SEALING_KEY">,
  session: StoreSession,
): Promise<void> {
  const { here, others } = await session.schemas();
  const sealed = [];
  for (const schema of others) if (await isSealedByUs(config, session, schema)) sealed.push(schema);
  const known = others.length > 0 && await knowsLog(config.DATA_DIR);
  if (sealed.length === 0 && !known) return;
  const place = here === undefined ? "search_path names no schema that is there" : `schema ${here}`;
  const [there, why] = sealed.length > 0
    ? [sealed, "sealed with this sealing key"]
    : [others, "and the data folder knows the audit log of a store"];
  throw new StoreIncomplete(
    `${place} of the database holds no store, and schema ${
      there.join(", ")
    } holds one, ${why}: set the role's search_path back (alter role … set search_path = ${
      there[0]
    }), or begin anew: \`keydesk serve --new\` makes an empty store`,
  );
}

async function knowsLog(folder: string): Promise<boolean> {
  // An unreadable file is reported as a problem once the store is open.
  const known = await readHeads(folder).catch(() => undefined);
  return known?.heads.some(({ size }) => size > 0) ?? false;
}

async function isSealedByUs(
  { SEALING_KEY }: Pick<Config, "SEALING_KEY">,
  session: StoreSession,
  schema: string,
): Promise<boolean> {
  if (!SEALING_KEY) return false;
  const sealer = new Sealer(SEALING_KEY);
  const checks = await session.inSchema(schema, () => keyChecks(session)).catch(() => []);
  return checks.some((check) => !["wrong", "absent"].includes(sealer.formOf(check)));
}

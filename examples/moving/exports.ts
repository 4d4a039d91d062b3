/** The files that an operator makes of database and Redis, as docs/migration.md asks for them. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Members } from "./gateway.ts";
import type { Original } from "./original.ts";

/** The members that hold times. */
const TIMES = new Set(["date_created", "password_updated", "last_login_date"]);

/**
 * Writes every collection as `mongoexport` does, and the gateway's records; `database` alone leaves
 * these out.
 */
export async function writeExports(
  original: Original,
  folder: string,
  what: "everything" | "database" = "everything",
): Promise<void> {
  const { plans, developers, requests, catalogue, configuration, documentation } = original;
  const collections: Record<string, readonly Members[]> = {
    tyk_policies: plans.map(({ _id, ...plan }) => ({ _id: { $oid: _id }, ...plan })),
    portal_developers: developers.map(stored),
    portal_key_requests: requests.map(stored),
    portal_catalogue: [stored(catalogue)],
    portal_configurations: [stored(configuration)],
    portal_documentation: documentation.map(stored),
  };
  for (const [name, documents] of Object.entries(collections)) {
    await writeFile(join(folder, `${name}.json`), linesOf(documents));
  }
  if (what === "database") return;
  const records = [...original.gateway.records].map(([key, value]) => ({
    key,
    value: typeof value === "string" ? value : JSON.stringify(value),
  }));
  await writeFile(join(folder, "redis.jsonl"), linesOf(records), { mode: 0o600 });
}

/**
 * The file of policies of the open-source gateway, which has no database: a list, or a map by id.
 */
export function policiesFile({ plans }: Original, form: "list" | "map"): string {
  const policies = plans.map(({ _id, ...plan }) => ({ ...plan, _id: "", id: _id }));
  return JSON.stringify(
    form === "list" ? policies : Object.fromEntries(policies.map((one) => [one.id, one])),
  );
}

/** A document as the database has it, in extended JSON. */
function stored({ id, ...members }: Members): Members {
  const rest = Object.entries(members).map(([name, value]) => [
    name,
    TIMES.has(name) ? { $date: value } : value,
  ]);
  return { ...id === "" ? {} : { _id: { $oid: id } }, ...Object.fromEntries(rest) };
}

function linesOf(documents: readonly unknown[]): string {
  return documents.map((one) => `${JSON.stringify(one)}\n`).join("");
}

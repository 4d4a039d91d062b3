import type { Actor } from "../../changes/audit.ts";
import { wantAllKeys } from "../../changes/provisioning.store.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { failureCodes, ownMessageOf } from "../../kernel/failure-codes.ts";
import { Failure } from "../../kernel/failure.ts";
import { type Connection, defineTransaction, type Tx } from "../../storage/storage.ts";
import type { KeyKind } from "./key-kinds.ts";
import { insertAbsentKey, keyExists } from "./keys.store.ts";
import { columnsOf } from "./key-labels.ts";
import { lockOwner } from "./issue-key.transactions.ts";
import { findImportedAs } from "./murmur.store.ts";
import { type IssuedKey, withIssuedKeys } from "../developers/developer.ts";
import { developerExists, openStored, updateDeveloper } from "../developers/developers.store.ts";
import type { References } from "../plans/plan.ts";
import { fitPlans } from "./fit-plans.transactions.ts";
import type { ImportedKey } from "./import-line.ts";

/** The result of a key of an import. */
export type ImportResult =
  | { result: "added" | "exists" }
  | { result: "refused"; reason: string };

/** The input of a chunk of an import. */
interface ImportChunk {
  actor: Actor;
  /**
   * The id of the run, for all its chunks: each of its keys names it as the attempt that it came
   * from.
   */
  import_id: string;
  references: References;
  keys: ImportedKey[];
}

/**
 * The keys of one chunk, their developers' maps and one audit row, or nothing of it. Results in the
 * keys' order.
 */
export const importKeys = defineTransaction(
  "keys.import",
  async (tx, input: ImportChunk): Promise<ImportResult[]> => {
    const { actor, keys } = input;
    const judged = await judgeKeys(tx, actor.org_id, keys, input.references);
    const locked = await lockDevelopers(tx, actor, keys.filter((_, i) => isWanted(judged[i])));
    const results: ImportResult[] = [];
    for (const [i, key] of keys.entries()) {
      const result = judged[i];
      if (!isWanted(result)) results.push(result ?? { result: "exists" });
      else {
        const added = await insert(tx, input, key, result.kind);
        results.push({ result: added ? "added" : "exists" });
        if (added && key.state !== "revoked") {
          locked.get(key.developer_id)?.issued.push(issuedOf(key));
        }
      }
    }
    for (const { developer, issued } of locked.values()) {
      if (issued.length > 0) {
        const full = openStored(tx.sealer, actor.org_id, developer);
        await updateDeveloper(tx, actor.org_id, withIssuedKeys(full, issued));
      }
    }
    const added = results.filter(({ result }) => result === "added").length;
    if (added > 0) {
      await wantAllKeys(tx, { org_id: actor.org_id });
      await recordChange(tx, actor, {
        action: "credentials.imported",
        object: "import",
        object_id: input.import_id,
        detail: { added },
      });
    }
    return results;
  },
);

/** Known already, refused with its reason, or to be added as this kind. */
type Judgement = ImportResult & { result: "exists" | "refused" } | Wanted;

interface Wanted {
  result: "wanted";
  kind: KeyKind;
}

/** The results that keys would have, each by itself. Writes nothing. */
export async function judgeKeys(
  db: Connection,
  org_id: string,
  keys: readonly ImportedKey[],
  references: References,
): Promise<Judgement[]> {
  // Many keys of a file have the same plans and developer.
  const kinds = new Map<string, Promise<KeyKind>>();
  const kindFor = (plans: readonly string[], own: KeyKind | null) => {
    const name = JSON.stringify([own, ...plans]);
    const known = kinds.get(name) ?? fitPlans(db, org_id, plans, own, references);
    kinds.set(name, known);
    return known;
  };
  const judgements: Judgement[] = [];
  for (const key of keys) {
    judgements.push(await judge(db, org_id, key, references, kindFor));
  }
  return judgements;
}

async function judge(
  db: Connection,
  org_id: string,
  key: ImportedKey,
  references: References,
  kindFor: (plans: readonly string[], own: KeyKind | null) => Promise<KeyKind>,
): Promise<Judgement> {
  if (await isKnown(db, org_id, key)) return { result: "exists" };
  const refused = (reason: string): Judgement => ({ result: "refused", reason });
  if (references === "strict" && !await developerExists(db, { org_id, id: key.developer_id })) {
    return refused("developer: this developer does not exist");
  }
  try {
    const kind = await kindFor(key.plans, key.kind);
    if (kind === "token" && key.secret_hash !== null) {
      return refused("password, secret_hash: a key of kind token has none");
    }
    if (kind !== "token" && key.secret_hash === null) {
      return refused(`password or secret_hash: needed for kind ${kind}`);
    }
    return { result: "wanted", kind };
  } catch (error) {
    if (!(error instanceof Failure) || error.code === "unavailable") throw error;
    return refused(`plans: ${wordsOf(error).replace(/^plans: /, "")}`);
  }
}

/** In our own words, where the failure has not words of its own. */
function wordsOf({ code, message }: Failure): string {
  return message === failureCodes[code].message ? ownMessageOf(code) : message;
}

/**
 * A murmur hash that was used since has another key id now, and must not come back to life under
 * the old one.
 */
async function isKnown(db: Connection, org_id: string, key: ImportedKey): Promise<boolean> {
  if (await keyExists(db, { org_id, key_id: key.key_id })) return true;
  return key.algorithm !== "sha256" &&
    await findImportedAs(db, { org_id, imported_as: key.key_id }) !== undefined;
}

function isWanted(result: Judgement | undefined): result is Wanted {
  return result?.result === "wanted";
}

/**
 * The developers of these keys, in the order of their ids: two imports at once can't wait for each
 * other.
 */
async function lockDevelopers(tx: Tx, actor: Actor, keys: readonly ImportedKey[]) {
  const locked = new Map<
    string,
    { developer: Awaited<ReturnType<typeof lockOwner>>; issued: IssuedKey[] }
  >();
  for (const id of [...new Set(keys.map((key) => key.developer_id))].sort()) {
    locked.set(id, { developer: await lockOwner(tx, actor, id), issued: [] });
  }
  return locked;
}

async function insert(
  tx: Tx,
  { actor, import_id }: ImportChunk,
  key: ImportedKey,
  kind: KeyKind,
): Promise<boolean> {
  const { key_id, secret_hash, state, developer_id, mask, issued_at } = key;
  const { expires_at, algorithm, use_before } = key;
  return await insertAbsentKey(tx, {
    org_id: actor.org_id,
    key_id,
    kind,
    secret_hash,
    state,
    developer_id,
    mask,
    issued_at,
    expires_at,
    algorithm,
    use_before,
    weak: key.isWeak ? "short" : null,
    labels: columnsOf(key.labels),
    request_id: "",
    plans: JSON.stringify(key.plans),
    attempt_id: import_id,
    issued_by: actor.user_id,
    state_reason: state === "active" ? null : `${state} when it was imported`,
    state_changed_at: state === "active" ? null : toTimestamp(actor.now),
  });
}

function issuedOf({ key_id, plans, client, issued_at }: ImportedKey): IssuedKey {
  if (client === null) return { key_id, plans };
  const blank = { redirect_uri: "", app_description: "", use_case: "" };
  return { key_id, plans, oauth_client: { ...blank, ...client, date_created: issued_at } };
}

import { sql } from "kysely";
import { statement } from "../../../storage/statement.ts";
import { type Check, type CheckedStore, type CheckFinding, notThereYet } from "./check.ts";

/** Rows that name another one, which must be there. */
interface Reference {
  name: string;
  /** SQL: the rows (as `a`), and which other one each of them needs (as `b`). */
  from: string;
  needs: string;
  id: string;
  advice: string;
}

const RELABEL =
  "lists by environment and tag, or searches by name, are wrong; verification is not affected: give the key other labels, then its own again";

const references: readonly Reference[] = [
  {
    name: "people belong to an organisation",
    from: "users a",
    needs: "organisations b where b.id = a.org_id",
    id: "a.id",
    advice: "they cannot be used; restore a copy if the organisation is missing",
  },
  {
    name: "access tokens belong to a person",
    from: "access_tokens a",
    needs: "users b where b.org_id = a.org_id and b.id = a.user_id",
    id: "a.id",
    advice: "they are not valid; make new ones with `keydesk token create`",
  },
  {
    name: "sessions belong to an access token",
    from: "sessions a",
    needs: "access_tokens b where b.org_id = a.org_id and b.id = a.token_id",
    id: "a.id",
    advice: "they are not valid, and are removed automatically",
  },
  {
    name: "keys in the lists of plans exist as listed",
    from: "credential_plans a",
    needs:
      "credentials b where b.org_id = a.org_id and b.key_id = a.key_id and b.state = a.state and b.issued_at = a.issued_at",
    id: "a.key_id",
    advice: "lists by plan are wrong; verification is not affected: set the key's plans again",
  },
  {
    name: "keys in the lists of environments and tags exist as listed",
    from: "credential_labels a",
    needs:
      "credentials b where b.org_id = a.org_id and b.key_id = a.key_id and b.issued_at = a.issued_at and (a.kind <> 'environment' or b.environment = a.label)",
    id: "a.key_id",
    advice: RELABEL,
  },
  {
    name: "keys with an environment are in its list",
    from:
      "(select org_id, key_id, issued_at, environment from credentials where environment is not null) a",
    needs:
      "credential_labels b where b.org_id = a.org_id and b.kind = 'environment' and b.label = a.environment and b.issued_at = a.issued_at and b.key_id = a.key_id",
    id: "a.key_id",
    advice: RELABEL,
  },
  {
    name: "search words belong to a key with a name",
    from: "credential_words a",
    needs: "credentials b where b.org_id = a.org_id and b.key_id = a.key_id and b.name is not null",
    id: "a.key_id",
    advice: RELABEL,
  },
  {
    name: "tokens of OAuth clients belong to a key",
    from: "oauth_tokens a",
    needs: "credentials b where b.org_id = a.org_id and b.key_id = a.key_id",
    id: "a.key_id",
    advice: "they are not valid, and are removed automatically",
  },
  {
    name: "files of certificates belong to a certificate",
    from: "certificate_files a",
    needs: "certificates b where b.org_id = a.org_id and b.fingerprint = a.fingerprint",
    id: "a.fingerprint",
    advice: "add the certificate again",
  },
  {
    name: "certificates have their file",
    from: "certificates a",
    needs: "certificate_files b where b.org_id = a.org_id and b.fingerprint = a.fingerprint",
    id: "a.fingerprint",
    advice: "remove the certificate and add it again",
  },
  {
    name: "ids of plans belong to a plan",
    from: "plan_ids a",
    needs: "plans b where b.org_id = a.org_id and b.id = a.plan_id",
    id: "a.id",
    advice:
      "keys that name it are refused as unknown_plan: restore a copy, or give them other plans",
  },
];

/** So many of each are named. */
const MOST_NAMED = 20;

const statements = references.map((one) => ({
  ...one,
  dangling: statement<Record<never, never>>()<{ org_id: string; id: string }>((db) => ({
    compile: () =>
      sql<{ org_id: string; id: string }>`select a.org_id, ${sql.raw(one.id)} as id
        from ${sql.raw(one.from)} where not exists (select 1 from ${sql.raw(one.needs)})
        limit ${sql.lit(MOST_NAMED)}`.compile(db),
  })),
}));

/** Rows that name others, and whether those are there. */
export const danglingReferences: Check = async function* (store) {
  const check = "references";
  for (const { name, advice, dangling } of statements) {
    const found = await foundBy(dangling, store, name);
    if ("result" in found) {
      yield found;
      continue;
    }
    const { rows } = found;
    for (const { org_id, id } of rows) {
      const text = `violated: ${name}; ${id} of organisation ${org_id}`;
      yield { check, result: "fail", text, advice };
    }
    if (rows.length === 0) yield { check, result: "ok", text: name };
  }
};

async function foundBy(
  dangling: typeof statements[number]["dangling"],
  store: CheckedStore,
  name: string,
): Promise<{ rows: { org_id: string; id: string }[] } | CheckFinding> {
  try {
    return { rows: await store.connection.rows(dangling, {}) };
  } catch (error) {
    const skipped = notThereYet(store, error, "references", name);
    if (!skipped) throw error;
    return skipped;
  }
}

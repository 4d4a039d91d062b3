import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import { sha256 } from "../../src/kernel/sha256.ts";

/**
 * What another desk's database holds, in the form of its exports, of one organisation and one
 * document of another.
 */
export interface Exports {
  org_id: string;
  /** A collection's documents, by the file that holds them. */
  collections: Record<string, unknown[]>;
}

/** A plain key of the original, whose hash is its SHA-256. */
export function originalKey(org_id: string, n: number): string {
  const id = sha256(`key ${n}`).slice(0, 32);
  return btoa(`{"org":"${org_id}","id":"${id}","h":"sha256"}`);
}

const oid = (n: number, kind: string) => `5f00${kind}${n.toString(16).padStart(18, "0")}`;

/** The id of a record. */
export const ids = {
  plan: (n: number) => oid(n, "aa"),
  developer: (n: number) => oid(n, "bb"),
  request: (n: number) => oid(n, "cc"),
};

/** The bcrypt hash of "correct horse", of cost 4. */
export const BCRYPT = "$2b$04$nPbW0839yRM.oZkvky0IEuY1g.Odt/IPjeUXmQTQw2R2Cun89VlKS";

/**
 * Exports with so many developers from `first` on, each with a key of plan 1 and two requests, of
 * which one is decided.
 */
export function makeExports(org_id: string, developers: number, first = 0): Exports {
  const foreign = "0".repeat(24);
  const people = Array.from({ length: developers }, (_, i) => first + i).map((n) => ({
    _id: { $oid: ids.developer(n) },
    email: `dev-${n}@example.org`,
    password: BCRYPT,
    date_created: { $date: "2019-03-04T05:06:07.089Z" },
    inactive: false,
    org_id,
    keys: { [sha256(originalKey(org_id, n))]: [ids.plan(1)] },
    subscriptions: { [ids.plan(1)]: sha256(originalKey(org_id, n)) },
    fields: { Name: `Developer ${n}`, Location: null },
    nonce: "",
    sso_key: n === 0 ? "sso-of-the-first" : "",
    oauth_clients: n === 1
      ? {
        [ids.plan(2)]: [{
          client_id: "client-one",
          secret: "secret-of-client-one",
          redirect_uri: "https://app.example.org/cb",
        }],
      }
      : {},
    PWHistory: [],
    password_max_days: { $numberInt: "0" },
    updated_at: "never kept",
  }));
  const requests = people.flatMap((_, i) => first + i).flatMap((n) =>
    [true, false].map((approved, i) => ({
      _id: { $oid: ids.request(2 * n + i) },
      org_id,
      by_user: ids.developer(n),
      for_plan: ids.plan(1),
      apply_policies: [ids.plan(1)],
      fields: { usecase: `Case ${n}`, traffic: "1 a minute" },
      approved,
      date_created: { $date: { $numberLong: String(Date.UTC(2020, 0, 1) + n * 1000 + i) } },
      version: "v2",
      key: "",
    }))
  );
  return {
    org_id,
    collections: {
      tyk_policies: [1, 2].map((n) => ({
        _id: { $oid: ids.plan(n) },
        id: `plan-${n}`,
        name: `Plan ${n}`,
        org_id,
        rate: 1000,
        per: 60,
        quota_max: { $numberLong: "10" },
        quota_renewal_rate: { $numberLong: "3600" },
        access_rights: { "api-1": { api_id: "api-1", api_name: "One", versions: ["Default"] } },
        active: true,
        is_inactive: false,
        tags: null,
        partitions: { quota: false, rate_limit: false, acl: false },
        hmac_enabled: false,
      })).concat([{ ...emptyForeign(foreign) }]),
      portal_catalogue: [{
        _id: { $oid: oid(1, "dd") },
        org_id,
        email: "",
        apis: [
          { name: "One", show: true, api_id: "api-1", policy_id: ids.plan(1) },
          { name: "Two", api_id: "api-1", policy_id: ids.plan(2), auth_type: "oauth" },
        ],
      }],
      portal_configurations: [{
        _id: { $oid: oid(1, "ee") },
        org_id,
        require_key_approval: true,
        signup_fields: ["Name"],
      }],
      portal_developers: people,
      portal_key_requests: requests,
    },
  };
}

// A document of another organisation, whose form is nobody's
// matter
// deno-lint-ignore no-explicit-any -- as said above
function emptyForeign(org_id: string): any {
  return { _id: { $oid: oid(9, "aa") }, org_id, name: "Another's" };
}

/** Writes exports into a folder, one document a line; `gzip`: compressed. */
export async function writeExports(
  folder: string,
  { collections }: Exports,
  form: "lines" | "array" | "gzip" = "lines",
): Promise<void> {
  for (const [name, documents] of Object.entries(collections)) {
    const lines = documents.map((one) => JSON.stringify(one));
    const text = form === "array" ? `[${lines.join(",\n")}]\n` : `${lines.join("\n")}\n`;
    if (form === "gzip") {
      await Deno.writeFile(`${folder}/${name}.json.gz`, gzipSync(Buffer.from(text)));
    } else await Deno.writeTextFile(`${folder}/${name}.json`, text);
  }
}

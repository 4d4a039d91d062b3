import { canonicalJson } from "../kernel/canonical-json.ts";

/*
 * The check of one row's proof, by the person who holds it: a browser as well as `keydesk audit
 * verify`. It asks no one, and takes nothing for true but the hash function that it is handed.
 * docs/audit-log.md says the same in words.
 */

/**
 * A row of the audit log as an export with proofs has it; what is `unknown` may be anything in one
 * that was tampered with.
 */
export interface ProvedRow {
  readonly org_id: string;
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly object: string;
  readonly object_id: string;
  readonly detail: unknown;
  readonly personal: unknown;
  readonly token_id: string;
  readonly session: string;
  readonly request_id: string;
  /** Absent, or empty: the caller gave none, or the row is from before it was kept. */
  readonly caller_request_id?: string | undefined;
  readonly client_address: string;
  readonly salts: unknown;
  readonly erased: unknown;
}

/** The proof that a row is in a log (RFC 6962, 2.1.1). Hashes are 64 hexadecimal characters. */
export interface RowProof {
  readonly org_id: string;
  readonly event: ProvedRow;
  /** How it came into the log: `written`, `upgrade` or `older`. */
  readonly kind: string;
  readonly leaf_index: number;
  readonly leaf_hash: string;
  /** The signed head that it is proved against. */
  readonly checkpoint: string;
  /** The sibling of each node on the way from the leaf to the root. */
  readonly audit_path: readonly string[];
}

/** The 32 bytes of the SHA-256 of some bytes. */
type Sha256 = (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array> | Uint8Array;

/** The result of a proof. The signer of the checkpoint is another question. */
interface ProofFound {
  /** The row, as it is here, has the hash that the log has of it. */
  readonly isAsWritten: boolean;
  /** The row's hash leads to the root of the head, which is one of the organisation's log. */
  readonly isInHead: boolean;
  /** How many entries the head has; 0 where it is none. */
  readonly size: number;
  /** Personal values were erased from the row. */
  readonly isErased: boolean;
}

/** Checks one. Whatever it holds, it throws nothing of its own. */
export async function checkProof(proof: RowProof, sha256: Sha256): Promise<ProofFound> {
  const head = headOf(proof.checkpoint);
  const content = await contentOfRow(proof.event, proof.kind, sha256);
  const leaf = content === undefined ? undefined : await hashOf([0], content, sha256);
  const root = leaf !== undefined && head && await rootBy(leaf, head.size, proof, sha256);
  return {
    isAsWritten: leaf !== undefined && leaf === proof.leaf_hash,
    isInHead: head !== undefined && root === head.root &&
      head.origin === `keydesk/${proof.org_id}` &&
      proof.event.org_id === proof.org_id,
    size: head?.size ?? 0,
    isErased: Object.keys(textsOf(proof.event.erased) ?? {}).length > 0,
  };
}

/** The parsed checkpoint (C2SP tlog-checkpoint); undefined: invalid. Root in hex. */
export function headOf(note: string): { origin: string; size: number; root: string } | undefined {
  const body = note.slice(0, note.lastIndexOf("\n\n") + 1);
  const [origin = "", size = "", root = ""] = body.split("\n");
  if (origin === "" || !/^(0|[1-9]\d{0,14})$/.test(size) || !/^[A-Za-z0-9+/]{43}=$/.test(root)) {
    return undefined;
  }
  const bytes = Uint8Array.from(atob(root), (one) => one.charCodeAt(0));
  return { origin, size: Number(size), root: hex(bytes) };
}

/** The hashed content of a row; undefined for one that is not as Keydesk writes any. */
export async function contentOfRow(
  row: ProvedRow,
  kind: string,
  sha256: Sha256,
): Promise<string | undefined> {
  const isKnown = ["written", "upgrade", "older"].includes(kind);
  const [personal, salts, erased] = [row.personal, row.salts, row.erased].map(textsOf);
  if (!isKnown || !personal || !salts || !erased) return undefined;
  const detail = canonicalJson(row.detail);
  const values = new Map([
    ...Object.entries(personal),
    ...row.client_address === "" ? [] : [["client_address", row.client_address] as const],
    ...Object.hasOwn(salts, "") ? [["", detail] as const] : [],
  ]);
  const hashes = new Map<string, string>();
  for (const [name, hash] of Object.entries(erased)) {
    const isThere = values.has(name) || (name === "" && detail !== "{}");
    if (isThere || !isHex(hash, 64)) return undefined;
    hashes.set(name, hash);
  }
  for (const [name, value] of values) {
    const salt = Object.hasOwn(salts, name) ? salts[name] : undefined;
    if (!isHex(salt, 32)) return undefined;
    hashes.set(name, await hashOf([], `${salt}${value}`, sha256));
  }
  const { id, at, actor, action, object, object_id, org_id, token_id, session, request_id } = row;
  return canonicalJson({
    id,
    at,
    actor,
    action,
    object,
    object_id,
    org_id,
    token_id,
    session,
    request_id,
    v: 1,
    ...row.caller_request_id ? { caller_request_id: row.caller_request_id } : {},
    client_address: hashes.get("client_address") ?? null,
    detail: hashes.get("") ?? row.detail,
    ...kind === "written" ? {} : { entered: kind },
    personal: Object.fromEntries(
      [...hashes].filter(([name]) => name !== "" && name !== "client_address"),
    ),
  });
}

/** The root to which a leaf leads (RFC 9162, 2.1.3.2); undefined for a path of another length. */
async function rootBy(
  leaf: string,
  size: number,
  { leaf_index, audit_path }: RowProof,
  sha256: Sha256,
): Promise<string | undefined> {
  if (!Number.isSafeInteger(leaf_index) || leaf_index < 0 || leaf_index >= size) return undefined;
  let [index, last, hash] = [leaf_index, size - 1, leaf];
  for (const sibling of audit_path) {
    if (last === 0 || !isHex(sibling, 64)) return undefined;
    if (index % 2 === 1 || index === last) {
      hash = await nodeOf(sibling, hash, sha256);
      while (index % 2 === 0 && index > 0) [index, last] = [index / 2, Math.floor(last / 2)];
    } else {
      hash = await nodeOf(hash, sibling, sha256);
    }
    [index, last] = [Math.floor(index / 2), Math.floor(last / 2)];
  }
  return last === 0 ? hash : undefined;
}

async function nodeOf(left: string, right: string, sha256: Sha256): Promise<string> {
  const bytes = `01${left}${right}`.match(/../g) ?? [];
  return hex(await sha256(Uint8Array.from(bytes, (one) => Number.parseInt(one, 16))));
}

async function hashOf(before: number[], text: string, sha256: Sha256): Promise<string> {
  return hex(await sha256(Uint8Array.from([...before, ...new TextEncoder().encode(text)])));
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function isHex(text: unknown, length: number): text is string {
  return typeof text === "string" && text.length === length && /^[0-9a-f]+$/.test(text);
}

/** An object whose members are all texts; undefined for anything else. */
function textsOf(value: unknown): Readonly<Record<string, string>> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.values(value).every((one) => typeof one === "string")
    // as: looked at in the line above.
    ? value as Record<string, string>
    : undefined;
}

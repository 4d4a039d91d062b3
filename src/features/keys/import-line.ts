import { z } from "zod";
import { someKeyLabels } from "../../contract/labels.ts";
import { id, timestamp } from "../../contract/values.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { sha256 } from "../../kernel/sha256.ts";
import type { KeyKind, StoredKeyState } from "./key-kinds.ts";
import { checkKeyForm, maskOf, shortened } from "./key-form.ts";
import { saidOf, type SomeKeyLabels } from "./key-labels.ts";
import { isWeak } from "./chosen-keys.ts";
import { ID_LENGTHS, type KeyAlgorithm } from "./murmur.ts";

/**
 * A key out of a file, as it is to be stored: hashed, but for the secret of an OAuth client, which
 * is sealed.
 */
export interface ImportedKey {
  key_id: string;
  algorithm: KeyAlgorithm;
  /** Null: what the plans call for. */
  kind: KeyKind | null;
  secret_hash: string | null;
  mask: string;
  /** Whether its text is known and short. */
  isWeak: boolean;
  developer_id: string;
  plans: string[];
  issued_at: string;
  expires_at: string | null;
  use_before: string | null;
  state: StoredKeyState;
  /** The entry of the developer's `oauth_clients`, if both parts are known in plain. */
  client: { client_id: string; secret: string; redirect_uri?: string } | null;
  labels: SomeKeyLabels;
}

/** How lines are judged. */
export interface ImportOptions {
  /**
   * From this instant on a key that is known by its murmur hash alone opens nothing; null: none is
   * taken.
   */
  murmurUntil: string | null;
}

const names = z.string().refine((text) => text.isWellFormed(), {
  error: "must not hold half a surrogate pair",
});
const secret = names.min(1).max(4096);
const ids = id.refine((text) => text.isWellFormed(), {
  error: "must not hold half a surrogate pair",
});

const line = z.strictObject({
  key: secret.optional(),
  hash: z.string().optional(),
  algorithm: z.string().optional(),
  kind: z.enum(["token", "basic", "oauth"]).optional(),
  secret_hash: z.string().regex(/^[0-9a-f]{64}$/i, {
    error: "expected the 64 hexadecimal digits of a SHA-256",
  }).optional(),
  password: secret.optional(),
  developer: ids,
  plans: z.array(ids).min(1).max(100),
  expires_at: timestamp.optional(),
  created: timestamp.optional(),
  state: z.enum(["active", "suspended", "revoked"]).optional(),
  ...someKeyLabels,
});

type Line = z.output<typeof line>;

/**
 * Reads one line of an import. A text is the reason why it is refused; it names members and never
 * repeats what is in them, because that can be a key.
 */
export function readLine(
  text: string,
  options: ImportOptions,
  nowMs: number,
): ImportedKey | string {
  const parsed = parseLine(text);
  if (typeof parsed === "string") return parsed;
  const named = nameOf(parsed, options);
  if (typeof named === "string") return named;
  const { password, secret_hash, key, kind } = parsed;
  if (password !== undefined && secret_hash !== undefined) {
    return "password and secret_hash: expected one of them";
  }
  if (kind === "oauth" && key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key)) {
    return "key: expected a client_id of 1 to 255 printable characters";
  }
  return {
    ...named,
    kind: kind ?? null,
    secret_hash: password === undefined ? secret_hash?.toLowerCase() ?? null : sha256(password),
    developer_id: parsed.developer,
    plans: [...new Set(parsed.plans)],
    issued_at: instant(parsed.created) ?? toTimestamp(nowMs),
    expires_at: instant(parsed.expires_at),
    use_before: named.algorithm === "sha256" ? null : options.murmurUntil,
    state: parsed.state ?? "active",
    client: key === undefined || password === undefined
      ? null
      : { client_id: key, secret: password },
    labels: saidOf(parsed) ?? {},
  };
}

function parseLine(text: string): Line | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "is no JSON";
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return "is no JSON object";
  }
  // As in every body, null is the same as absent.
  const present = Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
  const result = line.safeParse(present);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (!issue || issue.code === "unrecognized_keys") {
    return `expected no other members than ${Object.keys(line.shape).join(", ")}`;
  }
  return `${issue.path.join(".")}: ${issue.message.replace("Invalid input: ", "")}`;
}

/** The key id and how it was made, or why there can be none. */
function nameOf(
  { key, hash, algorithm }: Line,
  { murmurUntil }: ImportOptions,
): { key_id: string; algorithm: KeyAlgorithm; mask: string; isWeak: boolean } | string {
  if ((key === undefined) === (hash === undefined)) return "key or hash: expected one of them";
  if (key !== undefined) {
    if (algorithm !== undefined) return "algorithm: belongs to hash; a plain key is hashed anew";
    if (checkKeyForm(key) === "typo") {
      return "key: begins like a key of the form kd and is none, so verification would refuse it";
    }
    const key_id = sha256(key);
    return { key_id, algorithm: "sha256", mask: maskOf(key, key_id), isWeak: isWeak(key) };
  }
  const named = algorithm ?? "sha256";
  if (named === "murmur32") return `algorithm: ${FORGEABLE}`;
  if (!isAlgorithm(named)) return "algorithm: expected sha256, murmur64 or murmur128";
  const key_id = hash?.toLowerCase() ?? "";
  if (!/^[0-9a-f]+$/.test(key_id) || key_id.length !== ID_LENGTHS[named]) {
    return key_id.length === 8
      ? `hash: ${FORGEABLE}`
      : `hash: expected the ${ID_LENGTHS[named]} hexadecimal digits of ${named}`;
  }
  if (named !== "sha256" && murmurUntil === null) {
    return `algorithm: ${named} is taken with --allow-murmur only`;
  }
  return { key_id, algorithm: named, mask: shortened(key_id), isWeak: false };
}

/** Why 32 bits are not taken, whatever is asked for. */
const FORGEABLE = "a hash of 32 bits is refused: a key that fits is found by trying";

function isAlgorithm(text: string): text is KeyAlgorithm {
  return Object.hasOwn(ID_LENGTHS, text);
}

function instant(time: string | undefined): string | null {
  return time === undefined ? null : toTimestamp(Date.parse(time));
}

import type { KeyFormat, KeyHash } from "../../calls/context.ts";
import { Failure } from "../../kernel/failure.ts";
import { randomAlphanumeric, randomBytes, toHex } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { type AuthType, commonAuthType } from "../plans/plan.ts";
import { kdKey, maskOf, RANDOM_LENGTH, shortened } from "./key-form.ts";

/** How a key is presented. */
export type KeyKind = "token" | "basic" | "oauth";

/**
 * Whether a key opens anything; that it has expired is derived from the time and never
 * stored.
 */
export type StoredKeyState = "active" | "suspended" | "revoked";

/** The kind of key that a plan's auth type calls for. */
export function kindOf(type: AuthType): KeyKind {
  return type === "basic" || type === "oauth" ? type : "token";
}

/**
 * The kind of a key for plans of these auth types; `own` where it is given, and then they must fit
 * it: a user name or an OAuth client may have plans of plain keys too. Throws `keyless_plan`,
 * `mixed_auth_types` and `wrong_auth_type`.
 */
export function kindFor(
  types: readonly AuthType[],
  own: KeyKind | null = null,
): KeyKind {
  const plain = own === "basic" || own === "oauth" ? own : "authToken";
  const kind = kindOf(
    commonAuthType(types.map((type) => type === "authToken" ? plain : type), false),
  );
  if (own !== null && kind !== own) throw new Failure("wrong_auth_type");
  return kind;
}

/**
 * Everything random that an approval may need, minted before its transaction so that a repeat mints
 * nothing new.
 */
export interface Attempt {
  /** Stored with the key: tells a repeated transaction its own commit. */
  id: string;
  innerId: string;
  /** A whole key of the kd form; empty: the legacy form, made of innerId. */
  kdKey: string;
  /** The `h` of the legacy form; absent: sha256. */
  hash?: KeyHash;
  username: string;
  password: string;
  clientId: string;
  clientSecret: string;
}

/** A key about to be stored and shown: hashes to keep, plain parts to reveal once. */
interface Minted {
  kind: KeyKind;
  /** Lower-case hex SHA-256 of the key, the username or the client_id. */
  key_id: string;
  /** Lower-case hex SHA-256 of the password or client secret; null for a token. */
  secret_hash: string | null;
  /** Its mask in lists. */
  mask: string;
  /** RawKey and Password of specification 2.9. */
  reveal: { RawKey: string; Password: string };
}

/** Fresh random material: 128 bits and more in every secret part. `format` is that of keys. */
export function newAttempt(format: KeyFormat): Attempt {
  return {
    id: toHex(randomBytes(16)),
    innerId: toHex(randomBytes(16)),
    kdKey: format.name === "kd" ? kdKey(format.env, randomAlphanumeric(RANDOM_LENGTH)) : "",
    ...format.name === "legacy" && format.hash ? { hash: format.hash } : {},
    username: randomAlphanumeric(24),
    password: randomAlphanumeric(32),
    clientId: toHex(randomBytes(16)),
    clientSecret: randomAlphanumeric(43),
  };
}

/**
 * The key of this kind that an attempt represents; the same attempt always gives the same.
 */
export function mint(kind: KeyKind, attempt: Attempt, org_id: string): Minted {
  switch (kind) {
    case "token": {
      if (attempt.kdKey !== "") return minted(kind, attempt.kdKey, "");
      const RawKey = btoa(
        `{"org":${JSON.stringify(org_id)},"id":"${attempt.innerId}","h":"${
          attempt.hash ?? "sha256"
        }"}`,
      );
      return minted(kind, RawKey, "", shortened(attempt.innerId));
    }
    case "basic":
      return minted(kind, attempt.username, attempt.password);
    case "oauth":
      return minted(kind, attempt.clientId, attempt.clientSecret);
  }
}

function minted(kind: KeyKind, key: string, secret: string, mask?: string): Minted {
  const key_id = sha256(key);
  return {
    kind,
    key_id,
    secret_hash: secret === "" ? null : sha256(secret),
    mask: mask ?? maskOf(key, key_id),
    reveal: { RawKey: key, Password: secret },
  };
}

/**
 * The form in which a request's `key` is kept: a key id as it is, anything else as the hash that
 * would be its id.
 */
export function toKeyId(key: string): string {
  return /^[0-9a-f]{64}$/.test(key) ? key : sha256(key);
}

import type { Kind } from "./source.ts";

/**
 * The differences between the source and this server: `refused` was not imported, `changed` was
 * imported otherwise, `kept` stays as it is here.
 */
export const differences = {
  unreadable: ["refused", "could not be read"],
  invalid: ["refused", "has a member that Keydesk does not take"],
  no_id: ["refused", "has no id of 1 to 255 characters"],
  plan_ids_taken: ["refused", "another plan has one of its ids, or had it and is deleted"],
  plan_name_taken: ["changed", "another plan has its name: its id was added to the name"],
  email_taken: ["changed", "another developer has the e-mail address: it is imported without one"],
  sso_key_taken: ["changed", "another developer has the sso_key: it is imported without one"],
  password_form: [
    "changed",
    "the password is no bcrypt hash of cost 14 or less: a new one must be set",
  ],
  no_password: ["changed", "the password is not known: a new one must be set to log in"],
  plain_key: ["changed", "its name was the key itself: its name is now its SHA-256"],
  key_weak: [
    "changed",
    "the key was chosen by a person and has fewer than 20 characters, so it may be guessed: its holder needs a new key",
  ],
  key_too_short: [
    "refused",
    "the key was chosen by a person and has fewer than 3 characters: the gateway allows no such text",
  ],
  key_32_bits: [
    "refused",
    "the key's hash has 32 bits, which can be matched by trying keys: the key is not valid; its holder needs a new key",
  ],
  key_murmur: [
    "refused",
    "only a murmur hash of the key is known: --murmur-until imports it until its first use",
  ],
  key_without_session: [
    "changed",
    "the key's session is not known: it is imported active, without an expiry of its own",
  ],
  key_bound: [
    "refused",
    "the key was valid only with a signature or a client certificate, which Keydesk does not check: its name alone would be valid here; its holder needs a new key",
  ],
  key_not_in_gateway: ["refused", "the gateway does not know this key, so it was not valid there"],
  key_without_owner: [
    "changed",
    "the key belongs to no developer: it is imported under the developer of all such keys, or keeps the developer that it has here",
  ],
  key_without_plans: ["refused", "the key has access rights of its own and no plan"],
  quotas_unknown: [
    "changed",
    "the Redis user may not read quota-*, so the use of quotas is not known: keys go on from their sessions; grant the right before `run`, because a quota is imported only with its key",
  ],
  key_plans_differ: [
    "changed",
    "the plans of the gateway differ from the developer's: the gateway's count",
  ],
  key_inactive: [
    "changed",
    "is_inactive beside plans did not deny the key there: it is imported active",
  ],
  basic_password: [
    "refused",
    "a user name whose password has another hash: issue a new one to its holder",
  ],
  client_without_secret: ["refused", "the secret of the OAuth client is not known"],
  client_organisation: [
    "refused",
    "no plan and no API of this organisation belongs to the OAuth client: also name the source of the plans",
  ],
  oauth_token: ["refused", "a token of an OAuth client: the client gets a new one"],
  key_owner_differs: ["kept", "the key belongs to another developer here"],
  certificate_without_pem: [
    "refused",
    "the interface gives no certificate's text: name the gateway's Redis, or its PEM file, too",
  ],
  documentation_not_given: [
    "refused",
    "an entry of the catalogue names the document, and no source has it",
  ],
  sources_differ: [
    "changed",
    "two sources differ: the first one for its kind counts",
  ],
  certificate_refused: [
    "refused",
    "the certificate can't be read: its text is damaged, or its private key is encrypted and --passphrase-file is missing or wrong",
  ],
  certificate_id: [
    "changed",
    "the certificate's id differs, since it names another organisation or another text",
  ],
  unknown_plan: ["changed", "names a plan that does not exist"],
  exists_here: ["kept", "exists here and was not imported; --theirs replaces it"],
  changed_here: [
    "kept",
    "was changed there and here: the one here stays; --theirs replaces it",
  ],
  own_again: [
    "kept",
    "was exported from Keydesk before: only an empty server imports it in its present state",
  ],
  deleted_here: ["kept", "was deleted here since the import; --theirs restores it"],
  gone_there: [
    "kept",
    "was imported earlier and is gone there: it stays valid until it is revoked here",
  ],
} as const satisfies Readonly<Record<string, readonly [how: string, sentence: string]>>;

/** The name of one. */
export type Difference = keyof typeof differences;

/** How a difference counts and what it means. */
export function meaningOf(code: string): readonly [how: string, meaning: string] {
  // as: codes are written from this very list; one of a later release is unknown here.
  return Object.hasOwn(differences, code) ? differences[code as Difference] : ["", ""];
}

/** A difference of one object. Neither id nor detail ever holds a key, a password or a secret. */
export interface Finding {
  kind: Kind;
  /** Of the object there, or the place where it stood. */
  id: string;
  code: Difference;
  detail: string;
}

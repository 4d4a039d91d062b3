import type { Kind } from "./source.ts";

/**
 * Every difference there can be between what was there and what is here: `refused` did not come,
 * `changed` came otherwise, `kept` stays as it is here.
 */
export const differences = {
  unreadable: ["refused", "could not be read"],
  invalid: ["refused", "has a member that Keydesk does not take"],
  no_id: ["refused", "has no id of 1 to 255 characters"],
  plan_ids_taken: ["refused", "another plan has one of its ids, or had it and is deleted"],
  plan_name_taken: ["changed", "another plan has its name: its id was added to the name"],
  email_taken: ["changed", "another developer has the e-mail address: it arrives without one"],
  sso_key_taken: ["changed", "another developer has the sso_key: it arrives without one"],
  password_form: [
    "changed",
    "the password is no bcrypt hash of cost 14 or less: a new one must be set",
  ],
  no_password: ["changed", "no password came along: a new one must be set to log in"],
  plain_key: ["changed", "was named by the key itself: it is named by its SHA-256 from now on"],
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
    "the key is known by a murmur hash alone: --murmur-until takes it until its first use",
  ],
  key_without_session: [
    "changed",
    "the key came without its session: it arrives active, without an end of its own",
  ],
  key_bound: [
    "refused",
    "the key opened nothing there by itself, but with a signature or a client certificate, which Keydesk does not check: here its name alone would open; its holder needs a new key",
  ],
  key_not_in_gateway: ["refused", "the gateway does not know this key, so it opened nothing there"],
  key_without_owner: [
    "changed",
    "the key belongs to no developer: it arrives under the one of all such keys, or stays with the one whom it has here",
  ],
  key_without_plans: ["refused", "the key has access rights of its own and no plan"],
  quotas_unknown: [
    "changed",
    "its user may not read quota-*, so what was used of quotas is not known: keys go on from what their sessions say; give it the right before `run`, since a quota comes with its key alone",
  ],
  key_plans_differ: [
    "changed",
    "the gateway goes by other plans than the developer names: those of the gateway count",
  ],
  key_inactive: [
    "changed",
    "is_inactive beside plans did not close the key there: it arrives active",
  ],
  basic_password: [
    "refused",
    "a user name whose password is hashed in another way: issue a new one and hand it to its holder",
  ],
  client_without_secret: ["refused", "the OAuth client came without its secret"],
  client_organisation: [
    "refused",
    "no plan and no API of this organisation belongs to the OAuth client: name the source of the plans too",
  ],
  oauth_token: ["refused", "a token of an OAuth client: the client asks for a new one"],
  key_owner_differs: ["kept", "the key belongs to another developer here"],
  certificate_without_pem: [
    "refused",
    "the interface gives no certificate's text: name the gateway's Redis, or its PEM file, too",
  ],
  documentation_not_given: [
    "refused",
    "an entry of the catalogue names the document and no source gives it",
  ],
  sources_differ: [
    "changed",
    "another source knows it otherwise: the one that comes first for its kind counts",
  ],
  certificate_refused: [
    "refused",
    "the certificate can't be read: its text is damaged, or its private key is encrypted and --passphrase-file is missing or opens another one",
  ],
  certificate_id: [
    "changed",
    "the certificate's id differs, since it names another organisation or another text",
  ],
  unknown_plan: ["changed", "names a plan that does not exist"],
  exists_here: ["kept", "is here already and came by no import; --theirs replaces it"],
  changed_here: [
    "kept",
    "was changed there and here: it stays as it is here; --theirs replaces it",
  ],
  own_again: [
    "kept",
    "came out of an export of Keydesk before: only an empty desk takes it as it is there now",
  ],
  deleted_here: ["kept", "was deleted here since it came; --theirs brings it back"],
  gone_there: [
    "kept",
    "came earlier and is gone there: it opens what it opened until it is revoked here",
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

import { type ArchiveTable, shapeOf } from "../archive/archive-tables.ts";

/** The parts that an export lacks, or has for Keydesk alone, and their effects. */
const losses = {
  passwords: [
    "secret",
    "developers' passwords: each sets a new one",
  ],
  developer_secrets: [
    "secret",
    "developers with a nonce, an sso_key or secrets of OAuth clients: single sign-on does not find them",
  ],
  request_secrets: ["secret", "key requests with a jwt_secret or secrets of their developer"],
  private_keys: ["secret", "private keys of certificates: the export has the certificates only"],
  keys: ["secret", "keys: none is valid after an import"],
  argon2_passwords: [
    "original",
    "developers whose password is no bcrypt hash: they set a new one at Tyk's portal",
  ],
  kd_keys: [
    "original",
    "keys of the form kd_…: Tyk's gateway changes such a text before it hashes it and does not find them: each needs a new one",
  ],
  unfound_keys: [
    "original",
    "keys that the gateway finds under another name: a gateway without hashing looks for the key itself, which Keydesk does not have; a chosen text of such a gateway has another name elsewhere",
  ],
  expired_chains: [
    "original",
    "certificates with expired certificates in their chain: those are left out, because the gateway refuses such a file",
  ],
  expired_certificates: [
    "original",
    "expired certificates: the gateway refuses a file with one",
  ],
  refused_curves: [
    "original",
    "certificates with an elliptic key, or a chain with one, on another curve than P-224, P-256, P-384 and P-521, or with explicit parameters: the gateway refuses these files",
  ],
  refused_key_kinds: [
    "original",
    "certificates with a private key that is not of RSA, ECDSA or Ed25519 (Ed448, RSA-PSS, DSA, X25519, ML-DSA and others): the gateway refuses these files, but accepts the certificates without the keys",
  ],
  unread_public_keys: [
    "original",
    "public keys that the gateway stores and cannot read: its detailed list of certificates fails while one is there",
  ],
  key_forms: [
    "original",
    "private keys that cannot be written in the form of --key-form: they are expanded keys without a seed, and are exported as they are",
  ],
  suspended_keys: [
    "original",
    "suspended keys: they are exported as expired, because Tyk cannot suspend",
  ],
  oauth_clients: [
    "original",
    "OAuth clients whose secret is not known, or whose plans are valid for no API: Tyk's gateway refuses them, and each needs a new one",
  ],
  quotas_of_more_plans: [
    "original",
    "keys with quotas of several plans: Tyk counts one, and the use of the others is lost",
  ],
  other_credentials: [
    "original",
    "user names with passwords, and OAuth clients that are not valid: Tyk refuses them",
  ],
  key_labels: [
    "original",
    "keys with an environment or a note: Tyk has only their names, as alias, and tags",
  ],
  revoked_keys: ["original", "revoked keys: Tyk keeps none"],
  declined_requests: [
    "original",
    "declined key requests: at Tyk they would wait for a decision again",
  ],
  deleted_plans: ["original", "deleted plans, whose ids Keydesk never uses again"],
} as const satisfies Readonly<Record<string, readonly [who: "secret" | "original", text: string]>>;

/** The name of one. */
export type Loss = keyof typeof losses;

/** A loss as it is printed. */
export interface ReportedLoss {
  what: string;
  count: number;
  meaning: string;
  /** All of them by their names, where it matters which they are. */
  names?: string[];
}

/** Of one kind so many are named by `addOne`: an inventory may have millions. */
const MOST_KEPT = 1_000;
/** How many paths of members are listed, and how many characters of one. */
const MOST_NAMED = 20;
const LONGEST_NAME = 80;

/** Counts what is lost while documents are made. */
export class Losses {
  readonly #counts = new Map<Loss, number>();
  readonly #names = new Map<Loss, string[]>();
  readonly #members = new Map<string, number>();
  /** Losses with too many paths to list. */
  #otherMembers = 0;
  readonly #rows = new Map<ArchiveTable, number>();

  add(loss: Loss, n = 1): void {
    if (n > 0) this.#counts.set(loss, (this.#counts.get(loss) ?? 0) + n);
  }

  /** Things that an administrator has to look for one by one. */
  addNamed(loss: Loss, names: readonly string[]): void {
    this.add(loss, names.length);
    if (names.length > 0) this.#names.set(loss, [...this.#names.get(loss) ?? [], ...names]);
  }

  /** One of which there may be very many: the first thousand are named. */
  addOne(loss: Loss, name: string): void {
    this.add(loss);
    const names = this.#names.get(loss) ?? [];
    if (names.length < MOST_KEPT) this.#names.set(loss, [...names, name]);
  }

  /** Rows in a form that only Keydesk has. */
  addRows(table: ArchiveTable, n: number): void {
    if (n > 0) this.#rows.set(table, (this.#rows.get(table) ?? 0) + n);
  }

  /** An unknown member, by its place in documents of a kind. */
  addMember(place: string): void {
    const known = this.#members.get(place);
    if (known === undefined && this.#members.size >= MOST_NAMED) this.#otherMembers++;
    else this.#members.set(place, (known ?? 0) + 1);
  }

  /** The parts that are missing in any case, or that the original alone can't take. */
  of(who: "secret" | "original"): ReportedLoss[] {
    const lines = [...this.#counts].filter(([loss]) => losses[loss][0] === who)
      .map(([what, count]) => {
        const names = this.#names.get(what);
        return { what, count, meaning: losses[what][1], ...names ? { names } : {} };
      });
    if (who === "original") return lines;
    const rows = [...this.#rows].map(([what, count]) => {
      const meaning = `${
        shapeOf(what).holds
      }, in a form that only Keydesk reads: exported with secrets only`;
      return { what, count, meaning };
    });
    return [...lines, ...this.#ofMembers(), ...rows];
  }

  #ofMembers(): ReportedLoss[] {
    if (this.#members.size === 0) return [];
    const places = [...this.#members.keys()].map((place) => place.slice(0, LONGEST_NAME));
    const named = [...places, ...this.#otherMembers > 0 ? ["others"] : []].join(", ");
    const count = [...this.#members.values()].reduce((sum, n) => sum + n, this.#otherMembers);
    const meaning = `texts in members that Keydesk does not know, which may be secrets: ${named}`;
    return [{ what: "unknown_members", count, meaning }];
  }
}

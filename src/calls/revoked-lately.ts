import { join } from "node:path";
import { toTimestamp } from "../kernel/clock.ts";
import { addToFile, readFileIfThere, writeWholeFile } from "../kernel/durable-file.ts";
import { sha256 } from "../kernel/sha256.ts";

/** The file in the data directory that holds them. */
export const REVOKED_FILE = "revoked-lately";

const DAY_MS = 24 * 60 * 60 * 1000;
/** For how long what was revoked is kept, and how much of it: the oldest goes. */
const KEPT_MS = 30 * DAY_MS;
const MOST_KEPT = 100_000;

/** Things that are revoked for good. */
export type Revocable = "credential" | "access_token" | "person";

/** One thing that was revoked, or is no longer. */
export interface Revocation {
  readonly org_id: string;
  readonly object: Revocable;
  readonly object_id: string;
  /** When. */
  readonly at: string;
  /** False: it was restored. */
  readonly isRevoked: boolean;
}

/**
 * Revocations of the last 30 days, up to 100,000, kept outside of the store: a line for each in a
 * file of the data directory, with the time, the organisation and a hash. A store that was restored
 * to an older state knows nothing of these revocations; this file does. Several processes may add
 * to one file.
 */
export class RevokedLately {
  readonly #path: string;
  /** By name: when, and of which organisation. */
  readonly #known = new Map<string, { at: string; org_id: string }>();

  constructor(folder: string) {
    this.#path = join(folder, REVOKED_FILE);
  }

  /** Reads what is kept. Lines that are none count for nothing. */
  async load(): Promise<void> {
    this.#known.clear();
    for (const line of (await readFileIfThere(this.#path) ?? "").split("\n")) {
      const [, sign, at = "", org_id = "", name = ""] = LINE.exec(line) ?? [];
      if (sign === "+") this.#put(name, { at, org_id });
      else if (sign === "-") this.#known.delete(name);
    }
  }

  /** When it was revoked; undefined where nothing of that is kept. */
  since(one: Pick<Revocation, "org_id" | "object" | "object_id">): string | undefined {
    return this.#known.size === 0 ? undefined : this.#known.get(nameOf(one))?.at;
  }

  /** How many are kept. */
  get size(): number {
    return this.#known.size;
  }

  /** Keeps these, in their order. They have reached the disk when this returns. */
  async add(revocations: readonly Revocation[]): Promise<void> {
    const lines: string[] = [];
    for (const one of revocations) {
      const name = nameOf(one);
      const known = this.#known.get(name)?.at;
      if (one.isRevoked ? known === one.at : known === undefined || known > one.at) continue;
      if (one.isRevoked) this.#put(name, one);
      else this.#known.delete(name);
      lines.push(lineOf(one.isRevoked ? "+" : "-", name, one));
    }
    if (lines.length > 0) await addToFile(this.#path, lines.join(""));
  }

  /** Keeps nothing more of an organisation, whose store was taken as it is. */
  async forget(org_id: string): Promise<void> {
    for (const [name, one] of this.#known) if (one.org_id === org_id) this.#known.delete(name);
    await this.#write();
  }

  /** Leaves out of the file what is too old or no longer counts. */
  async tidy(now: number): Promise<void> {
    const least = toTimestamp(now - KEPT_MS);
    for (const [name, { at }] of this.#known) if (at < least) this.#known.delete(name);
    const lines = (await readFileIfThere(this.#path) ?? "").split("\n").length - 1;
    if (lines > this.#known.size) await this.#write();
  }

  #put(name: string, { at, org_id }: { at: string; org_id: string }): void {
    this.#known.delete(name);
    this.#known.set(name, { at, org_id });
    if (this.#known.size <= MOST_KEPT) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  async #write(): Promise<void> {
    const lines = [...this.#known].map(([name, one]) => lineOf("+", name, one));
    await writeWholeFile(this.#path, lines.join(""));
  }
}

const LINE = /^([+-]) (\S{20,30}) (\S+) ([0-9a-f]{64})$/;

function lineOf(
  sign: string,
  name: string,
  { at, org_id }: { at: string; org_id: string },
): string {
  return `\n${sign} ${at} ${org_id} ${name}`;
}

/** A hash: who reads the file learns no id. */
function nameOf(
  { org_id, object, object_id }: Pick<Revocation, "org_id" | "object" | "object_id">,
) {
  return sha256([object, org_id, object_id].join("\0"));
}

import { foldedEmail } from "../../features/developers/developer.ts";
import { findEmailOwner } from "../../features/developers/folded-emails.store.ts";
import { planIdsOf } from "../../features/plans/plan-ids.store.ts";
import { sha256 } from "../../kernel/sha256.ts";
import type { Connection } from "../../storage/storage.ts";
import type { Finding } from "./findings.ts";
import type { Item } from "./items.ts";
import { planNameTaken } from "./plan-names.store.ts";
import type { Kind } from "./source.ts";

/**
 * The findings that a run would only have while it writes: names that several objects need, and
 * unknown plans.
 */
export class Forecast {
  readonly #names = new Set<string>();
  readonly #emails = new Set<string>();
  readonly #plans = new Set<string>();

  constructor(readonly db: Connection, readonly org_id: string) {}

  /** The findings of objects that would be added. */
  async of(kind: Kind, items: readonly Item[]): Promise<Finding[]> {
    const found: Finding[] = [];
    for (const item of items) {
      const code = await this.#codeOf(item);
      const { id } = item;
      if (code) found.push({ kind, id, code, detail: "" });
      if (item.kind !== "key" && item.kind !== "client") continue;
      const unknown = item.key.plans.filter((plan) => !this.#plans.has(plan));
      const known = await planIdsOf(this.db, this.org_id, unknown);
      const detail = unknown.find((plan) => !known.has(plan));
      if (detail !== undefined) found.push({ kind, id, code: "unknown_plan", detail });
    }
    return found;
  }

  async #codeOf(item: Item): Promise<Finding["code"] | undefined> {
    if (item.kind === "plan") {
      const { _id, id, name } = item.plan;
      this.#plans.add(_id).add(id);
      const isTaken = this.#names.has(name) ||
        await planNameTaken(this.db, { org_id: this.org_id, name, id: _id });
      this.#names.add(name);
      return isTaken ? "plan_name_taken" : undefined;
    }
    if (item.kind !== "developer") return undefined;
    const folded = foldedEmail(item.developer.email);
    if (folded === "") return undefined;
    // A part of the hash: a hundred thousand addresses are kept here.
    const name = sha256(folded).slice(0, 24);
    const isTaken = this.#emails.has(name) ||
      await findEmailOwner(this.db, { org_id: this.org_id, folded }) !== undefined;
    this.#emails.add(name);
    return isTaken ? "email_taken" : undefined;
  }
}

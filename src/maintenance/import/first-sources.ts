import { digestOf } from "./digests.ts";
import type { Item } from "./items.ts";

/**
 * The objects of a kind that several sources hold, by what the first of them said: some hundred
 * bytes each, whatever they hold.
 */
export class FirstSources {
  readonly #first = new Map<string, { from: string; essence: string }>();

  /** The source that had an object first; undefined: none did. */
  by(id: string): string | undefined {
    return this.#first.get(id)?.from;
  }

  /** Notes an object of a source, unless another source had it before. */
  note(id: string, from: string, item: Item | undefined): void {
    if (!this.#first.has(id)) this.#first.set(id, { from, essence: essenceOf(item) });
  }

  /** Whether what counts is an object that can come. */
  comes(id: string): boolean {
    return (this.#first.get(id)?.essence ?? "") !== "";
  }

  /** Whether an object is known otherwise. */
  differs(id: string, item: Item | undefined): boolean {
    const first = this.#first.get(id);
    return first !== undefined && first.essence !== "" && item !== undefined &&
      first.essence !== essenceOf(item);
  }
}

/** The part of an object that matters, as every source knows it; empty: nothing is known of it. */
function essenceOf(item: Item | undefined): string {
  return item === undefined ? "" : digestOf(essentials(item)).slice(0, 16);
}

function essentials(item: Item): unknown {
  switch (item.kind) {
    case "plan": {
      const { name, active, is_inactive, rate, per, quota_max, access_rights } = item.plan;
      return [name, active, is_inactive, rate, per, quota_max, Object.keys(access_rights).sort()];
    }
    case "configuration":
    case "own":
      return "";
    case "catalogue":
      return item.entries.map(({ api_id, policy_id }) => `${api_id} ${policy_id}`).sort();
    case "documentation":
      return item.document.documentation;
    case "certificate":
      return item.entry.fingerprint;
    case "developer": {
      const { email, inactive, fields, keys } = item.developer;
      return [email, inactive, fields, Object.keys(keys).sort()];
    }
    case "client":
      return [item.key.secret_hash, [...item.key.plans].sort()];
    case "key":
      return [item.key.expires_at, [...item.key.plans].sort()];
    case "request":
      return [item.decided, item.columns.by_user, item.columns.for_plan];
  }
}

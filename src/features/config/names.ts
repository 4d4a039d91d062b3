import type { RequestContext } from "../../calls/context.ts";
import { rolePresets } from "../../contract/roles.ts";
import { Failure } from "../../kernel/failure.ts";
import { openedRole } from "../people/role.ts";
import { rolesOf } from "../people/roles.store.ts";
import { peopleBelow } from "../people/people.store.ts";
import { plansAfter, type PlanView } from "../plans/plans.store.ts";

/** How many rows are read at once. */
const AT_ONCE = 1000;

/** The names of one kind of thing, and the ids that they mean. */
class Named {
  readonly #kind: string;
  readonly #names = new Map<string, string>();
  readonly #ids = new Map<string, string[]>();
  /** Of either id of a thing that has two, the first. */
  readonly #firsts = new Map<string, string>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  /** `ids`: a name means the first; all have the name. */
  add(name: string, ...ids: readonly string[]): void {
    const [first = ""] = ids;
    for (const one of ids) {
      this.#names.set(one, name);
      this.#firsts.set(one, first);
    }
    this.#ids.set(name, [...this.#ids.get(name) ?? [], first]);
  }

  /** The name of an id; the id itself where none, or the name of several things, means it. */
  nameOf(id: string): string {
    const name = this.#names.get(id);
    return name !== undefined && this.#ids.get(name)?.length === 1 ? name : id;
  }

  /** The thing that has this id; undefined: none has. */
  idFor(id: string): string | undefined {
    return this.#firsts.get(id);
  }

  /**
   * The id that a word means: of a name, else of an id. Any other word means itself: the
   * operation refuses it. Throws `invalid_input` for the name of several.
   */
  idOf(word: string): string {
    const [id, ...others] = this.#ids.get(word) ?? [];
    if (others.length === 0) return id ?? this.#firsts.get(word) ?? word;
    const message = `${this.#kind} "${word}": ${others.length + 1} have this name; write an id`;
    throw new Failure("invalid_input", { message, details: [message] });
  }
}

/** The names by which declarations speak of plans, roles and people. */
export class Names {
  readonly plans = new Named("plan");
  readonly roles = new Named("role");
  readonly people = new Named("person");
}

/** Those of an organisation. `plans`: its plans. */
export async function namesOf(
  { storage: { reader }, sealer, principal: { org_id } }: RequestContext,
  plans: readonly PlanView[],
): Promise<Names> {
  const names = new Names();
  for (const { id, given_id, name } of plans) names.plans.add(name, id, given_id);
  // A preset's id is the word for it.
  for (const { id } of rolePresets) names.roles.add(id, id);
  for (const row of await rolesOf(reader, { org_id })) {
    const role = openedRole(sealer, row);
    if (role) names.roles.add(role.name, role.id);
  }
  for (let below = "~";;) {
    const rows = await peopleBelow(reader, { org_id, below }, AT_ONCE);
    for (const { id, name, deactivated_at } of rows) {
      if (deactivated_at === null) names.people.add(name, id);
    }
    const last = rows.at(-1);
    if (!last || rows.length < AT_ONCE) return names;
    below = last.id;
  }
}

/** The plans of an organisation, newest first. */
export async function everyPlan(
  { storage: { reader }, principal: { org_id } }: RequestContext,
): Promise<PlanView[]> {
  const plans: PlanView[] = [];
  while (true) {
    const rows = await plansAfter(reader, org_id, plans.at(-1), AT_ONCE);
    plans.push(...rows);
    if (rows.length < AT_ONCE) return plans;
  }
}

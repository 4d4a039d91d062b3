/**
 * Where a committee sits: people who may approve, and developers whose requests are decided under
 * several policies.
 */
import assert from "node:assert/strict";
import type { Node } from "./clients.ts";

/** Somebody who may approve. */
export interface Member {
  id: string;
  name: string;
  credential: string;
}

/** A step of a policy, by the ids of its people; null: everybody who may approve. */
export interface TableStep {
  name: string;
  need: number;
  people: string[] | null;
}

/** Whose requests are decided under which policy; each developer asks for one plan alone. */
export interface Case {
  developer: string;
  plan: string;
  /** Empty: whoever may approve decides. */
  steps: TableStep[];
  not_by_filer: boolean;
  /** After so many days a request that nobody decides is declined by itself; null: never. */
  expires_after_days: number | null;
  /** So many days before, who may decide is reminded of that; null: nobody is. */
  remind_before_days: number | null;
  /** The member who has this developer's address; "": none has. */
  own: string;
}

/** What is made once, before the first call: see setTable. */
export interface Table {
  members: Member[];
  cases: Case[];
  /** Offered instead of the plan that is asked for. */
  other: string;
}

/** Adds people, plans, policies and developers. */
export async function setTable(node: Node): Promise<Table> {
  const made = async (method: string, path: string, body: unknown) => {
    const answer = await node(method, path, body);
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  // Its messages say in which order the changes of one request came.
  await made("POST", "/v1/channels", { name: "Committee", url: "http://127.0.0.1:9/" });
  const members: Member[] = [];
  for (const name of ["ann", "bob", "cleo", "dan"]) {
    const permissions = ["portal:read", "portal:write", "approve"];
    const email = `${name}@example.org`;
    const { id } = await made("POST", "/v1/people", { name, permissions, email });
    const path = `/v1/people/${id}/access-tokens`;
    const { access_token: credential } = await made("POST", path, {
      name: "history",
      deliver: "answer",
    });
    members.push({ id, name, credential });
  }
  const [ann, bob, cleo, dan] = members.map(({ id }) => id) as [string, string, string, string];
  const three: TableStep[] = [
    { name: "Data", need: 1, people: [ann, bob] },
    { name: "Platform", need: 1, people: [bob, cleo, dan] },
    { name: "Everybody", need: 1, people: [ann, bob, cleo, dan] },
  ];
  const two: TableStep[] = [{ name: "Two", need: 2, people: [ann, bob, cleo, dan] }];
  const usual = {
    not_by_filer: false,
    expires_after_days: null,
    remind_before_days: null,
    own: "",
  };
  const ending = { expires_after_days: 1 };
  const reminding = { expires_after_days: 2, remind_before_days: 1 };
  const cases: Case[] = [
    { developer: "dev-three", plan: "plan-three", steps: three, ...usual, ...reminding },
    { developer: "dev-two", plan: "plan-two", steps: two, ...usual, ...ending, not_by_filer: true },
    { developer: "dev-own", plan: "plan-three", steps: three, ...usual, ...reminding, own: dan },
    { developer: "dev-one", plan: "plan-one", steps: [], ...usual },
  ];
  for (const id of ["plan-three", "plan-two", "plan-one", "plan-other"]) {
    const body = { _id: id, id, name: id, rate: 100, per: 1 };
    await made("POST", "/api/portal/policies", body);
  }
  for (const { plan, steps, not_by_filer, expires_after_days, remind_before_days } of cases) {
    if (steps.length === 0) continue;
    const ends = { expires_after_days, remind_before_days };
    const body = { outcome: "steps", steps, not_by_filer, ...ends };
    await made("PUT", `/v1/plans/${plan}/approval-policy`, body);
  }
  for (const { developer, own } of cases) {
    const email = own === "" ? `${developer}@example.org` : "dan@example.org";
    await made("POST", "/v1/developers", { id: developer, email });
  }
  return { members, cases, other: "plan-other" };
}

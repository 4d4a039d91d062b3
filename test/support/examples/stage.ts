import { exampleIds } from "../../../src/contract/example-ids.ts";
import type { TestDesk } from "../desk.ts";
import { makeKnown } from "../known-parties.ts";
import { reach, type StandIn, standIn } from "../identity-provider.ts";
import { call } from "../people.ts";

/** An organisation of its own for one example, and what was made in it so far. */
export interface Stage {
  desk: TestDesk;
  org_id: string;
  admin: string;
  /** What stands in the example → what is really there. */
  readonly real: Map<string, string>;
}

/** An empty organisation. */
export async function newStage(desk: TestDesk): Promise<Stage> {
  return { desk, ...await desk.otherOrganisation(), real: new Map() };
}

/** The developer who calls, registered where they are not yet. */
export async function caller({ desk, admin, real }: Stage): Promise<{ id: string; email: string }> {
  const email = "mine@example.org";
  const known = real.get("developer who calls");
  if (known !== undefined) return { id: known, email };
  const { Message: id } = await call(desk, "POST", "/api/portal/developers", { email }, admin);
  real.set("developer who calls", id);
  return { id, email };
}

/** Offers less for the request of the example. Gives the offer's id. */
export async function offerOf({ desk, org_id, admin, real }: Stage): Promise<string> {
  const id = real.get(exampleIds.keyRequest) ?? "";
  await desk.app.ctx.storage.commit(makeKnown, { org_id, requests: [id] });
  const body = { conditions: { rate: { calls: 60, seconds: 60 } } };
  return (await call(desk, "POST", `/v1/key-requests/${id}/offer`, body, admin)).offer.id;
}

/** The stand-in of an identity provider that a desk may call, beside what the example names. */
export function standInOf(desk: TestDesk): Promise<StandIn> {
  const known = standIns.get(desk);
  if (known) return known;
  const made = standIn().then((one) => {
    reach(desk, one.host, "localhost:4000", ...desk.config.OUTBOUND);
    return one;
  });
  standIns.set(desk, made);
  return made;
}

const standIns = new WeakMap<TestDesk, Promise<StandIn>>();

/** Who signs in there. */
export const ADA = { sub: "ada", name: "Ada", groups: ["desk"] };

export const GATEWAY = {
  name: "Gateway",
  connection: "synced",
  url: "https://gateway.example.org",
  secret: "s",
};

export const PEOPLE = "/v1/people";

export const GRACE = { name: "Grace", permissions: ["portal:read", "approve"] };

export const WORDS = "a long sentence that only she knows";

/** A developer's key for a plan that opens the example's API. */
export async function newKey(
  { desk, admin, real }: Stage,
  plan: () => Promise<string>,
  developer: (email: string) => Promise<string>,
): Promise<string> {
  const holder = real.get(exampleIds.developer) ?? await developer("key@example.org");
  // An example that names a plan gives it to a key that has another one.
  const body = {
    apply_policies: [real.has(exampleIds.plan) ? await other(desk, admin) : await plan()],
  };
  const path = `/api/portal/developers/${holder}/keys`;
  return (await call(desk, "POST", path, body, admin)).RawKey;
}

export async function other(desk: TestDesk, admin: string): Promise<string> {
  return (await call(desk, "POST", "/api/portal/policies", { name: "Another" }, admin)).Message;
}

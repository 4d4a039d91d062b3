import { z } from "zod";
import { changeBy } from "../../calls/change-by.ts";
import type { RequestContext } from "../../calls/context.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { exampleIds } from "../../contract/example-ids.ts";
import { nullable } from "../../contract/v1.ts";
import { id, text, timestamp } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { peopleWhoApprove } from "../people/people.store.ts";
import { awayFor, findDelegation } from "./delegations.store.ts";
import { endDelegation, setDelegation } from "./delegations.transactions.ts";

const tag = "People";

const named = { id: text, name: text };

/** A delegation of decisions. */
export const delegation = z.strictObject({
  delegate: nullable(z.strictObject({ ...named, until: timestamp })).meta({
    description: "The delegate who decides for the caller, and until when; null: none.",
  }),
  decides_for: z.array(z.strictObject({ ...named, until: timestamp })).meta({
    description: "In whose place the caller decides now.",
  }),
  candidates: z.array(z.strictObject(named)).meta({
    description: "People who could decide for the caller: those who may approve, 100 at the most.",
  }),
}).meta({ id: "Delegation" });

/** Read. */
export const getDelegation = operation({
  id: "getDelegation",
  method: "GET",
  path: "/v1/me/delegation",
  tag,
  summary: "Read who decides in the caller's place while they are away, and for whom they do",
  description: "Only persons have a delegate; other callers have none.",
  permission: ["approve"],
  withinScope: true,
  response: delegation,
  errors: [],
  serve: (ctx) => read(ctx),
});

/** Name a person. */
export const putDelegation = operation({
  id: "putDelegation",
  method: "PUT",
  path: "/v1/me/delegation",
  tag,
  summary: "Name who gives the caller's steps of approval policies until a time",
  description:
    "For 90 days at the most: a later time is reduced to that. The delegate approves steps that are the caller's and not their own, only of requests that both may decide, and each person counts once. It can't be passed on; it does not count while either may not approve.",
  permission: ["approve"],
  withinScope: true,
  needsFreshSignIn: true,
  body: z.object({ delegate_id: id, until: timestamp }).meta({ id: "DelegationInput" }),
  response: delegation,
  errors: [...bodyErrors],
  example: { delegate_id: exampleIds.person, until: "2036-01-31T09:00:00Z" },
  async serve(ctx, { body: { delegate_id, until } }) {
    await changeBy(ctx, setDelegation, { delegate_id, until });
    return await read(ctx);
  },
});

/** End it. */
export const deleteDelegation = operation({
  id: "deleteDelegation",
  method: "DELETE",
  path: "/v1/me/delegation",
  tag,
  summary: "Remove the caller's delegate",
  description: "Nothing happens if there is none. Steps that were approved stay.",
  permission: ["approve"],
  withinScope: true,
  response: delegation,
  errors: [],
  async serve(ctx) {
    await changeBy(ctx, endDelegation, {});
    return await read(ctx);
  },
});

type View = z.output<typeof delegation>;

/** People who are named of those who could, at the most. */
const MOST_NAMED = 100;

/** The caller's delegate, and the people whose delegate they are. */
async function read(ctx: RequestContext): Promise<View> {
  const { storage: { reader }, principal: { org_id, user_id }, clock } = ctx;
  const now = toTimestamp(clock.now());
  const own = await findDelegation(reader, { org_id, person_id: user_id });
  const away = await awayFor(reader, { org_id, delegate_id: user_id, now });
  const people = await peopleWhoApprove(reader, org_id);
  return {
    delegate: own && own.until > now
      ? { id: own.delegate_id, name: own.delegate_name ?? own.delegate_id, until: own.until }
      : null,
    decides_for: away.map(({ id, name, until }) => ({ id, name, until })),
    candidates: people.filter(({ id }) => id !== user_id).slice(0, MOST_NAMED)
      .map(({ id, name }) => ({ id, name })),
  };
}

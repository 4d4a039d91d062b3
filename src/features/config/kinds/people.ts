import { z } from "zod";
import { toTimestamp } from "../../../kernel/clock.ts";
import { toAccessToken } from "../../people/access-token.ts";
import { accessTokenMembers } from "../../people/access-tokens.contract.ts";
import { limitAccessToken, revokeAccessToken } from "../../people/access-tokens.operations.ts";
import { allAccessTokensBelow } from "../../people/access-tokens.store.ts";
import { openedRole } from "../../people/role.ts";
import { rolesOf } from "../../people/roles.store.ts";
import { openedRule } from "../../people/temporary-access.ts";
import { temporaryAccessRulesOf } from "../../people/temporary-access.store.ts";
import { createRole, deleteRole, updateRole } from "../../sign-in/roles/roles.operations.ts";
import {
  createTemporaryAccessRule,
  deleteTemporaryAccessRule,
  updateTemporaryAccessRule,
} from "../../sign-in/temporary-access/temporary-access-rules.operations.ts";
import { type At, type Kind, type Members, type Present, shapeOf } from "../kind.ts";

/** Roles of the organisation's own. */
export const roles: Kind = {
  name: "roles",
  permission: "admin",
  noun: "role",
  schema: z.strictObject(shapeOf(createRole)),
  needs: ["name"],
  sets: ["permissions"],
  keyOf: ({ name }) => String(name),
  async read({ ctx: { storage: { reader }, sealer, principal: { org_id } } }) {
    return (await rolesOf(reader, { org_id })).flatMap((row): Present[] => {
      const role = openedRole(sealer, row);
      if (!role) return [];
      const { id, name, permissions } = role;
      return [{ id, key: name, members: { name, permissions: permissions.toSorted() } }];
    });
  },
  create: ({ names }, name, body) => [
    { operation: createRole, body, made: ({ id }) => names.roles.add(name, String(id)) },
  ],
  change: (_, { present: { id }, after }) => [
    { operation: updateRole, params: { id }, body: after },
  ],
  remove: (_, { id }) => [{ operation: deleteRole, params: { id }, last: true }],
};

const person = z.string().min(1).max(255).meta({
  description: "The person's name, or their id where several have it.",
});

const people = z.array(person);

const PEOPLE = ["people", "seconds", "receivers"];

/** Rules of temporary access. */
export const temporaryAccessRules: Kind = {
  name: "temporary_access_rules",
  permission: "admin",
  noun: "rule of temporary access",
  schema: z.strictObject({
    ...shapeOf(createTemporaryAccessRule),
    people,
    seconds: people,
    receivers: people,
  }),
  needs: ["name"],
  sets: PEOPLE,
  keyOf: ({ name }) => String(name),
  async read({ ctx: { storage: { reader }, sealer, principal: { org_id } }, names }) {
    const named = (ids: readonly string[]) => ids.map((id) => names.people.nameOf(id)).sort();
    return (await temporaryAccessRulesOf(reader, { org_id })).flatMap((row): Present[] => {
      const rule = openedRule(sealer, row);
      if (!rule) return [];
      const { id, name, minutes, proof, seconds, receivers } = rule;
      const members = {
        name,
        people: named(rule.people),
        role: names.roles.nameOf(rule.role),
        minutes,
        proof,
        seconds: named(seconds),
        receivers: named(receivers),
      };
      return [{ id, key: name, members }];
    });
  },
  create: ({ names }, _, after) => [
    { operation: createTemporaryAccessRule, body: ruleBody(names, after) },
  ],
  change: ({ names }, { present: { id }, after }) => [
    { operation: updateTemporaryAccessRule, params: { id }, body: ruleBody(names, after) },
  ],
  remove: (_, { id }) => [{ operation: deleteTemporaryAccessRule, params: { id } }],
};

function ruleBody(names: At["names"], after: Members): Members {
  const entries = Object.entries(after).map(([member, value]) => {
    if (member === "role") return [member, names.roles.idOf(String(value))];
    if (!PEOPLE.includes(member) || !Array.isArray(value)) return [member, value];
    return [member, value.map((one) => names.people.idOf(String(one)))];
  });
  return Object.fromEntries(entries);
}

/** How many rows are read at once. */
const AT_ONCE = 1000;

const { permissions: _, scope, certs_answer, expires_at } = accessTokenMembers;

/** Access tokens that are valid, without their values: none is made by a file. */
export const accessTokens: Kind = {
  name: "access_tokens",
  permission: "admin",
  noun: "access token",
  schema: z.strictObject({
    person,
    name: z.string().min(1).max(255),
    role: z.string(),
    scope,
    expires_at,
    certs_answer,
    addresses: shapeOf(limitAccessToken).addresses ?? z.array(z.string()),
  }),
  needs: ["person", "name"],
  sets: ["addresses", "scope"],
  fixed: ["role", "scope", "expires_at", "certs_answer"],
  maySame: true,
  keyOf: ({ person, name }, _, names) => `${names.people.idOf(String(person))} ${String(name)}`,
  async read({ ctx: { storage: { reader }, principal: { org_id }, clock }, names }) {
    const found: Present[] = [];
    const now = clock.now();
    for (let below = "~";;) {
      const rows = await allAccessTokensBelow(reader, { org_id, below }, AT_ONCE);
      for (const row of rows) {
        const token = toAccessToken(row, now);
        if (token.state !== "active" || token.replaced_by !== null) continue;
        found.push({
          id: row.id,
          key: `${row.user_id} ${row.name}`,
          members: {
            person: names.people.nameOf(row.user_id),
            name: row.name,
            ...token.role === null ? {} : { role: names.roles.nameOf(token.role) },
            // A role says the scope of the tokens that have it.
            ...token.role === null && token.scope ? { scope: token.scope.toSorted() } : {},
            ...token.expires_at === null
              ? {}
              : { expires_at: toTimestamp(Date.parse(token.expires_at)) },
            ...token.certs_answer === null ? {} : { certs_answer: token.certs_answer },
            addresses: (token.addresses ?? []).toSorted(),
          },
        });
      }
      const last = rows.at(-1);
      if (!last || rows.length < AT_ONCE) return found.reverse();
      below = last.id;
    }
  },
  change: (_, { present: { id }, after: { addresses } }) => [
    { operation: limitAccessToken, params: { id }, body: { addresses } },
  ],
  remove: (_, { id }) => [{ operation: revokeAccessToken, params: { id } }],
};

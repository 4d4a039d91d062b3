import { z } from "zod";
import { nameText } from "../../contract/labels.ts";
import { MOST_IN_SCOPE } from "../../contract/scope.ts";
import { permissions } from "../../contract/permissions.ts";
import { id, text } from "../../contract/values.ts";

/** A name that has to be given. */
export const nameInput = nameText().min(1);

/** Permissions to give. */
export const permissionsInput = z.array(z.enum(permissions)).max(permissions.length);

/** The id of a role, of the organisation's own or one that every organisation has. */
export const roleInput = z.string().trim().min(1).max(64);

const named = z.array(id).max(MOST_IN_SCOPE);

/** The plans within which a person sees and decides. */
export const scope = z.strictObject({
  plans: z.array(text),
  apis: z.array(text),
  tags: z.array(text),
}).meta({ id: "Scope" });

/** The scope as input. */
const scopeInput = z.object({
  plans: named.default([]).meta({ description: "Ids of plans." }),
  apis: named.default([]).meta({
    description: "Ids of APIs: plans that are valid for nothing but these are covered.",
  }),
  tags: named.default([]).meta({ description: "Tags: plans with one of these are covered." }),
}).refine(({ plans, apis, tags }) => plans.length + apis.length + tags.length > 0, {
  error: "expected a plan, an API or a tag",
}).meta({ id: "ScopeInput" });

/** The grant of a person: permissions one by one, or a role. */
export const grantMembers = {
  permissions: permissionsInput.optional(),
  role: roleInput.optional().meta({
    description:
      "The id of a role, which says the permissions, now and later. Beside it `permissions` are absent, or its own.",
  }),
  scope: z.union([scopeInput, z.literal("everything")]).optional().meta({
    description:
      "The scope in which they see and decide, or `everything`. Absent: it stays as it is, and is everything for a new person.",
  }),
};

/** Whether one of the two is given. */
export function isGrant({ permissions, role }: { permissions?: unknown; role?: unknown }): boolean {
  return permissions !== undefined || role !== undefined;
}

/** The error without either. */
export const NO_GRANT = { error: "expected permissions or a role" };

/** The answer of `listUsers`. */
export const userList = z.strictObject({
  users: z.array(z.strictObject({
    id: text,
    first_name: text.meta({ description: "All words of the name but the last." }),
    last_name: text,
    email_address: text,
    active: z.boolean(),
    org_id: text,
  })),
  pages: z.int(),
}).meta({ id: "UserList" });

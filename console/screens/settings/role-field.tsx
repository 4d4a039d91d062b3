import type { z } from "zod";
import type { role as roleSchema } from "../../../src/features/sign-in/roles/roles.operations.ts";
import { listRoles } from "../../api/identity-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { SelectField } from "../../parts/fields.tsx";
import { listed, say } from "../../said.ts";

/** A role, as the server shows it. */
export type Role = z.output<typeof roleSchema>;

/** The roles of the organisation; undefined until they are known. */
export function useRoles() {
  return useCall(["people", "roles"], listRoles, {});
}

/** A role's name; its id until the name is known. */
export function useRoleName(id: string | null): string {
  const { data } = useRoles();
  return data?.data.find((one) => one.id === id)?.name ?? id ?? "";
}

/** How many have a role, in words; empty: none. */
export function usedBy({ used_by: { people, access_tokens, identity_providers } }: Role): string {
  const countOf = (n: number, one: string, many = `${one}s`) =>
    n === 0 ? [] : [say`${n} ${n === 1 ? one : many}`];
  return listed([
    ...countOf(people, "person", "people"),
    ...countOf(access_tokens, "access token"),
    ...countOf(identity_providers, "identity provider"),
  ]);
}

/** After a change of roles: whoever has one may do something else. */
export function forgetRoles(): Promise<void> {
  return queries.invalidateQueries({ queryKey: ["people"] });
}

/**
 * Chooses a role that the caller may give, or none: "". `before` is the one that there was, which
 * stays possible.
 */
export function RoleField({ value, before, none = "None: chosen below", error, onChange }: {
  value: string;
  before: string | null;
  /** The text while none is chosen. */
  none?: string;
  error?: string | undefined;
  onChange: (id: string, role: Role | undefined) => void;
}) {
  const known = useRoles().data?.data ?? [];
  const offered = known.filter(({ id, permissions }) => id === before || permissions.every(may));
  const isKnown = value === "" || offered.some(({ id }) => id === value);
  const chosen = known.find(({ id }) => id === value);
  return (
    <SelectField
      label="Role"
      value={value}
      hint={chosen?.description || undefined}
      error={error}
      options={[
        { value: "", text: none },
        ...isKnown ? [] : [{ value, text: value }],
        ...offered.map(({ id, name }) => ({ value: id, text: name })),
      ]}
      onChange={(id) => onChange(id, known.find((one) => one.id === id))}
    />
  );
}

import { granted } from "../../api/session.ts";
import { fieldsOf } from "../../parts/form-fields.tsx";
import { scopeBody, ScopeField } from "./scope-field.tsx";
import { PermissionFields } from "./permission-fields.tsx";
import { summaryOf } from "./permission-words.ts";
import type { Person, TypedScope } from "./person.ts";
import { RoleField } from "./role-field.tsx";

/** The form of a person. */
export interface PersonDraft {
  name: string;
  /** The role's permissions if there is one. */
  permissions: Person["permissions"];
  /** The id of a role; empty: none. */
  role: string;
  /** Null: everything. */
  scope: TypedScope | null;
  /** Empty: mails reach them nowhere. */
  email: string;
}

/** The fields at which a form shows the server's errors. */
export const personPlaces = {
  name: "name",
  email: "email",
  permissions: "permissions",
  permission_not_held: "permissions",
  role: "role",
  unknown_role: "role",
  scope: "scope",
};

/** The person as the server takes them. */
export function personBody({ name, permissions, role, scope, email }: PersonDraft) {
  const given = role === "" ? { permissions } : { role };
  return { name: name.trim(), email: email.trim(), ...given, scope: scopeBody(scope) };
}

/** Name, address, and a role or permissions. `needsAddress`: an invitation needs one. */
export function PersonFields(
  { draft, set, errors, before, roleBefore = null, needsAddress = false }: {
    draft: PersonDraft;
    set: (change: Partial<PersonDraft>) => void;
    errors: Readonly<Record<string, string>>;
    /** The permissions that the person has already. */
    before: Person["permissions"];
    roleBefore?: string | null;
    needsAddress?: boolean;
  },
) {
  return fieldsOf<PersonDraft>({ draft, set, errors }, [
    { of: "name", label: "Name", maxLength: 100, autoFocus: true, required: true },
    {
      of: "email",
      label: "E-mail address",
      type: needsAddress ? "email" : "text",
      maxLength: 254,
      required: needsAddress,
    },
    <RoleField
      key="role"
      value={draft.role}
      before={roleBefore}
      error={errors.role}
      onChange={(role, known) =>
        set({ role, permissions: known?.permissions ?? draft.permissions })}
    />,
    draft.role === ""
      ? (
        <PermissionFields
          legend="Permissions"
          held={draft.permissions}
          offered={granted.value}
          before={before}
          error={errors.permissions}
          onChange={(permissions) => set({ permissions })}
        />
      )
      : [
        <p key="summary" class="muted">{summaryOf(draft.permissions)}</p>,
        errors.permissions && (
          <p key="wrong" class="field-error" role="alert">{errors.permissions}</p>
        ),
      ],
    <ScopeField
      key="scope"
      value={draft.scope}
      error={errors.scope}
      onChange={(scope) => set({ scope })}
    />,
  ]);
}

import { granted } from "../../api/session.ts";
import { TextField } from "../../parts/fields.tsx";
import { PermissionFields } from "./permission-fields.tsx";
import type { Person } from "./person.ts";

/** What is typed of a person. */
export interface PersonDraft {
  name: string;
  permissions: Person["permissions"];
  /** Empty: mails reach them nowhere. */
  email: string;
}

/** Where a form shows what the server refuses of a person. */
export const personPlaces = {
  name: "name",
  email: "email",
  permissions: "permissions",
  permission_not_held: "permissions",
};

/** Name, address and permissions. `needsAddress`: nobody can be invited without one. */
export function PersonFields({ draft, set, errors, before, needsAddress = false }: {
  draft: PersonDraft;
  set: (change: Partial<PersonDraft>) => void;
  errors: Readonly<Record<string, string | undefined>>;
  /** What the person holds already. */
  before: Person["permissions"];
  needsAddress?: boolean;
}) {
  return (
    <>
      <TextField
        label="Name"
        value={draft.name}
        maxLength={100}
        error={errors.name}
        autoFocus
        required
        onInput={(name) => set({ name })}
      />
      <TextField
        label="E-mail address"
        type={needsAddress ? "email" : "text"}
        value={draft.email}
        maxLength={254}
        error={errors.email}
        required={needsAddress}
        onInput={(email) => set({ email })}
      />
      <PermissionFields
        legend="Permissions"
        held={draft.permissions}
        offered={granted.value}
        before={before}
        error={errors.permissions}
        onChange={(permissions) => set({ permissions })}
      />
    </>
  );
}

import type { Permission } from "../../../src/contract/permissions.ts";
import { granted } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/fields.tsx";
import { say } from "../../said.ts";
import { PermissionFields } from "./permission-fields.tsx";
import { RoleField } from "./role-field.tsx";
import { summaryOf } from "./permission-words.ts";

type Groups = { group: string; permissions: Permission[]; role: string | null }[];

/** The roles that a provider's groups give. You can grant only permissions that you have. */
export function ProviderGroups({ groups, before, error, onChange }: {
  groups: Groups;
  /** The previous ones: they stay possible. */
  before: Groups;
  error: string | undefined;
  onChange: (groups: Groups) => void;
}) {
  const put = (at: number, change: Partial<Groups[number]>) =>
    onChange(groups.map((one, n) => n === at ? { ...one, ...change } : one));
  return (
    <fieldset class="permissions">
      <legend class="field-label">
        Groups at the provider, and the roles that they give in Keydesk
      </legend>
      {groups.map(({ group, permissions, role }, at) => (
        <div key={at} class="card">
          <TextField
            label={say`Group ${at + 1}`}
            value={group}
            maxLength={255}
            required
            onInput={(text) => put(at, { group: text })}
          />
          <RoleField
            value={role ?? ""}
            before={before.find((one) => one.group === group)?.role ?? null}
            onChange={(id) => put(at, { role: id === "" ? null : id })}
          />
          {role === null && (
            <details class="provider-fold">
              <summary>May: {summaryOf(permissions)}</summary>
              <PermissionFields
                legend={say`What group ${at + 1} gives`}
                held={permissions}
                offered={granted.value}
                before={before.find((one) => one.group === group)?.permissions ?? []}
                onChange={(next) => put(at, { permissions: next })}
              />
            </details>
          )}
          <div class="card-actions">
            <Button
              label={say`Take out group ${at + 1}`}
              onClick={() => onChange(groups.filter((_, n) => n !== at))}
            >
              Take out
            </Button>
          </div>
        </div>
      ))}
      {error && <p class="field-error" role="alert">{error}</p>}
      <div>
        <Button onClick={() => onChange([...groups, { group: "", permissions: [], role: null }])}>
          Add a group
        </Button>
      </div>
    </fieldset>
  );
}

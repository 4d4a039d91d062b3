import { useRef, useState } from "preact/hooks";
import { createRole, deleteRole, getRole, updateRole } from "../../api/identity-endpoints.ts";
import { api, decisionKey, withTag } from "../../api/client.ts";
import type { Permission } from "../../../src/contract/permissions.ts";
import { granted, may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { ask } from "../../parts/confirm.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { ChangedMeanwhile } from "../../parts/form-state.ts";
import { Managed } from "../../parts/managed.tsx";
import { Tag } from "../../parts/pill.tsx";
import { Unread } from "../../parts/states.tsx";
import { toast } from "../../parts/toasts.tsx";
import { listed, say } from "../../said.ts";
import { PermissionFields } from "./permission-fields.tsx";
import { leftOpenWords } from "./left-open.ts";
import { permissionName, sorted } from "./permission-words.ts";
import { SectionOfCards } from "./sections.tsx";
import { forgetRoles, type Role, usedBy, useRoles } from "./role-field.tsx";

/** Every role, how many have each, and what is done with the organisation's own. */
export default function Roles() {
  const read = useRoles();
  const [doing, setDoing] = useState<{ changes?: Role }>();
  const all = read.data?.data ?? [];
  return (
    <SectionOfCards name="Roles" add="Add a role" onAdd={() => setDoing({})}>
      {read.data === undefined && <Unread of={read} />}
      <ul class="cards is-wide">
        {all.map((role) => (
          <li key={role.id} class="card" aria-label={role.name}>
            <p class="card-head">
              <b>{role.name}</b> {!role.preset && <Tag>own</Tag>}
            </p>
            {!role.preset && <Managed kind="roles" id={role.id} />}
            {role.description !== "" && <p class="muted">{role.description}</p>}
            <Facts>
              <Fact name="May">{listed(sorted(role.permissions).map(permissionName), " · ")}</Fact>
              <Fact name="Used by">{usedBy(role) || "No one"}</Fact>
            </Facts>
            {!role.preset && may("admin") && (
              <div class="card-actions">
                <Button
                  label={say`Change ${role.name}`}
                  onClick={() => setDoing({ changes: role })}
                >
                  Change
                </Button>
                <Button label={say`Remove ${role.name}`} onClick={() => remove(role)}>
                  Remove
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {doing && <RoleForm before={doing.changes} onClose={() => setDoing(undefined)} />}
    </SectionOfCards>
  );
}

const PLACES = {
  role_name_taken: "name",
  permissions: "permissions",
  permission_not_held: "permissions",
};

/** Adds a role, or changes the one that there was `before`. */
function RoleForm({ before, onClose }: { before: Role | undefined; onClose: () => void }) {
  const once = useRef(decisionKey());
  const seen = useRef(before);
  const permissions: Permission[] = before?.permissions ?? [];
  const users = before && usedBy(before);
  return (
    <FormDialog
      name={`role ${before?.id ?? ""}`}
      title={before ? say`Change ${before.name}` : "Add a role"}
      note={before
        ? "Counts within a second for everybody who has it."
        : "Given to people, in invitations, to access tokens and by a provider’s groups."}
      action={before ? "Save" : "Add"}
      initial={{ name: before?.name ?? "", permissions }}
      places={PLACES}
      onSave={async (draft) => {
        const body = { name: draft.name.trim(), permissions: draft.permissions };
        if (body.name === "") throw new Unfit({ name: "Write a name here." });
        if (body.permissions.length === 0) throw new Unfit({ permissions: "Tick at least one." });
        let open = "";
        if (!before) await api.call(createRole, { body, headers: once.current });
        else {
          const params = { id: before.id };
          const now = await withTag((tagged) => tagged.call(getRole, { params }));
          if (now.value.date_updated !== seen.current?.date_updated) {
            seen.current = now.value;
            const { name, permissions } = now.value;
            throw new ChangedMeanwhile(
              { name, permissions },
              "It was changed meanwhile. What you did not touch shows theirs now.",
            );
          }
          const headers = { "if-match": now.tag };
          const changed = await api.call(updateRole, { params, body, headers });
          open = leftOpenWords(changed.left_open);
        }
        await forgetRoles();
        toast({ text: before ? say`${body.name} is changed.` : say`${body.name} is added.` });
        if (open !== "") toast({ text: open, kind: "bad" });
      }}
      onClose={onClose}
      fields={({ draft, set, errors }) => [
        users && <p key="users" class="notice">Used by {users}.</p>,
        { of: "name", label: "Name", maxLength: 100, autoFocus: true, required: true },
        <PermissionFields
          key="permissions"
          legend="Permissions"
          held={draft.permissions}
          offered={granted.value}
          before={permissions}
          error={errors.permissions}
          onChange={(permissions) => set({ permissions })}
        />,
      ]}
    />
  );
}

/** Removes an unused role; of one in use it says how many people have it. */
function remove(role: Role): void {
  const users = usedBy(role);
  ask({
    title: say`Remove ${role.name}?`,
    note: "It can’t be given any more. The audit log keeps what it said.",
    action: "Remove",
    danger: true,
    more: users && <p class="notice is-warning">Used by {users}: give them another one first.</p>,
    run: () => api.call(deleteRole, { params: { id: role.id } }).finally(forgetRoles),
    done: say`${role.name} is removed.`,
  });
}

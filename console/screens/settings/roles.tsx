import { useState } from "preact/hooks";
import { may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { Tag } from "../../parts/pill.tsx";
import { Unread } from "../../parts/states.tsx";
import { listed, say } from "../../said.ts";
import { permissionName, sorted } from "./permission-words.ts";
import { RemoveRole, RoleForm } from "./role-dialogs.tsx";
import { type Role, usedBy, useRoles } from "./role-field.tsx";

/** Every role, how many have each, and what is done with the organisation's own. */
export default function Roles({ adds, onDone }: { adds: boolean; onDone: () => void }) {
  const read = useRoles();
  const [doing, setDoing] = useState<{ changes?: Role; removes?: Role }>();
  const stop = () => {
    setDoing(undefined);
    onDone();
  };
  const all = read.data?.data ?? [];
  return (
    <div class="page-scroll settings-facts" tabIndex={0} role="region" aria-label="Roles">
      <h2 class="group-title">Roles</h2>
      {read.data === undefined && <Unread of={read} />}
      <ul class="cards is-wide">
        {all.map((role) => (
          <li key={role.id} class="card" aria-label={role.name}>
            <p class="card-head">
              <b>{role.name}</b> {!role.preset && <Tag>own</Tag>}
            </p>
            {role.description !== "" && <p class="muted">{role.description}</p>}
            <Facts>
              <Fact name="May">{listed(sorted(role.permissions).map(permissionName), " · ")}</Fact>
              <Fact name="Used by">{usedBy(role) || "Nobody"}</Fact>
            </Facts>
            {!role.preset && may("admin") && (
              <div class="card-actions">
                <Button
                  label={say`Change ${role.name}`}
                  onClick={() => setDoing({ changes: role })}
                >
                  Change
                </Button>
                <Button
                  label={say`Remove ${role.name}`}
                  onClick={() => setDoing({ removes: role })}
                >
                  Remove
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {(adds || doing?.changes) && <RoleForm before={doing?.changes} onClose={stop} />}
      {doing?.removes && <RemoveRole role={doing.removes} onClose={stop} />}
    </div>
  );
}

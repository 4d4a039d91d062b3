import type { Permission } from "../../../src/contract/permissions.ts";
import { CheckField } from "../../parts/fields.tsx";
import { permissionHint, permissionName, permissions } from "./permission-words.ts";

/**
 * Permissions to tick, out of `among` (all of them by default). `offered` are those that may be
 * given; what there was before can always be taken away.
 */
export function PermissionFields(
  { legend, held, offered, before, among = permissions, error, onChange }: {
    legend: string;
    held: readonly Permission[];
    offered: readonly Permission[];
    /** The permissions before: they stay possible. */
    before: readonly Permission[];
    among?: readonly Permission[];
    error?: string | undefined;
    onChange: (held: Permission[]) => void;
  },
) {
  const shown = permissions.filter((one) =>
    among.includes(one) && (one !== "operator" || offered.includes(one))
  );
  const opens = (one: Permission) =>
    among.includes(one) && (offered.includes(one) || before.includes(one));
  const isBlind = held.includes("approve") &&
    !held.includes("portal:read") && !held.includes("portal:write");
  return (
    <fieldset class="permissions">
      <legend class="field-label">{legend}</legend>
      {shown.map((one) => {
        const isOpen = opens(one);
        return (
          <CheckField
            key={one}
            label={permissionName(one)}
            hint={isOpen ? permissionHint(one) : "You don’t have it, so you can’t grant it."}
            checked={held.includes(one)}
            disabled={!isOpen}
            onChange={(checked) => {
              // An approver must see requests: that permission is proposed with it, and can be
              // taken back.
              const also = one === "approve" && checked && opens("portal:read")
                ? ["portal:read"]
                : [];
              onChange(
                permissions.filter((other) =>
                  other === one ? checked : held.includes(other) || also.includes(other)
                ),
              );
            }}
          />
        );
      })}
      {isBlind && (
        <p class="notice is-warning" role="status">
          People who may approve but not see requests find nothing to approve in the console.
        </p>
      )}
      {error && <p class="field-error" role="alert">{error}</p>}
    </fieldset>
  );
}

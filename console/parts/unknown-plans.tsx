import { useUnknownPlans } from "../api/plans.ts";
import { listed } from "../said.ts";

/**
 * Names those of these plans that do not exist, and what that means for a key that has them, or for
 * one that is `asked` for; nothing if all exist.
 */
export function UnknownPlans(
  { of: ids, asked = false }: { of: readonly string[]; asked?: boolean },
) {
  const unknown = useUnknownPlans(ids);
  if (unknown.length === 0) return null;
  return (
    <p class="notice is-warning">
      <span>
        There is no plan <b>{listed(unknown)}</b>. {asked
          ? "No key is issued for it while that is so."
          : "While that is so a key is valid for nothing by it, unless the server's settings allow it."}
      </span>
    </p>
  );
}

import { useUnknownPlans } from "../api/plans.ts";
import { listed } from "../said.ts";

/**
 * Says which of these plans nobody knows, and what that means; nothing at all where there is none.
 */
export function UnknownPlans({ of: ids }: { of: readonly string[] }) {
  const unknown = useUnknownPlans(ids);
  if (unknown.length === 0) return null;
  return (
    <p class="notice is-warning">
      <span>
        Nobody knows the plan{" "}
        <b>{listed(unknown)}</b>. While that is so a key opens nothing by it, unless the server's
        settings allow it.
      </span>
    </p>
  );
}

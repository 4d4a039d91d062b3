import { grantOf, titleOf, usePlans } from "../api/plans.ts";
import { listed } from "../said.ts";

/**
 * Plans by their titles, each with its limits and the life of its keys. `entry`: the catalogue's
 * name of the first. `notes`: what else is said of each, by its id.
 */
export function PlanLines({ of: ids, entry = "", notes }: {
  of: readonly string[];
  entry?: string;
  notes?: ReadonlyMap<string, string>;
}) {
  const plans = usePlans();
  return (
    <ul class="plan-lines">
      {ids.map((id, at) => {
        const plan = plans.get(id);
        return (
          <li key={id}>
            {titleOf(at === 0 ? entry : "", [id], plans)}
            <span class="muted">
              {listed([notes?.get(id), plan && grantOf(plan)].filter(Boolean), " · ")}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

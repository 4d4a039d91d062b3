import { Fact, Facts } from "../../parts/drawer.tsx";
import { Time } from "../../parts/time.tsx";
import { listed, say } from "../../said.ts";
import type { RequestDetail } from "./request.ts";

/** The steps of a request's approval policy: who has approved, and who could now. */
export default function GrantedSteps({ request }: { request: RequestDetail }) {
  const { approval, may_approve, state } = request;
  if (!approval) return null;
  return (
    <Facts title="Steps">
      {approval.steps.map(({ name, need, approved }, at) => (
        <Fact key={at} name={name}>
          {say`${approved.length} of ${need}`}
          {approved.map((one) => (
            <div key={one.id}>
              {one.in_place_of ? say`${one.name}, for ${one.in_place_of.name}` : one.name}{" "}
              <span class="muted">
                <Time at={one.at} />
              </span>
              {one.reason && <div class="muted">{one.reason}</div>}
            </div>
          ))}
          {state === "pending" && approval.present_step === at && (
            <small class="field-hint">
              {may_approve.length === 0
                ? "Nobody could approve it now: change who may, or decline it."
                : say`${listed(may_approve.map((one) => one.name))} may.`}
            </small>
          )}
        </Fact>
      ))}
      <Fact name="Decided by">
        {approval.not_by_filer && "Nobody who filed or changed it"}
      </Fact>
    </Facts>
  );
}

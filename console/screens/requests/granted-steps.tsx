import { useRef, useState } from "preact/hooks";
import { api, decisionKey, wordsOf } from "../../api/client.ts";
import { restartKeyRequestApproval } from "../../api/endpoints.ts";
import { queries } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { announce } from "../../parts/announcer.tsx";
import { Button } from "../../parts/button.tsx";
import { toast } from "../../parts/toasts.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { Time } from "../../parts/time.tsx";
import { listed, say } from "../../said.ts";
import type { RequestDetail } from "./request.ts";

/** The steps of a request's approval policy: who has approved, and who could now. */
export default function GrantedSteps({ request }: { request: RequestDetail }) {
  const { approval, may_approve, offer, state, id } = request;
  const decision = useRef(decisionKey());
  const [busy, setBusy] = useState(false);
  if (!approval) return null;
  const restart = async () => {
    setBusy(true);
    try {
      const restarted = await api.call(restartKeyRequestApproval, {
        params: { id },
        headers: decision.current,
      });
      queries.setQueryData(["key-requests", id], restarted);
      announce("Its approval begins anew, by today’s policy.");
    } catch (error) {
      toast({ text: say`Not restarted. ${wordsOf(error)}`, kind: "bad" });
      decision.current = decisionKey();
    }
    setBusy(false);
  };
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
                ? "No one can approve it now: change who may, restart its approval, or decline it."
                : say`${listed(may_approve.map((one) => one.name))} may.`}
            </small>
          )}
          {state === "pending" && approval.present_step === at && may_approve.length === 0 &&
            offer?.state !== "waiting" && may("approve") && may("plans") && (
            <Button
              busy={busy}
              onClick={() => void restart()}
            >
              Restart approval
            </Button>
          )}
        </Fact>
      ))}
      <Fact name="Decided by" of={approval.not_by_filer && "No one who filed or changed it"} />
    </Facts>
  );
}

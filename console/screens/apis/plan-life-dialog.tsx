import { api, decisionKey } from "../../api/client.ts";
import { countSelection, startJob } from "../../api/job-endpoints.ts";
import { forgetJobs } from "../../api/jobs.ts";
import { grouped } from "../../api/numbers.ts";
import { useCall } from "../../api/queries.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import type { Plan } from "./plan.ts";

const KIND = "follow_plan_life";

/** Asks whether keys that are there get the new life of their plan too, and starts the job. */
export default function PlanLifeDialog({ plan, onClose }: { plan: Plan; onClose: () => void }) {
  const { data } = useCall(["jobs", "selection", KIND, plan.id], countSelection, {
    query: { kind: KIND, plan: plan.id },
  });
  const count = data?.total ?? 0;
  const keys = `${grouped(count)}${data?.complete === false ? " or more" : ""} ${
    count === 1 ? "key" : "keys"
  }`;
  return (
    <Confirm
      title={data ? say`For the ${keys} of ${plan.name} too?` : "Counting…"}
      note="New keys have the new time from now on. Existing keys keep their expiry unless you change them too: then the time counts from the grant of each key, and a key whose time is over expires at once. An expiry that a person chose stays. You can take the job back."
      action="Change them too"
      onConfirm={async () => {
        if (!data) return false;
        const filter = { plan: plan.id, created_before: data.created_before };
        const body = { kind: KIND, filter } as const;
        await api.call(startJob, { body, headers: decisionKey() });
        forgetJobs();
        toast({ text: say`The keys of ${plan.name} are changed one by one.` });
      }}
      onClose={onClose}
    />
  );
}

import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { editPlan, getKey, getPlan } from "../../api/endpoints.ts";
import { grouped } from "../../api/numbers.ts";
import { queries, useCall } from "../../api/queries.ts";
import { spanOf } from "../../api/spans.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { TextField } from "../../parts/fields.tsx";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import type { Refusal } from "../../parts/refusals/words.ts";

/** Raises the rate or the quota of the plan that a refused call went by. */
export function LimitDialog({ of, onDone, onClose }: {
  of: Refusal;
  onDone: () => void;
  onClose: () => void;
}) {
  const { key_id, plan_id, reason } = of;
  const isRate = reason === "over_rate";
  const [text, setText] = useState<string>();
  const [problem, setProblem] = useState("");
  const plan = useCall(["plans", plan_id ?? ""], getPlan, { params: { id: plan_id ?? "" } }).data;
  const key = useCall(["keys", key_id ?? ""], getKey, { params: { key_id: key_id ?? "" } }).data;
  if (!plan || !key) return null;
  const now = isRate ? plan.rate : plan.quota_max;
  const seconds = isRate ? plan.per : plan.quota_renewal_rate;
  const own = isRate ? key.conditions?.rate : key.conditions?.quota;
  const wanted = text ?? String(now * 2);
  return (
    <Confirm
      title={say`Raise the ${isRate ? "rate" : "quota"} of ${plan.name}?`}
      note={say`Now ${grouped(now)} calls ${
        seconds > 0 ? spanOf(seconds) : "in all"
      }. It counts for all keys of the plan${
        plan.keys > 0 ? say`, ${grouped(plan.keys)} by now` : ""
      }, within a second.`}
      action="Raise"
      onClose={onClose}
      onConfirm={async () => {
        const calls = Number(wanted);
        if (!Number.isInteger(calls) || calls <= now) {
          setProblem(say`Write a whole number above ${grouped(now)}.`);
          return false;
        }
        await api.call(editPlan, {
          params: { id: plan.id },
          body: isRate ? { rate: calls } : { quota_max: calls },
          headers: { "if-match": `"${plan.revision}"` },
        }).finally(() => void queries.invalidateQueries({ queryKey: ["plans"] }));
        toast({ text: say`${plan.name} gives ${grouped(calls)} calls now.` });
        onDone();
      }}
    >
      {own && (
        <p class="notice">
          This key was granted on a lower limit of its own, which stays:{" "}
          {say`${grouped(own.calls)} calls ${spanOf(own.seconds)}`}.
        </p>
      )}
      <TextField
        label={say`Calls ${seconds > 0 ? spanOf(seconds) : "in all"}`}
        type="number"
        min={now + 1}
        error={problem}
        value={wanted}
        autoFocus
        onInput={(value) => {
          setText(value);
          setProblem("");
        }}
      />
    </Confirm>
  );
}

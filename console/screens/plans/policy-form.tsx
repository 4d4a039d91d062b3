import { api } from "../../api/client.ts";
import {
  deleteApprovalPolicy,
  putApprovalPolicy,
  putDefaultApprovalPolicy,
} from "../../api/policy-endpoints.ts";
import { queries } from "../../api/queries.ts";
import { CheckField, SelectField, TextField } from "../../parts/fields.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import type { Plan } from "./plan.ts";
import { PolicySteps, type Step } from "./policy-steps.tsx";
import { WhoCould } from "./policy-who.tsx";
import { inWords, type Policy } from "./policy-words.ts";

interface Draft {
  outcome: Policy["outcome"] | "default";
  steps: Step[];
  not_by_filer: boolean;
  /** Days, as they are written; "": never. */
  expires: string;
  remind: string;
}

const daysOf = (text: string) => text === "" ? null : Number(text);

/** What is sent of it. */
function termsOf({ outcome, steps, not_by_filer, expires, remind }: Draft) {
  return {
    outcome: outcome === "default" ? "catalogue" as const : outcome,
    steps: outcome === "steps" ? steps : [],
    not_by_filer,
    expires_after_days: daysOf(expires),
    remind_before_days: expires === "" ? null : daysOf(remind),
  };
}

/**
 * Changes who must approve: for a plan, or by default. `policy`: what is set; undefined: the
 * default holds.
 */
export default function PolicyForm({ plan, policy, onClose }: {
  /** Null: plans that have no policy of their own. */
  plan: Plan | null;
  policy: Policy | undefined;
  onClose: () => void;
}) {
  // What somebody else changed meanwhile is not undone.
  const headers: Record<string, string> = policy ? { "if-match": `"${policy.revision}"` } : {};
  const save = async (draft: Draft) => {
    const { outcome, steps } = draft;
    if (plan && outcome === "default") {
      await api.call(deleteApprovalPolicy, { params: { id: plan.id }, headers });
    } else {
      if (outcome === "steps" && steps.length === 0) throw new Unfit({ steps: "Add a step." });
      const body = termsOf(draft);
      await (plan
        ? api.call(putApprovalPolicy, { params: { id: plan.id }, headers, body })
        : api.call(putDefaultApprovalPolicy, { headers, body }));
    }
    await queries.invalidateQueries({ queryKey: ["approval-policies"] });
    toast({
      text: plan
        ? say`New requests for ${plan.name} follow this. Those that wait keep theirs.`
        : "New requests follow this. Those that wait keep theirs.",
    });
    onClose();
  };
  return (
    <FormDialog<Draft>
      name={`policy of ${plan?.id ?? "all"}`}
      title={plan
        ? say`Who must approve requests for ${plan.name}?`
        : "Who must approve requests, by default?"}
      note={plan
        ? "Requests that wait keep the policy under which they were asked."
        : "It holds for plans without a policy of their own. Requests that wait keep theirs."}
      action="Save"
      initial={{
        outcome: policy?.outcome ?? (plan ? "default" : "catalogue"),
        steps: policy?.steps ?? [],
        not_by_filer: policy?.not_by_filer ?? false,
        expires: String(policy?.expires_after_days ?? ""),
        remind: String(policy?.remind_before_days ?? ""),
      }}
      places={{
        steps: "steps",
        policy_unfulfillable: "steps",
        expires_after_days: "expires",
        remind_before_days: "remind",
      }}
      onSave={save}
      onClose={onClose}
    >
      {({ draft, set, errors }) => (
        <>
          <SelectField
            label="Decision"
            value={draft.outcome}
            error={errors.outcome}
            options={[
              ...plan ? [{ value: "default", text: "As the default says" }] : [],
              { value: "catalogue", text: "As the catalogue says" },
              { value: "at_once", text: "Nobody: approved at once" },
              { value: "one", text: "One approver" },
              { value: "steps", text: "Several, in steps" },
            ]}
            // as: one of the values above.
            onChange={(outcome) => set({ outcome: outcome as Draft["outcome"] })}
          />
          {draft.outcome === "steps" && (
            <PolicySteps
              steps={draft.steps}
              error={errors.steps}
              onChange={(steps) => set({ steps })}
            />
          )}
          {draft.outcome !== "default" && (
            <>
              <CheckField
                label="Whoever filed or changed it does not decide"
                checked={draft.not_by_filer}
                onChange={(not_by_filer) => set({ not_by_filer })}
              />
              <TextField
                label="End after (days)"
                type="number"
                min={1}
                max={365}
                value={draft.expires}
                hint="What nobody decides by then is declined by itself. Empty: never."
                error={errors.expires}
                onInput={(expires) => set({ expires })}
              />
              {draft.expires !== "" && (
                <TextField
                  label="Remind before the end (days)"
                  type="number"
                  min={1}
                  max={Number(draft.expires) - 1}
                  value={draft.remind}
                  hint="Whoever may decide is reminded. Empty: nobody is."
                  error={errors.remind}
                  onInput={(remind) => set({ remind })}
                />
              )}
              <p class="field-hint">{inWords(termsOf(draft))}</p>
              <WhoCould policy={{ ...termsOf(draft), plan: plan?.id ?? null }} />
            </>
          )}
        </>
      )}
    </FormDialog>
  );
}

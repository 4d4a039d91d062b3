import type { z } from "zod";
import type { approvalPolicy } from "../../../src/features/approval-policies/policies.contract.ts";
import { api } from "../../api/client.ts";
import { listRoles } from "../../api/identity-endpoints.ts";
import { deleteApprovalPolicy, putApprovalPolicy } from "../../api/policy-endpoints.ts";
import { queries, useQuery } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { CloseButton } from "../../parts/button.tsx";
import { CheckField, SelectField } from "../../parts/fields.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import type { Plan } from "./plan.ts";
import { inWords, type Policy } from "./policy-words.ts";

type Step = z.output<typeof approvalPolicy>["steps"][number];

interface Draft {
  outcome: Policy["outcome"] | "default";
  steps: Step[];
  not_by_filer: boolean;
}

/** Changes who must approve for a plan. `policy`: its own; undefined: the default holds. */
export default function PolicyForm({ plan, policy, onClose }: {
  plan: Plan;
  policy: Policy | undefined;
  onClose: () => void;
}) {
  const params = { id: plan.id };
  const save = async ({ outcome, steps, not_by_filer }: Draft) => {
    if (outcome === "default") await api.call(deleteApprovalPolicy, { params });
    else {
      if (outcome === "steps" && steps.length === 0) throw new Unfit({ steps: "Add a step." });
      const body = { outcome, not_by_filer, steps: outcome === "steps" ? steps : [] };
      await api.call(putApprovalPolicy, { params, body });
    }
    await queries.invalidateQueries({ queryKey: ["approval-policies"] });
    toast({ text: say`New requests for ${plan.name} follow this. Those that wait keep theirs.` });
    onClose();
  };
  return (
    <FormDialog<Draft>
      name={`policy of ${plan.id}`}
      title={say`Who must approve requests for ${plan.name}?`}
      note="Requests that wait keep the policy under which they were asked."
      action="Save"
      initial={{
        outcome: policy?.outcome ?? "default",
        steps: policy?.steps ?? [],
        not_by_filer: policy?.not_by_filer ?? false,
      }}
      places={{ steps: "steps", policy_unfulfillable: "steps" }}
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
              { value: "default", text: "As the default says" },
              { value: "catalogue", text: "As the catalogue says" },
              { value: "at_once", text: "Nobody: approved at once" },
              { value: "one", text: "One approver" },
              { value: "steps", text: "Several, in steps" },
            ]}
            // as: one of the values above.
            onChange={(outcome) => set({ outcome: outcome as Draft["outcome"] })}
          />
          {draft.outcome === "steps" && (
            <Steps
              steps={draft.steps}
              error={errors.steps}
              onChange={(steps) => set({ steps })}
            />
          )}
          {draft.outcome !== "default" && (
            <>
              <CheckField
                label="Not by who filed it"
                checked={draft.not_by_filer}
                onChange={(not_by_filer) => set({ not_by_filer })}
              />
              <p class="field-hint">{inWords(draft.outcome, draft.steps)}</p>
            </>
          )}
        </>
      )}
    </FormDialog>
  );
}

function Steps({ steps, error, onChange }: {
  steps: readonly Step[];
  error: string | undefined;
  onChange: (steps: Step[]) => void;
}) {
  const reads = may("admin:read");
  const roles = useQuery({
    queryKey: ["people", "roles"],
    queryFn: () => api.call(listRoles, {}),
    enabled: reads,
  }).data?.data ?? [];
  return (
    <fieldset class="lines">
      <legend class="field-label">Steps, one after another</legend>
      {steps.map((step, at) => {
        const change = (part: Partial<Step>) =>
          onChange(steps.map((one, index) => index === at ? { ...one, ...part } : one));
        return (
          <div key={at} class="line is-question">
            <input
              class="input"
              aria-label={`Name of step ${at + 1}`}
              value={step.name}
              maxLength={100}
              onInput={(event) => change({ name: event.currentTarget.value })}
            />
            <input
              class="input"
              type="number"
              aria-label={`How many of step ${at + 1}`}
              min={1}
              max={20}
              value={step.need}
              onInput={(event) => change({ need: Number(event.currentTarget.value) })}
            />
            <select
              class="input"
              aria-label={`Who of step ${at + 1}`}
              value={step.people ? "people" : step.role ?? ""}
              onChange={(event) => {
                const { value } = event.currentTarget;
                if (value !== "people") change({ role: value || null, people: null });
              }}
            >
              <option value="">Any approver</option>
              {step.people && <option value="people">Named people</option>}
              {step.role && !roles.some(({ id }) => id === step.role) && (
                <option value={step.role}>{step.role}</option>
              )}
              {roles.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
            </select>
            <CloseButton
              label={say`Remove ${step.name || `step ${at + 1}`}`}
              onClick={() => onChange(steps.filter((_, index) => index !== at))}
            />
          </div>
        );
      })}
      <button
        type="button"
        class="link-button"
        onClick={() =>
          onChange([...steps, { name: "Approvers", role: null, people: null, need: 1 }])}
      >
        Add a step
      </button>
      {error && <p class="field-error" role="alert">{error}</p>}
    </fieldset>
  );
}

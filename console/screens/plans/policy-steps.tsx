import { listRoles } from "../../api/identity-endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { CloseButton } from "../../parts/button.tsx";
import { say } from "../../said.ts";
import type { Policy } from "./policy-words.ts";

/** A step of a policy, as the form keeps it. */
export type Step = Policy["steps"][number];

/** The steps of a policy, one line each. */
export function PolicySteps({ steps, error, onChange }: {
  steps: readonly Step[];
  error: string | undefined;
  onChange: (steps: Step[]) => void;
}) {
  const reads = may("admin:read");
  const roles = useCall(["people", "roles"], listRoles, {}, { enabled: reads }).data?.data ?? [];
  return (
    <fieldset class="lines">
      <legend class="field-label">Steps, one after another</legend>
      {steps.map((step, at) => {
        const change = (part: Partial<Step>) =>
          onChange(steps.map((one, index) => index === at ? { ...one, ...part } : one));
        return (
          <div key={at} class="line is-step">
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

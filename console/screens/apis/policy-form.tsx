import type { checkApprovalPolicy as contract } from "../../../src/features/key-requests/policies.operations.ts";
import type { z } from "zod";
import { useState } from "preact/hooks";
import { api, wordsOf } from "../../api/client.ts";
import { listRoles } from "../../api/identity-endpoints.ts";
import {
  checkApprovalPolicy,
  deleteApprovalPolicy,
  putApprovalPolicy,
  putDefaultApprovalPolicy,
} from "../../api/policy-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { Button, CloseButton, LinkButton } from "../../parts/button.tsx";
import { may } from "../../api/session.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { Managed } from "../../parts/managed.tsx";
import { toast } from "../../parts/toasts.tsx";
import { listed, say } from "../../said.ts";
import type { Plan } from "./plan.ts";
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

/** The body of a policy. */
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
  // Changes that another person made meanwhile stay.
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
        : "It applies to plans without a policy of their own. Waiting requests keep their policy."}
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
      fields={({ draft, set, errors }) => [
        !plan && <Managed key="managed" kind="default_approval_policy" />,
        {
          of: "outcome",
          label: "Decision",
          options: [
            ...plan ? [{ value: "default", text: "As the default says" }] : [],
            { value: "catalogue", text: "As the catalogue says" },
            { value: "at_once", text: "None: approved at once" },
            { value: "one", text: "One approver" },
            { value: "steps", text: "Several, in steps" },
          ],
        },
        draft.outcome === "steps" && (
          <PolicySteps
            steps={draft.steps}
            error={errors.steps}
            onChange={(steps) => set({ steps })}
          />
        ),
        draft.outcome !== "default" && [
          { of: "not_by_filer", label: "Its filer, and those who changed it, do not decide" },
          {
            of: "expires",
            label: "Expire after (days)",
            hint: "An undecided request is declined by itself. Empty: never.",
            type: "number",
            min: 1,
            max: 365,
          },
          draft.expires !== "" && {
            of: "remind",
            label: "Remind before the expiry (days)",
            hint: "Those who may decide are reminded. Empty: no reminder.",
            type: "number",
            min: 1,
            max: Number(draft.expires) - 1,
          },
          <p key="notice" class="field-hint">{inWords(termsOf(draft))}</p>,
          <WhoCould key="who-could" policy={{ ...termsOf(draft), plan: plan?.id ?? null }} />,
        ],
      ]}
    />
  );
}

/** A step of a policy, as the form keeps it. */
type Step = Policy["steps"][number];

/** The steps of a policy, one line each. */
function PolicySteps({ steps, error, onChange }: {
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
      <LinkButton
        onClick={() =>
          onChange([...steps, { name: "Approvers", role: null, people: null, need: 1 }])}
      >
        Add a step
      </LinkButton>
      {error && <p class="field-error" role="alert">{error}</p>}
    </fieldset>
  );
}

type Checked = z.output<typeof contract.response>;
type Sent = z.input<typeof contract.body & z.ZodType>;

/** Names who could approve under a policy as it is written, before it is saved. */
function WhoCould({ policy }: { policy: Sent }) {
  const [checkedPolicy, setCheckedPolicy] = useState<
    { of: string; checked?: Checked; problem?: string }
  >();
  const [busy, setBusy] = useState(false);
  const of = JSON.stringify(policy);
  const look = () => {
    setBusy(true);
    void api.call(checkApprovalPolicy, { body: policy }).then(
      (checked) => setCheckedPolicy({ of, checked }),
      (error) => setCheckedPolicy({ of, problem: wordsOf(error) }),
    ).finally(() => setBusy(false));
  };
  // A result of another policy is not shown for this one.
  const shown = checkedPolicy?.of === of ? checkedPolicy : undefined;
  return (
    <div class="field" aria-live="polite">
      <Button busy={busy} onClick={look}>Who could decide?</Button>
      {shown?.problem && <p class="field-error">{shown.problem}</p>}
      {shown?.checked && (
        <ul class="policy-who">
          {shown.checked.steps.length === 0 && <li>None.</li>}
          {shown.checked.steps.map(({ name, need, count, people }, at) => (
            <li key={at}>
              {name !== "" && <strong>{say`${name}: `}</strong>}
              {say`${need} of ${count}`}
              {people.length > 0 &&
                say` (${
                  listed([...people.map((one) => one.name), ...count > people.length ? ["…"] : []])
                })`}
            </li>
          ))}
          {shown.checked.lacks.map((text) => <li key={text} class="field-error">{text}</li>)}
        </ul>
      )}
    </div>
  );
}

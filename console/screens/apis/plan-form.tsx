import { useRef } from "preact/hooks";
import { api, decisionKey } from "../../api/client.ts";
import { createPlan, editPlan, getPlan } from "../../api/endpoints.ts";
import { usePlanList } from "../../api/plans.ts";
import { amountOf, spanOf } from "../../api/spans.ts";
import { saveUnlessChanged } from "../../parts/conflict.ts";
import { CheckField } from "../../parts/fields.tsx";
import type { FormFields, FormState } from "../../parts/form-fields.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { offerPlan, useCatalogue } from "./offer.ts";
import { bodyOf, draftOf, freshDraft, type PlanDraft } from "./plan-draft.ts";
import { authTypes, forgetPlans, leakActions, type Plan } from "./plan.ts";

const places = {
  plan_name_taken: "name",
  per: "rate",
  quota_max: "quota",
  quota_renewal_rate: "quota",
  key_expires_in: "life",
  expiry_applies_to: "life",
  max_keys_per_developer: "most",
  price_text: "price",
  access_rights: "apis",
};

const DAY = 86_400;

/** Adds a plan, or changes one. */
export function PlanForm({ plan, onSaved, onClose }: {
  plan?: Plan;
  onSaved: (plan: Plan) => void;
  onClose: () => void;
}) {
  const decision = useRef(decisionKey());
  const known = useRef(plan);
  /** The plan, once it is made: what is refused after it leaves it there for the next try. */
  const made = useRef<Plan | undefined>(undefined);
  const catalogue = new Set(useCatalogue()?.map(({ id }) => id));
  const names = useApiNames(plan);
  const save = async (draft: PlanDraft) => {
    const body = bodyOf(draft, known.current, names);
    const { id } = plan ?? { id: "" };
    const saved = plan
      ? await saveUnlessChanged(
        id,
        () =>
          api.call(editPlan, {
            params: { id },
            body,
            headers: { "if-match": `"${known.current?.revision}"` },
          }),
        async () => {
          known.current = await api.call(getPlan, { params: { id } });
          return draftOf(known.current);
        },
      )
      : made.current ??= await api.call(createPlan, {
        // as: bodyOf never leaves the name out.
        body: { ...body, name: body.name as string },
        headers: decision.current,
      });
    const offers = !plan && draft.offered ? await offerPlan(saved, catalogue) : 0;
    forgetPlans();
    const done = offers > 0 ? "added and offered" : "added";
    toast({ text: say`${saved.name} is ${plan ? "changed" : done}.` });
    onSaved(saved);
  };
  return (
    <FormDialog<PlanDraft>
      name={`plan ${plan?.id ?? "new"}`}
      title={plan ? say`Change ${plan.name}` : "Add a plan"}
      note={plan && plan.keys > 0
        ? "What you change counts for its keys within a second."
        : undefined}
      action={plan ? "Save" : "Add"}
      initial={plan ? draftOf(plan) : freshDraft}
      places={places}
      onSave={save}
      onClose={onClose}
      fields={(form) => [
        planFields(form, names),
        !plan && {
          of: "offered",
          label: "Offer it",
          hint: form.draft.apis.some((id) => catalogue.has(id))
            ? "The catalogue lists it at each API that it includes, and developers can request it."
            : "Developers can request it if it includes an API of the catalogue.",
        },
      ]}
    />
  );
}

function planFields(
  { draft, set, errors }: FormState<PlanDraft>,
  names: ReadonlyMap<string, string>,
): FormFields<PlanDraft> {
  return [
    { of: "name", label: "Name", maxLength: 255, autoFocus: true, required: true },
    {
      class: "pair",
      fields: [
        { of: "rate", label: "Rate: calls", placeholder: "No limit" },
        { of: "per", label: "within", options: spans(draft.per, [1, 60, 3600, DAY]) },
      ],
    },
    {
      class: "pair",
      fields: [
        { of: "quota", label: "Quota: calls", placeholder: "No limit" },
        {
          of: "renewal",
          label: "renewed",
          options: [
            ...spans(draft.renewal, [3600, DAY, 7 * DAY, 30 * DAY]).filter(({ value }) =>
              value !== "0"
            ),
            { value: "0", text: "never" },
          ],
        },
      ],
    },
    {
      class: "pair",
      fields: [
        {
          of: "auth_type",
          label: "Developers call with",
          options: withChosen(authTypes, draft.auth_type),
        },
        {
          of: "life",
          label: "Keys expire",
          options: withChosen([
            { value: "0", text: "Never" },
            ...[30, 90, 180, 365].map((days) => ({
              value: String(days * DAY),
              text: `${days} days after issue`,
            })),
          ], draft.life),
        },
      ],
    },
    draft.life !== "0" && {
      of: "applies",
      label: "That time is",
      hint: draft.applies === "access"
        ? "A rotation keeps the expiry. Once a key has expired, a person decides whether to grant it again."
        : "A rotation begins it anew.",
      options: [
        { value: "key", text: "the life of each key" },
        { value: "access", text: "the developer's access, such as a trial" },
      ],
    },
    {
      of: "most",
      label: "Live keys a developer may request",
      hint: "0: any number. Empty: 1 where the plan is granted at once, else any number.",
    },
    {
      of: "price",
      label: "Price, in words",
      hint: "Developers read it beside the plan. Nothing is charged by it.",
      placeholder: "20 euros a month",
      maxLength: 80,
    },
    { of: "when_leaked", label: "If a key leaks", options: leakActions },
    <fieldset key="apis" class="apis">
      <legend class="field-label">Its keys are valid for</legend>
      {names.size === 0 && <p class="muted">No API yet. Add one on the APIs screen first.</p>}
      {[...names].map(([id, name]) => (
        <CheckField
          key={id}
          label={name}
          checked={draft.apis.includes(id)}
          onChange={(checked) =>
            set({ apis: checked ? [...draft.apis, id] : draft.apis.filter((one) => one !== id) })}
        />
      ))}
      {errors.apis && <p class="field-error" role="alert">{errors.apis}</p>}
    </fieldset>,
    { of: "tags", label: "Tags", hint: "With commas between them." },
  ];
}

/**
 * APIs to choose from: those of the catalogue and of all plans, by the names that plans give them.
 */
function useApiNames(plan: Plan | undefined): ReadonlyMap<string, string> {
  const catalogue = useCatalogue() ?? [];
  const opened = Object.entries(plan?.access_rights ?? {}).map(([id, { api_name }]) =>
    [id, typeof api_name === "string" && api_name !== "" ? api_name : id] as const
  );
  const named = usePlanList().flatMap(({ apiIds, apiNames }) =>
    apiIds.map((id, at) => [id, apiNames[at] ?? id] as const)
  );
  const listed = catalogue.map(({ id, name }) => [id, name || id] as const);
  return new Map([...listed, ...named, ...opened]);
}

function spans(chosen: string, seconds: readonly number[]) {
  const all = [...new Set([...seconds, Number(chosen)])].sort((one, other) => one - other);
  return all.map((one) => ({ value: String(one), text: spanOf(one).replace(/^in /, "") }));
}

/** The plan's value is always among the choices. */
function withChosen(options: readonly { value: string; text: string }[], chosen: string) {
  if (options.some(({ value }) => value === chosen)) return options;
  const seconds = Number(chosen);
  return [...options, {
    value: chosen,
    text: seconds > 0 ? `${amountOf(seconds)} after issue` : chosen || "Key",
  }];
}

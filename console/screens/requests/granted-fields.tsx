import type { z } from "zod";
import type { offerTermsInput } from "../../../src/features/keys/conditions.contract.ts";
import {
  grantOf,
  limitsOf,
  type PlanFacts,
  planTitle,
  usePlanList,
  usePlans,
} from "../../api/plans.ts";
import { amountOf } from "../../api/spans.ts";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { say } from "../../said.ts";
import { endOfDay, ENDS_IN_ZONE } from "../../parts/zone.ts";

/** The input of calls. */
type Sent = z.input<typeof offerTermsInput>;

/** The seconds of a limit if the plan has none. */
const MINUTE = 60;
const MONTH = 30 * 86_400;

/** Instead of a plan that is asked for. */
const LEFT_OUT = "-";

/** A quota for so many seconds is never renewed. */
const NEVER = 1e10;

/** Granted terms that differ from the request, as the form has them. */
export interface TermsDraft {
  readonly rate: string;
  readonly quota: string;
  readonly addresses: string;
  readonly review: string;
  /** By a plan that is asked for, what comes in its place. */
  readonly instead: Readonly<Record<string, string>>;
}

/** As asked in everything. */
export const noTerms: TermsDraft = { rate: "", quota: "", addresses: "", review: "", instead: {} };

/** Which field shows what the server says of a member. */
export const termsPlaces = {
  "conditions.rate": "rate",
  "conditions.quota": "quota",
  addresses: "addresses",
  review_at: "review",
};

/** Whether these terms are an offer, which waits for its developer. */
export function isOffer({ rate, quota, instead }: TermsDraft): boolean {
  return rate !== "" || quota !== "" || Object.values(instead).some((one) => one !== "");
}

/** The input of calls; undefined: the terms of the request. Throws `Unfit`. */
export function sentTerms(
  draft: TermsDraft,
  asked: readonly string[],
  plan: PlanFacts | undefined,
): Sent | undefined {
  const { rate, quota, addresses, review, instead } = draft;
  const [per, renewal] = spansOf(plan);
  const plans = asked.map((id) => instead[id] || id).filter((id) => id !== LEFT_OUT);
  if (plans.length === 0) throw new Unfit({ plans: "Leave one plan." });
  const sent: Sent = {
    ...rate !== "" && { rate: { calls: Number(rate), seconds: per } },
    ...quota !== "" && { quota: { calls: Number(quota), seconds: renewal } },
    ...sentConditions({ addresses, review }),
    ...Object.values(instead).some((one) => one !== "") && { plans: [...new Set(plans)] },
  };
  return Object.keys(sent).length > 0 ? sent : undefined;
}

/** The conditions among them, which need no consent. */
export function sentConditions({ addresses, review }: Pick<TermsDraft, "addresses" | "review">) {
  const networks = addresses.split(/[\s,]+/).filter((one) => one !== "");
  return {
    ...networks.length > 0 && { addresses: networks },
    ...review !== "" && { review_at: endOfDay(review) },
  };
}

/** Less than was asked, and conditions, folded: most get what they asked for. */
export function GrantedFields({ draft, asked, deleted = "", errors, onChange }: {
  draft: TermsDraft;
  /** The plans that are asked for. */
  asked: readonly string[];
  /** The names of those that were deleted; "": none was. Then the fields stand open. */
  deleted?: string;
  errors: Readonly<Record<string, string>>;
  onChange: (draft: TermsDraft) => void;
}) {
  const plans = usePlans();
  const [first = ""] = asked;
  const plan = plans.get(first);
  const [per, renewal] = spansOf(plan);
  const set = (change: Partial<TermsDraft>) => onChange({ ...draft, ...change });
  return (
    <details class="label-fold" open={deleted !== ""}>
      <summary>{deleted === "" ? "Grant less than asked" : "Offer another plan"}</summary>
      <div class="label-fields">
        <div class="terms-limits">
          <TextField
            label={`Calls in ${amountOf(per)}`}
            type="number"
            min={1}
            value={draft.rate}
            error={errors.rate}
            onInput={(rate) => set({ rate })}
          />
          <TextField
            label={renewal < NEVER ? `Calls in ${amountOf(renewal)}` : "Calls in all"}
            type="number"
            min={1}
            value={draft.quota}
            error={errors.quota}
            onInput={(quota) => set({ quota })}
          />
        </div>
        <p class="field-hint">
          {asked.map((id) => {
            const one = plans.get(id);
            return one && say`${planTitle(one)} gives ${limitsOf(one)}. `;
          })}
          Less, or another plan, is an offer: there is no key until it is accepted.
        </p>
        {asked.map((id) => (
          <Instead
            key={id}
            of={id}
            name={asked.length === 1 ? deleted : ""}
            isOnly={asked.length === 1}
            error={errors.plans}
            value={draft.instead[id] ?? ""}
            onChange={(value) => set({ instead: { ...draft.instead, [id]: value } })}
          />
        ))}
        <ConditionFields draft={draft} errors={errors} onChange={set} />
      </div>
    </details>
  );
}

/**
 * Conditions that are granted at once, of one request or of many: no developer has to accept them.
 */
export function ConditionFields({ draft, errors, onChange }: {
  draft: Pick<TermsDraft, "addresses" | "review">;
  errors: Readonly<Record<string, string>>;
  onChange: (change: Partial<TermsDraft>) => void;
}) {
  return (
    <>
      <TextField
        label="Only from these addresses"
        hint="Addresses or networks such as 192.0.2.0/24. A gateway that does not send the visitor's address denies the key."
        rows={2}
        value={draft.addresses}
        error={errors.addresses}
        onInput={(addresses) => onChange({ addresses })}
      />
      <TextField
        label="Look at the key again on"
        hint={say`${ENDS_IN_ZONE} The key stays valid afterwards.`}
        type="date"
        value={draft.review}
        error={errors.review}
        onInput={(review) => onChange({ review })}
      />
    </>
  );
}

/** The replacement of one requested plan. */
function Instead({ of, name, isOnly, value, error, onChange }: {
  of: string;
  /** The name of a plan that was deleted; "": it is not known here. */
  name: string;
  isOnly: boolean;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  const plans = usePlans();
  const plan = plans.get(of);
  const chosen = plans.get(value);
  const others = usePlanList()
    .filter(({ id, authType }) => id !== plan?.id && (!plan || authType === plan.authType))
    .sort((a, b) => a.name.localeCompare(b.name));
  return (
    <SelectField
      label={say`Instead of ${plan ? planTitle(plan) : name || of}`}
      hint={chosen && grantOf(chosen)}
      value={value}
      error={error}
      options={[
        { value: "", text: name === "" ? "As asked" : "Choose a plan" },
        ...isOnly ? [] : [{ value: LEFT_OUT, text: "Left out" }],
        ...others.map((one) => ({
          value: one.id,
          text: planTitle(one),
        })),
      ]}
      onChange={onChange}
    />
  );
}

/** In how many seconds rate and quota of a plan are counted. */
function spansOf(plan: PlanFacts | undefined): [per: number, renewal: number] {
  if (!plan) return [MINUTE, MONTH];
  const renewal = plan.renewal > 0 ? plan.renewal : NEVER;
  return [plan.rate > 0 ? plan.per : MINUTE, plan.quota > 0 ? renewal : MONTH];
}

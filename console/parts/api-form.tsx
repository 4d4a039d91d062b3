import { useRef } from "preact/hooks";
import { type Api, forgetApis } from "../api/apis.ts";
import { api, decisionKey } from "../api/client.ts";
import { createApi, createPlan, editApi, getApi } from "../api/endpoints.ts";
import { usePlans } from "../api/plans.ts";
import { say } from "../said.ts";
import { announce } from "./announcer.tsx";
import { saveUnlessChanged } from "./conflict.ts";
import { CheckField } from "./fields.tsx";
import type { FormFields, FormState } from "./form-fields.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { Unfit } from "./form-problems.ts";
import { toast } from "./toasts.tsx";

type Visibility = Api["visibility"];

interface Draft {
  name: string;
  /** "": by the name. */
  id: string;
  description: string;
  version: string;
  address: string;
  show: boolean;
  visibility: Visibility;
  /** Addresses and domains, one a line. */
  invited: string;
  /** With commas between them. */
  tags: string;
  plans: string[];
  /** "": no new plan. */
  planName: string;
  rate: string;
}

const places = {
  api_exists: "id",
  short_description: "description",
  base_url: "address",
  invited: "invited",
  invited_tags: "tags",
  plans: "plans",
  unknown_plan: "plans",
  plan_name_taken: "planName",
};

/**
 * Adds an API with its first plan, or changes one. `first`: it is the first of all, so that only
 * what a key needs is asked for. Without an `api` that is there already, the plan opens the new
 * one.
 */
export function ApiForm({ known: shown, first, onSaved, onClose }: {
  known?: Api;
  first?: boolean;
  onSaved: (saved: Api) => void;
  onClose: () => void;
}) {
  const known = useRef(shown);
  const keys = useRef({ api: decisionKey(), plan: decisionKey() });
  /** The new plan, once it is made: what is refused after it leaves it there for the next try. */
  const made = useRef("");
  const save = async (draft: Draft) => {
    const members = membersOf(draft);
    const saved = shown
      ? await saveUnlessChanged(
        shown.id,
        () => change(known.current ?? shown, members),
        async () => draftOf(known.current = await api.call(getApi, { params: { id: shown.id } })),
      )
      : await add(draft, members);
    forgetApis();
    const text = shown ? say`${saved.name} is changed.` : say`${saved.name} is in the catalogue.`;
    // The first one is ticked where one looks.
    if (first) announce(text);
    else toast({ text });
    onSaved(saved);
  };
  const add = async (draft: Draft, members: Members) => {
    const id = draft.id.trim() || slugOf(members.name);
    const rate = rateOf(draft);
    // A second try may say something else of what the first one made.
    known.current = known.current
      ? await change(known.current, members)
      : await api.call(createApi, { body: { id, ...members }, headers: keys.current.api });
    if (draft.planName.trim() === "") return known.current;
    const { id: api_id, name: api_name } = known.current;
    made.current ||= (await api.call(createPlan, {
      body: {
        name: draft.planName.trim(),
        ...rate === 0 ? { rate: 0, per: 0 } : { rate, per: 60 },
        access_rights: { [api_id]: { api_id, api_name, versions: ["Default"] } },
      },
      headers: keys.current.plan,
    })).id;
    const plans = [...members.plans, made.current];
    return await change(known.current, { ...members, plans });
  };
  return (
    <FormDialog<Draft>
      name={`api ${shown?.id ?? "new"}`}
      title={shown ? say`Change ${shown.name}` : first ? "Your first API" : "Add an API"}
      note={first ? "What keys will be valid for, and how often they may call it." : undefined}
      action={shown ? "Save" : "Add"}
      initial={shown ? draftOf(shown) : { ...fresh, planName: first ? "Free" : "" }}
      places={places}
      onSave={save}
      onClose={onClose}
      fields={(form) => apiFields(form, shown === undefined, first ?? false)}
    />
  );
}

type Members = ReturnType<typeof membersOf>;

function change(known: Api, members: Members): Promise<Api> {
  const headers = { "if-match": `"${known.revision}"` };
  return api.call(editApi, { params: { id: known.id }, body: touched(members, known), headers });
}

function apiFields(
  { draft, set, errors }: FormState<Draft>,
  isNew: boolean,
  isFirst: boolean,
): FormFields<Draft> {
  return [
    {
      of: "name",
      label: isFirst ? "API" : "Name",
      placeholder: isFirst ? "Weather" : "",
      maxLength: 255,
      autoFocus: true,
      required: true,
    },
    isNew && {
      of: "id",
      label: "Its id",
      hint: "Your gateway names the API by it.",
      placeholder: slugOf(draft.name),
      maxLength: 255,
    },
    !isFirst && [
      { of: "description", label: "In a sentence", maxLength: 1000 },
      { of: "version", label: "Version", maxLength: 100 },
      {
        of: "address",
        label: "Base URL",
        hint: "Sample calls use it. Empty: the one of the branding.",
        type: "url",
        placeholder: "https://api.example.org/orders",
        maxLength: 1000,
      },
    ],
    !isFirst && <PlanChoice key="plans" draft={draft} error={errors.plans} set={set} />,
    isNew && {
      class: "pair",
      fields: [
        {
          of: "planName",
          label: isFirst ? "Plan" : "A new plan for it",
          placeholder: isFirst ? "" : "None",
          maxLength: 255,
        },
        { of: "rate", label: "Calls a minute", placeholder: "No limit" },
      ],
    },
    !isFirst && {
      of: "visibility",
      label: "Who sees it",
      hint: HINTS[draft.visibility],
      options: [
        { value: "public", text: "Everyone, without signing in" },
        { value: "signed_in", text: "Developers who are signed in" },
        { value: "invited", text: "Invited developers alone" },
      ],
    },
    !isFirst && draft.visibility === "invited" && [
      {
        of: "invited",
        label: "Invited addresses and domains",
        hint: "One a line: ann@example.org, or example.org for every address at it. An address " +
          "counts once a mailed code has verified it.",
        rows: 3,
      },
      {
        of: "tags",
        label: "Invited tags",
        hint: "Developers who have one of them are invited. Write commas between them.",
      },
    ],
    !isFirst &&
    { of: "show", label: "Portals show it", hint: "Its keys are valid for it either way." },
  ];
}

/** The effect of a choice on others. */
const HINTS: Readonly<Record<Visibility, string>> = {
  public: "Its page, documentation and plans are open to search engines, too.",
  signed_in: "",
  invited: "For others it does not exist. No other API offers them its plans. Granted keys stay.",
};

function PlanChoice({ draft: { plans }, error, set }: {
  draft: Draft;
  error: string | undefined;
  set: (change: Partial<Draft>) => void;
}) {
  const known = usePlans();
  // The catalogue may name a plan by the other of its ids.
  const idOf = (plan: string) => known.get(plan)?.id ?? plan;
  const ids = new Set(plans.map(idOf));
  const names = new Map(
    [...plans.map(idOf), ...known.keys()].map((id) =>
      [idOf(id), known.get(id)?.name ?? id] as const
    ),
  );
  if (names.size === 0) return null;
  return (
    <fieldset class="apis">
      <legend class="field-label">Offered by</legend>
      {[...names].map(([id, name]) => (
        <CheckField
          key={id}
          label={name}
          checked={ids.has(id)}
          onChange={(checked) =>
            set({ plans: checked ? [...plans, id] : plans.filter((one) => idOf(one) !== id) })}
        />
      ))}
      {error && <p class="field-error" role="alert">{error}</p>}
    </fieldset>
  );
}

const fresh: Draft = {
  name: "",
  id: "",
  description: "",
  version: "",
  address: "",
  show: true,
  visibility: "signed_in",
  invited: "",
  tags: "",
  plans: [],
  planName: "",
  rate: "60",
};

function draftOf(one: Api): Draft {
  const { name, id, short_description: description, version, base_url: address, show } = one;
  const { visibility, invited, invited_tags, plans } = one;
  const seen = { visibility, invited: invited.join("\n"), tags: invited_tags.join(",") };
  const texts = { name, id, description, version, address };
  return { ...fresh, ...texts, ...seen, show, plans: plans.map((plan) => plan.id) };
}

function membersOf(draft: Draft) {
  const { name, description, version, address, show, visibility, invited, tags, plans } = draft;
  if (name.trim() === "") throw new Unfit({ name: "Write a name here." });
  const texts = { name: name.trim(), short_description: description, version };
  const seen = {
    visibility,
    invited: partsOf(invited, /[\s,;]+/),
    invited_tags: partsOf(tags, /,/),
  };
  return { ...texts, base_url: address.trim(), show, ...seen, plans };
}

function partsOf(text: string, between: RegExp): string[] {
  return text.split(between).map((part) => part.trim()).filter((part) => part !== "");
}

/** Those that are other than what there is: what is sent stands in all entries of the API then. */
function touched(members: Members, known: Api): Partial<Members> {
  const before = new Map<string, unknown>(Object.entries(membersOf(draftOf(known))));
  return Object.fromEntries(
    Object.entries(members).filter(([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(before.get(name))
    ),
  );
}

/** 0: no limit. */
function rateOf({ rate }: Draft): number {
  const plain = rate.replaceAll(/[\s,_]/g, "");
  if (!/^\d{0,12}$/.test(plain)) {
    throw new Unfit({ rate: "Write a whole number, or nothing for no limit." });
  }
  return Number(plain);
}

/** "Live departures" → "live-departures". */
function slugOf(name: string): string {
  return name.normalize("NFKD").toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "").slice(0, 100);
}

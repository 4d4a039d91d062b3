import { SelectField } from "../../parts/fields.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { listed, say } from "../../said.ts";
import type { Person, TypedScope } from "./person.ts";

const NOTHING: TypedScope = { plans: [], apis: [], tags: "" };

const ScopeChoice = lazily(() => import("./scope-choice.tsx"));

/** A scope as it can be changed. */
export function typedScope(scope: Person["scope"]): TypedScope | null {
  if (scope === null) return null;
  return { ...scope, tags: scope.tags.join(", ") };
}

/** The scope as the server takes it. */
export function scopeBody(typed: TypedScope | null) {
  if (typed === null) return "everything" as const;
  const tags = typed.tags.split(",").map((one) => one.trim()).filter(Boolean);
  return { plans: [...typed.plans], apis: [...typed.apis], tags };
}

/** A scope in words. */
export function scopeText(scope: Person["scope"]): string {
  if (scope === null) return "Everything";
  const { plans, apis, tags } = scope;
  return listed([
    ...plans.map((one) => say`plan ${one}`),
    ...apis.map((one) => say`API ${one}`),
    ...tags.map((one) => say`tag ${one}`),
  ]);
}

/** Chooses the scope in which a person sees and decides. */
export function ScopeField({ value, error, onChange }: {
  value: TypedScope | null;
  error?: string | undefined;
  onChange: (value: TypedScope | null) => void;
}) {
  return (
    <>
      <SelectField
        label="Sees and decides"
        value={value === null ? "" : "some"}
        hint={value === null
          ? undefined
          : "These plans, and key requests and keys of these plans alone. Everything else is closed to them."}
        error={error}
        options={[
          { value: "", text: "Everything" },
          { value: "some", text: "What is of some plans alone" },
        ]}
        onChange={(chosen) => onChange(chosen === "" ? null : NOTHING)}
      />
      {value !== null && <ScopeChoice value={value} onChange={onChange} />}
    </>
  );
}

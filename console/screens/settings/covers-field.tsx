import { SelectField } from "../../parts/fields.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { listed, say } from "../../said.ts";
import type { Person, TypedCovers } from "./person.ts";

const NOTHING: TypedCovers = { plans: [], apis: [], tags: "" };

const ScopeChoice = lazily(() => import("./scope-choice.tsx"));

/** A scope as it can be changed. */
export function typedCovers(covers: Person["covers"]): TypedCovers | null {
  if (covers === null) return null;
  return { ...covers, tags: covers.tags.join(", ") };
}

/** The scope as the server takes it. */
export function coversBody(typed: TypedCovers | null) {
  if (typed === null) return "everything" as const;
  const tags = typed.tags.split(",").map((one) => one.trim()).filter(Boolean);
  return { plans: [...typed.plans], apis: [...typed.apis], tags };
}

/** A scope in words. */
export function coversText(covers: Person["covers"]): string {
  if (covers === null) return "Everything";
  const { plans, apis, tags } = covers;
  return listed([
    ...plans.map((one) => say`plan ${one}`),
    ...apis.map((one) => say`API ${one}`),
    ...tags.map((one) => say`tag ${one}`),
  ]);
}

/** Chooses of what alone somebody sees and decides. */
export function CoversField({ value, error, onChange }: {
  value: TypedCovers | null;
  error?: string | undefined;
  onChange: (value: TypedCovers | null) => void;
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

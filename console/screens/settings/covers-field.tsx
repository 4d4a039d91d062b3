import { SelectField, TextField } from "../../parts/fields.tsx";
import { listed, say } from "../../said.ts";
import type { Person } from "./person.ts";

/** A scope as it is typed; null: none. */
export interface TypedCovers {
  plans: string;
  apis: string;
  tags: string;
}

const NOTHING: TypedCovers = { plans: "", apis: "", tags: "" };

/** A scope as it can be changed. */
export function typedCovers(covers: Person["covers"]): TypedCovers | null {
  if (covers === null) return null;
  const text = (all: readonly string[]) => all.join(",");
  return { plans: text(covers.plans), apis: text(covers.apis), tags: text(covers.tags) };
}

/** The same as the server takes it. */
export function coversBody(typed: TypedCovers | null) {
  if (typed === null) return "everything" as const;
  const words = (text: string) => text.split(",").map((one) => one.trim()).filter(Boolean);
  return { plans: words(typed.plans), apis: words(typed.apis), tags: words(typed.tags) };
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
  const put = (change: Partial<TypedCovers>) => onChange({ ...NOTHING, ...value, ...change });
  return (
    <>
      <SelectField
        label="Sees and decides"
        value={value === null ? "" : "some"}
        hint={value === null
          ? undefined
          : "Key requests whose plans are all among these. Everything else is closed to them."}
        error={error}
        options={[
          { value: "", text: "Everything" },
          { value: "some", text: "Key requests of some plans alone" },
        ]}
        onChange={(chosen) => onChange(chosen === "" ? null : NOTHING)}
      />
      {value !== null && (
        <>
          <TextField
            label="Plans"
            hint="Their ids, with commas between them."
            value={value.plans}
            onInput={(plans) => put({ plans })}
          />
          <TextField
            label="APIs"
            hint="Ids. Plans that open nothing but these."
            value={value.apis}
            onInput={(apis) => put({ apis })}
          />
          <TextField
            label="Tags"
            hint="Plans with one of these."
            value={value.tags}
            onInput={(tags) => put({ tags })}
          />
        </>
      )}
    </>
  );
}

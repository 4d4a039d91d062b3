import { listDeveloperTags } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { hasScope } from "../../api/session.ts";
import { TextField } from "../../parts/fields.tsx";
import { listed } from "../../said.ts";

/** The tags of a text with commas between. */
export function tagsOf(text: string): string[] {
  return text.split(",").map((tag) => tag.trim()).filter((tag) => tag !== "");
}

/** The tags that developers have; none while they are read, and for whoever has a scope. */
export function useTagsInUse(): readonly string[] {
  return useCall(["developers", "tags in use"], listDeveloperTags, {}, {
    enabled: !hasScope(),
    gcTime: 30_000,
  }).data?.tags ?? [];
}

/** Tags with commas between, as one types them. */
export function TagsField({ label = "Tags", value, error, onInput }: {
  label?: string;
  value: string;
  error: string | undefined;
  onInput: (text: string) => void;
}) {
  const known = useTagsInUse();
  return (
    <TextField
      label={label}
      hint={known.length === 0
        ? "Up to 10, with commas between. No developer sees them."
        : `Up to 10, with commas between. In use: ${listed(known.slice(0, 8))}.`}
      error={error}
      value={value}
      autoFocus
      onInput={onInput}
    />
  );
}

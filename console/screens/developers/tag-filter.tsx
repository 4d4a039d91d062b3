import { FilterLine } from "../../parts/filter-line.tsx";
import { useTagsInUse } from "./tags-field.tsx";

/** Narrows the list to a tag; nothing if there are no tags. */
export default function TagFilter(
  { tag, onChange }: { tag: string; onChange: (tag: string) => void },
) {
  const options = useTagsInUse().map((one) => ({ value: one, text: one }));
  return (
    <FilterLine
      filters={{ tag }}
      onChange={(changes) => onChange(changes.tag ?? "")}
      of={[{ of: "tag", label: "Tag", any: "Any tag", options, isOptional: true }]}
    />
  );
}

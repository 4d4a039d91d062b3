import { Filter } from "../../parts/fields.tsx";
import { useTagsInUse } from "./tags-field.tsx";

/** Narrows the list to a tag; nothing where nobody is filed under any. */
export default function TagFilter(
  { tag, onChange }: { tag: string; onChange: (tag: string) => void },
) {
  const known = useTagsInUse();
  if (known.length === 0 && tag === "") return null;
  const all = known.includes(tag) || tag === "" ? known : [tag, ...known];
  return (
    <Filter
      label="Tag"
      value={tag}
      options={[{ value: "", text: "Any tag" }, ...all.map((one) => ({ value: one, text: one }))]}
      onChange={onChange}
    />
  );
}

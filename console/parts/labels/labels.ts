import { listKeyLabels } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";

/** A key's name and labels. */
interface Labels extends Omit<LabelDraft, "tags"> {
  tags: string[];
}

/** A key's name and labels while a person types them: tags with commas between. */
export interface LabelDraft {
  name: string;
  environment: string;
  tags: string;
  note: string;
}

/** Nothing typed yet. */
export const NO_LABELS: LabelDraft = { name: "", environment: "", tags: "", note: "" };

/** A key's labels as a form has them. */
export function draftOf({ name, environment, tags, note }: Labels): LabelDraft {
  return { name, environment, tags: tags.join(", "), note };
}

/** The labels as calls take them. */
export function sentOf({ name, environment, tags, note }: LabelDraft): Labels {
  return {
    name: name.trim(),
    environment: environment.trim(),
    note: note.trim(),
    tags: tags.split(",").map((tag) => tag.trim()).filter((tag) => tag !== ""),
  };
}

/** The environments and tags that keys have; none while they are read. */
export function useLabelsInUse() {
  return useCall(["keys", "labels"], listKeyLabels, {}, { gcTime: 30_000 }).data ??
    { environments: [], tags: [] };
}

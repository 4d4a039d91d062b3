import { api } from "../../api/client.ts";
import { listKeyLabels } from "../../api/endpoints.ts";
import { useQuery } from "../../api/queries.ts";

/** What a key is called and filed under. */
interface Labels extends Omit<LabelDraft, "tags"> {
  tags: string[];
}

/** What a key is called and filed under, as one types it: tags with commas between. */
export interface LabelDraft {
  name: string;
  environment: string;
  tags: string;
  note: string;
}

/** Nothing typed yet. */
export const NO_LABELS: LabelDraft = { name: "", environment: "", tags: "", note: "" };

/** What a key has, as one types it. */
export function draftOf({ name, environment, tags, note }: Labels): LabelDraft {
  return { name, environment, tags: tags.join(", "), note };
}

/** The same as calls take it. */
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
  return useQuery({
    queryKey: ["keys", "labels"],
    queryFn: () => api.call(listKeyLabels, {}),
    gcTime: 30_000,
  }).data ?? { environments: [], tags: [] };
}

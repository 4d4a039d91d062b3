import { keyItems } from "./key-card.tsx";
import type { Group } from "./order.ts";
import type { FoundKey } from "./search.ts";

/** The state of a pasted key. The key itself is no part of it. */
export type AskedKey =
  | { readonly state: "looking" | "half" | "absent" }
  | { readonly state: "failed"; readonly why: string }
  | { readonly state: "found"; readonly found: FoundKey };

/** The words about a pasted key that was not found, or not yet. */
export function saidOf(asked: AskedKey): { title: string; text: string } | undefined {
  switch (asked.state) {
    case "looking":
      return { title: "Looking for its owner…", text: "" };
    case "half":
      return {
        title: "Paste the whole key",
        text: "This is a part of a key, or mistyped. Only the whole key finds its owner.",
      };
    case "absent":
      return {
        title: "No key of this server",
        text: "Keydesk never issued it, or it belongs to another organisation.",
      };
    case "failed":
      return { title: "That did not work", text: asked.why };
    case "found":
      return undefined;
  }
}

/** The heading over what can be done where nothing is found. */
export const INSTEAD = "Instead";

/** The row that looks for what is no key as anything else. */
export const AS_ID = "as-id";

/**
 * The rows below a pasted key. `plain`: the text itself where it may be something else; else "".
 */
export function keyGroups(asked: AskedKey, plain: string): Group[] {
  if (asked.state === "found") return [{ title: "Do", items: keyItems(asked.found) }];
  return asked.state !== "absent" || plain === "" ? [] : [{
    title: INSTEAD,
    items: [{
      kind: "action",
      id: AS_ID,
      title: "Search for it as an id",
      detail: "if it is no secret: it is shown then",
      href: "",
    }],
  }];
}

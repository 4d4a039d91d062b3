import { line, tags } from "../../../contract/labels.ts";
import { isOfPlainForm } from "../../keys/key-form.ts";
import type { SomeKeyLabels } from "../../keys/key-labels.ts";
import type { Session } from "./tyk-session.ts";

const MOST_TAGS = 10;

/**
 * The alias and tags of a session, as far as keys take them; an alias that is an e-mail address
 * names the owner. `key`: the name of the key there, which may be the key itself, and is no label.
 */
export function labelsIn(session: Session, key: string): { name: string; tags: string[] } {
  const isLabel = (text: string) => text !== key && !isOfPlainForm(text);
  const given = typeof session.alias === "string" ? session.alias : "";
  const alias = line(100).safeParse(given);
  const name = alias.success && !alias.data.includes("@") && isLabel(alias.data) ? alias.data : "";
  const listed = Array.isArray(session.tags) ? session.tags : [];
  const fitting = listed.flatMap((tag) => {
    const one = tags.safeParse([tag]);
    return one.success ? one.data.filter(isLabel) : [];
  });
  return { name, tags: [...new Set(fitting)].slice(0, MOST_TAGS) } satisfies SomeKeyLabels;
}

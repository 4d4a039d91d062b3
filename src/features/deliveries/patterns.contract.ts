import { nearNames } from "../../kernel/near-name.ts";
import { topicObjects, topics } from "./topics.contract.ts";

const known = topics.map(({ topic }) => topic);
const ofObjects = topicObjects.map(({ object }) => `${object}.*`);
const fitting = new Set(["*", ...known, ...ofObjects]);

/** What is wrong with a pattern that no topic fits, with the nearest one; undefined: some topic fits. */
export function unknownPattern(pattern: string): string | undefined {
  if (fitting.has(pattern)) return undefined;
  const [near] = nearNames(pattern, pattern.endsWith("*") ? ofObjects : known);
  const ofObject = `${pattern.split(".")[0]}.*`;
  const meant = near ?? (fitting.has(ofObject) ? ofObject : undefined);
  return meant === undefined
    ? "no topic fits; the reference lists every topic under Webhooks"
    : `no topic fits; the nearest is ${meant}`;
}

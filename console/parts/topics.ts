import { topics } from "../../src/features/notifications/topics.contract.ts";

/** Every topic. */
export const topicNames: readonly string[] = topics.map(({ topic }) => topic).sort();

const known = new Map(topics.map((one) => [one.topic, one]));

/** The title of a topic: "A key was issued". */
export function titleOf(topic: string): string {
  return known.get(topic)?.summary.replace(/[.:].*$/s, "") ?? topic;
}

/** The path of the screen of a message's object; undefined: none shows it by its id. */
export function placeOf(topic: string, id: string): string | undefined {
  const { console: path } = known.get(topic)?.object ?? {};
  return path && path.slice("/console".length) + encodeURIComponent(id);
}

/** The noun of a message's object. */
export function objectOf(topic: string): string {
  return known.get(topic)?.object.name ?? "thing";
}

/** Which topics some patterns fit. */
export function topicsOf(patterns: readonly string[]): readonly string[] {
  return topicNames.filter((topic) =>
    patterns.some((one) => one.endsWith("*") ? topic.startsWith(one.slice(0, -1)) : one === topic)
  );
}

/**
 * The types of actors: a person; a developer for themselves; the operator at the command line, or
 * the start; the holder of a link; Keydesk by itself; and an unknown caller.
 */
export const actorTypes = ["person", "developer", "operator", "link", "system", "unknown"] as const;
/** One of them. */
type ActorType = typeof actorTypes[number];

/** The names by which the audit log calls what acts and is no person. */
const named: ReadonlyMap<string, ActorType> = new Map([
  ["operator", "operator"],
  ["claim-link", "link"],
  ["email-link", "link"],
  ["offer-link", "link"],
  ["developer-code", "link"],
  ["keydesk", "system"],
  ["alerts", "system"],
  ["deliveries", "system"],
  ["expiry", "system"],
  ["leak-desk", "system"],
  ["learning", "system"],
  ["retention", "system"],
  ["schedule", "system"],
  ["verification", "system"],
  ["unknown", "unknown"],
  ["", "unknown"],
]);

/** The prefix of a developer's actor name when they act for themselves; their id follows. */
export const DEVELOPER_ACTOR = "developer:";

/** The type of an `actor` of the audit log: every id that is none of these names is a person's. */
export function actorTypeOf(actor: string): ActorType {
  if (actor.startsWith(DEVELOPER_ACTOR)) return "developer";
  return named.get(actor) ?? "person";
}

/** The id of the developer who is this actor; undefined: it is none. */
export function developerWhoActs(actor: string): string | undefined {
  return actor.startsWith(DEVELOPER_ACTOR) ? actor.slice(DEVELOPER_ACTOR.length) : undefined;
}

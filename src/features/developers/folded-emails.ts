/** How many developers are listed by name. */
const MOST_NAMED = 20;

/**
 * The warning of developers whose address reads like another's, a sentence; none if there are none.
 */
export function sharedEmailWarnings(
  developers: readonly { org_id: string; id: string; other_id: string }[],
): string[] {
  if (developers.length === 0) return [];
  const ofSeveral = developers.some(({ org_id }) => org_id !== developers[0]?.org_id);
  const names = developers.slice(0, MOST_NAMED).map(({ org_id, id, other_id }) =>
    `${JSON.stringify(id)} like ${JSON.stringify(other_id)}` + (ofSeveral ? ` (of ${org_id})` : "")
  );
  const more = developers.length > MOST_NAMED ? ["…"] : [];
  return [
    `Developers whose e-mail address reads like that of another developer (${developers.length}): ${
      [...names, ...more].join(", ")
    }. Both go on; find out whose it is, and change or delete the other one.`,
  ];
}

/** How many developers are listed by name. */
const MOST_NAMED = 20;

/**
 * The warning of developers who share an sso_key with another, a sentence; none if there are none.
 */
export function sharedSsoKeyWarnings(
  developers: readonly { org_id: string; id: string }[],
): string[] {
  if (developers.length === 0) return [];
  const ofSeveral = developers.some(({ org_id }) => org_id !== developers[0]?.org_id);
  const names = developers.slice(0, MOST_NAMED).map(({ org_id, id }) =>
    JSON.stringify(id) + (ofSeveral ? ` (of ${org_id})` : "")
  );
  const more = developers.length > MOST_NAMED ? ["…"] : [];
  return [
    `Developers whose sso_key another developer has as well (${developers.length}): ${
      [...names, ...more].join(", ")
    }. A look-up by it finds the other one; give each a key of their own.`,
  ];
}

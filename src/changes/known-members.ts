/**
 * Keydesk's knowledge of a member by its name: that of its own members, true for any value,
 * undefined for a member that is not ours.
 */
export type Known = (name: string) => Known | true | undefined;

/** The names of a record's members, and of the members of records in it. */
export interface MemberNames {
  readonly [name: string]: MemberNames | true;
}

/** The knowledge of a record with these members. */
export function knownMembers(names: MemberNames): Known {
  return (name) => {
    const inner = Object.hasOwn(names, name) ? names[name] : undefined;
    return inner === undefined || inner === true ? inner : knownMembers(inner);
  };
}

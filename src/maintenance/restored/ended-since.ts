import type { Connection } from "../../storage/storage.ts";
import * as store from "./ended-since.store.ts";
import type { Ending } from "./ending.ts";

/**
 * The revocations since a copy was made, and the other things that come back with it, with their
 * numbers.
 */
export interface EndedSince {
  readonly endings: Ending[];
  readonly others: readonly { what: string; n: number }[];
}

/**
 * Compares a store with the copy that is to take its place, attached to it as `copy`: what the
 * store has ended or narrowed since. Undefined where it does not go on from the copy, or one of
 * them is of a release with other tables: then it is not known.
 */
export async function endedSince(db: Connection): Promise<EndedSince | undefined> {
  try {
    if ((await store.notGoneOn(db)).length > 0) return undefined;
    const endings = [
      ...await keys(db),
      ...await tokens(db),
      ...await people(db),
      ...await developers(db),
    ];
    const others = (await store.otherWaysIn(db)).filter(({ n }) => n > 0);
    return { endings, others };
  } catch (error) {
    if (
      error instanceof Error &&
      /no such (table|column)|malformed|not a database/.test(error.message)
    ) {
      return undefined;
    }
    throw error;
  }
}

async function keys(db: Connection): Promise<Ending[]> {
  const rows = [...await store.narrowerKeys(db), ...await store.narrowerImportedKeys(db)];
  return rows.flatMap(({ org_id, id, name, state, was, expires_at, at }): Ending[] => {
    const place = { of: "key" as const, org_id, id, name, at: at ?? "" };
    if (state === "revoked") return [{ ...place, what: "revoked" as const }];
    return [
      ...expires_at === null ? [] : [{ ...place, what: "expires" as const, expires_at }],
      ...state === "suspended" && was === "active"
        ? [{ ...place, what: "suspended" as const }]
        : [],
    ];
  });
}

async function tokens(db: Connection): Promise<Ending[]> {
  return (await store.narrowerTokens(db)).map(({ at, ...row }) => ({
    of: "access token",
    what: "revoked",
    ...row,
    at: at ?? "",
  }));
}

async function people(db: Connection): Promise<Ending[]> {
  return (await store.otherPeople(db)).flatMap((row): Ending[] => {
    const { org_id, id, name, deactivated_at, suspended_at, was_suspended_at } = row;
    const place = { of: "person" as const, org_id, id, name };
    if (deactivated_at !== null) return [{ ...place, what: "deactivated", at: deactivated_at }];
    const isSuspended = suspended_at !== null && was_suspended_at === null;
    return [
      ...isSuspended ? [{ ...place, what: "suspended" as const, at: suspended_at }] : [],
      ...narrowed(row).map((less) => ({ ...place, what: "narrowed" as const, at: "", ...less })),
    ];
  });
}

/**
 * The intersection of both states: permissions that a person lost stay lost, and none are added.
 */
function narrowed({ permissions, had, covers, covered }: store.OtherPerson) {
  const now = permissions.split(" ");
  const kept = had.split(" ").filter((one) => now.includes(one)).join(" ");
  // No one can tell whether one scope lies within another: the later one counts.
  const scope = covers ?? covered;
  return kept === had && scope === covered ? [] : [{ permissions: kept, covers: scope }];
}

async function developers(db: Connection): Promise<Ending[]> {
  const unknown = { name: "", at: "" };
  return [
    ...(await store.goneDevelopers(db)).map((row): Ending => ({
      of: "developer",
      what: "deactivated",
      ...unknown,
      ...row,
    })),
    ...(await store.goneDeveloperTokens(db)).map((row): Ending => ({
      of: "developer's token",
      what: "revoked",
      at: "",
      ...row,
    })),
    ...(await store.closedOneTimeLinks(db)).map(({ org_id, id, at }): Ending => ({
      of: "one-time link",
      what: "withdrawn",
      name: "",
      org_id,
      id,
      at: at ?? "",
    })),
  ];
}

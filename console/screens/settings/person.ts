import type { z } from "zod";
import type { namedAccessToken } from "../../../src/features/people/access-tokens.operations.ts";
import type { person } from "../../../src/features/people/people.operations.ts";
import type { listSignIns as signIns } from "../../../src/features/sign-in/invitations.operations.ts";
import { api } from "../../api/client.ts";
import { listPeople } from "../../api/endpoints.ts";
import { getCaller } from "../../api/session-endpoints.ts";
import { listSignIns } from "../../api/sign-in-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { listed } from "../../said.ts";

/** A person or a script, as the server shows them. */
export type Person = z.output<typeof person>;

/** A scope as it is typed; null: none. */
export interface TypedScope {
  plans: readonly string[];
  apis: readonly string[];
  /** With commas between them. */
  tags: string;
}

/** An access token with its person, without its value. */
export type AccessToken = z.output<typeof namedAccessToken>;

/** How a person gets in, and when they were last seen. */
export type SignIn = z.output<typeof signIns.response>["data"][number];

/** The known sign-ins, by people's ids. */
export const signInsKnown = new Map<string, SignIn>();

/** Reads it, for those that are shown; what can't be read is left as it was. */
export async function readSignIns(ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  try {
    const { data } = await api.call(listSignIns, { query: { ids: ids.join(",") } });
    for (const one of data) signInsKnown.set(one.person_id, one);
  } catch {
    // The list says nothing of it then.
  }
}

/** A page of people, with how they get in. */
export async function readPeople(limit: number, cursor: string | undefined) {
  const page = await api.call(listPeople, { query: { limit, cursor } });
  await readSignIns(page.data.map(({ id }) => id));
  return page;
}

const WAYS = { passkey: "passkey", provider: "company", token: "access token" };

/** How a person signs in, in words. */
export function signsInBy({ signs_in_by, one_time_codes, invited_until }: SignIn): string {
  const ways = signs_in_by.map((way) =>
    way === "token" && one_time_codes ? "access token and code" : WAYS[way]
  );
  const all = invited_until === null ? ways : [...ways, "invited"];
  return all.length === 0 ? "no way in" : listed(all);
}

/** The addresses in a field, separated by blanks, commas or lines. */
export function addressesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** The signed-in person, and their access token. */
export function useCaller() {
  return useCall(["me"], getCaller, {}, { staleTime: 60_000 }).data;
}

/** After a change to people or access tokens: everything that shows them is read again. */
export function forgetPeople(): Promise<void> {
  return queries.invalidateQueries({ queryKey: ["people"] });
}

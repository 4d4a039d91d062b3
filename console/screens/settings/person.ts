import type { z } from "zod";
import type { accessToken } from "../../../src/features/access/access-tokens.contract.ts";
import type { person } from "../../../src/features/access/people.contract.ts";
import { api } from "../../api/client.ts";
import { getCaller } from "../../api/endpoints.ts";
import { queries, useQuery } from "../../api/queries.ts";

/** A person or a script, as the server shows them. */
export type Person = z.output<typeof person>;

/** An access token without its value. */
export type AccessToken = z.output<typeof accessToken>;

/** The addresses in a field, separated by blanks, commas or lines. */
export function addressesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** Who is signed in, and by which access token. */
export function useCaller() {
  return useQuery({
    queryKey: ["me"],
    queryFn: () => api.call(getCaller, {}),
    staleTime: 60_000,
  }).data;
}

/** After a change to people or access tokens: everything that shows them is read again. */
export function forgetPeople(): Promise<void> {
  return queries.invalidateQueries({ queryKey: ["people"] });
}

import type { z } from "zod";
import type * as contract from "../../../src/features/access/people.contract.ts";
import { api } from "../../api/client.ts";
import { getCaller } from "../../api/endpoints.ts";
import { queries, useQuery } from "../../api/queries.ts";

/** A person or a script, as the server shows them. */
export type Person = z.output<typeof contract.person>;

/** A credential without its value. */
export type AccessCredential = z.output<typeof contract.accessCredential>;

/** Who is signed in, and by which credential. */
export function useCaller() {
  return useQuery({
    queryKey: ["me"],
    queryFn: () => api.call(getCaller, {}),
    staleTime: 60_000,
  }).data;
}

/** After a change to people or credentials: everything that shows them is read again. */
export function forgetPeople(): Promise<void> {
  return queries.invalidateQueries({ queryKey: ["people"] });
}

import { api, type decisionKey } from "../../api/client.ts";
import { known } from "../../api/session.ts";
import {
  issueAccessCredential,
  listPersonCredentials,
  rotateAccessCredential,
} from "../../api/token-endpoints.ts";
import { say } from "../../said.ts";
import type { Door } from "./door.ts";

/** For so long the token that is replaced opens what its door asks: until the file is there. */
const OVERLAP_SECONDS = 3600;
/** Access tokens of a person that are looked at, the newest. */
const LOOKED_AT = 100;

const nameOf = (door: Door) => say`Door ${door.name}`;

/**
 * The id of the access token that this walk made for the door before: of whoever set it up, or of
 * whoever asks; undefined: there is none in force.
 */
export async function tokenOf(door: Door): Promise<string | undefined> {
  const people = new Set([known()?.person.id ?? "", door.created_by]);
  for (const id of people) {
    const query = { limit: LOOKED_AT };
    const tokens = await api.call(listPersonCredentials, { params: { id }, query })
      .then(({ data }) => data, () => []);
    const found = tokens.find(({ name, state, scope, replaced_by }) =>
      name === nameOf(door) && state === "active" && replaced_by === null &&
      scope?.join() === "verify"
    );
    if (found) return found.id;
  }
  return undefined;
}

/** A token of the door in the place of the one it had, else its first; shown this once. */
export async function freshToken(
  door: Door,
  had: string | undefined,
  headers: ReturnType<typeof decisionKey>,
): Promise<string> {
  const { credential } = had === undefined
    ? await api.call(issueAccessCredential, {
      params: { id: known()?.person.id ?? "" },
      body: { name: nameOf(door), scope: ["verify"] },
      headers,
    })
    : await api.call(rotateAccessCredential, {
      params: { id: had },
      body: { overlap_seconds: OVERLAP_SECONDS, deliver: "answer" },
      headers,
    });
  return credential ?? "";
}

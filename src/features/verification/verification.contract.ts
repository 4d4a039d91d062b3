import { z } from "zod";
import { text } from "../../contract/values.ts";

/** Both endpoints take both names of it; a caller who names two APIs means neither. */
export function isOneApi(api_id: string | undefined, api: string | undefined): boolean {
  return api_id === undefined || api === undefined || api_id === api;
}

export const ONE_API = { error: "expected the same as api", path: ["api_id"] };

/** The question of a gateway. Exactly one of a key, and a user name with its password. */
export const question = z.object({
  key: text.optional().describe("A key, or an OAuth access token."),
  username: text.optional(),
  password: text.optional(),
  api_id: z.string().min(1).max(255).optional().describe("The API that is called; absent: any."),
  api: z.string().min(1).max(255).optional().describe("The header, as forward-auth names it."),
  address: z.string().max(64).optional().describe(
    "The visitor's IP address, also with a port or in brackets; a key that is valid for some addresses alone is invalid without it. Empty: none.",
  ),
}).refine(({ api_id, api }) => isOneApi(api_id, api), ONE_API).refine(
  ({ key, username, password }) =>
    (key === undefined) === (username !== undefined) &&
    (username === undefined) === (password === undefined),
  {
    error: "expected either key, or username and password",
  },
).meta({ id: "CredentialQuestion" });

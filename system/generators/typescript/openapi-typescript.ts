/**
 * Asks for a key by `openapi-fetch` with the types of openapi-typescript, approves the key request
 * and has the key verified.
 */
import createClient from "openapi-fetch";
import type { paths } from "./openapi-typescript/desk";

declare const process: { env: Record<string, string | undefined> };

const desk = createClient<paths>({
  baseUrl: process.env.DESK_URL ?? "",
  headers: { authorization: process.env.DESK_CREDENTIAL ?? "" },
});

async function walk(): Promise<void> {
  const body = { by_user: "dev-ada", for_plan: process.env.DESK_PLAN };
  const created = await desk.POST("/api/portal/requests", { body });
  const id = created.data?.Message ?? "";
  const one = "/api/portal/requests/{id}";
  const { data: read } = await desk.GET(one, { params: { path: { id } } });
  const approving = "/api/portal/requests/approve/{id}";
  const approved = await desk.PUT(approving, { params: { path: { id } } });
  const verdict = await desk.POST("/v1/keys/verify", { body: { key: approved.data?.RawKey } });
  const { response } = await desk.GET(one, { params: { path: { id: "absent" } } });
  console.log(read?.by_user, read?.for_plan, verdict.data?.valid, response.status);
}

walk();

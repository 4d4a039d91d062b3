/** Asks for a key by `openapi-fetch` with the types of openapi-typescript, and reads the key request back. */
import createClient from "openapi-fetch";
import type { paths } from "./openapi-typescript/desk";

declare const process: { env: Record<string, string | undefined> };

const desk = createClient<paths>({
  baseUrl: process.env.DESK_URL ?? "",
  headers: { authorization: process.env.DESK_CREDENTIAL ?? "" },
});

async function walk(): Promise<void> {
  const body = { by_user: "dev-ada", for_plan: "plan-weather" };
  const created = await desk.POST("/api/portal/requests", { body });
  const id = created.data?.Message ?? "";
  const one = "/api/portal/requests/{id}";
  const { data: read } = await desk.GET(one, { params: { path: { id } } });
  const { response } = await desk.GET(one, { params: { path: { id: "absent" } } });
  console.log(read?.by_user, read?.for_plan, response.status);
}

walk();

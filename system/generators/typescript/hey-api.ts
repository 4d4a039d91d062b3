/** Asks for a key by the client of hey-api, and reads the key request back. */
import { createKeyRequest, getKeyRequest } from "./hey-api";
import { client } from "./hey-api/client.gen";

declare const process: { env: Record<string, string | undefined> };

client.setConfig({
  baseUrl: process.env.DESK_URL ?? "",
  auth: ({ name }) => name === "Authorization" ? process.env.DESK_CREDENTIAL : undefined,
});

async function walk(): Promise<void> {
  const body = { by_user: "dev-ada", for_plan: "plan-weather" };
  const created = await createKeyRequest({ body, throwOnError: true });
  const id = created.data.Message;
  const { data: read } = await getKeyRequest({ path: { id }, throwOnError: true });
  const { response } = await getKeyRequest({ path: { id: "absent" } });
  console.log(read.by_user, read.for_plan, response?.status);
}

walk();

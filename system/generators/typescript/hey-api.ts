/** Asks for a key by the client of hey-api, approves the key request and has the key verified. */
import {
  approveClassicKeyRequest,
  createClassicKeyRequest,
  getClassicKeyRequest,
  verifyKey,
} from "./hey-api";
import { client } from "./hey-api/client.gen";

declare const process: { env: Record<string, string | undefined> };

client.setConfig({
  baseUrl: process.env.DESK_URL ?? "",
  auth: ({ name }) => name === "Authorization" ? process.env.DESK_CREDENTIAL : undefined,
});

async function walk(): Promise<void> {
  const body = { by_user: "dev-ada", for_plan: process.env.DESK_PLAN };
  const created = await createClassicKeyRequest({ body, throwOnError: true });
  const id = created.data.Message;
  const { data: read } = await getClassicKeyRequest({ path: { id }, throwOnError: true });
  const approved = await approveClassicKeyRequest({ path: { id }, throwOnError: true });
  const key = approved.data.RawKey;
  const { data: verdict } = await verifyKey({ body: { key }, throwOnError: true });
  const { response } = await getClassicKeyRequest({ path: { id: "absent" } });
  console.log(read.by_user, read.for_plan, verdict.valid, response?.status);
}

walk();

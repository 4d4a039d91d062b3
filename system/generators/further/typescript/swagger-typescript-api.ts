/**
 * Asks for a key by the client of swagger-typescript-api, approves the key request and has the key
 * verified.
 */
import { Api } from "./swagger-typescript-api/desk";

declare const process: { env: Record<string, string | undefined> };

const client = new Api({
  baseUrl: process.env.DESK_URL ?? "",
  baseApiParams: { headers: { authorization: process.env.DESK_CREDENTIAL ?? "" } },
});

async function walk(): Promise<void> {
  const body = { by_user: "dev-ada", for_plan: process.env.DESK_PLAN };
  const { data: created } = await client.api.createClassicKeyRequest(body);
  const { data: read } = await client.api.getClassicKeyRequest(created.Message);
  const { data: approved } = await client.api.approveClassicKeyRequest(created.Message);
  const { data: verdict } = await client.v1.verifyKey({ key: approved.RawKey });
  const absent: Response = await client.api.getClassicKeyRequest("absent").catch((refused) =>
    refused
  );
  console.log(read.by_user, read.for_plan, verdict.valid, absent.status);
}

walk();

/** Asks for a key by the client of orval, approves the key request and has the key verified. */
import {
  approveClassicKeyRequest,
  createClassicKeyRequest,
  getClassicKeyRequest,
  verifyKey,
} from "./orval/desk";

declare const process: { env: Record<string, string | undefined> };

const options = { headers: { authorization: process.env.DESK_CREDENTIAL ?? "" } };

async function walk(): Promise<void> {
  const body = { by_user: "dev-ada", for_plan: process.env.DESK_PLAN };
  const created = await createClassicKeyRequest(body, options);
  if (created.status !== 200) throw new Error(JSON.stringify(created.data));
  const id = created.data.Message;
  const read = await getClassicKeyRequest(id, options);
  if (read.status !== 200) throw new Error(JSON.stringify(read.data));
  const approved = await approveClassicKeyRequest(id, undefined, undefined, options);
  if (approved.status !== 200) throw new Error(JSON.stringify(approved.data));
  const verdict = await verifyKey({ key: approved.data.RawKey }, options);
  if (verdict.status !== 200) throw new Error(JSON.stringify(verdict.data));
  const absent = await getClassicKeyRequest("absent", options);
  console.log(read.data.by_user, read.data.for_plan, verdict.data.valid, absent.status);
}

walk();

/**
 * An approver's work in small, with the client of the package: asks for a key as a portal would,
 * replaces the request, looks at what waits, and approves it unless somebody changed it meanwhile.
 *
 *   npm install keydesk
 *   DESK_URL=http://127.0.0.1:3000 DESK_CREDENTIAL=… node client.js
 *
 * The credential needs `approve`, and must be allowed to write plans and requests. Runs in Node 20
 * or later, Deno, Bun and browsers.
 */
import { type Client, createClient, Failure } from "keydesk/client";

/** Does all of it once; says each step to `say`. */
export async function decideOne(desk: Client, say: (line: string) => void): Promise<void> {
  // A key for a plan that nobody knows would open nothing.
  for (const plan of ["plan-weather", "plan-climate"]) await addPlan(desk, plan);

  const { Message: id } = await desk.createClassicKeyRequest({
    body: {
      by_user: "dev-ada",
      // Registered where nobody knows them: nothing is issued to a stranger.
      portal_developer: { id: "dev-ada", email: "ada@example.org" },
      for_plan: "plan-weather",
      fields: { use_case: "to see how it works" },
    },
  });
  say(`asked: request ${id}`);

  // Sent as PUT, which means the same as the interface's own method, UPDATE.
  await desk.updateKeyRequest({ id, body: { by_user: "dev-ada", for_plan: "plan-climate" } });
  const { value: request, etag } = await desk.getKeyRequest.answer({ id });
  say(`updated: for ${request.for_plan}, ${request.state}`);

  let waiting = 0;
  for await (const one of desk.listKeyRequests.all({ state: "pending", limit: 100 })) {
    if (one.id === id) say("found among those that wait");
    waiting++;
  }
  say(`${waiting} waiting`);

  // Tried again where the answer is lost: the key makes that harmless. Refused where it is no
  // longer what was read.
  const approval = await desk.approveKeyRequest({ id, body: { deliver: "answer" } }, {
    idempotencyKey: true,
    ...etag === undefined ? {} : { ifMatch: etag },
    signal: AbortSignal.timeout(10_000),
  });
  say(`approved: key ${approval.mask}`);

  try {
    await desk.approveClassicKeyRequest({ id });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    say(`approved again: ${error.status} ${error.code}: ${error.message}`);
  }
}

/** Adds a plan under this id, where it is not there from an earlier run. */
async function addPlan(desk: Client, id: string): Promise<void> {
  try {
    await desk.createClassicPlan({ body: { id, name: id } });
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "plan_id_taken") throw error;
  }
}

/** What Node, Deno and Bun share. */
declare const process: { env: Record<string, string | undefined> };

const { DESK_URL, DESK_CREDENTIAL } = process.env;
if (DESK_URL && DESK_CREDENTIAL) {
  await decideOne(createClient({ url: DESK_URL, credential: DESK_CREDENTIAL }), console.log);
}

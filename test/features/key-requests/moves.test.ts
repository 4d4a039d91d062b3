/** The table of moves in key-request.ts is what really happens: each move, made in each state. */
import assert from "node:assert/strict";
import {
  type Move,
  moves,
  type RequestState,
  states,
} from "../../../src/features/key-requests/key-request.ts";
import { endpoints } from "../../../src/reference/registry.ts";
import { assertFailure } from "../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { approvalOf, approve, create, pathOf, smallRequest } from "../../support/key-requests.ts";
import { known } from "../../support/known-parties.ts";
import { v1, V1_REQUESTS } from "../../support/v1-requests.ts";

/** The endpoint by which each move is made, and its call. */
const CALLS: Readonly<
  Record<
    keyof typeof moves,
    { endpoint: string; send: (desk: TestDesk, id: string) => Promise<Response> }
  >
> = {
  update: {
    endpoint: "updateKeyRequest",
    send: (desk, id) => desk.send("UPDATE", pathOf(id), { body: smallRequest() }),
  },
  remove: { endpoint: "deleteKeyRequest", send: (desk, id) => desk.send("DELETE", pathOf(id)) },
  approve: {
    endpoint: "approveClassicKeyRequest",
    send: (desk, id) => desk.send("PUT", approvalOf(id)),
  },
  approveV1: { endpoint: "approveKeyRequest", send: post("approve") },
  offer: {
    endpoint: "offerForKeyRequest",
    send: (desk, id) =>
      desk.send("POST", `${V1_REQUESTS}/${id}/offer`, {
        body: { conditions: { rate: { calls: 1, seconds: 60 } } },
      }),
  },
  assign: {
    endpoint: "assignKeyRequest",
    send: (desk, id) =>
      desk.send("PUT", `${V1_REQUESTS}/${id}/assignee`, { body: { assignee: "me" } }),
  },
  decline: { endpoint: "declineKeyRequest", send: post("decline") },
  reopen: { endpoint: "reopenKeyRequest", send: post("reopen") },
  setReason: {
    endpoint: "setDeclineReason",
    send: (desk, id) =>
      desk.send("PUT", `${V1_REQUESTS}/${id}/reason`, { body: { reason: "late" } }),
  },
  reissue: { endpoint: "reissueKey", send: post("reissue") },
};

function post(what: string) {
  return (desk: TestDesk, id: string) => desk.send("POST", `${V1_REQUESTS}/${id}/${what}`);
}

/** A fresh request in this state. */
async function requestIn(desk: TestDesk, state: RequestState): Promise<string> {
  const [id] = await known(desk, await create(desk, smallRequest()));
  if (state === "issued") await approve(desk, id);
  if (state === "declined") await v1.decline(desk, id);
  return id;
}

for (const [name, move] of Object.entries(moves) as [keyof typeof moves, Move][]) {
  const { endpoint, send } = CALLS[name];

  testOnEngines(`moves: ${name} does in each state what the table says`, async (desk) => {
    for (const state of states) {
      const id = await requestIn(desk, state);
      const response = await send(desk, id);
      const refused = move.refused[state];
      if (refused !== undefined) {
        assert.equal(response.headers.get("x-keydesk-error"), refused, `${name}, ${state}`);
        await response.body?.cancel();
        assert.equal((await v1.get(desk, id)).state, state);
        continue;
      }
      assert.equal(response.status, 200, `${name} of a request that is ${state}`);
      await response.body?.cancel();
      if (move.to === "gone") {
        await assertFailure(await desk.send("GET", `${V1_REQUESTS}/${id}`), "not_found");
      } else {
        assert.equal((await v1.get(desk, id)).state, move.to === "same" ? state : move.to);
      }
    }
  });

  Deno.test(`moves: ${name} needs the permission that its endpoint asks for`, () => {
    const permission = endpoints.find(({ id }) => id === endpoint)?.permission ?? "public";
    assert.ok(
      typeof permission !== "string" && permission.includes(move.needs),
      String(permission),
    );
  });
}

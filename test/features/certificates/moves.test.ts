/** The table of moves in certificate.ts is what really happens: each move, made in each state. */
import assert from "node:assert/strict";
import {
  type CertificateState,
  type Move,
  moves,
  states,
} from "../../../src/features/certificates/certificate.ts";
import { endpoints } from "../../../src/reference/registry.ts";
import { CERTS, issue } from "../../support/certificates.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";

type Issued = ReturnType<typeof issue>;

/** The endpoints by which each move is made, and its call. */
const CALLS: Readonly<
  Record<
    keyof typeof moves,
    { endpoints: string[]; send: (desk: TestDesk, of: Issued, id: string) => Promise<Response> }
  >
> = {
  add: {
    endpoints: ["uploadCertificate", "uploadBundle", "uploadCertificates"],
    send: (desk, { certificate }) => desk.send("POST", CERTS, { body: certificate }),
  },
  addWithKey: {
    endpoints: ["uploadCertificate", "uploadCertificates"],
    send: (desk, { certificate, key }) => desk.send("POST", CERTS, { body: certificate + key }),
  },
  remove: {
    endpoints: ["deleteClassicCertificate", "deleteCertificate"],
    send: (desk, _, id) => desk.send("DELETE", `${CERTS}/${id}`),
  },
};

/** Brings a fresh certificate into this state; gives its id. */
async function certificateIn(desk: TestDesk, of: Issued, state: CertificateState): Promise<string> {
  const body = state === "with_key" ? of.certificate + of.key : of.certificate;
  const { id } = await (await desk.send("POST", CERTS, { body })).json();
  if (state === "absent") await desk.send("DELETE", `${CERTS}/${id}`);
  return id;
}

async function stateOf(desk: TestDesk, id: string): Promise<CertificateState> {
  const response = await desk.send("GET", `${CERTS}/${id}`);
  const { has_private } = await response.json();
  if (response.status === 404) return "absent";
  return has_private ? "with_key" : "without_key";
}

for (const [name, move] of Object.entries(moves) as [keyof typeof moves, Move][]) {
  const { endpoints: ids, send } = CALLS[name];

  testOnEngines(`moves: ${name} of a certificate does what the table says`, async (desk) => {
    for (const state of states) {
      const of = issue({ subject: { CN: `${name}-${state}` }, days: 900 });
      const id = await certificateIn(desk, of, state);
      assert.equal(await stateOf(desk, id), state);
      const response = await send(desk, of, id);
      await response.body?.cancel();
      const refused = move.refused[state];
      assert.equal(response.headers.get("x-keydesk-error") ?? undefined, refused, state);
      assert.equal(await stateOf(desk, id), refused === undefined ? move.to : state, state);
    }
  });

  Deno.test(`moves: ${name} of a certificate needs the permission that its endpoints ask for`, () => {
    for (const id of ids) {
      const permission = endpoints.find((one) => one.id === id)?.permission ?? "public";
      assert.ok(
        typeof permission !== "string" && permission.includes(move.needs),
        `${id}: ${permission}`,
      );
    }
  });
}

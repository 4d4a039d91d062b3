/** A real receiver of webhooks on a real socket, and channels that lead to it. */
import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { DeliveryEngine } from "../../src/features/notifications/delivery-engine.ts";
import { openOutbound } from "../../src/kernel/outbound/open-outbound.ts";
import type { OutboundCall } from "../../src/kernel/outbound/outbound.ts";
import type { TestDesk } from "./desk.ts";
import { call } from "./people.ts";

/** A message as it came. */
export interface Received {
  id: string;
  headers: Record<string, string>;
  body: string;
  // deno-lint-ignore no-explicit-any -- bodies of several forms
  json: any;
}

/** What the receiver answers; a number stands for that status. */
export type Answering = (message: Received) => number | Response | Promise<number | Response>;

/** A receiver, which takes everything unless it is told otherwise. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** As KEYDESK_OUTBOUND names it. */
  readonly host: string;
  /** Everything that came, also what was not taken. */
  readonly all: Received[];
  /** What was taken. */
  readonly taken: Received[];
  answer: Answering;
}

/** Listens on a free port of this machine. */
export function receiver(): Receiver {
  const all: Received[] = [];
  const taken: Received[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const body = await request.text();
      const headers = Object.fromEntries(request.headers);
      const message = { id: headers["webhook-id"] ?? "", headers, body, json: JSON.parse(body) };
      all.push(message);
      const answer = await made.answer(message);
      const response = typeof answer === "number"
        ? new Response("told", { status: answer })
        : answer;
      if (response.ok) taken.push(message);
      return response;
    },
  );
  const host = `127.0.0.1:${server.addr.port}`;
  hosts.push(host);
  const made: Receiver = {
    host,
    url: `http://${host}/hook`,
    all,
    taken,
    answer: () => 200,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return made;
}

/** A channel that leads to a receiver, with its secret. */
export async function addChannel(
  desk: TestDesk,
  { url }: Pick<Receiver, "url">,
  more: Record<string, unknown> = {},
  credential?: string,
): Promise<{ id: string; secret: string }> {
  return await call(desk, "POST", "/v1/channels", { name: "Portal", url, ...more }, credential);
}

/** The reference package's own verdict. */
export function verified({ body, headers }: Received, secret: string): unknown {
  return new Webhook(secret).verify(body, headers);
}

/** Receivers as KEYDESK_OUTBOUND names them. */
const hosts: string[] = [];

/** An engine over a desk, which does nothing by itself and may call every receiver. */
export function engineOf(
  desk: Pick<TestDesk, "app">,
  log: ConstructorParameters<typeof DeliveryEngine>[1] = { line: () => {} },
): DeliveryEngine {
  const outbound = {
    send: (sent: OutboundCall) => openOutbound({ entries: hosts }).send(sent),
    connect: () => Promise.reject(new Error("this engine sends no mails")),
    missing: () => undefined,
  };
  return new DeliveryEngine({ ...desk.app.ctx, outbound }, log);
}

/** Turns until nothing is to be done now. */
export async function deliver(engine: DeliveryEngine): Promise<void> {
  for (let turns = 0;; turns++) {
    const before = engine.commits;
    await engine.turn();
    if (engine.commits === before) return;
    assert.ok(turns < 1000, "the engine comes to an end");
  }
}

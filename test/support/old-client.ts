import assert from "node:assert/strict";
import { type TestDesk, type TestDeskOptions, testEachEngine } from "./desk.ts";
import { openListeningDesk } from "./raw-http.ts";

// deno-lint-ignore no-explicit-any -- a client of the older interface knows no types
export type Json = any;

/**
 * A body as a client sends it, and its Content-Type; a text without one is sent as bytes, which has
 * none.
 */
interface Sent {
  body?: Json;
  contentType?: string;
}

/** A client of the older interface on a socket: its header, its base, statuses compared exactly. */
export class OldClient {
  constructor(
    readonly desk: TestDesk,
    readonly base: string,
    readonly headers: Readonly<Record<string, string>>,
  ) {}

  /** Sends a call as it stands and gives status and text. */
  async raw(
    method: string,
    path: string,
    sent: Sent = {},
  ): Promise<{ status: number; text: string }> {
    const { body, contentType } = sent;
    const headers = contentType === undefined
      ? this.headers
      : { ...this.headers, "content-type": contentType };
    const bytes = body instanceof FormData
      ? body
      : body === undefined
      ? null
      : new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
    const response = await fetch(`${this.base}${path}`, { method, headers, body: bytes });
    return { status: response.status, text: await response.text() };
  }

  /** The JSON of an answer with this status. */
  async call(method: string, path: string, body?: Json, status = 200): Promise<Json> {
    return await this.typed(method, path, body, undefined, status);
  }

  /** The same with a Content-Type. */
  async typed(
    method: string,
    path: string,
    body: Json,
    contentType: string | undefined,
    status = 200,
  ): Promise<Json> {
    const sent = contentType === undefined ? { body } : { body, contentType };
    const answer = await this.raw(method, path, sent);
    assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
    return JSON.parse(answer.text);
  }

  /** A gateway lets a key in, and what was counted is written. */
  async useKey(key: string): Promise<void> {
    const answer = await this.call("POST", "/v1/keys/verify", { key });
    assert.equal(answer.valid, true, JSON.stringify(answer));
    await this.desk.app.ctx.verifier.writeUsage();
  }
}

/**
 * From yesterday to tomorrow as paths of the older interface say it: a test may run over midnight.
 */
export function aroundToday(): string {
  return [-1, 1].map((days) => {
    const day = new Date(Date.now() + days * 86_400_000);
    return `${day.getUTCDate()}/${day.getUTCMonth() + 1}/${day.getUTCFullYear()}`;
  }).join("/");
}

/**
 * Registers one test for each engine: what a client does, over HTTP, with a credential that has
 * these headers.
 */
export function testOldClient(
  promise: string,
  headersOf: (credential: string) => Record<string, string>,
  test: (client: OldClient) => Promise<void>,
  options: TestDeskOptions = {},
): void {
  testEachEngine(promise, async (engine) => {
    await using desk = await openListeningDesk(options.environment ?? {}, engine);
    const { hostname, port } = desk.address;
    await test(new OldClient(desk, `http://${hostname}:${port}`, headersOf(desk.admin)));
  });
}

/** The credential as most clients present it. */
export const raw = (authorization: string) => ({ authorization });

/**
 * A desk in this process that lives through its history at a fixed clock, and is served with TLS in
 * the end.
 */
import { drawFrom, world } from "./fixed-world.ts";
import assert from "node:assert/strict";
import { connect } from "node:net";
import { join } from "node:path";
import { readConfig } from "../../../src/config.ts";
import { DeliveryEngine } from "../../../src/features/notifications/delivery-engine.ts";
import { AlertEngine } from "../../../src/features/notifications/alerts/alert-engine.ts";
import { startJobs } from "../../../src/features/jobs/start-jobs.ts";
import { hasUnworded } from "../../../src/features/developers/developer-words.store.ts";
import { indexDevelopers } from "../../../src/features/developers/developer-words.transactions.ts";
import { LeakWorker } from "../../../src/features/hygiene/leaks/work-off.ts";
import { randomBytes } from "../../../src/kernel/ids.ts";
import { createLog } from "../../../src/kernel/log.ts";
import type { Outbound } from "../../../src/kernel/outbound/outbound.ts";
import { signInLink } from "../../../src/cli/sign-in-link.ts";
import { appendAll } from "../../../src/maintenance/audit-log/appender.ts";
import { type Application, openApplication } from "../../../src/server.ts";
import { transactions } from "../../../src/transactions.ts";
import { issue } from "../../../packages/x509/test/support/issue.ts";
import { mailServer } from "../../../test/support/mail-server.ts";
import { deliver } from "../../../test/support/receiver.ts";

/** An hour, in milliseconds. */
export const HOUR_MS = 60 * 60 * 1000;
/** A day, in milliseconds. */
export const DAY_MS = 24 * HOUR_MS;
/** The moment of the pictures: a Thursday morning. */
export const NOW = Date.parse("2026-03-12T09:40:00Z");
/** Where the desk is, for whoever reads an address in a picture. */
export const URL_SHOWN = "https://keys.riverline.example";

/** Who calls, from where. */
export interface Caller {
  token: string;
  from: string;
}

/** A desk that listens with TLS on a port of this machine. */
export interface PictureDesk extends AsyncDisposable {
  readonly port: number;
  /** Calls the interface; as the administrator unless said. */
  call(method: string, path: string, body?: unknown, as?: Caller): Promise<Answer>;
  /** A key that was issued. */
  readonly key: string;
  /** Links that sign in once. */
  link(): Promise<string>;
  /** What workers in the background would do by now is done. */
  settle(): Promise<void>;
}

/** What the desk answered. */
// deno-lint-ignore no-explicit-any -- the form of any answer
export type Answer = any;

/** The desk while its history is lived through. */
export class Desk {
  key = "";
  /** The access token of whoever looks; undefined: the first administrator's. */
  viewer: string | undefined;
  /** The gateway that is told of changes answers to nobody. */
  isGatewayDown = false;
  readonly #engine: DeliveryEngine;
  readonly #alerts: AlertEngine;

  private constructor(
    readonly folder: string,
    readonly app: Application,
    readonly admin: Caller,
    readonly smtp: Awaited<ReturnType<typeof mailServer>>,
  ) {
    const outbound: Outbound = {
      send: ({ url }) =>
        Promise.resolve(
          url.includes("gateway") && this.isGatewayDown
            ? answer(503, "upstream connect error or disconnect/reset before headers", 1204)
            : answer(url.includes("chat") ? 200 : 202, '{"accepted":true}', 48),
        ),
      connect: () => Promise.reject(new Error("nothing leads there")),
      missing: () => undefined,
    };
    const mails = {
      connect: () =>
        new Promise<ReturnType<typeof connect>>((resolve) => {
          const socket = connect(smtp.port, "127.0.0.1", () => resolve(socket));
        }),
    };
    const { mail } = app.ctx;
    const served = async () => {
      const server = await mail();
      return server && { ...server, outbound: mails };
    };
    Object.assign(app.ctx, { outbound, mail: served });
    this.#engine = new DeliveryEngine(app.ctx, app.log);
    this.#alerts = new AlertEngine(app.ctx);
  }

  static async open(): Promise<Desk> {
    const folder = await Deno.makeTempDir({ prefix: "keydesk-pictures-" });
    const smtp = await mailServer();
    const app = await openApplication(
      readConfig({
        KEYDESK_DATA_DIR: folder,
        KEYDESK_PUBLIC_URL: URL_SHOWN,
        KEYDESK_SMTP_URL: "smtp://127.0.0.1:25",
        KEYDESK_MAIL_FROM: "keys@riverline.example",
        KEYDESK_KEY_FORMAT: "kd",
        KEYDESK_LEAK_REPORTS: "on",
      }),
      { writer: { thread: false, transactions }, log: createLog("fatal", console.error) },
    );
    const token = (await Deno.readTextFile(join(folder, "administrator-credential"))).trim();
    return new Desk(folder, app, { token, from: "192.0.2.31" }, smtp);
  }

  async call(method: string, path: string, body?: unknown, as = this.admin): Promise<Answer> {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const request = new Request(`${URL_SHOWN}${path}`, {
      method,
      headers: { authorization: as.token, "user-agent": "curl/8.5.0" },
      ...text === undefined ? {} : { body: text },
    });
    const response = await this.app.fetch(request, { remoteAddr: { hostname: as.from } });
    const said = await response.json();
    assert.ok(response.ok, `${method} ${path}: ${JSON.stringify(said)}`);
    return said;
  }

  /** Goes on to a moment, and does what is due then. */
  async at(ms: number): Promise<void> {
    await this.app.ctx.notes.flush();
    world.now = Math.max(world.now, ms);
    await deliver(this.#engine);
  }

  async settle(): Promise<void> {
    await this.#alerts.turn();
    await deliver(this.#engine);
    const { storage } = this.app.ctx;
    while (await hasUnworded(storage.reader)) await storage.commit(indexDevelopers, { from: "" });
    await new LeakWorker(this.app.ctx).turn();
    await appendAll(this.app.ctx);
  }
}

function answer(status: number, body: string, durationMs: number) {
  return { status, headers: new Headers(), body, durationMs };
}

/** Ends the history: the desk listens on a port of this machine. */
export async function serve(desk: Desk): Promise<PictureDesk> {
  const held = issue({ subject: { CN: "keys.riverline.example" }, days: 300 });
  const listening = Promise.withResolvers<Deno.NetAddr>();
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    cert: held.certificate,
    key: held.key,
    onListen: listening.resolve,
  }, async (request) => {
    const response = await desk.app.fetch(request, { remoteAddr: { hostname: "192.0.2.31" } });
    // The runtime's own server sends the list of headers, which is made once it is read.
    void response.headers;
    return response;
  });
  const { port } = await listening.promise;
  const jobs = startJobs(desk.app.ctx, desk.app.log);
  const { ctx, first } = desk.app;
  return {
    port,
    key: desk.key,
    call: (...words) => desk.call(...words),
    link: async () => await signInLink(ctx, first.org_id, URL_SHOWN, desk.viewer) ?? "",
    settle: () => desk.settle(),
    [Symbol.asyncDispose]: async () => {
      jobs.stop();
      await server.shutdown();
      ctx.passwords.close();
      await ctx.storage.close();
      await desk.smtp[Symbol.asyncDispose]();
      await Deno.remove(desk.folder, { recursive: true });
    },
  };
}

/** What is drawn from now on depends on `name` alone: bytes in stock are thrown away. */
export function drawAgain(name: string): void {
  randomBytes(4096);
  drawFrom(name);
  randomBytes(4096);
  drawFrom(name);
}

/** A desk in this process, whose history was lived through at a fixed clock: the same each time, down to its ids. */
import { drawFrom, world } from "./fixed-world.ts";
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash, createPrivateKey } from "node:crypto";
import { connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readConfig } from "../../../src/config.ts";
import { DeliveryEngine } from "../../../src/features/deliveries/delivery-engine.ts";
import { AlertEngine } from "../../../src/features/alerts/alert-engine.ts";
import { startJobs } from "../../../src/features/jobs/start-jobs.ts";
import { hasUnworded } from "../../../src/features/developers/developer-words.store.ts";
import { indexDevelopers } from "../../../src/features/developers/developer-words.transactions.ts";
import { randomBytes } from "../../../src/kernel/ids.ts";
import { createLog } from "../../../src/kernel/log.ts";
import type { Outbound } from "../../../src/kernel/outbound/outbound.ts";
import { writeTrailRows } from "../../../src/calls/trail-notes.transactions.ts";
import { operator } from "../../../src/features/access/access.transactions.ts";
import { BACKED_UP } from "../../../src/operations/server-info/last-backup.store.ts";
import { signInLink } from "../../../src/cli/sign-in-link.ts";
import { demoDevelopers } from "../../../src/operations/seed/demo-developers.ts";
import { demoRequests } from "../../../src/operations/seed/demo-requests.ts";
import { makeDemo } from "../../../src/operations/seed/demo.ts";
import { seedTransaction } from "../../../src/operations/seed/seed.transactions.ts";
import { appendAll } from "../../../src/operations/trail/appender.ts";
import { type Application, openApplication } from "../../../src/server.ts";
import { transactions } from "../../../src/transactions.ts";
import {
  issue,
  type Issued,
  type Wanted,
} from "../../../test/features/certificates/support/issue.ts";
import { mailServer } from "../../../test/support/mail-server.ts";
import { deliver } from "../../../test/support/receiver.ts";
import { fillCalls } from "../busy-desk.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** The moment of the pictures: a Thursday morning. */
export const NOW = Date.parse("2026-03-12T09:40:00Z");
/** Where the desk is, for whoever reads an address in a picture. */
export const URL_SHOWN = "https://keys.riverline.example";

/** Who calls, from where. */
interface Caller {
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

// deno-lint-ignore no-explicit-any -- the form of any answer
type Answer = any;

/** An empty desk at the moment of the pictures. */
export async function emptyDesk(): Promise<PictureDesk> {
  drawFrom("empty");
  world.now = NOW - HOUR_MS;
  return await serve(await Desk.open());
}

/** A desk that has been at work for nine months; a busy one has troubles. */
export async function filledDesk(kind: "calm" | "busy"): Promise<PictureDesk> {
  drawFrom(kind);
  world.now = NOW - 280 * DAY_MS;
  const desk = await Desk.open();
  const people = await desk.people();
  await desk.seed();
  await desk.targets();
  await desk.certificates(people.jana, kind);
  await desk.oldKeys(people);
  await desk.views(people);
  await desk.requests(people, kind);
  if (kind === "calm") await desk.backup();
  await desk.use();
  return await serve(desk);
}

class Desk {
  key = "";
  /** The access token of whoever looks; undefined: the first administrator's. */
  viewer: string | undefined;
  #isPortalDown = false;
  readonly #engine: DeliveryEngine;
  readonly #alerts: AlertEngine;

  private constructor(
    readonly folder: string,
    public app: Application,
    readonly admin: Caller,
    readonly smtp: Awaited<ReturnType<typeof mailServer>>,
  ) {
    const outbound: Outbound = {
      send: ({ url }) =>
        Promise.resolve(
          url.includes("gateway") && this.#isPortalDown
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
    assert.ok(mail);
    Object.assign(app.ctx, { outbound, mail: { ...mail, outbound: mails } });
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
    world.now = Math.max(world.now, ms);
    await deliver(this.#engine);
  }

  async settle(): Promise<void> {
    await this.#alerts.turn();
    await deliver(this.#engine);
    const { storage } = this.app.ctx;
    while (await hasUnworded(storage.reader)) await storage.commit(indexDevelopers, { from: "" });
    await appendAll(this.app.ctx);
  }

  async people() {
    const add = async (name: string, email: string, permissions: string[], from: string) => {
      world.now += DAY_MS / 7;
      const person = await this.call("POST", "/v1/people", {
        ...{ name, permissions },
        ...email ? { email: `${email}@riverline.example` } : {},
      });
      const issued = await this.call("POST", `/v1/people/${person.id}/credentials`, {
        name: email ? "laptop" : "production",
        deliver: "answer",
        expires_at: new Date(NOW + (email ? 140 : 400) * DAY_MS).toISOString(),
      });
      const { credential, id } = issued;
      return { token: credential, from, id };
    };
    const every = ["portal:read", "portal:write", "certs:read", "certs:write", "plans", "approve"];
    const all = [...every, "verify", "secrets", "audit", "metrics", "admin", "operator"];
    const marit = await add("Marit Solberg", "marit.solberg", all, "192.0.2.31");
    this.viewer = marit.id;
    return {
      marit,
      tomas: await add(
        "Tomás Ferreira",
        "tomas.ferreira",
        ["portal:read", "approve"],
        "192.0.2.44",
      ),
      jana: await add("Jana Novák", "jana.novak", ["certs:read", "certs:write"], "192.0.2.58"),
      rhys: await add(
        "Rhys Morgan",
        "rhys.morgan",
        ["portal:read", "certs:read", "audit"],
        "203.0.113.20",
      ),
      portal: await add(
        "Developer portal",
        "",
        ["portal:read", "portal:write", "approve", "secrets"],
        "198.51.100.7",
      ),
      gateway: await add("API gateway", "", ["verify"], "198.51.100.12"),
    };
  }

  async seed(): Promise<void> {
    const { ctx, first } = this.app;
    const demo = { ...makeDemo(first.org_id, NOW), requests: [] };
    world.now = NOW - 240 * DAY_MS;
    await ctx.storage.commit(seedTransaction, demo);
    await this.call("PUT", "/v1/branding", {
      ...{ name: "Riverline open services", colour: "#0f6b5c", support: "apis@riverline.example" },
      ...{ documentation: "https://developers.riverline.example" },
      ...{ base_url: "https://api.riverline.example" },
    });
  }

  async targets(): Promise<void> {
    const add = (name: string, url: string, topics: string[]) =>
      this.call("POST", "/v1/targets", { name, url, topics });
    await add("Developer portal", "https://developers.riverline.example/hooks/keydesk", [
      "key_request.*",
      "credential.*",
    ]);
    await add("Gateway cache", "https://gateway.riverline.example/keydesk/events", [
      "credential.*",
    ]);
    await add("Team chat", "https://chat.riverline.example/hooks/p3k9", ["certificate.*"]);
    await this.call("POST", "/v1/targets", {
      ...{ kind: "mail", name: "Mail" },
      mail: { from_name: "Riverline open services", time_zone: "Europe/Amsterdam" },
    });
  }

  async certificates(jana: Caller, kind: "calm" | "busy"): Promise<void> {
    const root = certificate("root", {
      subject: { O: "Riverline", CN: "Riverline Root CA" },
      days: 3650,
      authority: true,
      keyIds: true,
    });
    const partners = certificate("partners", {
      subject: { O: "Riverline", CN: "Riverline Partner CA" },
      days: 1825,
      authority: 0,
      issuer: root,
      keyIds: true,
    });
    const of = (cn: string, days: number, more: Partial<Wanted> = {}) =>
      certificate(cn, {
        subject: { O: "Riverline", CN: cn },
        days,
        names: [{ dNSName: cn }],
        issuer: partners,
        authority: false,
        keyIds: true,
        ...more,
      });
    // Days from now in which each ends; uploaded some months before.
    type End = [cn: string, days: number, owner: string, tags: string[]];
    const ends: End[] = [
      ["legacy-hooks.riverline.example", -6, "", ["webhooks"]],
      ...kind === "busy"
        ? [["edge.riverline.example", 4, "platform@riverline.example", ["edge"]] as End]
        : [],
      ["hooks.riverline.example", 19, "platform@riverline.example", ["webhooks"]],
      ["kettlequay.partners.riverline.example", 26, "tomas.ferreira@riverline.example", [
        "partner",
        "mTLS",
      ]],
      ["nordlys.partners.riverline.example", 41, "tomas.ferreira@riverline.example", [
        "partner",
        "mTLS",
      ]],
      ["tabellone.partners.riverline.example", 44, "tomas.ferreira@riverline.example", [
        "partner",
        "mTLS",
      ]],
      ["api.riverline.example", 58, "platform@riverline.example", ["edge"]],
      ["gateway.riverline.example", 74, "platform@riverline.example", ["edge"]],
      ["cityhopper.partners.riverline.example", 97, "", ["partner", "mTLS"]],
      ["larkfield.partners.riverline.example", 118, "", ["partner", "mTLS"]],
      ["developers.riverline.example", 142, "platform@riverline.example", []],
      ["hearth.partners.riverline.example", 163, "", ["partner", "mTLS"]],
      ["status.riverline.example", 201, "platform@riverline.example", []],
      ["fares.riverline.example", 288, "platform@riverline.example", ["edge"]],
      ["tickets.riverline.example", 312, "platform@riverline.example", ["edge"]],
      ["tides.partners.riverline.example", 400, "", ["partner"]],
    ];
    world.now = NOW - 170 * DAY_MS;
    await this.call("POST", "/v1/certificates", root.certificate + partners.certificate, jana);
    for (const [cn, days, owner, tags] of ends) {
      world.now += 3 * HOUR_MS + 7 * 60_000;
      const { certificate: pem } = of(cn, days + (NOW - world.now) / DAY_MS);
      const { results } = await this.call("POST", "/v1/certificates", pem, jana);
      const { id } = results[0];
      if (owner || tags.length > 0) {
        await this.call("PUT", `/v1/certificates/${id}`, { owner, tags }, jana);
      }
    }
  }

  /** Keys that were issued by hand, some of which end. */
  async oldKeys({ marit }: { marit: Caller }): Promise<void> {
    const { data: developers } = await this.call("GET", "/v1/developers?limit=50");
    const { data: plans } = await this.call("GET", "/v1/plans?limit=50");
    const planOf = (name: string) => plans.find((one: Answer) => one.name === name)._id;
    const ends = [-21, 9, 23, 25, 55, 61, 62, 130, 141, 290, 360, 480, 900];
    const names = [
      "Departures, professional",
      "Departures, professional",
      "Departures, free",
      "Fares, partner",
    ];
    let at = NOW - 158 * DAY_MS;
    for (const [place, days] of [...ends, undefined, undefined].entries()) {
      await this.at(at += 2 * DAY_MS + 5 * HOUR_MS);
      const developer = developers[place * 5 % developers.length];
      if (developer.inactive) continue;
      const issued = await this.call("POST", `/v1/developers/${developer.id}/keys`, {
        plans: [planOf(names[place % names.length] ?? "")],
        deliver: "answer",
        ...labelsOf(developer.email, names[place % names.length] ?? ""),
      }, marit);
      if (this.key === "" && Number(days) > 0) this.key = issued.RawKey;
      if (days === undefined) continue;
      const expires_at = new Date(NOW + days * DAY_MS + HOUR_MS).toISOString();
      await this.call("PUT", `/v1/keys/${issued.key_id ?? issued.key?.key_id}/expiry`, {
        expires_at,
      }, marit);
    }
  }

  /** The demo's requests, sent and decided in their order; and what else happened in the last days. */
  async requests(
    people: Record<"portal" | "tomas" | "marit" | "rhys", Caller>,
    kind: "calm" | "busy",
  ) {
    const { portal, tomas, marit } = people;
    const steps: { at: number; run: () => Promise<unknown> }[] = [];
    for (const [index, request] of makeDemo(this.app.first.org_id, NOW).requests.entries()) {
      const { by_user, for_plan } = request.draft.columns;
      const text = demoRequests[index];
      assert.ok(text);
      let id = "";
      const sends = async () => {
        const sent = await this.call("POST", "/v1/key-requests", {
          ...{ by_user, for_plan },
          fields: {
            company: demoDevelopers[text.developer].company,
            use_case: text.use_case,
            expected_calls: text.expected_calls,
            ...text.app ? { oauth_app_description: text.app } : {},
          },
          ...text.redirect_uri ? { oauth_info: { redirect_uri: text.redirect_uri } } : {},
        }, portal);
        id = sent.id;
      };
      steps.push({ at: request.sentAt, run: sends });
      if (request.state === "pending") continue;
      const who = index % 3 === 0 ? marit : tomas;
      const labels = labelsOf(demoDevelopers[text.developer].email, text.plan);
      const decides = request.state === "issued"
        ? () => this.call("POST", `/v1/key-requests/${id}/approve`, labels, who)
        : () =>
          this.call("POST", `/v1/key-requests/${id}/decline`, { reason: REASONS[index % 3] }, who);
      steps.push({ at: request.decidedAt, run: decides });
    }
    if (kind === "busy") steps.push(...this.troubles(people));
    for (const { at, run } of steps.toSorted((a, b) => a.at - b.at)) {
      await this.at(at);
      await run();
    }
    await this.at(NOW - 10 * 60_000);
    await this.settle();
    await this.at(NOW);
  }

  /** A gateway that did not answer for a day and a half, keys that had to go, sign-ins that were refused. */
  troubles({ tomas, marit }: Record<"tomas" | "marit", Caller>) {
    const wrong: Caller = { token: "kd_not-a-token", from: "203.0.113.77" };
    const state = async (place: number, verb: string, reason: string, who: Caller) => {
      const { data } = await this.call("GET", "/v1/keys?state=active&limit=20");
      await this.call("POST", `/v1/keys/${data[place].key_id}/${verb}`, { reason }, who);
    };
    const refused = () => this.call("GET", "/v1/key-requests", undefined, wrong).catch(() => {});
    return [
      { at: 36, run: () => Promise.resolve(this.#isPortalDown = true) },
      { at: 35, run: () => state(3, "revoke", "Lost with a laptop on the night train.", tomas) },
      {
        at: 34.5,
        run: () => state(5, "suspend", "Ten times the usual calls; waiting for an answer.", marit),
      },
      ...Array.from(
        { length: 36 },
        (_, hour) => ({ at: 34 - hour * 0.9, run: () => Promise.resolve() }),
      ),
      ...[20, 19.99, 19.98, 2.5, 2.49].map((at) => ({ at, run: refused })),
    ].map(({ at, run }) => ({ at: NOW - at * HOUR_MS, run: run as () => Promise<unknown> }));
  }

  /** Ways to look at lists that somebody keeps. */
  async views({ marit, tomas }: Record<"marit" | "tomas", Caller>): Promise<void> {
    const add = (list: string, name: string, query: object, more: object = {}, as = marit) =>
      this.call("POST", "/v1/views", { list, name, query, ...more }, as);
    await add("keys", "Ends soon", { state: "active", sort: "ends" }, {
      ...{ columns: ["developer", "plan", "ends", "used"], shared: true },
    });
    await add("keys", "Live in shops", { environment: "production", tag: "shop" });
    await add("keys", "Partners, newest first", { tag: "partner" }, { shared: true });
    await add("key-requests", "Over two weeks", { age: "over-14d", sort: "oldest" }, {}, tomas);
  }

  /** Two months of calls, and when each key was used last. */
  async use(): Promise<void> {
    await this.settle();
    using db = new DatabaseSync(join(this.folder, "keydesk.db"));
    db.exec("begin");
    fillCalls(db);
    db.exec(`insert or replace into credential_uses
      select org_id, key_id, '${new Date(NOW - HOUR_MS).toISOString()}' from credentials
      where rowid % 5 <> 0 or key_id in (select object_id from usage_days where kind = 'key')`);
    db.exec("update organisations set name = 'Riverline'");
    db.exec("commit");
  }

  /** Somebody made a backup in the night before. */
  async backup(): Promise<void> {
    world.now = NOW - 6 * HOUR_MS;
    const { ctx, first } = this.app;
    const actor = operator(first.org_id, world.now);
    const event = { ...BACKED_UP, detail: { by: "keydesk backup" } };
    await ctx.storage.commit(writeTrailRows, { rows: [{ actor, event }] });
    world.now = NOW;
  }
}

/** What a developer's keys are called, and under what they are filed, by the address's end. */
const apps: Readonly<Record<string, readonly [name: string, ...tags: string[]]>> = {
  "kettlequay.example": ["Counter screens", "shop", "display"],
  "nordlys.example": ["Nordlys fair pass", "partner"],
  "tabellone.example": ["Lobby boards", "display"],
  "hearth.example": ["Hallway displays", "display", "partner"],
  "cityhopper.example": ["Cityhopper app", "mobile", "partner"],
  "haltevrij.example": ["Village signs", "display"],
  "larkfield.example": ["Larkfield shop", "shop", "partner"],
  "tworivers.example": ["Delay study", "research"],
  "bairrolabs.example": ["Tram countdown", "press"],
  "walsh-access.example": ["Departures read aloud", "mobile"],
};

function labelsOf(email: string, plan: string) {
  const [name, ...tags] = apps[email.split("@")[1] ?? ""] ?? [];
  const isTest = /free|sandbox/i.test(plan);
  return name === undefined
    ? {}
    : { name: isTest ? `${name}, trial` : name, environment: isTest ? "test" : "production", tags };
}

const REASONS = [
  "The free plan is enough for this; please ask again when it is not.",
  "Fares are for partners with a signed agreement.",
  "Sent twice.",
];

function answer(status: number, body: string, durationMs: number) {
  return { status, headers: new Headers(), body, durationMs };
}

/** Signed with a key that follows from its name: the same each time, and no secret anywhere. */
function certificate(name: string, wanted: Wanted): Issued {
  const seed = createHash("sha256").update(name).digest();
  const der = new Uint8Array([...PKCS8_ED25519, ...seed]);
  const key = createPrivateKey({ key: Buffer.from(der), format: "der", type: "pkcs8" })
    .export({ format: "pem", type: "pkcs8" }).toString();
  return issue({ key, ...wanted });
}

/** RFC 8410 §7: what comes before the seed. */
const PKCS8_ED25519 = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32];

async function serve(desk: Desk): Promise<PictureDesk> {
  const held = issue({ subject: { CN: "keys.riverline.example" }, days: 300 });
  const listening = Promise.withResolvers<Deno.NetAddr>();
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    cert: held.certificate,
    key: held.key,
    onListen: listening.resolve,
  }, (request) => desk.app.fetch(request, { remoteAddr: { hostname: "192.0.2.31" } }));
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

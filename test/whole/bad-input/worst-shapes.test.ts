/**
 * No cheap request stops the server: every header, query and body is fed the texts on which parsers
 * are known to work longest, at the length of its limit and at that which the HTTP server lets
 * through. None may cost much more than a harmless text of the same length.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import process from "node:process";
import { z } from "zod";
import type { Endpoint } from "../../../src/contract/endpoint.ts";
import { developerWords } from "../../../src/features/developers/developer-words.ts";
import { maskedToken } from "../../../src/features/portal/pages/portal-pages.ts";
import { PAGES as developerPages } from "../../../src/features/portal/pages/portal-pages.ts";
import {
  LONGEST_HEADER,
  LONGEST_PUBLIC_BODY,
  LONGEST_QUERY,
} from "../../../src/kernel/input-limits.ts";
import { endpoints } from "../../../src/reference/registry.ts";
import { made } from "../../support/certificates.ts";
import { effort } from "../../support/effort.ts";
import { type ListeningDesk, openListeningDesk, RawConnection } from "../../support/raw-http.ts";
import {
  filled,
  worstFiles,
  worstHeaders,
  worstJson,
  worstParameters,
  worstPaths,
  worstTexts,
} from "./support/worst-shapes.ts";

/**
 * How many times as much as the harmless one of its length a text may cost. A megabyte of small
 * objects costs up to 8 times one long text; what grows with the square of its length costs some
 * hundred times.
 */
const RATIO = 16;
/** How often a harmless call is measured. */
const TRIES = effort === 1 ? 2 : 5;
/**
 * A cost that is too high must be so each time: on a busy machine the collector's threads wait at
 * work.
 */
const MOST_TRIES = 30;
/** What the HTTP server takes of one header, and what bodies may have by default. */
const ONE_HEADER = 60_000;
const WHOLE_BODY = 1024 * 1024;
/** `npm test` tries so many parts of the texts at each place: one of them. */
const PARTS = effort === 1 ? 30 : 1;
/** Long enough for a quadratic cost to show in a member of a body. */
const LONG_MEMBER = 32 * 1024;

/** Headers that are read outside the contracts, and calls on which they are. */
const COMMON = [
  "accept-encoding",
  "authorization",
  "content-type",
  "cookie",
  "forwarded",
  "if-none-match",
  "if-match",
  "idempotency-key",
  "origin",
  "range",
  "sec-fetch-site",
  "x-csrf-token",
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-http-method-override",
  "x-request-id",
];

Deno.test("worst shapes: no header costs much more than a harmless one of its length", async () => {
  await using meter = await Meter.open();
  for (const endpoint of endpoints) {
    for (const name of Object.keys(endpoint.headers ?? {})) {
      await tryHeader(meter, callOf(endpoint), name);
    }
  }
  const file = /reference\/[\w.-]+\.css/.exec(await meter.page("/reference"))?.[0];
  assert.ok(file);
  await tryHeader(meter, { line: `GET /${file}`, body: "", headers: [] }, "accept-encoding");
  const lines = ["GET /console", "GET /v1/me", "GET /v1/forward-auth/any"];
  const calls = lines.map((line) => ({ line, body: "", headers: [] }));
  const signIn = endpoints.find(({ id }) => id === "signIn");
  assert.ok(signIn);
  for (const name of COMMON) {
    for (const call of [...calls, callOf(signIn)]) await tryHeader(meter, call, name);
  }
  for (const endpoint of endpoints) {
    if (endpoint.body !== "bytes" && endpoint.bodyEncoding !== "form") continue;
    for (const name of ["authorization", "content-type"]) {
      await tryHeader(meter, callOf(endpoint), name);
    }
  }
});

Deno.test("worst shapes: no query and no path costs much more than a harmless one of its length", async () => {
  await using meter = await Meter.open();
  for (const endpoint of endpoints) {
    if (!(endpoint.query instanceof z.ZodObject)) continue;
    const call = callOf(endpoint);
    for (const name of Object.keys(endpoint.query.shape)) {
      const prefix = `${call.line}?${name}=`;
      const of = (text: string): Call => ({ ...call, line: prefix + text });
      const length = LONGEST_QUERY - name.length - 30;
      for (const text of part(worstParameters(length))) {
        await meter.compare(of(text), of(filled("a", length)));
      }
    }
  }
  for (const start of ["/", "/api/certs/", "/api/portal/requests/", "/v1/keys/", "/console/"]) {
    for (const text of worstPaths(ONE_HEADER)) {
      const of = (rest: string): Call => ({ line: `GET ${start}${rest}`, body: "", headers: [] });
      await meter.compare(of(text), of(filled("a", ONE_HEADER)));
    }
  }
  for (const text of worstParameters(ONE_HEADER)) {
    const of = (rest: string): Call => ({
      line: `GET /api/certs?p=${rest}`,
      body: "",
      headers: [],
    });
    await meter.compare(of(text), of(filled("a", ONE_HEADER)));
  }
});

Deno.test("worst shapes: no body costs much more than a harmless one of its length", async () => {
  await using meter = await Meter.open();
  for (const endpoint of endpoints) {
    if (endpoint.body === undefined) continue;
    const call = callOf(endpoint);
    const lengths = [WHOLE_BODY, ...endpoint.permission === "public" ? [LONGEST_PUBLIC_BODY] : []];
    for (const length of lengths) {
      const harmless = { ...call, body: harmlessBody(endpoint, length) };
      for (const body of part(worstBodies(endpoint, length))) {
        await meter.compare({ ...call, body }, harmless);
      }
    }
  }
});

Deno.test("worst shapes: no member of a body costs much more than a harmless one of its length", async () => {
  await using meter = await Meter.open();
  for (const endpoint of endpoints) {
    if (!(endpoint.body instanceof z.ZodType) || endpoint.bodyEncoding === "form") continue;
    const call = callOf(endpoint);
    // A password would be hashed each time, which is slow by intent.
    const { password: _, ...example } = Object(endpoint.example);
    for (const withText of placesOfTexts(example)) {
      const of = (text: string) => ({ ...call, body: JSON.stringify(withText(text)) });
      for (const text of part(worstTexts(LONG_MEMBER))) {
        await meter.compare(of(text), of(filled("a", LONG_MEMBER)));
      }
    }
  }
  // What becomes of texts after the answer, in the background.
  for (const text of worstTexts(WHOLE_BODY / 4)) {
    const index = (of: string) => () =>
      developerWords({ id: "a", email: "a@b", tags: [], fields: { of } });
    await meter.compareWork(
      JSON.stringify(text.slice(0, 20)),
      index(text),
      index(text.replace(/./gsu, "a")),
    );
  }
});

Deno.test("worst shapes: no form, cookie or query of the developer's pages costs much more", async () => {
  await using meter = await Meter.open();
  const { cookie, csrf } = await meter.signedInAtPages();
  const signed = ["sec-fetch-site: same-origin", `cookie: ${cookie}`];
  for (const [path, { GET, POST }] of Object.entries(developerPages)) {
    const at = path.replaceAll(/\{\w+\}/g, "0123456789abcdef01234567");
    if (POST) {
      const call = { line: `POST ${at}`, headers: [...signed, FORM] };
      for (const length of [16 * 1024, WHOLE_BODY]) {
        const of = (text: string): Call => ({ ...call, body: `csrf=${csrf}&email=${text}` });
        const harmless = of(filled("a", length - 200));
        for (const body of part(worstForms(length - 200))) await meter.compare(of(body), harmless);
      }
    }
    if (GET) {
      const call = { line: `GET ${at}`, headers: [], body: "" };
      await tryHeader(meter, call, "cookie");
      await tryHeader(meter, call, "accept-language");
      const of = (text: string) => ({ ...call, headers: signed, line: `${call.line}?q=${text}` });
      const harmless = of(filled("a", LONGEST_QUERY - 30));
      for (const text of part(worstParameters(LONGEST_QUERY - 30))) {
        await meter.compare(of(text), harmless);
      }
    }
  }
});

const FORM = "content-type: application/x-www-form-urlencoded";

let places = 0;

/**
 * The texts that are tried at the next place: another part than at the one before, so that each has
 * its turns.
 */
function part(texts: readonly string[]): string[] {
  const first = places++;
  return texts.filter((_, i) => (i + first) % PARTS === 0);
}

async function tryHeader(meter: Meter, call: Call, name: string): Promise<void> {
  for (const length of [LONGEST_HEADER, ONE_HEADER]) {
    const of = (value: string) => ({ ...call, headers: [`${name}: ${value}`] });
    for (const value of part(worstHeaders(name, length))) {
      await meter.compare(of(value), of(filled("a", length)));
    }
  }
}

/** A request: method and path, its further headers, its body. */
interface Call {
  line: string;
  headers: readonly string[];
  body: string;
}

/** The call of an endpoint's example, whose ids name nothing. */
function callOf(endpoint: Endpoint): Call {
  const path = endpoint.path.replaceAll(/\{\w+\}/g, "0123456789abcdef01234567");
  const { example, body } = endpoint;
  const text = body === undefined
    ? ""
    : typeof example === "string"
    ? example
    : JSON.stringify(example ?? {});
  return { line: `${endpoint.method} ${path}`, headers: [], body: text };
}

function worstBodies({ body, bodyEncoding }: Endpoint, length: number): string[] {
  if (body === "bytes") return worstFiles(length);
  return bodyEncoding === "form" ? worstForms(length / 2) : worstJson(length);
}

function worstForms(length: number): string[] {
  return ["&", "=", "a", "%", "%ff", "a&", "a=&", "+", "\u00ff", "%00", "%F0%9F%98%80"]
    .map((unit) => filled(unit, length));
}

/** A bundle that holds nothing but certificates; else JSON, or a form, of one long text. */
function harmlessBody({ body, bodyEncoding }: Endpoint, length: number): string {
  if (body === "bytes") return filled(made(), length);
  return bodyEncoding === "form" ? filled("a", length) : `{"a":"${filled("a", length - 8)}"}`;
}

/** For each text in a value: the value with another text in its place. */
function* placesOfTexts(value: unknown): Generator<(text: string) => unknown> {
  if (typeof value === "string") yield (text) => text;
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    for (const withText of placesOfTexts(member)) {
      yield (text) =>
        Array.isArray(value)
          ? value.map((item, i) => String(i) === name ? withText(text) : item)
          : { ...value, [name]: withText(text) };
    }
  }
}

/** Tells what calls of a listening desk cost in processor time, all threads together. */
class Meter implements AsyncDisposable {
  readonly #desk: ListeningDesk;
  #connection: RawConnection;
  readonly #known = new Map<string, number>();
  /**
   * What a body of the greatest length costs that is looked at to its end. Less than this stops
   * nobody.
   */
  #unit = 0;

  private constructor(desk: ListeningDesk, connection: RawConnection) {
    this.#desk = desk;
    this.#connection = connection;
  }

  static async open(): Promise<Meter> {
    const desk = await openListeningDesk({ KEYDESK_TRUSTED_PROXIES: "127.0.0.0/8" });
    const meter = new Meter(desk, await desk.connect());
    const texts = Array(990).fill("a text of ten letters");
    const fields = Object.fromEntries(Array.from({ length: 48 }, (_, i) => [`f${i}`, texts]));
    const body = JSON.stringify({ email: "", fields });
    const call = { line: "POST /v1/developers", headers: [], body };
    meter.#unit = await cheapest(() => meter.#send(call));
    return meter;
  }

  /**
   * Fails where the worst costs more than RATIO times the harmless one, and more than RATIO times
   * the unit.
   */
  async compare(worst: Call, harmless: Call): Promise<void> {
    const key = `${harmless.line} ${harmless.headers} ${harmless.body.length}`;
    const known = this.#known.get(key) ?? await cheapest(() => this.#send(harmless));
    this.#known.set(key, known);
    const { line, headers, body } = worst;
    const name = [line, ...headers, body].map((text) => JSON.stringify(text.slice(0, 90))).join(
      " ",
    );
    await this.#hold(name, () => this.#send(worst), known);
  }

  /** The same of work that no call waits for. */
  async compareWork(name: string, worst: () => unknown, harmless: () => unknown): Promise<void> {
    await this.#hold(name, worst, await cheapest(harmless));
  }

  /** The answer's body to a GET. */
  async page(path: string): Promise<string> {
    return (await this.#ask({ line: `GET ${path}`, headers: [], body: "" }))?.body ?? "";
  }

  /** Switches the developer's pages on, and gives the session of a developer there. */
  async signedInAtPages(): Promise<{ cookie: string; csrf: string }> {
    const call = async (line: string, body: unknown = {}, headers: string[] = []) => {
      const answer = await this.#ask({ line, headers, body: JSON.stringify(body) });
      assert.ok(answer, line);
      return { headers: answer.headers, body: JSON.parse(answer.body) };
    };
    await call("PUT /v1/developer-pages", { enabled: true, sign_up: "open" });
    const id = "dev-ada";
    await call("POST /v1/developers", { id, email: "ada@example.org" });
    const { body: { token: link } } = await call(`POST /v1/developers/${id}/sign-in-links`);
    const { headers, body } = await call("POST /v1/my/session", { link });
    const [cookie = ""] = (headers.get("set-cookie") ?? "").split(";");
    const home = await this.#ask({ line: "GET /portal", headers: [`cookie: ${cookie}`], body: "" });
    assert.match(home?.body ?? "", /<nav class="main"/);
    // A form carries the token in a mask.
    return { cookie, csrf: encodeURIComponent(maskedToken(body.csrf_token)) };
  }

  async #hold(name: string, work: () => unknown, harmless: number): Promise<void> {
    const allowed = RATIO * Math.max(harmless, this.#unit);
    let cost = await costOf(work);
    for (let n = 1; n < MOST_TRIES && cost > allowed; n++) {
      cost = Math.min(cost, await costOf(work));
    }
    assert.ok(
      cost <= allowed,
      `costs ${Math.round(cost / Math.max(harmless, this.#unit))} times a harmless one: ${name}`,
    );
  }

  async #send(call: Call): Promise<void> {
    // Refused before its body was read, a call takes its connection along.
    await this.#ask(call) ?? await this.#ask(call);
  }

  async #ask({ line, headers, body }: Call) {
    const bytes = Buffer.from(body);
    const [method = "", path = ""] = line.split(" ");
    const own = [credentialNameOf(path), "host"].filter((name) =>
      !headers.some((header) => header.startsWith(`${name}:`))
    );
    const values: Record<string, string> = { host: "desk.test" };
    const head = [
      `${method} ${path} HTTP/1.1`,
      ...own.map((name) => `${name}: ${values[name] ?? this.#desk.admin}`),
      ...body.startsWith("--B\r\n") && !headers.some((header) => header.startsWith("content-type"))
        ? ["content-type: multipart/form-data; boundary=B"]
        : [],
      ...headers,
      ...method === "GET" ? [] : [`content-length: ${bytes.length}`],
      "",
      "",
    ].join("\r\n");
    // Latin 1: a byte a character, as headers are.
    await this.#connection.send(Buffer.concat([Buffer.from(head, "latin1"), bytes]));
    const answer = await this.#connection.answer();
    if (answer === undefined || answer.headers.get("connection") === "close") {
      this.#connection.close();
      this.#connection = await this.#desk.connect();
    }
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.close();
    await this.#desk[Symbol.asyncDispose]();
  }
}

function credentialNameOf(path: string): string {
  const tree = endpoints.find((one) => one.wholeTree && path.startsWith(one.path));
  return tree?.credentialHeader ?? "authorization";
}

/** The least of some runs: what others do meanwhile only adds. */
async function cheapest(work: () => unknown): Promise<number> {
  let least = Infinity;
  for (let n = 0; n < TRIES; n++) least = Math.min(least, await costOf(work));
  return least;
}

async function costOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

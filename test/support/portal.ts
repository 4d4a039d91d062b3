/** The developer's pages as a browser without script sees them. */
import assert from "node:assert/strict";
import type { TestDesk } from "./desk.ts";
import { codesOf } from "./developers.ts";

/** A browser: it keeps cookies, follows nothing by itself, and sends forms as they stand. */
export class Browser {
  readonly #cookies = new Map<string, string>();
  readonly #desk: TestDesk;
  /** What the browser says besides. */
  readonly headers: Record<string, string> = { host: "desk.test" };

  constructor(desk: TestDesk) {
    this.#desk = desk;
  }

  /** The cookies that it holds, by name. */
  get cookies(): ReadonlyMap<string, string> {
    return this.#cookies;
  }

  setCookie(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  async get(path: string): Promise<Seen> {
    return await this.#send("GET", path);
  }

  /** Sends a form; `fields` beside the hidden ones of the page that it stands in. */
  async post(path: string, fields: Record<string, string>): Promise<Seen> {
    return await this.#send("POST", path, new URLSearchParams(fields).toString());
  }

  /** Fills and sends the form of a page that leads to `action`. */
  async submit(page: Seen, action: string, fields: Record<string, string> = {}): Promise<Seen> {
    const form = page.forms().find((one) => one.action === action);
    assert.ok(form, `no form leads to ${action}: ${page.forms().map((one) => one.action)}`);
    return await this.post(action, { ...form.hidden, ...fields });
  }

  /** The page that an answer leads to. */
  async follow(answer: Seen): Promise<Seen> {
    assert.equal(answer.status, 303, answer.text);
    return await this.get(answer.location);
  }

  async #send(method: string, path: string, body?: string): Promise<Seen> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = {
      ...this.headers,
      ...cookie === "" ? {} : { cookie },
      ...body === undefined ? {} : {
        "content-type": "application/x-www-form-urlencoded",
        "sec-fetch-site": this.headers["sec-fetch-site"] ?? "same-origin",
      },
    };
    const answer = await this.#desk.app.fetch(
      new Request(`http://desk.test${path}`, { method, headers, body: body ?? null }),
    );
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0/.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return new Seen(answer.status, answer.headers, await answer.text());
  }
}

/** An answer as it is read. */
export class Seen {
  constructor(readonly status: number, readonly headers: Headers, readonly text: string) {}

  get location(): string {
    return this.headers.get("location") ?? "";
  }

  /** Its words: without tags, as a person reads them. */
  get words(): string {
    return unescaped(
      this.text.replace(/^[\s\S]*<body>/, "").replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " "),
    );
  }

  /** Its forms, with what they carry hidden. */
  forms(): { action: string; hidden: Record<string, string> }[] {
    return [
      ...this.text.matchAll(/<form\b[^>]*?\bmethod="post"\s+action="([^"]*)"[\s\S]*?<\/form>/g),
    ].map(
      ([form, action = ""]) => ({
        action,
        hidden: Object.fromEntries(
          [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
            ([, name = "", value = ""]) => [name, unescaped(value)] as const,
          ),
        ),
      }),
    );
  }
}

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'").replaceAll("&amp;", "&");
}

/** Signs somebody in at the pages by a mailed code. */
export async function signInAtPages(desk: TestDesk, email: string): Promise<Browser> {
  const browser = new Browser(desk);
  const page = await browser.get("/portal/sign-in");
  const form = page.forms().some(({ action }) => action === "/portal/sign-in");
  // Where no mail server is, nobody would get the code; the test reads it from the store.
  const asked = form
    ? await browser.submit(page, "/portal/sign-in", { email })
    : await browser.post("/portal/sign-in", { email });
  const code = await browser.follow(asked);
  const [newest] = await codesOf(desk);
  const entered = await browser.submit(code, "/portal/sign-in/code", {
    code: newest?.code ?? "",
  });
  assert.equal(entered.status, 303, entered.words);
  return browser;
}

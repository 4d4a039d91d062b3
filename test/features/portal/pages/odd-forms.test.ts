/** Whatever is sent to a form of the developer's pages is answered by a page that says why not. */
import assert from "node:assert/strict";
import { PAGES } from "../../../../src/features/portal/pages/portal-pages.ts";
import { succeed } from "../../../support/companions.ts";
import { testOnEngines } from "../../../support/desk.ts";
import { openPages, registered } from "../../../support/developers.ts";
import { offer } from "../../../support/offer.ts";
import { signInAtPages } from "../../../support/portal.ts";

const FORM = "application/x-www-form-urlencoded";
const LONG = "x".repeat(16 * 1024);

/** By what is odd of it: type and body, where `csrf` stands for the session's token. */
const ODD: Readonly<Record<string, readonly [type: string, body: string | Uint8Array]>> = {
  "nothing": [FORM, ""],
  "no type": ["", "a=b"],
  "JSON": ["application/json", `{"csrf":"csrf"}`],
  "a file": [
    "multipart/form-data; boundary=B",
    `--B\r\nContent-Disposition: form-data; name="csrf"\r\n\r\ncsrf\r\n--B--\r\n`,
  ],
  "a token alone": [FORM, "csrf=csrf"],
  "a wrong token": [FORM, "csrf=AAAA"],
  "a token twice": [FORM, "csrf=csrf&csrf=csrf"],
  "a thousand fields": [
    FORM,
    `csrf=csrf${Array.from({ length: 1000 }, (_, n) => `&f${n}=1`).join("")}`,
  ],
  "unknown fields": [FORM, "csrf=csrf&__proto__=a&constructor=b&toString=c&%F0%9F%94%91=d"],
  "as much as is taken": [FORM, `csrf=csrf&words=${LONG.slice(500)}`],
  "more than is taken": [FORM, `csrf=csrf&words=${LONG}`],
  "a megabyte": [FORM, `csrf=csrf&words=${"x".repeat(1024 * 1024)}`],
  "no UTF-8": [FORM, new Uint8Array([0x61, 0x3d, 0xff, 0xfe])],
  "half letters": [FORM, "csrf=csrf&email=%ED%A0%80&name=%ED%A0%80&field-0=%ED%A0%80&until=%80"],
  "NUL": [FORM, "csrf=csrf&email=a%00&field-0=%00&until=%00"],
  "odd values": [
    FORM,
    "csrf=csrf&" + new URLSearchParams({
      email: "@",
      code: "-1",
      to: "//evil.example",
      link: "../",
      offer: "..",
      press: "%",
      until: "9999-12-31",
      overlap: "1e9",
      language: "../de",
      theme: "x",
      days: "NaN",
      scope: "admin",
      name: "\u202e",
      password: "\u{1f511}".repeat(40),
      words: " ",
      turn_down: "0",
      "field-0": "\u0007",
      "field-99": "x",
      "field--1": "y",
    }),
  ],
};

testOnEngines("portal forms: nothing that is sent is the server's mistake", async (desk) => {
  await openPages(desk, { sign_up: "open" });
  const { plans } = await offer(desk, [{ api: "tides", plan: "Free", approval: "automatic" }]);
  const { id, email } = await registered(desk, "dev-ada");
  const issued = async () => {
    const body = { plans: [plans.Free], expires_at: "2036-01-31T09:00:00Z" };
    const path = `/v1/developers/${id}/keys`;
    return (await succeed<{ key_id: string }>(desk, "POST", path, { body })).key_id;
  };
  const forms = Object.entries(PAGES).filter(([, { POST }]) => POST !== undefined);
  assert.ok(forms.length > 25, `${forms.length} forms`);
  const ada = await signInAtPages(desk, email);
  const page = await ada.get("/portal/account");
  const csrf = page.forms().find(({ hidden }) => hidden.csrf)?.hidden.csrf ?? "";
  const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const wrong: string[] = [];
  for (const [path] of forms) {
    // Signing out would end what the others are tried with.
    if (/sign-out|sessions/.test(path)) continue;
    const key = await issued();
    const at = path.replace("{plan}", plans.Free ?? "").replace("{id}", key);
    for (const [what, [type, body]] of Object.entries(ODD)) {
      for (const own of ["", cookie]) {
        const headers = new Headers({ host: "desk.test", "sec-fetch-site": "same-origin" });
        if (own !== "") headers.set("cookie", own);
        if (type !== "") headers.set("content-type", type);
        const answer = await desk.app.fetch(
          new Request(`http://desk.test${at}`, {
            method: "POST",
            headers,
            body: typeof body === "string"
              ? body.replaceAll("csrf=csrf", `csrf=${encodeURIComponent(csrf)}`)
              : body as BodyInit,
          }),
        );
        const text = await answer.text();
        const isPage = answer.status === 303 || text.trimStart().startsWith("<!doctype html>");
        const place = answer.headers.get("location") ?? "/portal";
        if (answer.status >= 500 || !isPage || !/^\/portal(\/|\?|$)/.test(place)) {
          wrong.push(`${path}, ${what}: ${answer.status} ${place} ${text.slice(0, 100)}`);
        }
      }
    }
  }
  assert.deepEqual(wrong, []);
});

testOnEngines("portal forms: words are no longer than those of /v1", async (desk) => {
  await openPages(desk);
  const { plans } = await offer(desk, [{ api: "winds", plan: "Winds" }]);
  const { id: by_user, email } = await registered(desk, "dev-ada");
  const ada = await signInAtPages(desk, email);
  const { id } = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", {
    body: { by_user, for_plan: plans.Winds },
  });
  const said = async () => {
    const detail = await succeed<{ added_words: { words: string }[] }>(
      desk,
      "GET",
      `/v1/key-requests/${id}`,
    );
    return detail.added_words.map(({ words }) => words.length);
  };
  const csrf = (await ada.get("/portal/account")).forms()
    .find(({ hidden }) => hidden.csrf)?.hidden.csrf ?? "";
  const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  for (const [length, kept] of [[2001, []], [2000, [2000]]] as const) {
    const body = new URLSearchParams({ csrf, words: "x".repeat(length) });
    const headers = { host: "desk.test", "sec-fetch-site": "same-origin", cookie };
    const request = new Request(`http://desk.test/portal/requests/${id}/words`, {
      method: "POST",
      headers,
      body,
    });
    await (await desk.app.fetch(request)).body?.cancel();
    assert.deepEqual(await said(), kept);
  }
});

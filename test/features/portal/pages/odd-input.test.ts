/**
 * What no browser sends by itself: the pages refuse it, and take it for no mistake of their own.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { waitingCode } from "../../../../src/features/portal/pages/cookies.ts";
import { testOnEngines } from "../../../support/desk.ts";
import { openPages, registered, signInByLink } from "../../../support/developers.ts";
import { offer } from "../../../support/offer.ts";
import { Browser, signInAtPages } from "../../../support/portal.ts";

testOnEngines("portal pages: an address with odd letters leads to the sign-in", async (desk) => {
  await openPages(desk);
  const { id } = await registered(desk, "dev-ada");
  const stranger = new Browser(desk);
  for (const path of ["/portal/keys/%E2%82%AC", "/portal/apis/%F0%9F%94%91"]) {
    const sent = await stranger.get(path);
    const to = path.replaceAll("%", "%25");
    assert.deepEqual([sent.status, sent.location], [303, `/portal/sign-in?to=${to}`], path);
  }
  const { cookie, session } = await signInByLink(desk, id);
  const [name = "", value = ""] = cookie.split("=");
  stranger.setCookie(name, value);
  assert.equal(session.access, "look");
  const keys = await stranger.get("/portal/account");
  const [{ hidden } = { hidden: {} }] = keys.forms().filter((one) => "csrf" in one.hidden);
  const proof = await stranger.post("/portal/keys/%E2%82%AC/rotate", { ...hidden, overlap: "0" });
  assert.deepEqual([proof.status, proof.location], [303, "/portal/prove?to=/portal"]);
});

testOnEngines("portal pages: what no engine or list takes is refused", async (desk) => {
  await openPages(desk);
  const { plans } = await offer(desk, [{ api: "tides", plan: "Partners" }]);
  const { email } = await registered(desk, "dev-ada");
  const ada = await signInAtPages(desk, email);
  const long = "x".repeat(3000);
  const expected = {
    "/portal/keys/%00": 404,
    "/portal/keys/a%0Ab": 404,
    "/portal/apis/a%00b": 404,
    [`/portal/ask/${plans.Partners}?from=%00`]: 400,
    "/portal/keys?cursor=%00": 400,
    [`/portal?cursor=${long}`]: 400,
    [`/portal/keys?cursor=${long}`]: 400,
    [`/portal/requests?cursor=${long}`]: 400,
  };
  for (const [path, status] of Object.entries(expected)) {
    assert.equal((await ada.get(path)).status, status, path);
  }
  const page = await ada.get("/portal/account");
  const saved = await ada.submit(page, "/portal/account/profile", { "field-0": "a\0b" });
  assert.equal(saved.status, 400);
});

Deno.test("portal pages: what waits for a code is read of a cookie only where it is a text", () => {
  const read = (waiting: unknown) => {
    const value = Buffer.from(JSON.stringify(waiting)).toString("base64url");
    return waitingCode(new Headers({ cookie: `keydesk_code=${value}` }));
  };
  const good = { ticket: "t", email: "a@b.example", to: "/portal", fields: { name: "Ada" } };
  assert.deepEqual(read(good), good);
  for (const odd of ["a\0b", "a\ud800"]) {
    for (
      const changed of [
        { ticket: odd },
        { email: odd },
        { fields: { name: odd } },
        { fields: { [odd]: "x" } },
      ]
    ) assert.equal(read({ ...good, ...changed }), undefined, JSON.stringify(changed));
  }
});

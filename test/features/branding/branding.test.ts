/** What an organisation shows of itself, and that it is its own. */
import assert from "node:assert/strict";
import { branding } from "../../../src/features/branding/branding.contract.ts";
import { readable } from "../../../src/contract/accent.ts";
import { readBranding } from "../../../src/features/branding/branding.ts";
import script from "../../../src/features/keys/one-time-links/one-time-link.browser.js?text" with {
  type: "text",
};
import { testOnEngines } from "../../support/desk.ts";
import { allItems, call } from "../../support/people.ts";

const BRANDING = "/v1/branding";
const PICTURE = `data:image/png;base64,${btoa("a picture")}`;
/** A token, and problem in a shell. */
const ODD = "X-`id`-$HOME'!#";
const brand = {
  name: "Coastal Data",
  logo: PICTURE,
  colour: "#0f6b5c",
  support: "help@example.org",
  documentation: "https://docs.example.org/",
  base_url: "https://api.example.org",
  key_header: "X-Api-Key",
};

Deno.test("branding: who has set none has the contract's defaults", () => {
  assert.deepEqual(readBranding(undefined), branding.parse({}));
});

testOnEngines(
  "branding: is set whole, told to the audit log without its picture, and read",
  async (desk) => {
    assert.deepEqual(await call(desk, "GET", BRANDING), branding.parse({}));
    assert.deepEqual(await call(desk, "PUT", BRANDING, brand), brand);
    assert.deepEqual(await call(desk, "GET", BRANDING), brand);
    assert.deepEqual(
      await call(desk, "PUT", BRANDING, { name: "A" }),
      branding.parse({ name: "A" }),
    );
    const rows = await allItems(desk, "/v1/audit-log?action=branding.updated");
    assert.deepEqual(rows.map(({ detail }) => detail.logo), ["", `${PICTURE.length} characters`]);
  },
);

Deno.test("branding: a shell passes a line with any header on as it stands, and runs nothing of it", async () => {
  // What the page of a one-time link makes lines with, as it stands in the page's script.
  const made = script.slice(script.indexOf("const quoted"), script.indexOf("const reveal"));
  for (const key_header of ["Authorization", ODD]) {
    const about = { kind: "key", base_url: "https://api.example.org/$(id)?a='b'", key_header };
    const location = { href: "https://desk.example.org/claim" };
    const line = new Function("about", "location", `${made}; return curlFor({});`)(about, location);
    const shell = `curl() { printf '%s\\n' "$@"; }; API_KEY='a key'; ${line}`;
    const { stdout, stderr } = await new Deno.Command("sh", { args: ["-c", shell] }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    assert.equal(text(stderr), "");
    assert.deepEqual(text(stdout).split("\n"), [
      about.base_url,
      "-H",
      `${key_header}: a key`,
      "",
    ]);
  }
});

testOnEngines("branding: belongs to one organisation", async (desk) => {
  // The header of keys is any token, as RFC 9110 has it.
  await call(desk, "PUT", BRANDING, { ...brand, key_header: ODD });
  const { admin } = await desk.otherOrganisation();
  assert.deepEqual(await call(desk, "GET", BRANDING, undefined, admin), branding.parse({}));
});

testOnEngines(
  "branding: the sign-in shows that of the only organisation, to anybody",
  async (desk) => {
    const shown = async () => {
      const answer = await desk.send("GET", `${BRANDING}/sign-in`, { credential: "" });
      assert.equal(answer.status, 200);
      return await answer.json();
    };
    const nothing = { name: "", logo: "", colour: "", support: "", command: "keydesk" };
    assert.deepEqual(await shown(), nothing);
    await call(desk, "PUT", BRANDING, { ...brand, name: "", colour: "#7fd1c0" });
    const { name, logo, colour, support } = await shown();
    assert.deepEqual([logo, support], [brand.logo, brand.support]);
    assert.notEqual(name, "");
    assert.equal(colour, readable("#7fd1c0"));
    await desk.otherOrganisation();
    assert.deepEqual(await shown(), nothing);
  },
);

Deno.test("branding: a colour is darkened until white can be read on it, and no further", () => {
  assert.equal(readable("#0f6b5c"), "#0f6b5c");
  assert.equal(readable(""), "");
  assert.equal(readable("#ffffff"), "#717171");
});

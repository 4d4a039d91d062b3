/** Pages where everybody signs up belong to a host of their own, and doctor says so. */
import assert from "node:assert/strict";
import { pagesBesideConsole } from "../../../../src/features/portal/access/pages-beside-console.ts";
import { testOnEngines } from "../../../support/desk.ts";
import { openPages } from "../../../support/developers.ts";

testOnEngines(
  "pages: at the console's host they are told, where everybody signs up",
  async (desk) => {
    const told = async (publicUrl: string, portalUrl: string) =>
      (await pagesBesideConsole(desk.app.ctx.storage.reader, { publicUrl, portalUrl })).length;
    const [console, own] = ["https://desk.example.org", "https://developers.example.org"];
    assert.equal(await told(console, ""), 0, "they are off");
    await openPages(desk, { sign_up: "domains", mail_domains: ["example.org"] });
    assert.equal(await told(console, ""), 0, "not everybody");
    await openPages(desk, { sign_up: "open" });
    assert.equal(await told("", ""), 1);
    assert.equal(await told(console, ""), 1);
    assert.equal(await told(console, console), 1);
    assert.equal(await told(console, own), 0);
    await openPages(desk, { sign_up: "open", host: "desk.example.org" });
    assert.equal(await told(console, own), 1);
    await openPages(desk, { sign_up: "open", host: "developers.example.org" });
    assert.equal(await told(console, ""), 0);
    await openPages(desk, { enabled: false, sign_up: "open" });
    assert.equal(await told(console, ""), 0);
  },
);

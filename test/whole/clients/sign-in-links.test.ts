/** The example of a site that sends its signed-in developer on by a link, as Node runs it. */
import assert from "node:assert/strict";
import { openTestDesk } from "../../support/desk.ts";
import { openPages, registered, signIn } from "../../support/developers.ts";
import { call } from "../../support/people.ts";

const EXAMPLE = new URL("../../../examples/sign-in-links/server.js", import.meta.url).pathname;

Deno.test("sign-in links: the example sends its own visitor on, and nobody else", async () => {
  await using desk = await openTestDesk("sqlite");
  await openPages(desk);
  const { id } = await registered(desk, "dev-ada");
  const { id: person } = await call(desk, "POST", "/v1/people", {
    name: "Site",
    permissions: ["act:developer"],
  });
  const { access_token: credential } = await call(
    desk,
    "POST",
    `/v1/people/${person}/access-tokens`,
    {
      name: "site",
      deliver: "answer",
    },
  );
  await using served = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (asked) => desk.app.fetch(asked),
  );
  const example = new Deno.Command("node", {
    args: [EXAMPLE],
    env: {
      KEYDESK_URL: `http://127.0.0.1:${served.addr.port}`,
      KEYDESK_PAGES: "https://developers.example.org",
      KEYDESK_TOKEN: credential,
      PORT: "0",
    },
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  try {
    const lines = example.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { value = "" } = await lines.read();
    const site = /http:\S+/.exec(value)?.[0] ?? "";
    await lines.cancel();
    const press = async (headers: Record<string, string>) => {
      const answer = await fetch(`${site}/api-keys`, {
        method: "POST",
        headers,
        redirect: "manual",
      });
      await answer.body?.cancel();
      return answer;
    };
    const own = { "sec-fetch-site": "same-origin" };
    const member = { cookie: `member=${id}` };
    assert.equal((await press(own)).status, 403, "nobody is signed in");
    assert.equal((await press({ ...member, "sec-fetch-site": "cross-site" })).status, 403);
    assert.equal((await press({ ...own, cookie: "member=dev-nobody" })).status, 502);
    const answer = await press({ ...own, ...member });
    assert.equal(answer.status, 303);
    const [, link] = /^https:\/\/developers\.example\.org\/portal\/enter#(.+)$/.exec(
      answer.headers.get("location") ?? "",
    ) ?? [];
    const { session } = await signIn(desk, { link });
    assert.deepEqual([session.developer.id, session.access], [id, "look"]);
    assert.equal(answer.headers.get("cache-control"), "no-store");
  } finally {
    example.kill();
    await example.status;
  }
});

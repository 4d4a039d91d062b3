/**
 * The example for WordPress (examples/sign-in-links/keydesk-link.php), run by PHP's own web server.
 * WordPress itself is not there: `wordpress/site.php` stands for the functions that it uses.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../test/support/command.ts";
import { openTestDesk } from "../../test/support/desk.ts";
import { openPages, signIn } from "../../test/support/developers.ts";
import { call } from "../../test/support/people.ts";

/** A port of this machine that nobody listens on. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

Deno.test("WordPress: the plugin registers its own visitor and sends them on, and nobody else", async () => {
  await using desk = await openTestDesk("sqlite");
  await openPages(desk);
  const { id: person } = await call(desk, "POST", "/v1/people", {
    name: "Site",
    permissions: ["act:developer", "portal:write"],
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
  const site = `127.0.0.1:${freePort()}`;
  const php = new Deno.Command("php", {
    args: ["-S", site, join(repository, "system/client/wordpress/site.php")],
    env: {
      PLUGIN: join(repository, "examples/sign-in-links/keydesk-link.php"),
      KEYDESK_URL: `http://127.0.0.1:${served.addr.port}`,
      KEYDESK_PAGES: "https://developers.example.org",
      KEYDESK_TOKEN: credential,
    },
    stdout: "null",
    stderr: "piped",
  }).spawn();
  try {
    // It says so once it listens.
    const told = php.stderr.getReader();
    await told.read();
    told.releaseLock();
    const page = async (cookie = "") => {
      const answer = await fetch(`http://${site}/`, { headers: { cookie } });
      return await answer.text();
    };
    const press = async (cookie: string, fields: Record<string, string>) => {
      const answer = await fetch(`http://${site}/wp-admin/admin-post.php`, {
        method: "POST",
        headers: { cookie },
        body: new URLSearchParams(fields),
        redirect: "manual",
      });
      await answer.body?.cancel();
      return answer;
    };
    assert.match(await page(), /<a href="\/wp-login\.php/);
    const form = await page("user=7");
    assert.doesNotMatch(form, new RegExp(credential), "the access token stays with the site");
    const [, _wpnonce = ""] = /name="_wpnonce" value="(\w+)"/.exec(form) ?? [];
    const sent = { action: "keydesk_link", _wpnonce };
    assert.equal((await press("", sent)).status, 400, "nobody is signed in");
    assert.equal((await press("user=7", { action: "keydesk_link" })).status, 403);
    assert.equal((await press("user=8", sent)).status, 403, "another's form");
    // The first visit registers them, the second finds them.
    for (const visit of [1, 2]) {
      const answer = await press("user=7", sent);
      assert.equal(answer.status, 303, `visit ${visit}`);
      const [, link] = /^https:\/\/developers\.example\.org\/portal\/enter#(.+)$/.exec(
        answer.headers.get("location") ?? "",
      ) ?? [];
      assert.equal(answer.headers.get("referrer-policy"), "no-referrer");
      assert.match(answer.headers.get("cache-control") ?? "", /no-store/);
      const { session } = await signIn(desk, { link });
      assert.deepEqual([session.developer.id, session.access], ["wp-7", "look"]);
    }
    const { data } = await call(desk, "GET", "/v1/developers");
    assert.deepEqual(
      data.map((one: { email: string; fields: { name: string } }) => [one.email, one.fields.name]),
      [["user-7@example.org", "User <7>"]],
    );
  } finally {
    php.kill();
    await php.stderr.cancel();
    await php.status;
  }
});

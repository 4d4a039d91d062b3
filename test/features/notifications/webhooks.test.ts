/** Webhooks as receivers see them: signed, with stable ids, and nothing in them that is secret. */
import assert from "node:assert/strict";
import { topics } from "../../../src/features/notifications/topics.contract.ts";
import { presentAction } from "../../../src/contract/former-names.ts";
import { bodyOf, messageOf } from "../../../src/features/notifications/message.ts";
import { message } from "../../../src/features/notifications/message.contract.ts";
import { add, made } from "../../support/certificates.ts";
import { testOnEngines } from "../../support/desk.ts";
import { approve, create, smallRequest } from "../../support/key-requests.ts";
import { issue } from "../../support/keys.ts";
import { call } from "../../support/people.ts";
import { addChannel, deliver, engineOf, receiver, verified } from "../../support/receiver.ts";

testOnEngines(
  "webhooks: an approval reaches a channel, signed as the reference package wants it",
  async (desk) => {
    await using portal = receiver();
    await create(desk, smallRequest());
    const { id: channel_id, secret } = await addChannel(desk, portal, {
      topics: ["key_request.*"],
    });
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const id = await create(desk, smallRequest());
    const { RawKey } = await approve(desk, id);
    await deliver(engineOf(desk));
    // Nothing from before the channel, and no other topic.
    assert.deepEqual(portal.all.map(({ json }) => json.type), [
      "key_request.created",
      "key_request.approved",
    ]);
    for (const one of portal.all) {
      assert.deepEqual(verified(one, secret), one.json);
      message.parse(one.json);
      assert.ok(!one.body.includes(RawKey) && !one.body.includes(secret));
    }
    const { data } = portal.all[1]?.json ?? {};
    assert.deepEqual(
      [data.id, data.object, data.path, data.url, data.missing],
      [id, "key_request", `/v1/key-requests/${id}`, null, 0],
    );
    // By which call, as the audit log has it.
    const { data: [event] } = await call(desk, "GET", `/v1/audit-log?object_id=${id}`);
    assert.deepEqual([data.request_id, data.caller_request_id], [event.request_id, null]);
    assert.throws(() => verified({ ...portal.all[0]!, body: "{}" }, secret));
    const listed = await call(desk, "GET", `/v1/deliveries?object_id=${id}`);
    assert.deepEqual(
      listed.data.map((one: { id: string; state: string }) => [one.id, one.state]),
      portal.all.map((one) => [one.id, "delivered"]).reverse(),
    );
    const { tries } = await call(desk, "GET", `/v1/deliveries/${portal.all[0]?.id}`);
    assert.deepEqual([tries.length, tries[0].status, tries[0].answer], [1, 200, "told"]);
    const shown = JSON.stringify(await call(desk, "GET", `/v1/channels/${channel_id}`));
    assert.ok(!shown.includes(secret));
    assert.ok(!desk.logLines.join("").includes(secret));
  },
);

testOnEngines(
  "webhooks: during a rotation both secrets sign, and then the new one",
  async (desk) => {
    await using portal = receiver();
    const { id, secret } = await addChannel(desk, portal, { topics: ["key_request.created"] });
    const rotated = await call(desk, "POST", `/v1/channels/${id}/rotate`, { overlap_hours: 1 });
    assert.notEqual(rotated.secret, secret);
    assert.ok(Date.parse(rotated.old_secret_until) > Date.now());
    const engine = engineOf(desk);
    await create(desk, smallRequest());
    await deliver(engine);
    const [both] = portal.taken;
    assert.ok(both);
    verified(both, secret);
    verified(both, rotated.secret);
    const again = await call(desk, "POST", `/v1/channels/${id}/rotate`, { overlap_hours: 0 });
    await create(desk, smallRequest());
    await deliver(engine);
    const [, one] = portal.taken;
    assert.ok(one);
    verified(one, again.secret);
    assert.throws(() => verified(one, rotated.secret));
  },
);

testOnEngines(
  "webhooks: of an answer 4 KiB are kept, and a redirect is not followed",
  async (desk) => {
    await using portal = receiver();
    await using elsewhere = receiver();
    await addChannel(desk, portal, { topics: ["key_request.created"] });
    portal.answer = () =>
      new Response("x".repeat(100_000), {
        status: 302,
        headers: { location: elsewhere.url },
      });
    await create(desk, smallRequest());
    await engineOf(desk).turn();
    const { tries, state } = await call(desk, "GET", `/v1/deliveries/${portal.all[0]?.id}`);
    assert.deepEqual([state, tries[0].status, tries[0].answer.length], ["waiting", 302, 4096]);
    assert.equal(elsewhere.all.length, 0);
  },
);

testOnEngines("channels: what is made, changed and ended stands in the audit log", async (desk) => {
  await using portal = receiver();
  const { id } = await addChannel(desk, portal);
  const path = `/v1/channels/${id}`;
  const changed = await call(desk, "PUT", path, {
    name: "Other",
    url: portal.url,
    topics: ["plan.*"],
    template: "slack",
  });
  assert.deepEqual([changed.name, changed.topics, changed.template], [
    "Other",
    ["plan.*"],
    "slack",
  ]);
  await call(desk, "POST", `${path}/pause`);
  await call(desk, "POST", `${path}/pause`);
  assert.equal((await call(desk, "GET", "/v1/channels")).data[0].state, "paused");
  await call(desk, "POST", `${path}/resume`);
  await call(desk, "DELETE", path);
  const { data } = await call(desk, "GET", `/v1/audit-log?object=channel&object_id=${id}`);
  assert.deepEqual(data.map(({ action }: { action: string }) => action), [
    "channel.deleted",
    "channel.resumed",
    "channel.paused",
    "channel.updated",
    "channel.created",
  ]);
});

testOnEngines(
  "webhooks: a key is called by its name as it is now, and its note is told to nobody",
  async (desk) => {
    await using portal = receiver();
    await using channel = receiver();
    await addChannel(desk, portal, { topics: ["key.*", "key_request.approved"] });
    const engine = engineOf(desk);
    const { key_id } = await issue(desk);
    const { mask } = await call(desk, "GET", `/v1/keys/${key_id}`);
    await addChannel(desk, channel, {
      topics: ["key.*", "certificate.*"],
      template: "slack",
    });
    const note = "Ask Lena first.";
    await call(desk, "PUT", `/v1/keys/${key_id}/labels`, { name: "Checkout", note });
    await call(desk, "POST", `/v1/keys/${key_id}/suspend`, { reason: "Late payment." });
    await deliver(engine);
    const named = portal.taken.filter(({ json }) => json.type.startsWith("key."));
    assert.ok(named.length >= 2);
    for (const { json } of portal.taken) {
      message.parse(json);
      assert.equal(json.data.name, json.data.object === "key" ? "Checkout" : undefined);
    }
    assert.ok(portal.taken.length > named.length);
    assert.deepEqual(channel.taken.map(({ json }) => json.text.split(" (key")[0]), [
      `Checkout (${mask}): A key has another name, environment, note or other tags.`,
      `Checkout (${mask}): A key was suspended: it is not valid until it is resumed.`,
    ]);
    await call(desk, "PUT", `/v1/keys/${key_id}/labels`, {});
    await deliver(engine);
    assert.equal(Object.hasOwn(portal.taken.at(-1)?.json.data, "name"), false);
    assert.ok(channel.taken.at(-1)?.json.text.startsWith(`${mask}: `));
    const id = await add(desk, made({ cn: "edge.example" }));
    await deliver(engine);
    assert.ok(
      channel.taken.at(-1)?.json.text.startsWith("edge.example: A certificate was added."),
    );
    await call(desk, "DELETE", `/v1/certificates/${id}`);
    await deliver(engine);
    assert.ok(channel.taken.at(-1)?.json.text.startsWith("A certificate was deleted."));
    assert.ok(![...portal.taken, ...channel.taken].some(({ body }) => body.includes(note)));
  },
);

const told = {
  org_id: "org",
  event_id: "e",
  topic: "key_request.created",
  object_id: "a <b> *c* @everyone",
  at: "2026-01-01T00:00:00.000Z",
  missing: 2,
  detail: null,
  request_id: "ours",
  caller_request_id: "",
  actor: "operator",
};

Deno.test("templates: they show and link, and have nothing to decide with", () => {
  const whole = messageOf(told, "https://desk.example.org");
  const link = "https://desk.example.org/console/requests/a%20%3Cb%3E%20*c*%20%40everyone";
  const slack = JSON.parse(bodyOf("slack", whole));
  assert.deepEqual(Object.keys(slack), ["text"]);
  assert.ok(slack.text.includes("a &lt;b&gt;") && slack.text.includes(`<${link}|`));
  const discord = JSON.parse(bodyOf("discord", whole));
  assert.deepEqual(discord.allowed_mentions, { parse: [] });
  assert.ok(discord.content.includes(link) && discord.content.includes("\\@everyone"));
  const teams = JSON.parse(bodyOf("teams", whole)).attachments[0].content;
  assert.deepEqual(teams.actions.map(({ type }: { type: string }) => type), ["Action.OpenUrl"]);
  for (const template of ["slack", "discord", "teams"]) {
    const without = bodyOf(template, messageOf(told, ""));
    assert.ok(!without.replaceAll("adaptivecards.io", "").includes("console"), without);
    assert.ok(without.includes("2 earlier messages"));
    assert.ok(without.includes("By the server administrator."));
    const trick = { person: "Ada\u202e *boss* <b>" };
    const named = bodyOf(template, messageOf({ ...told, actor: "p" }, "", trick), "a\u202eb");
    assert.ok(!named.includes("\u202e") && /ab\\{0,2}: /.test(named), named);
    assert.ok(named.includes("boss") && !named.includes(" *boss* <b>"), named);
  }
});

Deno.test("links: drift leads to the page of configuration files, a review to its own", () => {
  const urlOf = (topic: string, object_id: string) =>
    messageOf({ ...told, topic, object_id }, "https://desk.example.org").data.url;
  const page = "https://desk.example.org/console/settings/config";
  assert.equal(urlOf("config.drifted", "plans/65b0c1d2e3f4a5b6c7d8e9f0"), page);
  assert.equal(urlOf("config.applied", "org"), page);
  assert.equal(urlOf("config.review_asked", "ab12"), `${page}/ab12`);
  assert.equal(urlOf("config.confirmed", "ab12"), `${page}/ab12`);
  assert.equal(messageOf({ ...told, topic: "config.drifted" }, "").data.url, null);
});

Deno.test("topics: each one that a change leaves in the outbox is listed", async () => {
  const listed = new Set(topics.map(({ topic }) => topic));
  const objects = new Set(topics.map(({ topic }) => topic.split(".")[0]));
  // What is in the audit log alone.
  const untold =
    /\.(refused|purged|erased|key_changed|replayed)$|^session\.|^sign_in_code\.|^passkey\.updated$|_withdrawn$|^mail_server\.tested$/;
  const missing = [];
  for (const file of await sources("src")) {
    const text = (await Deno.readTextFile(file)).replaceAll(/defineTransaction\(\s*"[^"]+"/g, "");
    if (!/recordChange|recordKey|ACTIONS/.test(text)) continue;
    for (const [, stored = ""] of text.matchAll(/"([a-z_]+\.[a-z_]+)"/g)) {
      const topic = presentAction(stored);
      if (!objects.has(topic.split(".")[0]) || untold.test(topic)) continue;
      if (!listed.has(topic)) missing.push(`${file}: ${topic}`);
    }
  }
  assert.deepEqual(missing, []);
  assert.ok(listed.size > 60);
});

async function sources(folder: string): Promise<string[]> {
  const found = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) found.push(...await sources(path));
    else if (path.endsWith(".transactions.ts")) found.push(path);
  }
  return found;
}

/**
 * Names that were others before 0.9.0: refused by the present one, and read where rows have them.
 */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  formerNames,
  presentAction,
  presentObject,
  presentPath,
  storedActions,
  storedObjects,
} from "../../src/contract/former-names.ts";
import { permissions, readPermissions, storedPermissions } from "../../src/contract/permissions.ts";
import { filtersOfRow, listNames, listOfRow, storedList } from "../../src/contract/view-lists.ts";
import { mailNames } from "../../src/contract/mail-names.ts";
import { wants } from "../../src/features/notifications/delivery.ts";
import { mailConfigOf } from "../../src/features/notifications/mail-config.ts";
import { toChannel } from "../../src/features/notifications/show-channel.ts";
import { topicPatterns } from "../../src/features/notifications/topics.contract.ts";
import { failureCodes } from "../../src/kernel/failure-codes.ts";
import { routeTable } from "../../src/route-table.ts";
import { settings } from "../../src/settings.ts";
import { statement } from "../../src/storage/statement.ts";
import { call } from "../support/people.ts";
import { repository } from "../support/command.ts";
import { testOnEngines } from "../support/desk.ts";

Deno.test("former names: each present one is there, and no former one is", () => {
  const there: Partial<Record<keyof typeof formerNames, (name: string) => boolean>> = {
    paths: (path) => routeTable.some((one) => one.path === path),
    permissions: (name) => permissions.some((one) => one === name),
    errors: (code) => Object.hasOwn(failureCodes, code),
    settings: (name) => Object.hasOwn(settings, name.slice("KEYDESK_".length)),
  };
  for (const [sort, isThere] of Object.entries(there)) {
    // as: the table above has no other sorts.
    const names = Object.entries(formerNames[sort as keyof typeof formerNames]);
    assert.deepEqual(names.filter(([, present]) => !isThere(present)), [], sort);
    assert.deepEqual(names.filter(([former]) => isThere(former)), [], sort);
  }
});

Deno.test("former names: a path is found by its pattern, whatever its ids", () => {
  for (const [former, present] of Object.entries(formerNames.paths)) {
    assert.equal(presentPath(former.replaceAll(/\{\w+\}/g, "some-id")), present);
    assert.equal(presentPath(`${former}/and/on`), undefined);
  }
  assert.equal(presentPath("/v1/keys"), undefined);
  assert.equal(presentPath("/".repeat(100_000)), undefined);
});

Deno.test("former names: an action is one thing by every name that rows have it under", () => {
  assert.equal(presentAction("credential.revoked"), "key.revoked");
  assert.equal(presentAction("credential.ended"), "key.expired");
  assert.equal(presentAction("key_request.approved"), "key_request.approved");
  assert.equal(presentAction("*"), "*");
  assert.equal(presentObject("constructor"), "constructor");
  assert.deepEqual(storedActions("key.revoked"), ["key.revoked", "credential.revoked"]);
  assert.deepEqual(storedActions("key.expired"), [
    "key.expired",
    "credential.expired",
    "credential.ended",
  ]);
  assert.deepEqual(storedActions("gateway.created"), ["gateway.created", "door.created"]);
  // Else a filter by what is no action would narrow nothing.
  for (const none of ["trailx", "doors", "a", "*"]) assert.deepEqual(storedActions(none), [none]);
  assert.deepEqual(storedObjects("audit_log"), ["audit_log", "trail", "trail_log"]);
  for (const former of Object.keys(formerNames.actions)) {
    assert.ok(storedActions(presentAction(former)).includes(former), former);
  }
});

Deno.test("former names: each topic by which channels of old stores are notified is one of today", () => {
  for (const former of Object.keys(formerNames.objects)) {
    const present = `${presentObject(former)}.*`;
    const isOfLogAlone = ["archive", "audit_log_key"].some((one) => present === `${one}.*`);
    assert.equal(topicPatterns.has(present), !isOfLogAlone, former);
  }
});

Deno.test("former names: permissions of rows are read by today's, and written as they were", () => {
  assert.deepEqual(readPermissions(["verify", "doors", "gateways:map", "gone"]), [
    "verify",
    "gateways:map",
  ]);
  assert.deepEqual(storedPermissions(["gateways:map", "verify"]), ["verify", "doors"]);
  assert.deepEqual(readPermissions(storedPermissions(permissions)), permissions);
});

Deno.test("former names: saved views of before have today's lists and filters", () => {
  assert.equal(listOfRow("refusals"), "denied-calls");
  assert.equal(listOfRow("denied-calls"), undefined);
  for (const list of listNames) assert.equal(listOfRow(storedList(list)), list);
  assert.deepEqual(filtersOfRow("denied-calls", { door: "edge-1", reason: "over_rate" }), {
    gateway: "edge-1",
    reason: "over_rate",
  });
  assert.deepEqual(
    filtersOfRow("deliveries", { target: "a", topic: "credential.revoked", state: "dead" }),
    { channel: "a", topic: "key.revoked", state: "dead" },
  );
  assert.deepEqual(filtersOfRow("keys", { leaked: "reports", state: "not_so" }), {
    leaked: "reports",
    state: "false_positive",
  });
  assert.deepEqual(filtersOfRow("keys", { topic: "credential.revoked" }), {
    topic: "credential.revoked",
  });
});

Deno.test("former names: no page tells anybody to use a command or setting of before", async () => {
  const { commands, settings: others } = formerNames;
  // As code: the words alone may be others'.
  const former = [...Object.keys(commands), ...Object.keys(others)]
    .map((name) => new RegExp(`(?:\`|keydesk )${name}(?:\`| [a-z<-])`));
  const folder = join(repository, "docs");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".md"));
  assert.ok(names.length > 30);
  const found: string[] = [];
  for (const name of ["../README.md", ...names]) {
    const page = await readFile(join(folder, name), "utf8");
    // The table, and what an earlier release is asked.
    const text = page.replace(/^<!-- former names: .*/ms, "")
      .replaceAll(/before 0\.9\.0\s`[^`]*`/g, "");
    found.push(...former.flatMap((one) => text.match(one) ?? []).map((hit) => `${name}: ${hit}`));
  }
  assert.deepEqual(found, []);
});

const MAILS = {
  "door.silent": { enabled: true, subject: "{{door}} is silent", text: "{{nope}}" },
  "credential.ended": { enabled: false },
  "gone.entirely": { enabled: true },
};
const channel = {
  org_id: "o",
  id: "c",
  kind: "mail",
  name: "Mails",
  config: JSON.stringify({ mail: { mails: MAILS, words: { ends: "Endet", plan: "Tarif" } } }),
  topics: '["credential.*","door.silent","gateway.silent","gone.entirely"]',
  state: "active",
  state_reason: "",
  state_changed_at: "",
  secrets: null,
  old_secret_until: null,
  failing_since: null,
  failures: 0,
  starts_behind: 0,
  wake_by: null,
  created_at: "",
} as const;

Deno.test("former names: a channel of before has today's topics and mails, and its words", () => {
  const { topics, mail } = toChannel(channel, 0);
  assert.deepEqual(topics, ["key.*", "gateway.silent"]);
  assert.deepEqual(mail?.unknown_placeholders, [
    { mail: "gateway.silent", placeholders: ["{{nope}}"] },
  ]);
  assert.deepEqual(mailConfigOf(channel).mails, {
    "gateway.silent": { ...MAILS["door.silent"], subject: "{{gateway}} is silent" },
    "key.expired": MAILS["credential.ended"],
  });
  assert.deepEqual(mailConfigOf(channel).words, { expires: "Endet", plan: "Tarif" });
  // No mail has a name of before.
  assert.deepEqual(mailNames.filter((name) => presentAction(name) !== name), []);
});

Deno.test("former names: a channel wants what it wanted, by whichever name it says it", () => {
  for (const pattern of ["credential.*", "key.*", "credential.ended", "key.expired"]) {
    assert.ok(wants([pattern], "credential.ended"), pattern);
    assert.ok(!wants([pattern], "certificate.ended"), pattern);
  }
  for (const pattern of ["trail.head", "audit_log.checkpoint", "audit_log.*"]) {
    assert.ok(wants([pattern], "trail.head"), pattern);
  }
  assert.ok(!wants(["*"], "trail.head"));
});

testOnEngines(
  "former names: a path and a filter of before are refused by today's",
  async (desk) => {
    for (const [former, present] of Object.entries(formerNames.paths)) {
      // By GET some name a key.
      const method = former.startsWith("/v1/keys/") ? "POST" : "GET";
      const answer = await desk.send(method, former.replaceAll(/\{\w+\}/g, "some-id"));
      assert.equal(answer.status, 404);
      assert.equal(
        (await answer.json()).detail,
        `There is nothing at this path; it is ${present} since 0.9.0.`,
      );
    }
    for (
      const path of ["audit-log?action=credential.revoked", "deliveries?topic=credential.revoked"]
    ) {
      const filtered = await desk.send("GET", `/v1/${path}`);
      assert.equal(filtered.status, 400);
      assert.match((await filtered.json()).detail, /it is key\.revoked since 0\.9\.0/);
    }
  },
);

testOnEngines("former names: a member of before is refused by today's", async (desk) => {
  const person = { name: "Grace", permissions: [], covers: "everything" };
  const channel = { name: "Mails", kind: "mail", topics: [], mail: { words: { ends: "Endet" } } };
  for (
    const [path, body, present] of [
      ["session", { credential: "x" }, "access_token"],
      ["people", person, "scope"],
      ["channels", channel, "expires"],
    ] as const
  ) {
    const answer = await desk.send("POST", `/v1/${path}`, { body });
    assert.equal(answer.status, 400);
    assert.match((await answer.json()).detail, new RegExp(`it is "${present}" since 0\\.9\\.0`));
  }
});

const topicsSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("delivery_targets").select("topics").where("org_id", "=", p.org_id)
);

testOnEngines(
  "former names: a node of the build before goes on to notify a channel of today",
  async (desk) => {
    const body = { name: "Portal", url: "https://portal.example.org/", topics: ["key.*", "*"] };
    const made = await call(desk, "POST", "/v1/channels", body);
    assert.deepEqual(made.topics, body.topics);
    const [row] = await desk.app.ctx.storage.reader.rows(topicsSql, { org_id: desk.org_id });
    assert.deepEqual(JSON.parse(row?.topics ?? ""), ["key.*", "credential.*", "*"]);
  },
);

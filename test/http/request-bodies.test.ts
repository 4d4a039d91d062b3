/**
 * What a body may be: JSON whatever its type, unknown members dropped, null as absent, each wrong
 * value named.
 */
import assert from "node:assert/strict";
import { assertFailure, assertInvalid } from "../support/answers.ts";
import { type TestDesk, testOnEngines } from "../support/desk.ts";
import {
  create,
  createAndRead,
  listIds,
  read,
  REQUESTS,
  type Sent,
  smallRequest,
} from "../support/key-requests.ts";

const post = (desk: TestDesk, body: unknown) => desk.send("POST", REQUESTS, { body });

/** JSON text of the small request with one more member, written out. */
const withText = (member: string) => `${JSON.stringify(smallRequest()).slice(0, -1)},${member}}`;

testOnEngines("body: read as JSON whatever the Content-Type says, or without one", async (desk) => {
  const types = [
    "application/x-www-form-urlencoded",
    "Application/json",
    "text/plain",
    "nonsense",
    "multipart/form-data",
  ];
  for (const type of types) {
    const headers = { "content-type": type };
    await create(desk, smallRequest(), { headers });
  }
  await create(desk, new TextEncoder().encode(JSON.stringify(smallRequest())));
  assert.equal((await listIds(desk)).length, types.length + 1);
});

testOnEngines("body: unknown members are dropped, in embedded objects too", async (desk) => {
  const extra = { extra: "x", state: "issued", issued_at: "now" };
  const email_copy = { key_email: { subject: "Hi", ...extra }, ...extra };
  const config = { mail_options: { email_copy, ...extra }, ...extra };
  const entry = { policy_id: "plan-weather", config, ...extra };
  const shown = await createAndRead(desk, {
    ...smallRequest(extra),
    oauth_info: { redirect_uri: "https://a.example", ...extra },
    portal_developer: {
      id: "dev-ada",
      oauth_clients: { p: [{ client_id: "c", ...extra }] },
      ...extra,
    },
    catalogue_entry: entry,
    catalogues: [entry],
  });
  assert.equal(shown.catalogue_entry.config.mail_options.email_copy.key_email.subject, "Hi");
  assert.ok(!JSON.stringify(shown).includes("extra"));
  assert.ok(!JSON.stringify(shown).includes("issued"));
});

testOnEngines("body: __proto__ and the like never reach an object", async (desk) => {
  const poison = '"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}';
  const id = await create(
    desk,
    withText(
      `${poison},"fields":{"__proto__":"x","prototype":"y","a":"b"},` +
        `"portal_developer":{"id":"dev-ada",${poison},"keys":{"__proto__":["a"]},"fields":{${poison},"n":{${poison}}}}`,
    ),
  );
  const shown = await read(desk, id);
  assert.deepEqual(shown.fields, { a: "b" });
  assert.deepEqual(shown.portal_developer.keys, {});
  assert.deepEqual(shown.portal_developer.fields, { n: {} });
  assert.ok(!JSON.stringify(shown).includes("polluted"));
  assert.ok(!("polluted" in {}));
});

testOnEngines("body: null is the same as absent, at every depth", async (desk) => {
  const members = [
    "key",
    "for_api",
    "apply_policies",
    "remove_policies",
    "fields",
    "approved",
    "date_created",
    "version",
    "jwt_secret",
    "certificate",
    "oauth_info",
    "portal_developer",
    "catalogue_entry",
    "catalogues",
  ];
  const absent = await createAndRead(desk, smallRequest());
  const nulls = await createAndRead(
    desk,
    smallRequest(Object.fromEntries(members.map((name) => [name, null]))),
  );
  const fixed = { id: "", date_created: "" };
  assert.deepEqual({ ...nulls, ...fixed }, { ...absent, ...fixed });
  const inner = await createAndRead(desk, {
    ...smallRequest({ fields: { a: null, b: "c" } }),
    portal_developer: { id: "dev-x", email: null, keys: null, fields: { a: null, b: { c: null } } },
    catalogue_entry: { policy_id: null, config: { mail_options: null, signup_fields: null } },
  });
  assert.deepEqual(inner.fields, { b: "c" });
  assert.deepEqual(inner.catalogue_entry.config.signup_fields, []);
});

testOnEngines("body: a wrong type is named with its place, in one sentence", async (desk) => {
  const cases: [Sent, string][] = [
    [{ fields: { team: 7 } }, "fields.team: expected a string"],
    [{ fields: [] }, "fields: expected an object"],
    [{ key: 5 }, "key: expected a string"],
    [{ approved: "true" }, "approved: expected true or false"],
    [{ apply_policies: "p" }, "apply_policies: expected an array"],
    [{ apply_policies: ["p", 5] }, "apply_policies[1]: expected a string"],
    [{ apply_policies: ["p", null] }, "apply_policies[1]: expected a string"],
    [{ apply_policies: ["p", ""] }, "apply_policies[1]: must not be empty"],
    [{ oauth_info: "x" }, "oauth_info: expected an object"],
    [{ oauth_info: { redirect_uri: 1 } }, "oauth_info.redirect_uri: expected a string"],
    [{ portal_developer: [] }, "portal_developer: expected an object"],
    [
      { portal_developer: { password_max_days: 1.5 } },
      "portal_developer.password_max_days: expected an integer",
    ],
    [{ portal_developer: { keys: { k: "p" } } }, "portal_developer.keys.k: expected an array"],
    [{ catalogues: [{ show: 1 }] }, "catalogues[0].show: expected true or false"],
    [{ catalogues: {} }, "catalogues: expected an array"],
    [{
      catalogue_entry: { config: { mail_options: { email_copy: { key_email: { enabled: 0 } } } } },
    }, "catalogue_entry.config.mail_options.email_copy.key_email.enabled: expected true or false"],
  ];
  for (const [changes, error] of cases) {
    await assertInvalid(await post(desk, smallRequest(changes)), error);
  }
  assert.deepEqual(await listIds(desk), []);
});

testOnEngines("body: every problem is listed, and the first is the message", async (desk) => {
  const body = smallRequest({ key: 1, fields: { a: 1, b: "x", c: false }, version: {} });
  await assertInvalid(
    await post(desk, body),
    "key: expected a string",
    "fields.a: expected a string",
    "fields.c: expected a string",
    "version: expected a string",
  );
});

testOnEngines("body: JSON that is no object is refused", async (desk) => {
  for (const body of ["null", "[]", "1", '"text"', "true"]) {
    await assertInvalid(await post(desk, body), "body: expected an object");
  }
});

testOnEngines("body: malformed JSON is refused with the position of the error", async (desk) => {
  const cases: [string, string][] = [
    ["", "line 1, column 1"],
    ["{", "line 1, column 2"],
    ['{"by_user":"a",}', "line 1, column 16"],
    ['{\n  "by_user": nope\n}', "line 2, column 14"],
    ["{} {}", "line 1, column 4"],
    ["{'a':1}", "line 1, column 2"],
  ];
  for (const [body, where] of cases) {
    const errors = [`body: the error is at ${where}`];
    await assertFailure(await post(desk, body), "malformed_body", { errors });
  }
  const latin1 = new Uint8Array([0x7b, 0xff, 0x7d]);
  await assertFailure(await post(desk, latin1), "malformed_body", {
    errors: ["body: is not valid UTF-8"],
  });
});

testOnEngines("body: a number that JSON can't give back is a wrong value", async (desk) => {
  for (const number of ["1e999", "-1e999"]) {
    const member = `"portal_developer":{"fields":{"n":${number}}}`;
    await assertInvalid(
      await post(desk, withText(member)),
      "portal_developer.fields.n: expected a number that JSON can give back",
    );
    const unknown = await post(desk, withText(`"unknown":[${number}]`));
    await assertInvalid(unknown, "unknown[0]: expected a number that JSON can give back");
  }
  const shown = await createAndRead(
    desk,
    withText('"portal_developer":{"fields":{"n":-1.5e3,"m":0}}'),
  );
  assert.deepEqual(shown.portal_developer.fields, { n: -1500, m: 0 });
});

testOnEngines(
  "body: NUL and half a surrogate pair are refused wherever they stand",
  async (desk) => {
    const nul = "must not hold NUL";
    const half = "must not hold half a surrogate pair";
    const cases: [string, string][] = [
      ['"key":"a\\u0000b"', `key: ${nul}`],
      ['"version":"\\ud800"', `version: ${half}`],
      ['"certificate":"\\udc00\\ud800"', `certificate: ${half}`],
      ['"fields":{"a":"\\u0000"}', `fields.a: ${nul}`],
      ['"fields":{"\\u0000":"a"}', `fields: ${nul}`],
      ['"fields":{"\\udfff":"a"}', `fields: ${half}`],
      [
        '"portal_developer":{"fields":{"a":["b",{"c":"\\ud83d"}]}}',
        `portal_developer.fields.a[1].c: ${half}`,
      ],
      ['"catalogues":[{"name":"\\u0000"}]', `catalogues[0].name: ${nul}`],
      ['"unknown":"\\u0000"', `unknown: ${nul}`],
    ];
    for (const [member, error] of cases) {
      await assertInvalid(
        await post(desk, withText(member)),
        error,
      );
    }
    assert.deepEqual(await listIds(desk), []);
    const whole = await createAndRead(desk, withText('"version":"\\ud83d\\udd11 \\u00e9\\n"'));
    assert.equal(whole.version, "🔑 é\n");
  },
);

testOnEngines("body: ids are 1 to 255 characters without control characters", async (desk) => {
  const control = "must not hold control characters";
  const long = "x".repeat(256);
  const cases: [Sent, string][] = [
    [{ by_user: long }, "by_user: expected at most 255 characters"],
    [{ for_plan: long }, "for_plan: expected at most 255 characters"],
    [{ for_api: long }, "for_api: expected at most 255 characters"],
    [{ apply_policies: [long] }, "apply_policies[0]: expected at most 255 characters"],
    [{ by_user: "a\nb" }, `by_user: ${control}`],
    [{ for_plan: "a\u0085b" }, `for_plan: ${control}`],
    [{ remove_policies: ["\u007f"] }, `remove_policies[0]: ${control}`],
    [{ portal_developer: { id: "\t" } }, `portal_developer.id: ${control}`],
    [
      { portal_developer: { keys: { "": [] } } },
      "portal_developer.keys.: must not be empty (as a member's name)",
    ],
    [{ catalogue_entry: { policy_id: "\u0001" } }, `catalogue_entry.policy_id: ${control}`],
    [{ key: "k".repeat(1025) }, "key: expected at most 1024 characters"],
    [
      { portal_developer: { email: "e".repeat(321) } },
      "portal_developer.email: expected at most 320 characters",
    ],
  ];
  for (const [changes, error] of cases) {
    await assertInvalid(await post(desk, smallRequest(changes)), error);
  }
  const odd = "../ü 'x\" %00 🔑/?#";
  for (const text of ["x".repeat(255), "🔑".repeat(127), odd, "__proto__", "constructor"]) {
    const shown = await createAndRead(desk, { by_user: text, for_plan: text });
    assert.deepEqual([shown.by_user, shown.for_plan], [text, text]);
  }
});

testOnEngines("body: nested to 32 levels is taken, deeper is refused", async (desk) => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  // The body, portal_developer and fields are the first three levels.
  const body = (levels: number) =>
    withText(`"portal_developer":{"fields":{"n":${nested(levels - 3)}}}`);
  await create(desk, body(32));
  for (const levels of [33, 1000, 100_000]) {
    const { status, Message } = await messageOf(await post(desk, body(levels)));
    assert.equal(status, 400);
    assert.match(Message, /nested deeper than 32 levels$|^Request body malformed\.$/);
  }
});

testOnEngines("body: over the limit is 413, declared or not", async (desk) => {
  const body = withText(`"certificate":"${"x".repeat(2000)}"`);
  const message = "The request body is larger than 1024 bytes.";
  await assertFailure(await post(desk, body), "body_too_large", { message });
  const stream = new Response(body).body;
  await assertFailure(await post(desk, stream), "body_too_large", { message });
  const approval = await desk.send("PUT", `${REQUESTS}/approve/x`, { body });
  await assertFailure(approval, "body_too_large", { message });
  assert.deepEqual(await listIds(desk), []);
}, { environment: { KEYDESK_BODY_LIMIT: "1024" } });

async function messageOf(response: Response): Promise<{ status: number; Message: string }> {
  return { status: response.status, ...await response.json() };
}

/**
 * The lists as CSV: every row that matches, no formula, no secret, and the audit log tells of it.
 */
import assert from "node:assert/strict";
import { assertFailure, assertInvalid } from "../support/answers.ts";
import { add, made } from "../support/certificates.ts";
import { type TestDesk, testOnEngines } from "../support/desk.ts";
import { approve, create, smallRequest } from "../support/key-requests.ts";
import { v1 } from "../support/v1-requests.ts";
import { allItems, newPerson } from "../support/people.ts";

/** The lines of an export, the head first. */
async function linesOf(desk: TestDesk, path: string, credential?: string): Promise<string[]> {
  const response = await desk.send("GET", path, credential === undefined ? {} : { credential });
  assert.equal(response.status, 200, path);
  assert.equal(response.headers.get("content-type"), "text/csv; charset=utf-8");
  assert.match(
    response.headers.get("content-disposition") ?? "",
    /^attachment; filename="[a-z-]+\.csv"$/,
  );
  const text = await response.text();
  assert.ok(text.endsWith("\r\n"));
  return text.slice(0, -2).split("\r\n");
}

testOnEngines("exports: key requests with the list's filters, page after page", async (desk) => {
  const ids: string[] = [];
  for (let i = 0; i < 230; i++) {
    ids.push(
      await create(desk, smallRequest({ by_user: `dev-${i % 2}`, jwt_secret: "hush-hush" })),
    );
  }
  const [declined = "", approved = ""] = ids;
  await v1.decline(desk, declined, { reason: '=HYPERLINK("https://example.org"),1' });
  const { RawKey } = await approve(desk, approved);
  const [head, ...rows] = await linesOf(desk, "/v1/key-requests/export");
  assert.match(head ?? "", /^id,state,date_created,decided_at,/);
  assert.deepEqual(new Set(rows.map((row) => row.split(",")[0])), new Set(ids));
  assert.equal(rows.length, ids.length);
  assert.equal(rows.some((row) => row.includes("hush-hush") || row.includes(RawKey)), false);
  const [, one = "", ...none] = await linesOf(desk, "/v1/key-requests/export?state=declined");
  assert.ok(one.startsWith(`${declined},declined,`));
  assert.ok(one.includes(`,"'=HYPERLINK(""https://example.org""),1",`), one);
  assert.deepEqual(none, []);
  const ofOne = await linesOf(desk, "/v1/key-requests/export?developer=dev-1&sort=oldest");
  assert.equal(ofOne.length, 116);
  const other = (await desk.otherOrganisation()).admin;
  assert.equal((await linesOf(desk, "/v1/key-requests/export", other)).length, 1);
  await assertInvalid(
    await desk.send("GET", "/v1/key-requests/export?state=none"),
    "state: expected pending or issued or declined",
  );
});

testOnEngines("exports: keys and developers, never the key itself", async (desk) => {
  for (const [id, email] of [["dev-a", "+a@example.org"], ["dev-b", "b@example.org"]]) {
    const body = { id, email, fields: { name: "=1+1" } };
    assert.equal((await desk.send("POST", "/v1/developers", { body })).status, 200);
  }
  const issued = await approve(desk, await create(desk, smallRequest({ by_user: "dev-a" })));
  const [keyHead, key = "", ...noKey] = await linesOf(desk, "/v1/keys/export?state=active");
  assert.match(keyHead ?? "", /^key_id,mask,kind,state,plans,/);
  assert.match(key, /^[0-9a-f]{64},.*,token,active,plan-weather,dev-a,'\+a@example\.org,/);
  assert.equal(key.includes(issued.RawKey), false);
  assert.deepEqual(noKey, []);
  assert.equal((await linesOf(desk, "/v1/keys/export?developer=dev-b")).length, 1);
  const [, ...developers] = await linesOf(desk, "/v1/developers/export?sort=oldest");
  assert.deepEqual(developers.map((row) => row.split(",").slice(0, 3)), [
    ["dev-a", "'+a@example.org", "false"],
    ["dev-b", "b@example.org", "false"],
  ]);
  assert.ok(developers[1]?.endsWith(`,"{""name"":""=1+1""}"`));
  assert.equal((await linesOf(desk, "/v1/developers/export?q=dev-b")).length, 2);
});

testOnEngines("exports: certificates, narrowed as their list is", async (desk) => {
  await add(desk, made({ cn: "=cmd", dns: ["a.example.org"] }));
  const id = await add(desk, made({ cn: "other", serial: "02" }));
  const body = { owner: "lena@example.org", tags: ["a", "b"] };
  assert.equal((await desk.send("PUT", `/v1/certificates/${id}`, { body })).status, 200);
  const [head, ...rows] = await linesOf(desk, "/v1/certificates/export");
  assert.match(head ?? "", /^id,subject_cn,issuer_cn,not_before,/);
  assert.equal(rows.length, 2);
  assert.ok(rows[0]?.includes(",'=cmd,"));
  const [, tagged, ...none] = await linesOf(desk, "/v1/certificates/export?tag=b&sort=subject_cn");
  assert.ok(tagged?.startsWith(`${id},other,`) && tagged.endsWith(",lena@example.org,a; b,"));
  assert.deepEqual(none, []);
});

testOnEngines("exports: refuse what their list refuses, and leave no trace of it", async (desk) => {
  const texts = [
    "\0",
    "a\0b",
    "\u0007",
    "x".repeat(300),
    "  ",
    "xy",
    "%",
    "'",
    "\ufffd\ufffd\ufffd",
  ];
  const queries = texts.flatMap((text) =>
    ["q", "owner", "tag", "plan", "developer", "api", "state", "sort", "created_after"]
      .map((name) => `?${new URLSearchParams({ [name]: text })}`)
  );
  let refused = 0;
  for (const list of ["key-requests", "keys", "developers", "certificates"]) {
    let taken = 0;
    for (const query of queries) {
      const listed = await desk.send("GET", `/v1/${list}${query}`);
      const exported = await desk.send("GET", `/v1/${list}/export${query}`);
      assert.equal(exported.status, listed.status, list + query);
      const [told, text] = [await listed.text(), await exported.text()];
      if (listed.status === 200) taken++;
      else assert.deepEqual(messageOf(text), messageOf(told), list + query);
      refused += Number(listed.status === 400);
    }
    const events = await exportsOf(desk);
    assert.equal(events.filter(([what]) => what === list.replace("-", "_")).length, taken, list);
  }
  assert.ok(refused > 30, String(refused));
  const before = (await exportsOf(desk)).length;
  for (const query of ["format=csv&q=xy", "format=pem&q=%01%01%01", "format=jsonl&q=%07abc"]) {
    await assertInvalid(
      await desk.send("GET", `/api/certs/export?${query}`),
      "q: expected 3 to 200 characters, none of them a control character",
    );
  }
  assert.equal((await exportsOf(desk)).length, before);
});

testOnEngines(
  "exports: told in the audit log before they go out, and only to who may read",
  async (desk) => {
    const { credential } = await newPerson(desk, ["certs:read"]);
    for (const what of ["key-requests", "keys", "developers"]) {
      const path = `/v1/${what}/export`;
      await assertFailure(await desk.send("GET", path, { credential }), "access_denied", {
        message: `access denied: You do not have permission to access  ${path}`,
      });
    }
    assert.deepEqual(await exportsOf(desk), []);
    await linesOf(desk, "/v1/key-requests/export?state=pending&q=a-key-by-mistake");
    await linesOf(desk, "/v1/keys/export?plan=a-key-by-mistake");
    await linesOf(desk, "/v1/developers/export");
    assert.deepEqual(await exportsOf(desk), [
      ["developers", {}],
      ["keys", { filters: ["plan"] }],
      ["key_requests", { state: "pending", filters: ["q"] }],
    ]);
  },
);

async function exportsOf(desk: TestDesk) {
  const events = await allItems(desk, "/v1/audit-log?object=export");
  return events.map(({ object_id, detail }) => [object_id, detail]);
}

function messageOf(text: string): unknown {
  // as: a problem has a title and details; what has neither fails the comparison.
  const { title, detail, errors } = JSON.parse(text) as Record<string, unknown>;
  return { title, detail, errors };
}

/**
 * The walk of what an access token of a portal must not get at, row by row: approved keys by
 * another address, keys that are none of its developer's, the end of keys without `revoke` or
 * beyond its rate limit, and what a deactivated developer has left.
 * `access-to-every-endpoint.test.ts` walks by what contracts ask for; here stands what they are to
 * ask for.
 */
import type { Permission } from "../../src/contract/permissions.ts";
import { DEVELOPERS, readDeveloper, register } from "../support/companions.ts";
import type { TestDesk } from "../support/desk.ts";
import { create, smallRequest } from "../support/key-requests.ts";
import { call, issue, KEYS } from "../support/keys.ts";
import { V1_REQUESTS } from "../support/v1-requests.ts";
import { newPerson } from "../support/people.ts";
import { absent, denied, invalid, type Refusal, testRefusals } from "../support/refusals.ts";
import { makeKnown } from "../support/verification.ts";

const V1 = "/v1/developers";
const PORTAL: Permission[] = ["portal:read", "portal:write"];
const ENDING: Permission[] = [...PORTAL, "revoke"];
/** All that is not `approve`. */
const STRONGEST: Permission[] = [...ENDING, "plans", "secrets", "admin", "audit"];
const why = { reason: "x" };
const THIEF = { email: "thief@example.net", fields: {} };

type Call = Refusal["call"];

/** Each way to end one key of a developer. */
const ends = (key_id: string, developer: string): Call[] => [
  ["POST", `${KEYS}/${key_id}/revoke`, why],
  ["DELETE", `${DEVELOPERS}/${developer}/keys/${key_id}`],
  ["DELETE", `${DEVELOPERS}/key/plan-weather/${key_id}/${developer}`],
  ["DELETE", `/api/apis/api/keys/${key_id}`],
  ["DELETE", `/api/apis//keys/${key_id}`],
  ["DELETE", `/api/api/apis//keys/${key_id}`],
  ["DELETE", `/api/keys/${key_id}`],
];

/** Whatever shuts all keys of a developer. */
const endsOfAll = (developer: string): Call[] => [
  ["DELETE", `${DEVELOPERS}/${developer}`],
  ["DELETE", `${V1}/${developer}?keys=revoke`],
  ["POST", `${V1}/${developer}/deactivate`, { keys: "suspend" }],
  ["POST", `${V1}/${developer}/deactivate`, { keys: "revoke" }],
];

/** A request whose developer a portal changed after somebody had looked at it. */
async function changedRequests(desk: TestDesk, credential: string): Promise<Refusal[]> {
  const rows: Refusal[] = [];
  for (const [n, path] of [V1, DEVELOPERS].entries()) {
    const by_user = `changed-${n}`;
    const portal_developer = { id: by_user, email: `${by_user}@example.org` };
    const id = await create(desk, smallRequest({ by_user, portal_developer }));
    const older = `/api/portal/requests/${id}`;
    const seen = await desk.send("GET", older);
    await seen.body?.cancel();
    const same = { account: "same_person" };
    const body = { ...THIEF, email: `${n}-${THIEF.email}`, ...path === V1 ? same : {} };
    await call(desk, "PUT", `${path}/${by_user}`, body, { credential });
    const headers = { "if-match": seen.headers.get("etag") ?? "" };
    const calls: Call[] = [
      ["PUT", `/api/portal/requests/approve/${id}`],
      ["POST", `${V1_REQUESTS}/${id}/approve?deliver=one_time_link`],
      ["POST", `${V1_REQUESTS}/${id}/decline`],
    ];
    for (const one of calls) {
      const name = `1: ${one[1]} of what was seen before PUT ${path}`;
      rows.push({ name, call: one, headers, code: "precondition_failed" });
    }
    const confirm: Call = ["POST", `${V1}/${by_user}/email/confirm`, {
      email: body.email,
      ...same,
    }];
    const other: Call = ["POST", confirm[1], { email: portal_developer.email, ...same }];
    rows.push(
      denied(confirm, ...PORTAL),
      denied(confirm, ...STRONGEST),
      absent(confirm, (await desk.otherOrganisation()).admin),
      { name: `1: ${confirm[1]} of another address`, call: other, code: "precondition_failed" },
    );
  }
  return rows;
}

/**
 * A developer who is registered under an id that has a key, and what they would have that key by.
 */
async function registeredAnew(desk: TestDesk, credential: string): Promise<Refusal[]> {
  const { key_id } = await issue(desk, ["plan-weather"], "anew");
  await call(desk, "DELETE", `${V1}/anew?keys=keep`, undefined, { credential });
  await call(desk, "POST", V1, { id: "anew", email: "anew@example.net" }, { credential });
  const id = await create(desk, smallRequest({ by_user: "anew", key: key_id }));
  const approve: Call = ["PUT", `/api/portal/requests/approve/${id}`];
  return [
    { name: "1: a request that names a key from before", call: approve, code: "unknown_key" },
    denied(approve, ...STRONGEST),
    denied(["POST", `${V1_REQUESTS}/${id}/approve`], ...STRONGEST),
    denied(["PUT", `${DEVELOPERS}/anew/keys/${key_id}`, { policy_id: "p" }], ...STRONGEST),
    denied(["POST", `${DEVELOPERS}/anew/keys`, { policy_id: "p" }], ...STRONGEST),
    denied(["POST", `${V1}/anew/keys`, { plans: ["p"] }], ...STRONGEST),
  ];
}

/** What nobody ends without `revoke`, and nobody changes or brings back without `approve`. */
async function livingKeys(desk: TestDesk): Promise<Refusal[]> {
  const { key_id } = await issue(desk);
  const changes: Call[] = [
    ["POST", `${KEYS}/${key_id}/suspend`, why],
    ["POST", `${KEYS}/${key_id}/resume`, why],
    ["POST", `${KEYS}/${key_id}/restore`, why],
    ["POST", `${KEYS}/${key_id}/rotate`, { overlap_seconds: 0 }],
    ["PUT", `${KEYS}/${key_id}/plans`, { plans: ["p"] }],
    ["PUT", `${KEYS}/${key_id}/expiry`, { expires_at: null }],
    ["PUT", `${KEYS}/${key_id}/labels`, {}],
    ["PUT", `${DEVELOPERS}/dev-ada/keys/${key_id}`, { apply_policies: ["p"] }],
    ["POST", `${DEVELOPERS}/dev-ada/keys/${key_id}/reset_quota`],
  ];
  return [
    ...ends(key_id, "dev-ada").map((one) => denied(one, ...PORTAL)),
    ...endsOfAll("dev-ada").slice(1).map((one) => denied([...one], ...PORTAL)),
    ...changes.map((one) => denied(one, ...STRONGEST)),
  ].map((row, n) => ({ ...row, name: `7, ${n}: ${row.name}` }));
}

/**
 * What an access token whose hour is used up ends no more, and neither does a second one of its
 * person.
 */
async function limited(desk: TestDesk): Promise<Refusal[]> {
  const { id, credential } = await newPerson(desk, ENDING, { name: "Portal" });
  const second = await call<{ id: string; access_token: string }>(
    desk,
    "POST",
    `/v1/people/${id}/access-tokens`,
    { name: "b", deliver: "answer" },
  );
  const { key_id } = await issue(desk, ["plan-weather"], "limited");
  for (let n = 0; n < 2; n++) {
    const { key_id } = await issue(desk, ["plan-weather"], "limited");
    await call(desk, "DELETE", `/api/keys/${key_id}`, undefined, { credential });
  }
  const rows: Refusal[] = [];
  for (const [name, by] of [["it", credential], ["a second one", second.access_token]] as const) {
    // The first refusal is told.
    await (await desk.send("DELETE", `/api/keys/${key_id}`, { credential: by })).body?.cancel();
    for (const one of [...ends(key_id, "limited"), ...endsOfAll("limited")]) {
      const what = `7: ${one.map((part) => JSON.stringify(part)).join(" ")} by ${name}, limited`;
      rows.push({ name: what, call: one, by, code: "too_many_revoked" });
    }
  }
  return rows;
}

/** What was ended, and who brings it back. */
async function endedKeys(desk: TestDesk): Promise<Refusal[]> {
  const credential = await desk.token(ENDING);
  const { admin } = await desk.otherOrganisation();
  const restore = (key_id: string): Call => ["POST", `${KEYS}/${key_id}/restore`, why];
  const { key_id: undoable } = await issue(desk, ["plan-weather"], "ended");
  await call(desk, "DELETE", `/api/keys/${undoable}`, undefined, { credential });
  const { key_id: final } = await issue(desk, ["plan-weather"], "ended");
  await call(desk, "DELETE", `/api/keys/${final}`);

  const { key_id: gone } = await issue(desk, ["plan-weather"], "gone");
  const email = "gone@example.org";
  await call(desk, "PUT", `${V1}/gone`, { email, fields: {} });
  await call(desk, "DELETE", `${V1}/gone?keys=revoke`);
  await register(desk, { id: "other", email: "GONE@example.org" });
  const back: Call = ["POST", `${V1}/gone/restore`, {}];
  return [
    denied(restore(undoable), ...STRONGEST),
    absent(restore(undoable), admin),
    { name: "7: what was ended for good", call: restore(final), code: "key_revoked" },
    { name: "7: a key without its developer", call: restore(gone), code: "developer_deleted" },
    denied(back, ...STRONGEST),
    // An administrator reads all; what that brings back takes `approve`.
    denied(["GET", `${V1}/deleted`], ...STRONGEST.filter((one) => one !== "admin")),
    absent(back, admin),
    {
      name: "7: a developer whose address was taken meanwhile",
      call: back,
      code: "developer_taken",
      errors: ["email: belongs to another developer"],
    },
  ];
}

/** What a deactivated developer has left: no open one-time link, on either interface. */
async function deactivated(desk: TestDesk): Promise<Refusal[]> {
  const rows: Refusal[] = [];
  await makeKnown(desk, ["plan"]);
  for (const how of ["the older interface", "/v1"]) {
    const id = how === "/v1" ? "off-v1" : "off-older";
    await register(desk, { id, email: `${id}@example.org` });
    const { one_time_link } = await call<{ one_time_link: { link: string } }>(
      desk,
      "POST",
      `${V1}/${id}/keys`,
      { plans: ["plan"], deliver: "one_time_link" },
    );
    const credential = await desk.token(PORTAL);
    const [method, path, body] = how === "/v1"
      ? ["POST", `${V1}/${id}/deactivate`, { keys: "keep" }]
      : ["PUT", `${DEVELOPERS}/${id}`, { ...await readDeveloper(desk, id), inactive: true }];
    await call(desk, method as string, path as string, body, { credential });
    const token = one_time_link.link.slice(one_time_link.link.indexOf("#") + 1);
    for (const at of ["open", "preview"]) {
      const open: Call = ["POST", `/v1/one-time-links/${at}`, { token }];
      const name = `8: ${open[1]} of who was deactivated by ${how}`;
      rows.push({ name, call: open, by: null, code: "one_time_link_gone" });
    }
  }
  const off = `${V1}/off-v1/deactivate`;
  const unsaid = "keys: expected keep, suspend or revoke: what becomes of the developer's keys";
  return [
    ...rows,
    invalid("8: nothing is said of the keys", ["POST", off], unsaid),
    denied(["POST", `${V1}/off-v1/reactivate`, { keys: "resume" }], ...STRONGEST),
  ];
}

testRefusals("portals' tokens", async (desk) => {
  const portal = await desk.token(PORTAL);
  return {
    rows: [
      ...await changedRequests(desk, portal),
      ...await registeredAnew(desk, portal),
      ...await livingKeys(desk),
      ...await limited(desk),
      ...await endedKeys(desk),
      ...await deactivated(desk),
    ],
    unchanged: async () => ({
      ada: await readDeveloper(desk, "dev-ada"),
      anew: await readDeveloper(desk, "anew"),
      limited: await readDeveloper(desk, "limited"),
    }),
  };
}, { environment: { KEYDESK_REVOKE_RATE_LIMIT: "2" } });

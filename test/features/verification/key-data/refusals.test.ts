/** What is read of keys in the words of the original's gateway, and of whom not. */
import { sha256 } from "../../../../src/kernel/sha256.ts";
import { DEVELOPERS } from "../../../support/companions.ts";
import { addPlan, issue, planRecords, readKey } from "../../../support/keys.ts";
import { absent, denied, invalid, testRefusals } from "../../../support/refusals.ts";
import { storedCredentials } from "../../../support/stored.ts";

/** Every way to read one, by what may stand in the path. */
const ways: ((key: string) => string)[] = [
  (key) => `/api/apis/weather/keys/${key}`,
  (key) => `/api/apis/-/keys/${key}`,
  (key) => `/api/apis//keys/${key}`,
  (key) => `/api/api/apis/weather/keys/${key}`,
  (key) => `/api/keys/${key}`,
  (key) => `/api/keys/${key}/?auto_guess=true`,
];
const lists = ["/api/apis/keys", "/api/apis/x/keys", "/api/keys/detailed", "/api/apis"];
const page = "p: expected an integer: a page from 1, or 0 and below for everything";

testRefusals("key data", async (desk) => {
  const { RawKey, key_id } = await issue(desk);
  const { admin: other } = await desk.otherOrganisation();
  const reset = (developer: string, key: string) =>
    ["POST", `${DEVELOPERS}/${developer}/keys/${key}/reset_quota`] as const;
  const rows = [
    ...ways.flatMap((way) => [
      ...[RawKey, key_id].map((key) => absent(["GET", way(key)], other, "key_not_found")),
      ...["none", "0".repeat(64), "%00", "x".repeat(5000)].map((key) =>
        absent(["GET", way(key)], undefined, "key_not_found")
      ),
    ]),
    absent(reset("dev-bob", key_id)),
    absent(reset("dev-ada", "none")),
    ...lists.map((path) => invalid(path, ["GET", `${path}?p=x`], page)),
  ];
  return { rows, unchanged: () => readKey(desk, key_id) };
});

const PASSWORD = "twenty letters at the least";

testRefusals("made keys", async (desk) => {
  await addPlan(desk, "token");
  await addPlan(desk, "oauth", {}, "oauth");
  await addPlan(desk, "basic", {}, "basic");
  await addPlan(desk, "keyless", {}, "keyless");
  const { RawKey, key_id } = await issue(desk, ["token"]);
  await issue(desk, ["token"], "dev-bob");
  const { admin: other } = await desk.otherOrganisation();
  const client = "/api/apis/oauth/weather";
  const key = (session: object) => ["POST", "/api/keys", session] as const;
  const change = (session: object, named = key_id) =>
    ["PUT", `/api/keys/${named}`, session] as const;
  const basic = (user: string, password: string, policy_id = "token") =>
    [
      "POST",
      `/api/apis/keys/basic/${user}`,
      { policy_id, basic_auth_data: { password } },
    ] as const;
  const oauth = (order: object) => ["POST", client, { policy_id: "token", ...order }] as const;
  const plans = "apply_policies: expected at least 1, or a policy_id";
  const words = "basic_auth_data.password: expected 20 characters or more";
  const names = "user: expected 1 to 255 characters without colons and control characters";
  const users = ["a%3Ab", "a%00b", "x".repeat(256)];
  const bearing = [
    key({ policy_id: "token" }),
    change({ alias: "x" }),
    basic("ada", PASSWORD),
    oauth({}),
    ["GET", client],
    ["GET", `${client}/x`],
    ["DELETE", `${client}/x`],
    ["GET", "/api/apis/weather/keys/search?q=x"],
  ] as const;
  const hidden = (path: string, named: string) => path.replace(named, sha256(named));
  const rows = [
    ...bearing.map(([method, path, body]) => {
      const call = [method, path, body] as const;
      const named = /x$|ada$/.exec(path)?.[0] ?? "";
      const isKey = named !== "" && !path.includes("?");
      const row = denied(call, "portal:write", "plans", "revoke", "audit", "admin");
      const at = isKey ? hidden(path, named) : path.replace(/\?.*/, "");
      return {
        ...row,
        message: `access denied: You do not have permission to access  ${at}`,
      };
    }),
    invalid("a session without a plan", key({ access_rights: { a: {} } }), plans),
    invalid(
      "a text of the caller's own",
      ["POST", "/api/keys/my-own-text", { policy_id: "token" }],
      "key: a new key's text is ours; POST /api/keys without one, PUT changes a key",
    ),
    invalid(
      "a key that begins suspended",
      key({ policy_id: "token", is_inactive: true }),
      "is_inactive: a new key is active; suspend it by PUT",
    ),
    invalid(
      "an end that is over",
      key({ policy_id: "token", expires: 1 }),
      "expires_at: expected a time to come",
    ),
    invalid(
      "an end that is no time",
      key({ policy_id: "token", expires: 1e15 }),
      "expires: expected seconds since 1970, up to the year 9999",
    ),
    { name: "no such plan", call: key({ policy_id: "x" }), ...unknownPlan },
    { name: "one unknown plan of two", call: change({ apply_policies: ["x"] }), ...unknownPlan },
    { name: "no such plan for a user", call: basic("ada", PASSWORD, "x"), ...unknownPlan },
    { name: "no such plan for a client", call: oauth({ policy_id: "x" }), ...unknownPlan },
    { name: "a plan of user names", call: key({ policy_id: "basic" }), code: "wrong_auth_type" },
    { name: "a plan of clients", call: basic("ada", PASSWORD, "oauth"), code: "wrong_auth_type" },
    { name: "a plan without keys", call: oauth({ policy_id: "keyless" }), code: "keyless_plan" },
    {
      name: "a developer whom nobody knows",
      call: key({ policy_id: "token", meta_data: { tyk_developer_id: "nobody" } }),
      code: "unknown_developer",
    },
    invalid(
      "another owner",
      change({ meta_data: { tyk_developer_id: "dev-bob" } }),
      "meta_data.tyk_developer_id: the key is another developer's, and stays so",
    ),
    invalid(
      "another password",
      change({ basic_auth_data: { password: PASSWORD } }),
      "basic_auth_data.password: a key's password can't be changed; issue another key",
    ),
    invalid("no plan any more", change({ apply_policies: [] }), plans),
    absent(change({ alias: "x" }, "nothing"), undefined, "key_not_found"),
    absent(change({ alias: "x" }), other, "key_not_found"),
    absent(change({ alias: "x" }, encodeURIComponent(RawKey)), other, "key_not_found"),
    invalid("a password of 19", basic("ada", "x".repeat(19)), words),
    invalid("no password", basic("ada", ""), words),
    ...users.map((user) => invalid(`a user ${user}`, basic(user, PASSWORD), names)),
    invalid(
      "a user that is a key",
      basic("kd_live_x", PASSWORD),
      "user: begins like a key of ours",
    ),
    invalid(
      "a user that is a key's text",
      basic(encodeURIComponent(RawKey), PASSWORD),
      "user: a key has this name, or had it; a name is given once",
    ),
    invalid(
      "a client's own id",
      oauth({ client_id: "mine" }),
      "client_id: it is ours; leave it out",
    ),
    invalid("a client's own secret", oauth({ secret: "mine" }), "secret: it is ours; leave it out"),
    absent(["GET", `${client}/${key_id}`]),
    absent(["DELETE", `${client}/${key_id}`], undefined, "not_found_for_deletion"),
    invalid("a page", ["GET", `${client}?p=x`], page),
    invalid("a page of a search", ["GET", "/api/apis/x/keys/search?p=x"], page),
  ] as const;
  const unchanged = () => Promise.all([readKey(desk, key_id), storedCredentials(desk)]);
  return { rows, unchanged };
}, { extra: planRecords });

const unknownPlan = {
  code: "unknown_plan",
  message: "There is no plan x: create it first.",
} as const;

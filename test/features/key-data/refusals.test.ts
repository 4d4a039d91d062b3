/** What is read of keys in the words of the original's gateway, and of whom not. */
import { DEVELOPERS } from "../../support/companions.ts";
import { issue, readKey } from "../../support/keys.ts";
import { absent, invalid, testRefusals } from "../../support/refusals.ts";

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

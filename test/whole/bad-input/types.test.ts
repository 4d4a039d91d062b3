import assert from "node:assert/strict";
import { fullKeyRequest } from "../../../src/features/key-requests/key-requests.example.ts";
import { testOnEngines } from "../../support/desk.ts";
import { assertRefused } from "./support/refused.ts";
import { oauth } from "./support/samples.ts";

const LIST = "/api/portal/requests";
const SECRET = "value-that-no-error-repeats";

/** A member of a body: how to put a value there, and the names and positions that lead to it. */
interface Member {
  path: string;
  value: unknown;
  with(value: unknown): unknown;
}

/** Members whose content is free, or that the organisation's own values replace. */
const free =
  /^(org_id|portal_developer\.(fields|PWHistory)|.*config\.(signup|key_request)_fields)$/;

testOnEngines(
  "bad input: a wrong type is refused at every member, by its name alone",
  async (desk) => {
    const body = { ...fullKeyRequest, oauth_info: oauth.oauth_info };
    const developer = { ...fullKeyRequest.portal_developer, ...oauth.portal_developer };
    const members = membersOf({ ...body, portal_developer: developer });
    assert.ok(members.length > 120, `only ${members.length} members`);
    for (const member of members.filter(({ path }) => path !== "org_id")) {
      for (const wrong of wrongFor(member.value)) {
        const inside = typeof member.value === "object" && typeof wrong === "object";
        if (free.test(member.path) && inside) continue;
        const { message, errors } = await assertRefused(desk, 400, "POST", LIST, {
          body: member.with(wrong),
        });
        assert.ok(message.startsWith(`${member.path}: expected`), `${member.path}: ${message}`);
        assert.deepEqual(errors, [message]);
        assert.ok(!message.includes(SECRET), message);
      }
    }
  },
);

/** Values of every other JSON type. */
function wrongFor(value: unknown): unknown[] {
  const kinds: [string, unknown][] = [
    ["string", SECRET],
    ["number", 7],
    ["boolean", true],
    ["array", [SECRET]],
    ["object", { [SECRET]: SECRET }],
  ];
  const own = Array.isArray(value) ? "array" : typeof value;
  return kinds.filter(([kind]) => kind !== own).map(([, wrong]) => wrong);
}

/**
 * Every member of the interface in this body; what stands in a free member is not the interface's.
 */
function membersOf(body: unknown): Member[] {
  const found: Member[] = [];
  walk(body, "", (value) => value);
  return found;

  function walk(value: unknown, path: string, inside: (value: unknown) => unknown): void {
    if (typeof value !== "object" || value === null || free.test(path)) return;
    for (const [name, member] of Object.entries(value)) {
      const own = Array.isArray(value)
        ? `${path}[${name}]`
        : path === ""
        ? name
        : `${path}.${name}`;
      const wrap = (changed: unknown) =>
        inside(
          Array.isArray(value)
            ? value.map((item, at) => String(at) === name ? changed : item)
            : { ...value, [name]: changed },
        );
      found.push({ path: own, value: member, with: wrap });
      walk(member, own, wrap);
    }
  }
}

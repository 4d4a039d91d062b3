/**
 * Every member of an answer, in the order of the specification's tables 2.3 to 2.9, and none of
 * them null.
 */
import assert from "node:assert/strict";
import { fullKeyRequest } from "../../../src/features/key-requests/key-requests.example.ts";
import { testOnEngines } from "../../support/desk.ts";
import {
  approve,
  create,
  list,
  read,
  type Sent,
  smallRequest,
} from "../../support/key-requests.ts";
import { liveRecords, liveRecordsOf } from "../../support/live-records.ts";

const words = (text: string) => text.trim().split(/\s+/);

const REQUEST = words(
  `id key org_id for_api for_plan apply_policies remove_policies by_user fields approved
  date_created version jwt_secret certificate oauth_info portal_developer catalogue_entry catalogues`,
);
const DEVELOPER = words(
  `id email date_created inactive org_id keys subscriptions fields nonce sso_key
  oauth_clients password_max_days password_updated PWHistory last_login_date`,
);
const CLIENT = words("client_id secret redirect_uri app_description use_case date_created");
const ENTRY = words(
  `name short_description long_description show api_id policy_id documentation version
  is_keyless config fields auth_type`,
);
const CONFIG = words(
  `id org_id signup_fields key_request_fields require_key_approval redirect_on_key_request
  redirect_to enable_multi_selection disable_login disable_signup disable_auto_login catalogue_login_only
  oauth_usage_limit email mail_options override HashKeys`,
);
const MAIL_OPTIONS = words("mail_from_name mail_from_email email_copy");
const COPIES = words("welcome_email key_email reset_password_email");
const COPY = words("enabled subject body sign_off hide_token_data");

function assertMembers(object: object, expected: string[], where: string): void {
  assert.deepEqual(Object.keys(object), expected, where);
  for (const [name, value] of Object.entries(object)) {
    assert.notEqual(value, null, `${where}.${name}`);
  }
}

function assertEntry(entry: Awaited<ReturnType<typeof read>>["catalogue_entry"]): void {
  assertMembers(entry, ENTRY, "entry");
  assertMembers(entry.config, CONFIG, "config");
  assertMembers(entry.config.mail_options, MAIL_OPTIONS, "mail_options");
  assertMembers(entry.config.mail_options.email_copy, COPIES, "email_copy");
  for (const copy of Object.values(entry.config.mail_options.email_copy)) {
    assertMembers(copy, COPY, "copy");
  }
}

function assertRequest(shown: Awaited<ReturnType<typeof read>>): void {
  const expected = REQUEST.filter((name) =>
    name !== "oauth_info" || shown.oauth_info !== undefined
  );
  assertMembers(shown, expected, "request");
  const { oauth_clients } = shown.portal_developer;
  const members = DEVELOPER.filter((name) => name !== "oauth_clients" || oauth_clients);
  assertMembers(shown.portal_developer, members, "developer");
  for (const client of Object.values(oauth_clients ?? {}).flat()) {
    assertMembers(client, CLIENT, "client");
  }
  for (const entry of [shown.catalogue_entry, ...shown.catalogues]) assertEntry(entry);
}

/** The same object with the members of every object turned round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).reverse().map(([name, member]) => [name, reversed(member)]),
  );
}

const OAUTH = { oauth_info: { redirect_uri: "https://a.example" } };
const SENT: Record<string, Sent> = {
  small: smallRequest(),
  full: fullKeyRequest,
  "with its members turned round": reversed({
    ...fullKeyRequest,
    ...OAUTH,
    jwt_secret: "s",
  }) as Sent,
  "with a little of everything": smallRequest({
    jwt_secret: "s",
    ...OAUTH,
    portal_developer: {
      nonce: "n",
      id: "dev-ada",
      oauth_clients: { p: [{ use_case: "u", secret: "s" }] },
    },
    catalogue_entry: {
      auth_type: "basic",
      config: { HashKeys: true, mail_options: { email_copy: {} } },
    },
    catalogues: [{}, { policy_id: "x", config: {} }],
  }),
};

for (const [what, body] of Object.entries(SENT)) {
  testOnEngines(
    `order: a request sent ${what} is shown in the tables' order, issued or not`,
    async (desk) => {
      const id = await create(desk, body);
      const reader = await desk.token(["portal:read"]);
      const check = async () => {
        assertRequest(await read(desk, id));
        assertRequest(await read(desk, id, reader));
        const answer = await list(desk);
        assertMembers(answer, ["Data", "Pages"], "list");
        answer.Data.forEach(assertRequest);
      };
      await check();
      await approve(desk, id);
      await check();
    },
  );
}

testOnEngines(
  "order: live records are shown in the tables' order, too",
  async (desk) => {
    const live = liveRecordsOf(desk);
    await live.developer({ nonce: "n", id: "dev-ada" });
    await live.catalogue({ config: { override: true }, policy_id: "plan-weather" });
    const id = await create(desk, smallRequest(OAUTH));
    await approve(desk, id);
    const shown = await read(desk, id);
    assert.equal(shown.catalogue_entry.config.override, true);
    assertRequest(shown);
  },
  { extra: liveRecords },
);

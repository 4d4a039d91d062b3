/**
 * Who may approve where a plan needs no administrator: live records decide, never what a request
 * embeds.
 */
import assert from "node:assert/strict";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { assertFailure } from "../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import {
  approvalOf,
  approve,
  create,
  type Sent,
  smallRequest,
} from "../../support/key-requests.ts";
import { liveRecords, liveRecordsOf } from "../../support/live-records.ts";
import { storedCredentials } from "../../support/stored.ts";

const AUTOMATIC = { override: true, require_key_approval: false };
const MANUAL = { override: true, require_key_approval: true };

const entry = (policy_id: string, config: Sent) => ({
  api_id: `api-${policy_id}`,
  policy_id,
  config,
});

/** The answer to an approval by a credential that may write and not approve. */
async function approveAsWriter(desk: TestDesk, sent: Sent = {}): Promise<Response> {
  const id = await create(desk, smallRequest(sent));
  return await desk.send("PUT", approvalOf(id), { credential: await desk.token(["portal:write"]) });
}

async function assertRefused(desk: TestDesk, response: Response): Promise<void> {
  const { Message } = await response.clone().json();
  assert.match(
    Message,
    /^access denied: You do not have permission to access {2}\/api\/portal\/requests\/approve\/[0-9a-f]{24}$/,
  );
  await assertFailure(response, "access_denied", { message: Message });
  assert.deepEqual(await storedCredentials(desk), []);
}

testOnEngines("automatic: with nothing configured, an administrator is needed", async (desk) => {
  await assertRefused(desk, await approveAsWriter(desk));
});

testOnEngines(
  "automatic: the organisation's configuration opens every plan",
  async (desk) => {
    await liveRecordsOf(desk).configuration({ require_key_approval: false });
    const response = await approveAsWriter(desk);
    assert.equal(response.status, 200);
    assert.ok((await response.json()).RawKey);
  },
  { extra: liveRecords },
);

testOnEngines(
  "automatic: a configuration that requires approval closes them",
  async (desk) => {
    await liveRecordsOf(desk).configuration({ require_key_approval: true });
    await assertRefused(desk, await approveAsWriter(desk));
  },
  { extra: liveRecords },
);

testOnEngines(
  "automatic: a live entry that overrides decides for its plan, both ways",
  async (desk) => {
    const live = liveRecordsOf(desk);
    await live.catalogue(entry("plan-open", AUTOMATIC), entry("plan-closed", MANUAL));
    await live.configuration({ require_key_approval: false });
    await assertRefused(desk, await approveAsWriter(desk, { for_plan: "plan-closed" }));
    await live.configuration({ require_key_approval: true });
    assert.equal((await approveAsWriter(desk, { for_plan: "plan-open" })).status, 200);
  },
  { extra: liveRecords },
);

testOnEngines(
  "automatic: a live entry that does not override leaves it to the configuration",
  async (desk) => {
    const live = liveRecordsOf(desk);
    await live.catalogue(entry("plan-weather", { override: false, require_key_approval: false }));
    await assertRefused(desk, await approveAsWriter(desk));
    await live.configuration({ require_key_approval: false });
    assert.equal((await approveAsWriter(desk)).status, 200);
  },
  { extra: liveRecords },
);

testOnEngines(
  "automatic: every plan of a request must be open",
  async (desk) => {
    const live = liveRecordsOf(desk);
    await live.catalogue(entry("plan-open", AUTOMATIC));
    const sent = { for_plan: "plan-open", apply_policies: ["plan-open", "plan-other"] };
    await assertRefused(desk, await approveAsWriter(desk, sent));
  },
  { extra: liveRecords },
);

testOnEngines(
  "automatic: a plan that a key would lose must be open, too",
  async (desk) => {
    const live = liveRecordsOf(desk);
    await live.catalogue(entry("plan-open", AUTOMATIC), entry("plan-closed", MANUAL));
    const issued = await create(desk, smallRequest({ for_plan: "plan-closed" }));
    const key = sha256((await approve(desk, issued)).RawKey);
    const before = await storedCredentials(desk);
    const credential = await desk.token(["portal:write"]);
    const change = { key, for_plan: "plan-open", remove_policies: ["plan-closed"] };
    const id = await create(desk, smallRequest(change));
    const refused = await desk.send("PUT", approvalOf(id), { credential });
    assert.equal(refused.status, 403);
    assert.deepEqual(await storedCredentials(desk), before);
    const harmless = await create(desk, smallRequest({ ...change, remove_policies: [] }));
    assert.equal((await approve(desk, harmless, { credential })).RawKey, key);
  },
  { extra: liveRecords },
);

testOnEngines("automatic: what a request embeds opens nothing", async (desk) => {
  const embedded = entry("plan-weather", AUTOMATIC);
  await assertRefused(
    desk,
    await approveAsWriter(desk, { catalogue_entry: embedded, catalogues: [embedded] }),
  );
});

testOnEngines(
  "automatic: another organisation's configuration opens nothing here",
  async (desk) => {
    const other = await desk.otherOrganisation();
    await liveRecordsOf(desk, other.org_id).configuration({ require_key_approval: false });
    await liveRecordsOf(desk, other.org_id).catalogue(entry("plan-weather", AUTOMATIC));
    await assertRefused(desk, await approveAsWriter(desk));
  },
  { extra: liveRecords },
);

testOnEngines(
  "automatic: for a developer who was deactivated an administrator is needed",
  async (desk) => {
    await liveRecordsOf(desk).configuration({ require_key_approval: false });
    const ada = { id: "dev-ada", email: "ada@lovelace.example", inactive: true };
    const { status } = await desk.send("POST", "/api/portal/developers", { body: ada });
    assert.equal(status, 200);
    await assertRefused(desk, await approveAsWriter(desk));
    const id = await create(desk, smallRequest());
    assert.ok((await approve(desk, id)).RawKey);
  },
  { extra: liveRecords },
);

testOnEngines(
  "automatic: create never mints, whoever calls",
  async (desk) => {
    await liveRecordsOf(desk).configuration({ require_key_approval: false });
    const credential = await desk.token(["portal:write"]);
    const response = await desk.send("POST", "/api/portal/requests", {
      body: smallRequest(),
      credential,
    });
    assert.deepEqual(Object.keys(await response.json()), ["Status", "Message", "Meta"]);
    assert.deepEqual(await storedCredentials(desk), []);
  },
  { extra: liveRecords },
);

testOnEngines(
  "automatic: portal:read is never enough to approve",
  async (desk) => {
    await liveRecordsOf(desk).configuration({ require_key_approval: false });
    const id = await create(desk, smallRequest());
    const credential = await desk.token(["portal:read", "secrets", "admin"]);
    await assertRefused(desk, await desk.send("PUT", approvalOf(id), { credential }));
  },
  { extra: liveRecords },
);

testOnEngines(
  "automatic: exactly once for a writer, too",
  async (desk) => {
    await liveRecordsOf(desk).configuration({ require_key_approval: false });
    const credential = await desk.token(["portal:write"]);
    const id = await create(desk, smallRequest());
    await approve(desk, id, { credential });
    await assertFailure(
      await desk.send("PUT", approvalOf(id), { credential }),
      "already_processed",
    );
  },
  { extra: liveRecords },
);

/** Mails say all that is asked for: each plan with its APIs, limits and the life of its keys. */
import assert from "node:assert/strict";
import { limitsOf } from "../../../src/features/notifications/mail-access.ts";
import { mailDefaults } from "../../../src/contract/mail-names.ts";
import { testOnEngines } from "../../support/desk.ts";
import { create, smallRequest } from "../../support/key-requests.ts";
import { addMailChannel, addPerson, mailEngine, mailServer } from "../../support/mail-server.ts";
import { call } from "../../support/people.ts";
import { deliver } from "../../support/receiver.ts";

const DAY = 86_400;
const developer = { id: "dev-1", email: "elif@example.org", fields: { Name: "Elif Yıldız" } };

testOnEngines(
  "mailed plans: a request of three plans of two APIs names each, with limits and end",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk);
    await addPerson(desk, "tomas@example.org");
    const engine = mailEngine(desk, smtp);
    const plan = async (name: string, api: string, limits: Record<string, number>) => {
      const access_rights = { [api.toLowerCase()]: { api_id: api.toLowerCase(), api_name: api } };
      const made = await call(desk, "POST", "/v1/plans", { name, access_rights, ...limits });
      return made.id as string;
    };
    const gold = await plan("Gold", "Orders", {
      rate: 60,
      per: 60,
      quota_max: 300_000,
      quota_renewal_rate: 30 * DAY,
      key_expires_in: 90 * DAY,
    });
    const free = await plan("Free", "Orders", {});
    const basic = await plan("Orders basic", "Invoices", { rate: 5, per: 1 });
    const id = await create(
      desk,
      smallRequest({
        by_user: "dev-1",
        portal_developer: developer,
        for_plan: gold,
        apply_policies: [gold, free, basic],
      }),
    );
    await deliver(engine);
    await call(desk, "POST", `/v1/key-requests/${id}/decline`, {
      reason: "Please say:\n1. how many calls\r\n2. <b>from where</b>",
    });
    await deliver(engine);
    const [waiting, declined] = smtp.taken.map(({ parsed }) => parsed);
    const names = "Gold · Orders; Free · Orders; Orders basic · Invoices";
    assert.equal(waiting?.subject, `“Elif Yıldız” asks for ${names}`);
    assert.match(waiting?.text ?? "", new RegExp(`asks for ${names}\\.`));
    for (
      const lines of [
        "Plan: Gold · Orders\n  60 calls / minute, 300,000 / 30 days\n  Keys expire after 90 days",
        "Plan: Free · Orders\n  no limit on calls",
        "Plan: Orders basic · Invoices\n  5 calls / second",
      ]
    ) {
      assert.ok(waiting?.text?.includes(lines), lines);
    }
    assert.match(String(waiting?.html), /<td>Gold · Orders<br>60 calls/);
    assert.equal(declined?.subject, `Your request for ${names} was declined`);
    assert.match(declined?.text ?? "", /^Reason: Please say:\n {2}1\. how many calls\n {2}2\. /m);
    assert.match(
      String(declined?.html),
      /<td>Please say:<br>1\. how many calls<br>2\. &lt;b&gt;from where&lt;\/b&gt;<\/td>/,
    );
    assert.doesNotMatch(declined?.text ?? "", /calls \//);
  },
);

testOnEngines("mailed plans: a deleted plan has its last name", async (desk) => {
  await using smtp = await mailServer();
  await addMailChannel(desk);
  const engine = mailEngine(desk, smtp);
  const { id: plan } = await call(desk, "POST", "/v1/plans", { name: "Copper" });
  const id = await create(
    desk,
    smallRequest({ by_user: "dev-1", portal_developer: developer, for_plan: plan }),
  );
  const unknown = await create(
    desk,
    smallRequest({ by_user: "dev-1", portal_developer: developer, for_plan: "of-no-plan" }),
  );
  await call(desk, "DELETE", `/v1/plans/${plan}`);
  for (const each of [id, unknown]) {
    await call(desk, "POST", `/v1/key-requests/${each}/decline`, { reason: "It is no more." });
  }
  await deliver(engine);
  assert.deepEqual(smtp.taken.map(({ parsed }) => parsed.subject).sort(), [
    "Your request for Copper was declined",
    "Your request for of-no-plan was declined",
  ]);
});

Deno.test("mailed plans: limits in the language of the mail, in the largest unit that fits", () => {
  const limits = { rate: 1000, per: 3600, quota_max: 5, quota_renewal_rate: 0, key_expires_in: 60 };
  const plan = { name: "Gold", apis: [], ...limits };
  assert.deepEqual(limitsOf(mailDefaults, plan), [
    "1,000 calls / hour, 5 in all",
    "Keys expire after 1 minute",
  ]);
  const words = {
    calls: "Aufrufe",
    in_all: "insgesamt",
    keys_expire_after: "Schlüssel gelten",
  };
  assert.deepEqual(
    limitsOf({ ...mailDefaults, language: "de", words }, { ...plan, rate: 10, per: 90 }),
    [
      "10 Aufrufe / 90 Sekunden, 5 insgesamt",
      "Schlüssel gelten 1 Minute",
    ],
  );
  assert.deepEqual(limitsOf(mailDefaults, { name: "gone", apis: [] }), []);
});

/**
 * Alerts of ends: once each, whoever looks and whenever; what keeps them quiet; and why nothing was
 * sent.
 */
import assert from "node:assert/strict";
import { AlertEngine } from "../../../../src/features/notifications/alerts/alert-engine.ts";
import { nameCertificates } from "../../../../src/features/certificates/certificate-care.transactions.ts";
import { statement } from "../../../../src/storage/statement.ts";
import { defineTransaction } from "../../../../src/storage/storage.ts";
import { add, asn1Time, type Made, made } from "../../../support/certificates.ts";
import { openTestDesk, type TestDesk, testEachEngine } from "../../../support/desk.ts";
import { issue, movableClock } from "../../../support/keys.ts";
import { call } from "../../../support/people.ts";
import { addChannel, deliver, engineOf, receiver } from "../../../support/receiver.ts";

const DAY = 24 * 60 * 60 * 1000;
const HOUR = DAY / 24;

type Clock = ReturnType<typeof movableClock>;

const forgetNamesSql = statement<Record<never, never>>()((db) =>
  db.updateTable("certificates").set({ renewal_names: null })
);
const forgetNames = defineTransaction(
  "test.forget-names",
  async (tx, _: null) => await tx.change(forgetNamesSql, {}),
);

function onEngines(promise: string, test: (desk: TestDesk, clock: Clock) => Promise<void>): void {
  testEachEngine(`alerts: ${promise}`, async (engine) => {
    const clock = movableClock();
    await using desk = await openTestDesk(engine, { clock, extra: [forgetNames] });
    await test(desk, clock);
  });
}

let serial = 10;

/** Adds a certificate that ends so long after now; gives its id. */
function ending(desk: TestDesk, clock: Clock, ms: number, more: Made = {}): Promise<string> {
  const cn = more.cn ?? `c${++serial}.example`;
  const pem = made({
    cn,
    to: asn1Time(clock.at + ms),
    serial: String(++serial).padStart(4, "0"),
    ...more,
  });
  return add(desk, pem);
}

const look = (desk: TestDesk) => new AlertEngine(desk.app.ctx).turn();

/** Every message of these topics that lies in the outbox, with what it says. */
async function told(desk: TestDesk): Promise<string[]> {
  const rows = await desk.app.ctx.storage.reader.rows(outboxSql, { org_id: desk.org_id });
  return rows.filter(({ topic }) => /ends_soon|\.ended|digest/.test(topic))
    .map(({ topic, object_id, detail }) => {
      const days = detail === null ? "" : JSON.parse(detail).days;
      return `${topic} ${object_id} ${days}`;
    });
}

const outboxSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("outbox_events").select(["topic", "object_id", "detail"])
    .where("org_id", "=", p.org_id).orderBy("at").orderBy("id")
);

const why = (desk: TestDesk, id: string) => call(desk, "GET", `/v1/certificates/${id}/alerts`);
const whyKey = (desk: TestDesk, id: string) => call(desk, "GET", `/v1/keys/${id}/alerts`);

onEngines("each rule tells of a certificate once, and its end too", async (desk, clock) => {
  await look(desk);
  const id = await ending(desk, clock, 61 * DAY);
  for (const end = clock.at + 63 * DAY; clock.at < end; clock.at += 12 * HOUR) await look(desk);
  const days = [60, 30, 14, 7, 3, 1].map((n) => `certificate.ends_soon ${id} ${n}`);
  assert.deepEqual(await told(desk), [...days, `certificate.ended ${id} 0`]);
});

onEngines("whoever was away over several rules tells the newest once", async (desk, clock) => {
  await look(desk);
  const id = await ending(desk, clock, 61 * DAY);
  clock.at += 50 * DAY;
  await look(desk);
  await look(desk);
  assert.deepEqual(await told(desk), [`certificate.ends_soon ${id} 14`]);
  // A clock that goes back and comes again tells nothing twice, and nothing too early.
  clock.at -= 20 * DAY;
  await look(desk);
  clock.at += 20 * DAY;
  await look(desk);
  assert.equal((await told(desk)).length, 1);
  clock.at += 20 * DAY;
  await look(desk);
  assert.deepEqual((await told(desk)).slice(1), [`certificate.ended ${id} 0`]);
});

onEngines("a key that was made for a page ends without a word", async (desk, clock) => {
  await look(desk);
  await call(desk, "POST", "/v1/plans", { id: "tides", name: "Tides" });
  await call(desk, "POST", "/v1/developers", { id: "dev-ada", email: "ada@example.org" });
  const made = async (name: string) => {
    const expires_at = new Date(clock.at + HOUR).toISOString();
    const body = { plans: ["tides"], name, expires_at };
    return (await call(desk, "POST", "/v1/developers/dev-ada/keys", body)).key_id;
  };
  await made("Test: tides");
  const other = await made("Tides");
  clock.at += 2 * HOUR;
  await look(desk);
  assert.deepEqual(await told(desk), [`credential.ended ${other} 0`]);
});

onEngines(
  "two nodes at once tell of each once, over any number of batches",
  async (desk, clock) => {
    await look(desk);
    const ids: string[] = [];
    for (let n = 0; n < 130; n++) ids.push(await ending(desk, clock, 20 * DAY));
    clock.at += 7 * DAY;
    await Promise.all([look(desk), look(desk), look(desk)]);
    await look(desk);
    assert.deepEqual(
      (await told(desk)).toSorted(),
      ids.map((id) => `certificate.ends_soon ${id} 14`).toSorted(),
    );
  },
);

onEngines("at the first start one digest counts what fell due before", async (desk, clock) => {
  await ending(desk, clock, 5 * DAY);
  await ending(desk, clock, 2 * DAY);
  const late = await ending(desk, clock, 400 * DAY);
  clock.at += 3 * DAY;
  await look(desk);
  await look(desk);
  assert.deepEqual(await told(desk), [`alerts.digest ${desk.org_id} 60`]);
  const rows = await desk.app.ctx.storage.reader.rows(outboxSql, { org_id: desk.org_id });
  const digest = rows.find(({ topic }) => topic === "alerts.digest");
  assert.deepEqual(JSON.parse(digest?.detail ?? ""), {
    days: 60,
    certificates_ended: 1,
    certificates_ending: 1,
    keys_ended: 0,
    keys_ending: 0,
  });
  assert.equal((await why(desk, late)).result, "not_due");
});

onEngines(
  "keys: suspended ones are told of, revoked and rotated ones are not",
  async (desk, clock) => {
    await look(desk);
    const keys = [];
    for (let n = 0; n < 4; n++) keys.push(await issue(desk, ["plan-weather"], `dev-${n}`));
    const [plain, suspended, revoked, forever] = keys.map(({ key_id }) => key_id);
    assert.ok(plain && suspended && revoked && forever);
    for (const key_id of [plain, suspended, revoked]) {
      const expires_at = new Date(clock.at + 10 * DAY).toISOString();
      await call(desk, "PUT", `/v1/keys/${key_id}/expiry`, { expires_at });
    }
    await call(desk, "POST", `/v1/keys/${suspended}/suspend`, { reason: "x" });
    await call(desk, "POST", `/v1/keys/${revoked}/revoke`, { reason: "x" });
    clock.at += 4 * DAY;
    await look(desk);
    assert.deepEqual(
      (await told(desk)).toSorted(),
      [plain, suspended].map((id) => `credential.ends_soon ${id} 7`).toSorted(),
    );
    assert.equal((await whyKey(desk, revoked)).result, "revoked");
    assert.equal((await whyKey(desk, forever)).result, "no_end");
    assert.equal((await whyKey(desk, plain)).result, "no_recipient");
    // A later end has alerts of its own.
    const expires_at = new Date(clock.at + 8 * DAY).toISOString();
    await call(desk, "PUT", `/v1/keys/${plain}/expiry`, { expires_at });
    assert.equal((await whyKey(desk, plain)).result, "not_due");
    clock.at += 2 * DAY;
    await look(desk);
    const again = (await told(desk)).filter((one) => one === `credential.ends_soon ${plain} 7`);
    assert.equal(again.length, 2);
  },
);

onEngines(
  "a certificate that ends before it begins is valid at no time, and nobody hears of its end",
  async (desk, clock) => {
    await look(desk);
    const from = asn1Time(clock.at + 200 * DAY);
    const never = await ending(desk, clock, 20 * DAY, { from });
    const good = await ending(desk, clock, 20 * DAY);
    for (const end = clock.at + 22 * DAY; clock.at < end; clock.at += 12 * HOUR) await look(desk);
    const all = await told(desk);
    assert.deepEqual(all.filter((one) => one.includes(never)), []);
    assert.ok(all.includes(`certificate.ends_soon ${good} 14`));
    const report = await why(desk, never);
    assert.equal(report.result, "no_end");
    assert.match(report.answer, /expires before it begins/);
    assert.deepEqual([report.expires_at, report.next_alert], [null, null]);
  },
);

onEngines(
  "a certificate that a newer one renews is quiet, whoever added it",
  async (desk, clock) => {
    await look(desk);
    const old = await ending(desk, clock, 20 * DAY, { dns: ["A.example", "b.example."] });
    const lone = await ending(desk, clock, 20 * DAY, { cn: "www.example" });
    // In another order and in other letters, with another common name.
    const fresh = await ending(desk, clock, 90 * DAY, { dns: ["B.example", "a.example"] });
    await desk.app.ctx.storage.commit(forgetNames, null);
    assert.equal((await call(desk, "GET", `/v1/certificates/${old}`)).renewed_by, null);
    await desk.app.ctx.storage.commit(nameCertificates, null);
    assert.equal((await call(desk, "GET", `/v1/certificates/${old}`)).renewed_by, fresh);
    const { data } = await call(desk, "GET", "/v1/certificates");
    assert.deepEqual(
      data.map((one: { renewed_by: string | null }) => one.renewed_by),
      [fresh, null, null],
    );
    clock.at += 7 * DAY;
    await look(desk);
    assert.deepEqual(await told(desk), [`certificate.ends_soon ${lone} 14`]);
    const report = await why(desk, old);
    assert.equal(report.result, "renewed");
    assert.equal(report.decided_by, "renewed");
    assert.equal(report.next_alert, null);
    assert.ok(report.answer.includes(fresh));
    // Without it, the rules that are still to come tell again.
    await call(desk, "DELETE", `/v1/certificates/${fresh}`);
    assert.equal((await why(desk, old)).needs_attention, true);
    clock.at += 7 * DAY;
    await look(desk);
    assert.ok((await told(desk)).includes(`certificate.ends_soon ${old} 7`));
  },
);

onEngines("a mute has an end and a reason, and holds back what falls due", async (desk, clock) => {
  await look(desk);
  const id = await ending(desk, clock, 20 * DAY);
  const path = `/v1/certificates/${id}/mute`;
  const until = new Date(clock.at + 10 * DAY).toISOString();
  const muted = await call(desk, "PUT", path, { until, reason: "Renewal ordered." });
  assert.equal(muted.held_back, true);
  assert.equal(muted.mute.reason, "Renewal ordered.");
  await addChannel(desk, { url: "https://hooks.example/x" }, { topics: ["certificate.*"] });
  clock.at += 7 * DAY;
  await look(desk);
  assert.deepEqual(await told(desk), []);
  assert.equal((await why(desk, id)).result, "muted");
  clock.at += 7 * DAY;
  await look(desk);
  assert.deepEqual(await told(desk), [`certificate.ends_soon ${id} 7`]);
  const lifted = await call(desk, "DELETE", path);
  assert.equal(lifted.mute, null);
});

onEngines("why: from no channel to told, each with its rule", async (desk, clock) => {
  await look(desk);
  const id = await ending(desk, clock, 20 * DAY);
  assert.equal((await why(desk, id)).result, "not_due");
  clock.at += 7 * DAY;
  await look(desk);
  let report = await why(desk, id);
  assert.equal(report.result, "no_recipient");
  assert.match(report.answer, /no owner/);
  await using portal = receiver();
  const { id: channel } = await addChannel(desk, portal, {
    name: "Ops",
    topics: ["certificate.*"],
  });
  report = await why(desk, id);
  assert.equal(report.result, "no_recipient", "the alert was before the channel");
  await call(desk, "POST", `/v1/channels/${channel}/pause`);
  clock.at += 7 * DAY;
  await look(desk);
  const engine = engineOf(desk);
  await deliver(engine);
  report = await why(desk, id);
  assert.equal(report.result, "channel_paused");
  assert.match(report.answer, /Ops is paused since/);
  await call(desk, "POST", `/v1/channels/${channel}/resume`);
  assert.equal((await why(desk, id)).result, "waiting");
  portal.answer = () => 503;
  await deliver(engine);
  report = await why(desk, id);
  assert.equal(report.result, "delivery_failed");
  assert.match(report.answer, /Ops: answered 503/);
  portal.answer = () => 200;
  clock.at += 60_000;
  await deliver(engine);
  report = await why(desk, id);
  assert.equal(report.result, "notified");
  assert.equal(report.title, "What was sent?");
  const { json } = portal.taken.find((one) => one.json.type === "certificate.expires_soon") ?? {};
  assert.deepEqual(json.data.detail, { days: 7, ends_at: report.expires_at });
  await call(desk, "DELETE", `/v1/certificates/${id}`);
  assert.equal((await desk.send("GET", `/v1/certificates/${id}/alerts`)).status, 404);
});

onEngines("why: a host that no setting names is said so", async (desk, clock) => {
  await look(desk);
  const id = await ending(desk, clock, 8 * DAY);
  await addChannel(desk, { url: "https://hooks.example/x" }, { topics: ["certificate.*"] });
  clock.at += 2 * DAY;
  await look(desk);
  await deliver(engineOf(desk));
  const report = await why(desk, id);
  assert.equal(report.result, "host_not_named");
  assert.match(report.answer, /KEYDESK_OUTBOUND/);
});

onEngines("rules are an organisation's own, and new ones begin now", async (desk, clock) => {
  const other = await desk.otherOrganisation();
  assert.deepEqual(await call(desk, "GET", "/v1/settings/alerts"), {
    days: [60, 30, 14, 7, 3, 1],
    at_end: true,
  });
  await look(desk);
  const id = await ending(desk, clock, 40 * DAY);
  await call(desk, "PUT", "/v1/settings/alerts", { days: [45, 20], at_end: false });
  assert.equal(
    (await call(desk, "GET", "/v1/settings/alerts", undefined, other.admin)).at_end,
    true,
  );
  await look(desk);
  assert.deepEqual(await told(desk), []);
  clock.at += 21 * DAY;
  await look(desk);
  clock.at += 40 * DAY;
  await look(desk);
  assert.deepEqual(await told(desk), [`certificate.ends_soon ${id} 20`]);
});

onEngines("owner and tags are shown, found, exported and audited", async (desk, clock) => {
  const id = await ending(desk, clock, 90 * DAY);
  const rest = await ending(desk, clock, 90 * DAY);
  const before = await (await desk.send("GET", `/api/certs/${id}`)).text();
  const care = { owner: "Lena@example.com", tags: ["partner", "mTLS"] };
  const shown = await call(desk, "PUT", `/v1/certificates/${id}`, care);
  assert.deepEqual({ owner: shown.owner, tags: shown.tags }, care);
  assert.equal(await (await desk.send("GET", `/api/certs/${id}`)).text(), before);
  for (
    const query of ["owner=lena@example.com", "tag=mTLS", "owner=lena@example.com&tag=partner"]
  ) {
    const { data } = await call(desk, "GET", `/v1/certificates?${query}`);
    assert.deepEqual(data.map((one: { id: string }) => one.id), [id], query);
  }
  const { data: nobodys } = await call(desk, "GET", "/v1/certificates?owner=");
  assert.deepEqual(nobodys.map((one: { id: string }) => one.id), [rest]);
  const csv = await (await desk.send("GET", "/api/certs/export?format=csv")).text();
  assert.match(csv, /Lena@example\.com,partner; mTLS\r\n/);
  await call(desk, "PUT", `/v1/certificates/${id}`, {});
  assert.equal((await call(desk, "GET", `/v1/certificates/${id}`)).owner, "");
  const rows = await desk.app.ctx.storage.reader.rows(outboxSql, { org_id: desk.org_id });
  assert.equal(rows.filter(({ topic }) => topic === "certificate.updated").length, 2);
  const { data } = await call(desk, "GET", "/v1/audit-log?action=certificate.updated");
  assert.deepEqual(data.at(-1).detail, { owner: care.owner, tags: "partner, mTLS" });
});

/**
 * A desk that has been at work for two months: the demo with what its developers and its gateway
 * would have left.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type CheckedRow, checksumAfter } from "../../src/changes/checked-rows.ts";
import { Sealer } from "../../src/kernel/sealing/sealer.ts";
import { parseSealingKeys } from "../../src/kernel/sealing/sealing-keys.ts";
import { asn1Time, made } from "../../test/support/certificates.ts";
import { eventually } from "../../test/support/eventually.ts";
import type { DemoServer } from "./browser.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** When keys and certificates end, in days from now. */
const keyEnds = [-40, -6, 4, 11, 25, 26, 60, 61, 62, 140, 150, 300, 380, 500, 900];
const certificateEnds = [-3, 2, 12, 27, 41, 64, 88, 120, 140, 141, 200, 300, 400, 700, 2000];
/** Calls of a usual day, by plan; and the plan whose callers went three days ago. */
const volumes: Readonly<Record<string, number>> = {
  "Professional": 1_380_000,
  "Free": 210_000,
  "Open data": 103_000,
  "Live": 50_000,
  "Partner": 26_000,
  "Sandbox": 4_000,
};
const FALLING = "Partner";
/**
 * The plan of the keys with the most calls, which lets in 2,000,000 calls in 30 days, and their
 * calls of a usual day.
 */
const BUSY = "Professional";
const busyKeys = [84_000, 75_000, 57_000, 46_000];
/** Keys that were never used. */
const SILENT = 3;

/**
 * Fills a fresh demo: 15 certificates in place of its own, 15 keys with ends, calls of 60 days, 3
 * silent keys, a delivery that was given up. The server starts again meanwhile.
 */
export async function fillDesk(server: DemoServer): Promise<void> {
  await removeCertificates(server);
  const response = await fetch(`${server.url}/v1/certificates`, {
    method: "POST",
    headers: { authorization: server.admin },
    body: certificateEnds.map(certificate).join(""),
  });
  assert.ok(response.ok, await response.text());
  // Nobody is there: what is declined now is not told.
  const channel = { name: "Portal", url: "https://portal.invalid/", topics: ["key_request.*"] };
  await server.call("POST", "/v1/channels", channel);
  const { data: [newest] } = await server.call("GET", "/v1/key-requests?state=pending&limit=1") as {
    data: { id: string }[];
  };
  await server.call("POST", `/v1/key-requests/${newest?.id}/decline`, {});
  await eventually("a delivery", () => isToBeTold(server), 100);
  await server.restart(async () => {
    const folder = server.settings.KEYDESK_DATA_DIR ?? "";
    const keys = parseSealingKeys(await Deno.readTextFile(join(folder, "sealing-key")));
    using db = new DatabaseSync(join(folder, "keydesk.db"));
    db.exec("begin");
    // What the demo counted and used gives way to what is reckoned here.
    db.exec("delete from usage_days; delete from usage_hours; delete from credential_uses");
    fillKeys(db, new Sealer(keys));
    fillCalls(db);
    const { changes } = db.prepare(
      `update deliveries set state = 'dead', due_at = null, holder = '', blocked = 0, ended_at = ?
       where state <> 'delivered'`,
    ).run(ago(1));
    assert.equal(changes, 1);
    db.exec("commit");
  });
}

/** Removes the demo's certificates, for whoever counts their own. */
export async function removeCertificates(server: DemoServer): Promise<void> {
  const { data } = await server.call("GET", "/v1/certificates?limit=100") as {
    data: { id: string }[];
  };
  await Promise.all(data.map(({ id }) => server.call("DELETE", `/v1/certificates/${id}`)));
}

async function isToBeTold(server: DemoServer): Promise<boolean> {
  // as: a page of deliveries.
  const { data } = await server.call("GET", "/v1/deliveries") as { data: unknown[] };
  return data.length > 0;
}

function certificate(days: number, index: number): string {
  const cn = `${["api", "edge", "partner", "hooks"][index % 4]}-${index}.citylines.example`;
  const end = Date.now() + days * DAY_MS + HOUR_MS;
  return made({
    cn,
    dns: [cn],
    from: asn1Time(Math.min(end, Date.now()) - 90 * DAY_MS),
    to: asn1Time(end),
    serial: `${10 + index}`,
  });
}

const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

/**
 * Everything was issued long ago, in the order of the demo: the first keys end, the last ones were
 * never used.
 */
function fillKeys(db: DatabaseSync, sealer: Sealer): void {
  // as: the columns of the table.
  const keys = db.prepare("select * from credentials order by issued_at, key_id")
    .all() as unknown as CheckedRow<"credentials">[];
  const change = db.prepare(
    "update credentials set issued_at = ?, expires_at = ?, checksum = ? where key_id = ?",
  );
  const use = db.prepare("insert into credential_uses values (?, ?, ?)");
  keys.forEach((key, at) => {
    const days = keyEnds[at];
    const issued_at = ago(200 - at);
    const expires_at = days === undefined ? null : ago(-days - 1 / 24);
    const checksum = checksumAfter(sealer, "credentials", key, { issued_at, expires_at });
    change.run(issued_at, expires_at, checksum, key.key_id);
    if (at < keys.length - SILENT) use.run(key.org_id, key.key_id, ago(1));
  });
}

/** Two months of calls: fewer at weekends, some more in the newer month. */
function fillCalls(db: DatabaseSync): void {
  const today = Math.floor(Date.now() / DAY_MS);
  const add = db.prepare(`insert into usage_days
    (org_id, kind, object_id, begins, plan_id, api_id, success, error_401, error_403, error_429,
      last_hit)
    select id, ?, ?, ?, '', '', ?, ?, 0, ?, ? from organisations`);
  const fill = (kind: string, id: string, usual: number, isFalling = false) => {
    for (let back = 60; back >= 1; back--) {
      const day = today - back;
      const calls = usual * (day % 7 < 2 ? 0.45 : 0.8 + (day * 613 % 20) / 100) *
        (back > 30 ? 0.9 : 1) * (isFalling && back <= 3 ? 0.2 : 1);
      const [success = 0, refused = 0, limited = 0] = [calls, calls / 400, calls / 90].map(
        Math.round,
      );
      add.run(kind, id, day * 24, success, refused, limited, ago(back));
    }
  };
  const idsOf = (sql: string, name: string) =>
    // as: both statements give one column of text.
    db.prepare(sql).all(name).map(({ id }) => id as string);
  for (const [name, usual] of Object.entries(volumes)) {
    const [id = ""] = idsOf("select id from plans where name = ?", name);
    fill("plan", id, usual, name === FALLING);
  }
  const busy = idsOf(
    `select key_id as id from credentials where plans =
      (select json_array(id) from plans where name = ?) order by issued_at`,
    BUSY,
  );
  busyKeys.forEach((usual, at) => fill("key", busy[at] ?? "", usual));
  fill("organisation", "", Object.values(volumes).reduce((sum, usual) => sum + usual, 0));
}

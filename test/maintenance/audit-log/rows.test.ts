/** Rows that are changed, removed or put in behind Keydesk's back are found, and where. */
import assert from "node:assert/strict";
import { hashedValue } from "../../../src/changes/audit-content.ts";
import { appendAll } from "../../../src/maintenance/audit-log/appender.ts";
import { exportedLog } from "../../../src/maintenance/audit-log/exported-log.ts";
import type { Finding } from "../../../src/maintenance/audit-log/log-found.ts";
import { verifyLines } from "../../../src/maintenance/audit-log/verify-file.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { behindItsBack, extra, fill, logOf, rowAt, told, verify } from "./log-desk.ts";

for (
  const [member, value] of Object.entries({
    actor: "'else'",
    action: "'thing.else'",
    object: "'else'",
    object_id: "'else'",
    at: "'2020-01-01T00:00:00.000Z'",
    detail: `'{"i":7}'`,
    token_id: "'else'",
    session: "'else'",
    request_id: "'else'",
    client_address: "'192.0.2.8'",
    personal: `'{"/name":"John Roe"}'`,
    salts: "'{}'",
    erased: `'{"/x":"y"}'`,
    leaf_index: "7",
  })
) {
  testOnEngines(`audit log: a changed ${member} is found, in its row`, async (desk) => {
    await fill(desk);
    const { id } = await rowAt(desk, 3);
    await behindItsBack(desk, `update audit_events set ${member} = ${value} where id = '${id}'`);
    const { findings, verified } = await verify(desk);
    const changed = findings.filter(({ wrong }) => wrong === "changed");
    assert.deepEqual(told(changed), [{ wrong: "changed", leaf_index: 3, id }]);
    // The log itself is what was signed: so it is the row.
    assert.equal(verified.head?.size, (await logOf(desk)).size);
  }, { extra });
}

testOnEngines(
  "audit log: nothing but a hash stands for an erased value, and alone",
  async (desk) => {
    await fill(desk);
    const { reader } = desk.app.ctx.storage;
    const row = await rowAt(desk, 3);
    // as: `fill` wrote it so.
    const salts = JSON.parse(row.salts) as Record<string, string>;
    const hash = hashedValue(salts["/name"] ?? "", "Jane Doe 3");
    const moved = `${salts["/name"]}`;
    const text = (value: unknown) => `'${JSON.stringify(value)}'`;
    const forged: Record<string, string> = {
      "a detail under the name of the whole":
        `erased = '{"":${row.detail}}', detail = '{"forged":1}'`,
      "a value beside its hash": `erased = ${text({ "/name": hash })}, salts = ${
        text({ client_address: salts.client_address })
      }, personal = '{"/name":"John Roe"}'`,
      "a character moved to the value": `salts = ${text({ ...salts, "/name": moved.slice(0, 31) })},
      personal = ${text({ "/name": `${moved.slice(31)}Jane Doe 3` })}`,
      "an object for a hash": `erased = '{"client_address":null}'`,
      "a member that is no JSON": `erased = '{'`,
    };
    for (const [what, set] of Object.entries(forged)) {
      const where = `where org_id = '${desk.org_id}' and id = '${row.id}'`;
      await behindItsBack(desk, `update audit_events set ${set} ${where}`);
      const expected = [{ wrong: "changed", leaf_index: 3, id: row.id }];
      assert.deepEqual(told((await verify(desk)).findings), expected, what);
      const inFile = await findingsOfFile(exportedLog(reader, desk.org_id, {}));
      assert.deepEqual(told(inFile), expected, `${what}, exported`);
      const { detail, personal, erased } = row;
      await behindItsBack(
        desk,
        `update audit_events set detail = '${detail}', personal = '${personal}',
        salts = '${row.salts}', erased = '${erased}' ${where}`,
      );
    }
    assert.deepEqual((await verify(desk)).findings, []);
  },
  { extra },
);

async function findingsOfFile(pieces: AsyncIterable<string>): Promise<Finding[]> {
  let all = "";
  for await (const piece of pieces) all += piece;
  const lines = async function* () {
    for (const [i, text] of all.trimEnd().split("\n").entries()) yield { line: i + 1, text };
  };
  const findings: Finding[] = [];
  for await (const result of verifyLines(lines(), () => ({}))) findings.push(...result.findings);
  return findings;
}

testOnEngines("audit log: a removed row is found, with its place and its time", async (desk) => {
  await fill(desk);
  const { id, at } = await rowAt(desk, 4);
  await behindItsBack(desk, `delete from audit_events where id = '${id}'`);
  const { findings } = await verify(desk);
  assert.deepEqual(told(findings), [{ wrong: "removed", leaf_index: 4, id }]);
  assert.equal(findings[0]?.at.slice(0, 19), at.slice(0, 19));
}, { extra });

testOnEngines("audit log: removed with its entry, and at either end too", async (desk) => {
  await fill(desk);
  const { size } = await logOf(desk);
  for (const n of [size - 1, 3, 0]) {
    const { id } = await rowAt(desk, n);
    await behindItsBack(
      desk,
      `delete from audit_events where id = '${id}'`,
      `delete from trail_leaves where event_id = '${id}'`,
    );
    const { findings } = await verify(desk);
    assert.ok(
      findings.some(({ wrong, leaf_index }) => wrong === "removed" && leaf_index === n),
      `${n}: ${JSON.stringify(findings)}`,
    );
  }
}, { extra });

testOnEngines("audit log: a row that was put in is found, whatever place it says", async (desk) => {
  await fill(desk);
  const { id } = await rowAt(desk, 2);
  const copy = (as: string, place: string, hash = "content_hash") =>
    `insert into audit_events (org_id, id, at, actor, action, object, object_id, detail, token_id,
      session, request_id, client_address, personal, salts, erased, content_hash, leaf_index)
    select org_id, '${as}', at, actor, action, object, object_id, detail, token_id, session,
      request_id, client_address, personal, salts, erased, ${hash}, ${place}
    from audit_events where id = '${id}'`;
  const made = ["copy", "far", "waits", "bare"].map((name) => id.slice(0, 16) + name);
  await behindItsBack(
    desk,
    copy(made[0] ?? "", "leaf_index"),
    copy(made[1] ?? "", "1000"),
    copy(made[2] ?? "", "null"),
    copy(made[3] ?? "", "null", "null"),
  );
  const { findings } = await verify(desk);
  assert.deepEqual(findings.map(({ wrong, id }) => `${wrong} ${id}`).sort(), [
    ...made.map((name) => `inserted ${name}`).sort(),
  ]);
  // A server takes in what waits: it is found all the same, now with a place.
  await appendAll(desk.app.ctx);
  const after = await verify(desk);
  const placed = after.findings.filter(({ leaf_index }) => (leaf_index ?? -1) > 5);
  assert.deepEqual(placed.map(({ wrong }) => wrong).sort(), ["changed", "inserted", "inserted"]);
}, { extra });

const forgedRow = (desk: TestDesk, id: string, place: string) =>
  `insert into audit_events
    (org_id, id, at, actor, action, object, object_id, detail, leaf_index)
  select org_id, '${id}', at, 'else', action, object, object_id, '{}', ${place}
  from audit_events where org_id = '${desk.org_id}' and leaf_index = 2`;

testOnEngines(
  "audit log: a row beside the log is found, with an entry or without",
  async (desk) => {
    await fill(desk);
    const { org_id } = desk;
    const { id } = await rowAt(desk, 2);
    const made = [["999999", "far"], ["-5", "less"], ["7777", "bare"]] as const;
    for (const [place, name] of made) {
      await behindItsBack(desk, forgedRow(desk, id.slice(0, 16) + name, place));
      if (name === "bare") continue;
      await behindItsBack(
        desk,
        `insert into trail_leaves values
        ('${org_id}', ${place}, '${id.slice(0, 16)}${name}', 'written', '00')`,
      );
    }
    await behindItsBack(desk, forgedRow(desk, "", "3"));
    const { findings } = await verify(desk);
    assert.ok(findings.every(({ wrong }) => wrong === "inserted"));
    assert.deepEqual(findings.map((one) => one.id).sort(), [
      "",
      ...made.map(([, name]) => id.slice(0, 16) + name).sort(),
    ]);
  },
  { extra },
);

/** Everything that a search finds, where that is much. */
import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import {
  everyCertificate,
  everyText,
} from "../../../src/features/certificates/certificate-stream.ts";
import { select } from "../../../src/features/certificates/selection.ts";
import type { Connection } from "../../../src/storage/storage.ts";
import { toBasics, toDetails } from "../../../src/features/certificates/stored-certificate.ts";
import { add, addBundle, asn1Time, issue, made } from "../../support/certificates.ts";
import { openTestDesk, testOnEngines } from "../../support/desk.ts";

// The index of texts finds the row behind a place by a walk from its beginning: going on by it
// costs the square.
Deno.test("sqlite: everything that a search finds asks the index of texts once", async () => {
  await using desk = await openTestDesk("sqlite", {
    environment: { KEYDESK_BODY_LIMIT: "10000000" },
  });
  const pems = Array.from(
    { length: 1300 },
    (_, i) => made({ cn: `many-${i}`, serial: (i + 4096).toString(16).padStart(6, "0") }),
  );
  await addBundle(desk, pems.join(""));
  const { storage } = desk.app.ctx;
  let asked = 0;
  let statements = 0;
  const reader: Connection = {
    ...storage.reader,
    rows: (statement, params) => {
      statements++;
      if (statement.compile("sqlite").sql.includes("certificate_search match")) asked++;
      return storage.reader.rows(statement, params);
    },
  };
  const ctx = { ...desk.app.ctx, storage: { ...storage, reader } };
  for (const [q, found] of [["many-", 1300], ["many-12", 111]] as const) {
    [asked, statements] = [0, 0];
    let rows = 0;
    for await (const part of everyCertificate(ctx, desk.org_id, select({ q }, 0), "basics")) {
      rows += part.length;
    }
    assert.equal(rows, found, q);
    assert.equal(asked, 1, q);
    assert.ok(statements > 1 && statements < 100, `${statements} statements`);
  }
  // More than go into one chunk.
  const texts: string[] = [];
  const how = { visible: "ids", separator: ",", nowMs: 0 } as const;
  for await (const { text } of everyText(ctx, desk.org_id, select({}, 0), how)) texts.push(text);
  assert.ok(texts.length > 1);
  assert.equal(new Set(JSON.parse(`[${texts.join(",")}]`)).size, pems.length);
});

testOnEngines(
  "what the engine joins reads as it is shown one by one, at every edge of time",
  async (desk) => {
    const now = Date.parse("2030-06-15T12:00:00Z");
    const [second, day] = [1000, 86_400_000];
    const long = { from: "19500101000000Z", to: "99991231235959Z" };
    const ends = [-400 * day, -day, -second, 0, second, day, 30 * day, 30 * day + second, 31 * day];
    const times = [
      long,
      ...ends.map((ms) => ({ ...long, to: asn1Time(now + ms) })),
      ...[-second, 0, second].map((ms) => ({ ...long, from: asn1Time(now + ms) })),
    ];
    await addBundle(
      desk,
      times.map((time, i) =>
        made({ ...time, cn: `"edge" ü ${i}`, ca: i % 2 === 0, serial: `0${i.toString(16)}` })
      ).join(""),
    );
    const { certificate, key } = issue({});
    await add(desk, certificate + key);
    await add(desk, String(createPublicKey(certificate).export({ type: "spki", format: "pem" })));
    const { ctx } = desk.app;
    const queries = [{}, { direction: "desc" }, { has_private: true, is_ca: false }] as const;
    // Those that the engine doesn't join go the other way.
    const others = [{ has_private: true }, { sort: "subject_cn" }, { q: "edge" }] as const;
    for (const query of [...queries, ...others]) {
      for (const nowMs of [now - 1, now, now + 1, now + 999]) {
        const selection = select(query, nowMs);
        const rows = [];
        for await (const part of everyCertificate(ctx, desk.org_id, selection, "details")) {
          rows.push(...part);
        }
        const read = async (shown: "ids" | "basics" | "details", until?: number) => {
          let text = "";
          const how = { visible: shown, separator: "\n", nowMs, until } as const;
          for await (const one of everyText(ctx, desk.org_id, selection, how)) {
            text += `${one.text}\n`;
          }
          return text.split("\n").slice(0, -1);
        };
        assert.ok(rows.length > 0);
        assert.deepEqual(
          await read("ids"),
          rows.map((row) => `"${desk.org_id}${row.fingerprint}"`),
        );
        assert.deepEqual(await read("basics"), rows.map(toBasics));
        assert.deepEqual(await read("details"), rows.map((row) => toDetails(row, nowMs)));
        const middle = Math.floor(rows.length / 2);
        assert.equal((await read("ids", rows[middle]?.position)).length, middle + 1);
      }
    }
  },
);

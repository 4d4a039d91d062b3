/** Everything that a search finds, where that is much. */
import assert from "node:assert/strict";
import { everyCertificate } from "../../../src/features/certificates/certificate-stream.ts";
import { select } from "../../../src/features/certificates/selection.ts";
import type { Connection } from "../../../src/storage/storage.ts";
import { addBundle, made } from "../../support/certificates.ts";
import { openTestDesk } from "../../support/desk.ts";

// The index of texts finds the row behind a place by a walk from its beginning: going on by it costs the square.
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
});

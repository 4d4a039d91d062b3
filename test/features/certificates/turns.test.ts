/** Long uploads leave others their turns: they are counted, not timed. */
import assert from "node:assert/strict";
import type { Principal } from "../../../src/calls/principal.ts";
import { readBundle } from "../../../src/features/certificates/certificate-uploads.service.ts";
import { uploadedFile } from "../../../src/features/certificates/uploaded-file.ts";
import { made } from "../../support/certificates.ts";
import { openTestDesk } from "../../support/desk.ts";

/** How often the event loop came round to a timer while the work went on. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let working = true;
  const turn = () => {
    turns++;
    if (working) timer = setTimeout(turn, 0);
  };
  let timer = setTimeout(turn, 0);
  await work();
  working = false;
  clearTimeout(timer);
  return turns;
}

Deno.test("turns: while a bundle of 1,850 certificates is read, others have theirs", async () => {
  await using desk = await openTestDesk("sqlite");
  const principal: Principal = { org_id: desk.org_id, user_id: "", token_id: "", permissions: [] };
  const bundle = Array.from(
    { length: 1850 },
    (_, i) => made({ cn: `c-${i}`, serial: (i + 4096).toString(16).padStart(6, "0") }),
  ).join("");
  let read = 0;
  const turns = await turnsDuring(async () => {
    const bytes = new TextEncoder().encode(bundle);
    for await (const { ok } of readBundle({ ...desk.app.ctx, principal }, bytes)) if (ok) read++;
  });
  assert.equal(read, 1850);
  assert.ok(turns > 3, String(turns));
});

Deno.test("turns: while a form of very many parts is read, others have theirs", async () => {
  const part = '--b\r\ncontent-disposition: form-data; name="x"\r\n\r\nx\r\n';
  const body = new TextEncoder().encode(`${part.repeat(200_000)}--b--\r\n`);
  const contentType = "multipart/form-data; boundary=b";
  const turns = await turnsDuring(() => uploadedFile({ bytes: body, contentType }));
  assert.ok(turns > 10, String(turns));
});

/** A client that leaves while its upload's key is derived ends the derivation. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { issue } from "../../support/certificates.ts";
import { temporaryFolder } from "../../support/command.ts";
import { processorMs } from "../../support/processor.ts";
import { startServerHere } from "../../support/server-here.ts";
import { encryptedKey } from "../../../packages/x509/test/support/encryption.ts";

const PASSPHRASE = "secret";

/** A certificate whose key took so many rounds of PBKDF2. */
function upload(rounds: number): string {
  const { certificate, key } = issue({ subject: { CN: `of ${rounds} rounds` } });
  return certificate + encryptedKey(key, PASSPHRASE, { cipher: "AES-256-CBC", rounds });
}

Deno.test({
  name: "upload: a client that leaves in the middle ends its key's derivation",
  // The threads of the server outlive it by a moment.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using folder = await temporaryFolder();
    const token = "0123456789abcdef0123456789abcdef";
    await using server = await startServerHere({
      KEYDESK_DATA_DIR: folder.path,
      KEYDESK_ADMIN_TOKEN: token,
    });
    const send = (body: string, signal?: AbortSignal) =>
      fetch(`${server.url}/v1/certificates`, {
        method: "POST",
        headers: {
          authorization: token,
          "content-type": "application/x-pem-file",
          passphrase: PASSPHRASE,
        },
        body,
        ...signal ? { signal } : {},
      });
    const [dear, dearToo] = [upload(2_000_000), upload(2_000_000)];
    const [short, other] = [upload(50_000), upload(50_001)];
    assert.equal((await send(short)).status, 200);

    const before = processorMs();
    const whole = await send(dear);
    assert.equal(whole.status, 200, await whole.text());
    const wholeMs = processorMs() - before;

    const begun = processorMs();
    const client = new AbortController();
    const left = send(dearToo, client.signal);
    while (processorMs() - begun < wholeMs / 5) await sleep(2);
    client.abort();
    await assert.rejects(left, { name: "AbortError" });
    // There is one thread: it has ended what nobody waits for, or this one comes behind it.
    assert.equal((await send(other)).status, 200);
    const took = processorMs() - begun;
    assert.ok(took < wholeMs * 0.6, `${took} ms of ${wholeMs}`);
  },
});

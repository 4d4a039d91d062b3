import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash, pbkdf2Sync } from "node:crypto";
import { derive, MOST_ROUNDS, newBudget, OverBudget, spend } from "../derivation-budget.ts";
import { occupyingThread } from "../derivation-queue.ts";
import { digests } from "../hash-chain.ts";
import { deriveNow, type KeyDerivation, type Pkcs12Derivation } from "../key-derivation.ts";
import { Unavailable } from "../refusal.ts";
import { derivePkcs12, prfNames } from "./support/encryption.ts";

const bytes = (length: number, seed = 1) =>
  Uint8Array.from({ length }, (_, i) => (i * 37 + seed * 101) % 256);
const lengths = [1, 20, 32, 65, 200];

Deno.test("key derivation: PBKDF2 is the runtime's own, by every digest", () => {
  assert.deepEqual(prfNames.toSorted(), Object.keys(digests).toSorted());
  for (const digest of prfNames) {
    for (const passphrase of [bytes(0), bytes(8), bytes(64), bytes(300)]) {
      for (
        const [rounds, salt] of [[1, bytes(0)], [2, bytes(16, 2)], [257, bytes(200, 3)]] as const
      ) {
        for (const length of lengths) {
          const derived = deriveNow({ by: "pbkdf2", passphrase, salt, rounds, digest, length });
          const expected = pbkdf2Sync(passphrase, salt, rounds, length, digest);
          assert.equal(Buffer.compare(derived, expected), 0, `${digest} ${rounds} ${length}`);
        }
      }
    }
  }
});

Deno.test("key derivation: PKCS#12's own is that of another program, by every digest", () => {
  const purposes = [1, 2, 3] as const;
  for (const digest of prfNames) {
    for (const [index, passphrase] of [null, "", "pässwörd 🔑", "x".repeat(300)].entries()) {
      const salt = bytes([0, 8, 20, 300][index] ?? 0, index);
      for (const [at, length] of lengths.entries()) {
        const purpose = purposes[at % 3] ?? 1;
        const rounds = [1, 2, 300][at % 3] ?? 1;
        const bmp = passphrase === null
          ? bytes(0)
          : Buffer.from(`${passphrase}\0`, "utf16le").swap16();
        const settings = { by: "pkcs12", salt, rounds, digest, purpose, length } as const;
        const derived = deriveNow({ ...settings, passphrase: bmp });
        const expected = plainly({ ...settings, passphrase: bmp });
        assert.equal(Buffer.compare(derived, expected), 0, `${digest} ${passphrase} ${length}`);
        if (
          digest === "sha1" || digest === "sha256" || digest === "sha384" || digest === "sha512"
        ) {
          const theirs = derivePkcs12(passphrase, salt, purpose, rounds, length, digest);
          assert.equal(Buffer.from(derived).toString("latin1"), theirs, `${digest} ${length}`);
        }
      }
    }
  }
});

Deno.test("key derivation: what was derived before changes nothing, and stays as it is", () => {
  const of = (passphrase: Uint8Array, by: "pkcs12" | "pbkdf2") =>
    deriveNow({
      by,
      passphrase,
      salt: bytes(8),
      rounds: 5,
      digest: "sha256",
      length: 32,
      purpose: 1,
    } as KeyDerivation);
  const first = of(bytes(8), "pbkdf2");
  const kept = Buffer.from(first).toString("hex");
  const other = of(bytes(9), "pkcs12");
  assert.notEqual(Buffer.compare(first, other), 0);
  assert.equal(Buffer.from(first).toString("hex"), kept);
  assert.deepEqual(of(bytes(8), "pbkdf2"), first);
});

Deno.test("key derivation: a budget is spent before anything is derived, to its last round", () => {
  const budget = newBudget();
  spend(budget, MOST_ROUNDS - 2);
  assert.throws(() => spend(budget, 3), OverBudget);
  spend(budget, 4, 0.5);
  assert.throws(() => spend(budget, 1, 0.5), OverBudget);
  assert.throws(() => spend(newBudget(), 0));
});

const short: KeyDerivation = {
  by: "pbkdf2",
  passphrase: bytes(8),
  salt: bytes(8),
  rounds: 60_000,
  digest: "sha3-512",
  length: 32,
};
/** Half an hour: no budget has so many. */
const endless: KeyDerivation = { ...short, rounds: 2_000_000_000 };

Deno.test("key derivation: the calling thread goes on while another derives", async () => {
  let isDone = false;
  let turns = 0;
  const derived = occupyingThread(() => derive(short, newBudget())).finally(() => isDone = true);
  while (!isDone) {
    await new Promise((resolve) => setTimeout(resolve));
    turns++;
  }
  assert.deepEqual(await derived, deriveNow(short));
  // On this thread it would have been one.
  assert.ok(turns > 5, `${turns} turns`);
});

Deno.test("key derivation: it ends where it is not wanted any more, under way and waiting", async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const isUnavailable = (error: unknown) => error instanceof Unavailable;
  await occupyingThread(async () => {
    const underWay = derive(endless, newBudget(first.signal));
    const waiting = derive(endless, newBudget(second.signal));
    const behind = derive(short, newBudget());
    second.abort();
    first.abort();
    await assert.rejects(underWay, isUnavailable);
    await assert.rejects(waiting, isUnavailable);
    assert.deepEqual(await behind, deriveNow(short));
  });
  await assert.rejects(derive(endless, newBudget(AbortSignal.abort())), isUnavailable);
});

Deno.test("key derivation: one that is not wanted any more takes no more of a processor", async () => {
  const name = (file: string) => JSON.stringify(new URL(`../${file}`, import.meta.url));
  const code = `
    import { cpuUsage } from "node:process";
    import { derive, newBudget } from ${name("derivation-budget.ts")};
    import { occupyingThread } from ${name("derivation-queue.ts")};
    const busy = async () => {
      const [before, began] = [cpuUsage(), performance.now()];
      await new Promise((resolve) => setTimeout(resolve, 50));
      const { user, system } = cpuUsage(before);
      return (user + system) / 1000 / (performance.now() - began);
    };
    const until = async (fits) => {
      for (let n = 0; n < 400; n++) if (fits(await busy())) return;
      throw new Error("in vain");
    };
    const controller = new AbortController();
    const derivation = {
      by: "pkcs12", digest: "sha1", rounds: 400_000_000, length: 20, purpose: 1,
      passphrase: new Uint8Array(8), salt: new Uint8Array(8),
    };
    await occupyingThread(async () => {
      const derived = derive(derivation, newBudget(controller.signal)).catch((error) => error.constructor.name);
      let rounds = 0;
      await until((share) => share > 0.2 && ++rounds > 5);
      controller.abort();
      console.log(await derived);
      await until((share) => share < 0.05);
      console.log("calm");
    });
  `;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", "--ext=ts", code],
    cwd: new URL("../../..", import.meta.url),
  }).output();
  const text = new TextDecoder().decode(stdout);
  assert.equal(text, "Unavailable\ncalm\n", new TextDecoder().decode(stderr));
});

Deno.test("key derivation: more than can wait are refused, and all others come to their end", async () => {
  await occupyingThread(async () => {
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, () => derive(short, newBudget())),
    );
    const done = all.filter(({ status }) => status === "fulfilled");
    assert.equal(done.length, 16);
  });
});

/** RFC 7292, appendix B.2, as it stands there. */
function plainly({ passphrase, salt, rounds, digest, purpose, length }: Pkcs12Derivation): Buffer {
  const { bytes: u, blockBytes: v } = digests[digest];
  const filled = (text: Uint8Array) =>
    text.length === 0
      ? Buffer.alloc(0)
      : Buffer.alloc(v * Math.ceil(text.length / v), Buffer.from(text));
  const D = Buffer.alloc(v, purpose);
  let I = Buffer.concat([filled(salt), filled(passphrase)]);
  const parts: Buffer[] = [];
  for (let n = 0; n < length; n += u) {
    let A = Buffer.concat([D, I]);
    for (let round = 0; round < rounds; round++) A = createHash(digest).update(A).digest();
    parts.push(A);
    const B = BigInt(`0x${Buffer.alloc(v, A).toString("hex")}`);
    I = Buffer.concat(Array.from({ length: I.length / v }, (_, j) => {
      const sum = BigInt(`0x${I.subarray(j * v, (j + 1) * v).toString("hex")}`) + B + 1n;
      const hex = BigInt.asUintN(8 * v, sum).toString(16).padStart(2 * v, "0");
      return Buffer.from(hex, "hex");
    }));
  }
  return Buffer.concat(parts).subarray(0, length);
}

/**
 * `deno run -A bench/keystores.ts`: what a round of key derivation costs, in turns with
 * `openssl kdf` in the same run, and what opening kept keystores takes beside `openssl pkcs12`.
 * Prints tables in Markdown. A ratio is that of the least of all turns, in which other work took
 * nothing; in brackets the least and the greatest of the turns' own. `--rounds 300000`,
 * `--turns 25`.
 */
import { parseArgs } from "node:util";
import { occupyingThread } from "../packages/x509/derivation-queue.ts";
import { type Digest, digests } from "../packages/x509/hash-chain.ts";
import { deriveNow } from "../packages/x509/key-derivation.ts";
import { readUpload } from "../packages/x509/upload.ts";
import "./machine.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "300000" },
    turns: { type: "string", default: "25" },
  },
});
const rounds = Number(values.rounds);
const turns = Number(values.turns);

const kinds = [
  { by: "pkcs12", title: "RFC 7292 B", theirs: ["PKCS12KDF"], options: ["id:3"] },
  { by: "pbkdf2", title: "PBKDF2", theirs: ["PBKDF2"], options: ["pkcs5:1"] },
] as const;
const compared: Digest[] = ["sha1", "sha224", "sha256", "sha384", "sha512", "sha3-256", "sha3-512"];

console.log("| derivation | digest | ns a round | OpenSSL | ratio |");
console.log("| --- | --- | ---: | ---: | ---: |");
for (const { by, title, theirs, options } of kinds) {
  for (const digest of compared) {
    const length = digests[digest].bytes;
    const settings = { digest, length, passphrase: bytes("70617373"), salt: bytes("00112233") };
    const ours = (count: number) =>
      by === "pbkdf2"
        ? deriveNow({ by, rounds: count, ...settings })
        : deriveNow({ by, rounds: count, purpose: 3, ...settings });
    const openssl = (count: number) => {
      const words = [`digest:${digest}`, "hexpass:70617373", "hexsalt:00112233", `iter:${count}`];
      const all = [...words, ...options].flatMap((word) => ["-kdfopt", word]);
      return run("kdf", "-keylen", String(length), ...all, ...theirs);
    };
    // What a program costs to start is none of the derivation; the engine compiles once.
    ours(50_000);
    const measured = await inTurns(() => ours(rounds), () => openssl(rounds), () => openssl(1));
    row(`| ${title} | ${digest}`, measured);
  }
}

console.log("\n| keystore | ms to open | OpenSSL | ratio |");
console.log("| --- | ---: | ---: | ---: |");
const folder = new URL("../packages/x509/test/keystores/", import.meta.url);
for (const name of ["bouncycastle-1.85", "bouncycastle-1.87", "bouncycastle-1.87-aes-cbc"]) {
  const file = new URL(`${name}.p12`, folder);
  const content = Deno.readFileSync(file);
  const options = { nowMs: Date.now(), allowExpired: true, passphrase: "pässwörd" };
  const ours = () => occupyingThread(() => readUpload(content, options));
  const words = ["-legacy", "-in", file.pathname, "-passin", "pass:pässwörd", "-noenc"];
  const measured = await inTurns(ours, () => run("pkcs12", ...words), () => run("version"));
  row(`| ${name}`, measured, 1e6);
}

type Work = () => unknown;

async function msOf(work: Work): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** `start`: what the program does besides; its least is taken off. */
async function inTurns(ours: Work, theirs: Work, start: Work) {
  const measured: { ours: number; theirs: number }[] = [];
  let startMs = Infinity;
  for (let turn = 0; turn < turns; turn++) {
    startMs = Math.min(startMs, await msOf(start));
    measured.push({ ours: await msOf(ours), theirs: await msOf(theirs) });
  }
  return measured.map((one) => ({ ...one, theirs: one.theirs - startMs }));
}

function row(title: string, measured: { ours: number; theirs: number }[], per = rounds): void {
  const ratios = measured.map(({ ours, theirs }) => ours / theirs);
  const own = Math.min(...measured.map(({ ours }) => ours));
  const other = Math.min(...measured.map(({ theirs }) => theirs));
  const shown = (ms: number) => Math.round(ms * 1e6 / per);
  const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
  const ratio = `**${(own / other).toFixed(2)}** (${range})`;
  console.log(`${title} | ${shown(own)} | ${shown(other)} | ${ratio} |`);
}

function run(...args: string[]): void {
  const { success, stderr } = new Deno.Command("openssl", { args }).outputSync();
  if (!success) throw new Error(`openssl ${args[0]}: ${new TextDecoder().decode(stderr)}`);
}

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

import { Buffer } from "node:buffer";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** For commands that read or write what OpenSSL 3 calls legacy. */
export const legacy = ["-provider", "default", "-provider", "legacy"];

/**
 * What `openssl` writes to its standard output. Throws when it is missing or fails: no test is
 * skipped.
 */
export function openssl(args: string[], input: string | Uint8Array = ""): Buffer {
  const run = spawnSync("openssl", args, { input, maxBuffer: 64 * 1024 * 1024 });
  if (run.error) throw run.error;
  if (run.status !== 0) throw new Error(`openssl ${args.join(" ")}: ${run.stderr}`);
  return run.stdout;
}

/**
 * The same with files in a folder of its own: `<name>` among the arguments is the path of that
 * file.
 */
export function opensslWith(files: Record<string, string | Uint8Array>, args: string[]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "certificates-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const named = (arg: string) => /^<.*>$/.test(arg) ? join(folder, arg.slice(1, -1)) : arg;
    return openssl(args.map(named));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

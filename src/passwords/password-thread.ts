/// <reference lib="deno.worker" />
import { hashPassword, passwordMatches } from "./password-hash.ts";
import type { PasswordJob, PasswordOutcome } from "./passwords.ts";

/** The thread that hashes: one run costs some fifty milliseconds, which must delay no other call. */
self.onmessage = async ({ data }: MessageEvent<PasswordJob>) => {
  self.postMessage(await run(data));
};

async function run(job: PasswordJob): Promise<PasswordOutcome> {
  try {
    return job.kind === "hash"
      ? { ok: true, value: await hashPassword(job.password) }
      : { ok: true, value: await passwordMatches(job.password, job.stored) };
  } catch (error) {
    return { ok: false, trace: error instanceof Error ? error.message : "hashing failed" };
  }
}

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ThreadScope } from "../thread-scope.ts";
import { hashPassword, NO_PASSWORD, passwordMatches } from "./password-hash.ts";
import type { PasswordJob, PasswordOutcome } from "./passwords.ts";

declare const self: ThreadScope<PasswordJob, PasswordOutcome>;

/** The thread that hashes: one run costs some fifty milliseconds, which may delay no call. */
self.onmessage = async ({ data }: MessageEvent<PasswordJob>) => {
  self.postMessage(await run(data));
  collect();
};

/**
 * Each run takes 19 MiB of WebAssembly's memory, which the engine sees as a small object: left to
 * itself it lets hundreds of MiB gather. This thread's heap is tiny, so collecting it after each
 * run costs little.
 */
const collect = collector();

function collector(): () => void {
  try {
    setFlagsFromString("--expose-gc");
    const gc: unknown = runInNewContext("gc");
    return typeof gc === "function" ? () => gc() : () => {};
  } catch {
    return () => {};
  }
}

async function run(job: PasswordJob): Promise<PasswordOutcome> {
  try {
    return job.kind === "hash" ? { ok: true, value: await hashPassword(job.password) } : {
      ok: true,
      value: await passwordMatches(job.password, job.stored ?? NO_PASSWORD, job.greatestCost),
    };
  } catch (error) {
    return { ok: false, trace: error instanceof Error ? error.message : "hashing failed" };
  }
}

/**
 * What each job of the console may cost its hands at most: `bench/JOBS.md` counts them, by the
 * shortest path that the console shows.
 */
import type { Counted } from "../hands.ts";

/** By the job, as it is counted. A table: one job a line. */
// deno-fmt-ignore
const MOST: Readonly<Record<string, readonly [keys: number, clicks: number]>> = {
  "Signed in by a link": [0, 1],
  "First approved key by a newcomer": [2, 6],
  "A request approved, its key shown once": [3, 4],
  "A request declined, taken back and declined": [5, 1],
  "20 decided, one by one": [51, 0],
  "20 decided in one job": [3, 1],
  "20 decided: 16 yes, 3 no with reasons, 1 with conditions": [31, 0],
  "200 decided, one by one": [501, 0],
  "200 decided in one job": [6, 1],
  "A leaked key's owner": [2, 0],
  "and revoked": [3, 0],
  "A key rotated by a one-time link": [6, 0],
  "A certificate added by file": [5, 0],
  "A certificate replaced": [5, 0],
  '"Who approved this, and why?"': [3, 0],
  "A colleague added": [10, 0],
  "Auditor: who approved this key, and why?": [3, 0],
  "Auditor: was this line altered?": [0, 2],
  "Auditor: what did this person do in the last month?": [2, 2],
  "Auditor: which keys have no end, or are unused?": [4, 2],
  "Auditor: was the audit log altered?": [0, 0],
  "Auditor: all of it as a file": [2, 1],
  // What each screen does, by the pointer.
  "Several approved": [2, 4],
  "A key suspended": [0, 4],
  "The plans of a key changed": [0, 5],
  "A key revoked": [0, 4],
  "A certificate downloaded": [0, 3],
  "A certificate deleted": [0, 4],
  "A developer registered": [1, 2],
  "A developer deactivated": [0, 4],
  "An API added": [1, 2],
  "A plan deactivated": [0, 4],
  "From the audit log to the thing": [0, 3],
  "An access token issued": [0, 7],
  "An access token revoked": [0, 6],
};

/** Throws where one of these took more keys or clicks than it may, or has no bound. */
export function refuseLonger(jobs: readonly Counted[]): void {
  for (const { job, keys, clicks } of jobs) {
    const most = MOST[job];
    if (!most) throw new Error(`${job}: say in work/most.ts what it may take`);
    if (keys > most[0] || clicks > most[1]) {
      throw new Error(`${job}: ${keys} keys and ${clicks} clicks, for ${most.join(" and ")}`);
    }
  }
}

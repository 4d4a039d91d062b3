import { toTimestamp } from "../../kernel/clock.ts";
import type { Connection } from "../../storage/storage.ts";
import { countDrifted, countDriftedOfAll, countOpenReviews } from "./config-objects.store.ts";

/** For how long a confirmation counts, and a change waits for one. */
export const REVIEW_MS = 24 * 60 * 60 * 1000;

/** How many things are other than their files, and how many changes by files wait for a person. */
export async function configState(
  db: Connection,
  org_id: string,
  now: number,
): Promise<{ drifted: number; waiting: number }> {
  const after = toTimestamp(now - REVIEW_MS);
  const [drifted, waiting] = await Promise.all([
    countDrifted(db, { org_id }),
    countOpenReviews(db, { org_id, after }),
  ]);
  return { drifted, waiting };
}

/** The warnings about things that are other than their files, a sentence for each organisation. */
export async function driftWarnings(db: Connection): Promise<string[]> {
  return (await countDriftedOfAll(db)).map(({ org_id, n }) =>
    `${driftSentence(Number(n))} in the organisation ${org_id}: keydesk config managed`
  );
}

/** Says how many things are other than their files, without a full stop. */
export function driftSentence(n: number): string {
  return n === 1
    ? "1 thing differs from the file that manages it"
    : `${n} things differ from the files that manage them`;
}

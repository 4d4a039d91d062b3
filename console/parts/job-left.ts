/** Before so many rows the pace is not known. */
const FROM_ROWS = 20;

/** The fields of a job that show its pace. */
interface Paced {
  readonly state: string;
  readonly total: number | null;
  readonly started_at: string;
  readonly done: number;
  readonly left_alone: number;
  readonly failed: number;
}

/** "about 25 s left" of a job that is under way, by its pace so far; "" while that is not known. */
export function leftOf(job: Paced, now: number): string {
  const had = job.done + job.left_alone + job.failed;
  const taken = now - Date.parse(job.started_at);
  if (job.state !== "running" || job.total === null || had < FROM_ROWS || taken <= 0) return "";
  const seconds = Math.ceil(taken / had * (job.total - had) / 1000);
  if (seconds < 60) return `about ${Math.ceil(seconds / 5) * 5} s left`;
  return `about ${Math.ceil(seconds / 60)} min left`;
}

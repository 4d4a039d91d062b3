import { say } from "../said.ts";
import { Pill } from "./pill.tsx";
import { Time } from "./time.tsx";

/** The report of a leak. */
interface Leak {
  readonly reported_at: string;
  readonly reported_by: string;
  readonly url: string | null;
}

/**
 * Says that something was reported as leaked. The place is text and never a link: anyone can have
 * named it.
 */
export function LeakMark({ of: { reported_at, reported_by, url } }: { of: Leak }) {
  const by = reported_by === "anybody" ? "a finder outside" : say`the ${reported_by}`;
  return (
    <>
      <Pill tone="bad">Leaked</Pill>{" "}
      <span class="muted">
        reported <Time at={reported_at} /> by {by}
        {url !== null && (
          <>
            , found at <span class="leak-place">{url}</span>
          </>
        )}
      </span>
    </>
  );
}

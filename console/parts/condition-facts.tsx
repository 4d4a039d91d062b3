import type { ComponentChildren } from "preact";
import type { z } from "zod";
import type { callLimit, keyConditions } from "../../src/features/keys/conditions.contract.ts";
import { grouped } from "../api/numbers.ts";
import { spanOf } from "../api/spans.ts";
import { listed } from "../said.ts";
import { Fact } from "./drawer.tsx";
import { Time } from "./time.tsx";

/** As long as this, and a quota is never renewed. */
const NEVER_RENEWED_SECONDS = 1e10;

/** "60 calls a minute", "1,000 calls in all". */
export function callsOf({ calls, seconds }: z.output<typeof callLimit>): string {
  return `${grouped(calls)} calls ${seconds < NEVER_RENEWED_SECONDS ? spanOf(seconds) : "in all"}`;
}

/** The conditions of a key besides its plans and its expiry. */
export default function ConditionFacts({ of, change }: {
  of: z.output<typeof keyConditions>;
  /** The way to other addresses, where there are some. */
  change?: ComponentChildren;
}) {
  const { addresses, rate, quota, review_at } = of;
  return (
    <>
      <Fact name="Valid from">
        {addresses && (
          <>
            <code>{listed(addresses)}</code>
            {change}
          </>
        )}
      </Fact>
      <Fact name="Own rate">{rate && callsOf(rate)}</Fact>
      <Fact name="Own quota">{quota && callsOf(quota)}</Fact>
      <Fact name="Review on">{review_at && <Time at={review_at} />}</Fact>
    </>
  );
}

import { z } from "zod";
import { denialReasons } from "../../../contract/denied-calls.ts";
import type { SealedPlace } from "../../../kernel/sealing/sealer.ts";

/** The answer that Keydesk would have given to a call that an old gateway decides. */
type ShadowResult = z.output<typeof callResult>;

const callResult = z.enum(["valid", ...denialReasons]);

const shape = z.strictObject({
  /** "": no one knows here what was presented. */
  key_id: z.string(),
  developer_id: z.string(),
  plan_id: z.string(),
  api_id: z.string(),
  /** The name of the gateway, under the name that sealed receipts and rows have. */
  door: z.string(),
  verdict: callResult,
  /** In milliseconds since 1970. */
  at: z.number(),
});

/** A call that an old gateway decides, as Keydesk saw it. */
export type ShadowCall = z.output<typeof shape>;

/** The means to seal and open receipts. */
interface Sealing {
  readonly sealer: {
    seal(place: SealedPlace, plain: string): string;
    open(place: SealedPlace, sealed: string): string;
  };
  readonly principal: { readonly org_id: string };
}

/** A receipt counts for so long: far longer than a gateway takes to let a call in. */
const GOOD_MS = 10 * 60 * 1000;

/**
 * The receipt that the gateway returns if it allows the call. It gives no access and reveals
 * nothing.
 */
export function receiptOf({ sealer, principal: { org_id } }: Sealing, call: ShadowCall): string {
  return sealer.seal(placeOf(org_id), JSON.stringify(call));
}

/** The call of a receipt; undefined: it is none of this organisation, or too old. */
export function callOf(
  { sealer, principal: { org_id } }: Sealing,
  receipt: string,
  now: number,
): ShadowCall | undefined {
  try {
    const call = shape.parse(JSON.parse(sealer.open(placeOf(org_id), receipt)));
    return Math.abs(now - call.at) <= GOOD_MS ? call : undefined;
  } catch {
    return undefined;
  }
}

function placeOf(org_id: string): SealedPlace {
  return { table: "observed_days", org_id, id: "receipt", column: "asked" };
}

import { Networks } from "../../kernel/networks.ts";
import { type CallLimit, type ConditionalRow, readConditions } from "./key-conditions.ts";

/** Conditions as gateways go by them. */
export interface GatewayConditions {
  readonly addresses: Networks | null;
  readonly rate: CallLimit | null;
  readonly quota: CallLimit | null;
}

/** The conditions; null: none. Undefined: they can't be read, so the key is valid for nothing. */
export function gatewayConditions(row: ConditionalRow): GatewayConditions | null | undefined {
  const found = readConditions(row);
  if (!found) return found;
  try {
    const { addresses, rate, quota } = found;
    return { addresses: addresses && new Networks(addresses), rate, quota };
  } catch {
    return undefined;
  }
}

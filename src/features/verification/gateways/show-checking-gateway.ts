import type { z } from "zod";
import { fileVersions, kindOfRow } from "../../../contract/checking-gateways.ts";
import { callsAMinute } from "./call-minutes.ts";
import type { checkingGateway } from "./checking-gateways.contract.ts";
import type { CheckingGatewayRow } from "./checking-gateways.store.ts";
import { isSilent } from "./silent-gateways.ts";
import { FORMER_HEADER } from "./stated-gateway.ts";

/** A gateway that checks each call, as callers see it. */
export type CheckingGateway = z.output<typeof checkingGateway>;

/** A stored gateway; `now`: whether it is silent goes by this time, in milliseconds since 1970. */
export function toCheckingGateway(row: CheckingGatewayRow, now: number): CheckingGateway {
  const { id, name, silent_minutes, version, first_call_at, last_call_at, created_by } = row;
  return {
    id,
    name,
    connection: "checks",
    kind: kindOfRow(row.kind),
    silent_minutes,
    state: stateOf(row, now),
    version,
    newer_version: newerOf(row),
    calls_a_minute: callsAMinute(row.minutes, now),
    first_call_at,
    last_call_at,
    created_at: row.created_at,
    created_by,
  };
}

function newerOf({ kind, version }: CheckingGatewayRow): string | null {
  const newest: string | undefined = Reflect.get(fileVersions, kindOfRow(kind));
  if (newest === undefined) return null;
  if (version.startsWith(FORMER_HEADER)) return newest;
  return /^\d{1,9}$/.test(version) && Number(version) < Number(newest) ? newest : null;
}

function stateOf(row: CheckingGatewayRow, now: number): CheckingGateway["state"] {
  if (row.last_call_at === null) return "waiting";
  return isSilent(row, { now, listeningSince: 0 }) ? "silent" : "calling";
}

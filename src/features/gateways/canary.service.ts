import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { type CanaryRow, canBeTried, medianMs, NEVER, SUMMED_MS } from "./canary.ts";
import type { canary, canaryRunList } from "./canary.contract.ts";
import { canaryRunsSince } from "./canary.store.ts";
import type { GatewayRow } from "./gateway.ts";
import { findGateway } from "./gateways.store.ts";

type Run = z.output<typeof canaryRunList>["data"][number];

/** The summary of a gateway's runs. */
export type CanaryView = z.output<typeof canary>;

const HOUR_MS = 60 * 60 * 1000;

/** How long a gateway takes to open and to shut, by its runs of the last hour. */
export async function canaryOf(
  { storage: { reader }, clock }: Pick<RequestContext, "storage" | "clock">,
  gateway: GatewayRow,
): Promise<CanaryView> {
  if (!canBeTried(gateway)) return { tried: "not_tried", runs: 0, last: null, median: null };
  const { org_id, id: gateway_id, probe_url, kind } = gateway;
  const since = toTimestamp(clock.now() - SUMMED_MS);
  const runs = await canaryRunsSince(reader, { org_id, gateway_id, since });
  const last = runs.at(-1);
  const isCalled = last ? last.how === "called" : kind === "tyk" && probe_url !== "";
  return {
    tried: isCalled ? "called" : "read",
    runs: runs.length,
    last: last ? toRun(last) : null,
    median: last
      ? {
        valid_after_ms: medianMs(runs.map(({ opened_ms }) => Number(opened_ms))),
        invalid_after_ms: medianMs(runs.map(({ shut_ms }) => Number(shut_ms))),
      }
      : null,
  };
}

/** The runs of the last hours, the oldest first. Throws `not_found`. */
export async function runs(
  ctx: RequestContext,
  id: string,
  hours: number,
): Promise<{ data: Run[] }> {
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  await requireGateway(ctx, id);
  const since = toTimestamp(clock.now() - hours * HOUR_MS);
  return { data: (await canaryRunsSince(reader, { org_id, gateway_id: id, since })).map(toRun) };
}

export async function requireGateway(ctx: RequestContext, id: string): Promise<void> {
  const place = { org_id: ctx.principal.org_id, id };
  if (!await findGateway(ctx.storage.reader, place)) throw new Failure("not_found");
}

function toRun({ at, how, opened_ms, shut_ms }: CanaryRow): Run {
  const msOf = (ms: number | bigint) => Number(ms) === NEVER ? null : Number(ms);
  return {
    at,
    how: how === "" ? null : how,
    valid_after_ms: msOf(opened_ms),
    invalid_after_ms: msOf(shut_ms),
  };
}

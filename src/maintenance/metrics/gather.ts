import { presentObject } from "../../contract/former-names.ts";
import process from "node:process";
import type { ServiceContext } from "../../calls/context.ts";
import type { WithMigrator } from "../../features/migration/lazy-migration/key-migrator.ts";
import type { WithVerifier } from "../../features/verification/verifier.ts";
import type { UnderWay } from "../../http/under-way.ts";
import { version } from "../../kernel/version.ts";
import type { WithStream } from "../audit-stream/audit-stream.ts";
import { by, counter, type Family, gauge, histogram, just, type Sample } from "./family.ts";
import type { StoreAnswer } from "./store-metrics.ts";

/** The parts from which metrics are taken. */
export interface Watched {
  readonly ctx: ServiceContext & WithVerifier & WithMigrator & WithStream;
  readonly underWay: UnderWay;
}

/** Every figure there is now. */
export function gather(watched: Watched, stored: StoreAnswer): Family[] {
  return [
    ...ofCalls(watched),
    ...ofLazyMigration(watched),
    ...ofDeliveries(watched),
    ...ofStorage(watched),
    ...ofStream(watched),
    ...ofStore(stored, Date.now()),
    queueLengths(watched, stored),
    queueAges(watched, stored, Date.now()),
    ...ofProcess(watched),
  ];
}

function ofCalls({ ctx, underWay }: Watched): Family[] {
  const { verifier, readCache, attempts, metrics } = ctx;
  const { results, hits, misses } = verifier.metrics;
  const staleMs = verifier.stalenessMs();
  const connections = metrics?.connections?.();
  const looked = (cache: string, outcome: string, value: number): Sample => ({
    labels: { cache, outcome },
    value,
  });
  return [
    histogram(
      "keydesk_http_request_duration_seconds",
      "Calls answered, by the time until the answer began.",
      (metrics?.calls.durations() ?? []).map(({ method, route, durations }) =>
        [{ method, route }, durations] as const
      ),
    ),
    counter(
      "keydesk_http_requests_total",
      "Calls answered.",
      (metrics?.calls.series() ?? []).map(({ method, route, status, count }) => ({
        labels: { method, route, status: String(status) },
        value: count,
      })),
    ),
    gauge("keydesk_http_requests_in_progress", "Calls under way.", just(underWay.count)),
    gauge(
      "keydesk_http_connections",
      "Open connections of clients.",
      just(connections?.open),
    ),
    gauge(
      "keydesk_http_connections_max",
      "The most connections that are possible.",
      just(connections?.most),
    ),
    counter(
      "keydesk_verifications_total",
      "Verdicts on credentials.",
      by("verdict", results.entries()),
    ),
    counter(
      "keydesk_failed_sign_ins_total",
      "Wrong credentials.",
      by("area", attempts.failures.entries()),
    ),
    counter(
      "keydesk_approvals_total",
      "Approvals that this node committed.",
      just(metrics?.approvals),
    ),
    counter("keydesk_cache_requests_total", "Look-ups in what is kept in memory.", [
      looked("answers", "hit", readCache.hits),
      looked("answers", "miss", readCache.misses),
      looked("keys", "hit", hits),
      looked("keys", "miss", misses),
    ]),
    gauge(
      "keydesk_verification_staleness_seconds",
      "How old the last look at what was revoked is.",
      just(staleMs === undefined ? undefined : staleMs / 1000),
    ),
  ];
}

function ofLazyMigration({ ctx: { migrator: { metrics } } }: Watched): Family[] {
  return [
    counter(
      "keydesk_lazy_migration_questions_total",
      "Questions to gateways with lazy migration, about unknown keys.",
      just(metrics.questions),
    ),
    counter(
      "keydesk_lazy_migration_outcomes_total",
      "Results for unknown keys.",
      by("outcome", metrics.outcomes.entries()),
    ),
  ];
}

function ofDeliveries({ ctx: { metrics } }: Watched): Family[] {
  const outcomes = Object.entries(metrics?.deliveries ?? {});
  return [
    histogram(
      "keydesk_delivery_duration_seconds",
      "Tries to deliver a message, by the time until the channel answered.",
      outcomes.map(([outcome, durations]) => [{ outcome }, durations] as const),
    ),
  ];
}

function ofStream({ ctx: { stream } }: Watched): Family[] {
  return [
    counter(
      "keydesk_audit_stream_rows_total",
      "Rows that the audit log stream has taken.",
      just(stream?.metrics.rows),
    ),
    counter(
      "keydesk_audit_stream_writes_total",
      "How often it took some.",
      just(stream?.metrics.writes),
    ),
    counter(
      "keydesk_audit_stream_behind_total",
      "Changes that were kept, and that it did not take in time.",
      just(stream?.metrics.behind),
    ),
    gauge(
      "keydesk_audit_stream_waiting",
      "Rows in memory that wait for it.",
      just(stream?.waiting),
    ),
  ];
}

function ofStorage({ ctx }: Watched): Family[] {
  const { storage, metrics } = ctx;
  const { flushes, failedReads } = storage.stats();
  const { flushes: flushTimes, pool } = storage.load();
  const log = storage.log();
  const last = ctx.writing.last();
  const aheadMs = ctx.storeClock.aheadMs();
  return [
    counter(
      "keydesk_changes_total",
      "Changes that the store was asked for.",
      by("outcome", metrics?.changes.entries() ?? []),
    ),
    histogram(
      "keydesk_commit_duration_seconds",
      "From the asking for a change until it is durable.",
      metrics ? [[{}, metrics.commits]] : [],
    ),
    histogram(
      "keydesk_flush_duration_seconds",
      "The durable end of a group of changes.",
      flushTimes ? [[{}, flushTimes]] : [],
    ),
    counter("keydesk_flushes_total", "Groups of changes made durable.", just(flushes)),
    counter("keydesk_failed_reads_total", "Reads that the disk did not answer.", just(failedReads)),
    gauge(
      "keydesk_last_commit_timestamp_seconds",
      "When a change was last kept or failed.",
      just(last && (Date.now() - last.ageMs) / 1000),
    ),
    gauge("keydesk_wal_bytes", "The size of the write-ahead log on the disk.", just(log?.bytes)),
    gauge(
      "keydesk_last_checkpoint_timestamp_seconds",
      "When the database last took over what its log holds.",
      just(log?.checkpointAt === undefined ? undefined : log.checkpointAt / 1000),
    ),
    gauge(
      "keydesk_pool_connections",
      "Connections to PostgreSQL.",
      by("state", pool ? [["in_use", pool.inUse], ["idle", pool.idle]] : []),
    ),
    gauge(
      "keydesk_pool_connections_max",
      "The most connections that are possible.",
      just(pool?.max),
    ),
    gauge("keydesk_pool_waiting", "Requests that wait for a connection.", just(pool?.waiting)),
    gauge(
      "keydesk_clock_ahead_seconds",
      "How far this machine's clock is ahead of the database's.",
      just(aheadMs === undefined ? undefined : aheadMs / 1000),
    ),
  ];
}

function ofStore({ isUp, metrics, ageMs }: StoreAnswer, now: number): Family[] {
  const oldest = metrics?.pending.oldestAt;
  return [
    gauge("keydesk_store_up", "1: the store answered.", just(isUp ? 1 : 0)),
    gauge(
      "keydesk_store_metrics_age_seconds",
      "How old the store's figures are.",
      just(metrics && ageMs / 1000),
    ),
    gauge(
      "keydesk_pending_requests",
      "Key requests that wait for a decision.",
      just(metrics?.pending.length),
    ),
    gauge(
      "keydesk_oldest_pending_request_age_seconds",
      "The age of the oldest of them.",
      just(metrics && ageOf(oldest, now)),
    ),
    gauge(
      "keydesk_certificates",
      "Certificates by their end.",
      by("band", Object.entries(metrics?.certificates ?? {})),
    ),
    gauge(
      "keydesk_failed_deliveries",
      "Deliveries that were given up.",
      just(metrics?.deadLetters),
    ),
    gauge("keydesk_channels", "Channels.", by("state", Object.entries(metrics?.channels ?? {}))),
    gauge(
      "keydesk_gateway_keys",
      "Keys that are not at a gateway as they should be.",
      by("state", Object.entries(metrics?.keysAtGateways ?? {})),
    ),
    gauge(
      "keydesk_gateways_failing",
      "Gateways that can't be reached or believed.",
      just(metrics?.failingGateways),
    ),
    gauge(
      "keydesk_canary_seconds",
      "How long the slowest gateway took to accept a key and to refuse it; 15: it did not.",
      by(
        "step",
        [
          ["open", metrics?.canaries.opened],
          ["shut", metrics?.canaries.shut],
        ].flatMap(([step, ms]) => typeof ms === "number" ? [[`${step}`, ms / 1000] as const] : []),
      ),
    ),
    gauge(
      "keydesk_gateways_slow",
      "Gateways that took over 5 s to accept a key or to refuse it, or did not.",
      just(metrics?.canaries.slow),
    ),
    gauge(
      "keydesk_damages",
      "Rows that are not as they were written.",
      by(
        "object",
        (metrics?.damages ?? []).map(({ object, n }) => [presentObject(object), n] as const),
      ),
    ),
    gauge(
      "keydesk_temporary_access_open",
      "People who hold a role for a while.",
      just(metrics?.temporaryAccesses),
    ),
    gauge(
      "keydesk_scrub_round_timestamp_seconds",
      "When the present round of the scrub began.",
      just(metrics?.scrubRoundAt == null ? undefined : metrics.scrubRoundAt / 1000),
    ),
  ];
}

function queueLengths({ ctx }: Watched, { metrics }: StoreAnswer): Family {
  const { changes } = ctx.storage.load();
  const stored = Object.entries(metrics?.queues ?? {});
  return gauge(
    "keydesk_queue_length",
    "Waiting items.",
    by("queue", [
      ["commit", changes.length],
      ...stored.map(([queue, { length }]) => [queue, length] as const),
    ]),
  );
}

function queueAges({ ctx }: Watched, { metrics }: StoreAnswer, now: number): Family {
  const { changes } = ctx.storage.load();
  const stored = Object.entries(metrics?.queues ?? {});
  return gauge(
    "keydesk_queue_oldest_item_age_seconds",
    "How long the oldest item has waited.",
    by("queue", [
      ["commit", changes.oldestMs / 1000],
      ...stored.map(([queue, { oldestAt }]) => [queue, ageOf(oldestAt, now)] as const),
    ]),
  );
}

function ofProcess({ ctx }: Watched): Family[] {
  const { rss, heapUsed, heapTotal } = Deno.memoryUsage();
  const { user, system } = process.cpuUsage();
  return [
    gauge("keydesk_info", "The running release.", [{
      labels: { version, engine: ctx.storage.reader.dialect },
      value: 1,
    }]),
    gauge(
      "keydesk_problem",
      "1 while the problem lasts.",
      ctx.problems.current().map(({ name, stops }) => ({
        labels: { problem: name, stops },
        value: 1,
      })),
    ),
    histogram(
      "keydesk_event_loop_delay_seconds",
      "How late the serving thread came to a timer.",
      ctx.metrics ? [[{}, ctx.metrics.loopDelay]] : [],
    ),
    gauge(
      "keydesk_heap_bytes",
      "The serving thread's heap.",
      by("state", [["used", heapUsed], ["reserved", heapTotal]]),
    ),
    gauge("process_resident_memory_bytes", "Memory of the whole process.", just(rss)),
    counter(
      "process_cpu_seconds_total",
      "Processor time of the whole process.",
      just((user + system) / 1e6),
    ),
    gauge(
      "process_start_time_seconds",
      "When the process began.",
      just(performance.timeOrigin / 1000),
    ),
  ];
}

/** Seconds since then; 0 where there is nothing, or it lies ahead. */
function ageOf(at: number | null | undefined, now: number): number {
  return at === null || at === undefined ? 0 : Math.max(0, (now - at) / 1000);
}

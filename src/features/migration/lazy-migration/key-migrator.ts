import { toTimestamp } from "../../../kernel/clock.ts";
import { once } from "../../../kernel/once.ts";
import type { CallOrigin } from "../../verification/call-origin.ts";
import type { Migrator } from "../../verification/migrator.ts";
import type { MigrationContext, SourceGateway } from "./migration-context.ts";
import { sourcesOf } from "./lazy-migration.store.ts";
import { MigrationMetrics } from "./migration-metrics.ts";

/** For how long it is remembered which gateways of an organisation teach. */
const REMEMBERED_MS = 1000;
const MOST_REMEMBERED = 10_000;

/** The context of a service that reports lazy migration. */
export interface WithMigrator {
  readonly migrator: KeyMigrator;
}

/**
 * Learns keys from the gateways of an organisation that teach. It knows which do as of its
 * last look; before the first one any may.
 */
export class KeyMigrator implements Migrator {
  readonly metrics = new MigrationMetrics();
  readonly #sources = new Map<string, { until: number; all: readonly SourceGateway[] }>();
  // Loaded at its first use: most servers never migrate keys.
  readonly #unknownKeys = once(async () => {
    const { UnknownKeys } = await import("./unknown-keys.service.ts");
    return new UnknownKeys(this.ctx, this.metrics);
  });

  constructor(private readonly ctx: MigrationContext) {}

  async look(org_id: string): Promise<void> {
    await this.#sourcesOf(org_id);
  }

  mayMigrate(org_id: string): boolean {
    return this.#sources.get(org_id)?.all.length !== 0;
  }

  async migrate(
    org_id: string,
    presented: string,
    hash: string,
    origin: CallOrigin,
  ): Promise<boolean> {
    const sources = this.#sources.get(org_id)?.all ?? await this.#sourcesOf(org_id);
    if (sources.length === 0) return false;
    return await (await this.#unknownKeys()).take(sources, presented, hash, origin);
  }

  async #sourcesOf(org_id: string): Promise<readonly SourceGateway[]> {
    const before = performance.now();
    const known = this.#sources.get(org_id);
    if (known && before < known.until) return known.all;
    const now = toTimestamp(this.ctx.clock.now());
    const all = await sourcesOf(this.ctx.storage.reader, { org_id, now });
    if (this.#sources.size >= MOST_REMEMBERED) this.#sources.clear();
    this.#sources.set(org_id, { until: before + REMEMBERED_MS, all });
    return all;
  }
}

import { toTimestamp } from "../../../kernel/clock.ts";
import { once } from "../../../kernel/once.ts";
import type { Knock } from "../../verification/call-origin.ts";
import type { Learner } from "../../verification/migrator.ts";
import type { LearningContext, Teacher } from "./migration-context.ts";
import { teachersOf } from "./lazy-migration.store.ts";
import { LearningFigures } from "./migration-metrics.ts";

/** For how long it is remembered which gateways of an organisation teach. */
const REMEMBERED_MS = 1000;
const MOST_REMEMBERED = 10_000;

/** The context of a service that reports lazy migration. */
export interface WithLearner {
  readonly learner: KeyLearner;
}

/**
 * Learns keys from the gateways of an organisation that teach. It knows which do as of its
 * last look; before the first one any may.
 */
export class KeyLearner implements Learner {
  readonly figures = new LearningFigures();
  readonly #teachers = new Map<string, { until: number; all: readonly Teacher[] }>();
  // Loaded where it is asked: most desks never learn.
  readonly #lessons = once(async () => {
    const { Lessons } = await import("./unknown-keys.service.ts");
    return new Lessons(this.ctx, this.figures);
  });

  constructor(private readonly ctx: LearningContext) {}

  async look(org_id: string): Promise<void> {
    await this.#teachersOf(org_id);
  }

  mayLearn(org_id: string): boolean {
    return this.#teachers.get(org_id)?.all.length !== 0;
  }

  async learn(org_id: string, presented: string, hash: string, knock: Knock): Promise<boolean> {
    const teachers = this.#teachers.get(org_id)?.all ?? await this.#teachersOf(org_id);
    if (teachers.length === 0) return false;
    return await (await this.#lessons()).take(teachers, presented, hash, knock);
  }

  async #teachersOf(org_id: string): Promise<readonly Teacher[]> {
    const before = performance.now();
    const known = this.#teachers.get(org_id);
    if (known && before < known.until) return known.all;
    const now = toTimestamp(this.ctx.clock.now());
    const all = await teachersOf(this.ctx.storage.reader, { org_id, now });
    if (this.#teachers.size >= MOST_REMEMBERED) this.#teachers.clear();
    this.#teachers.set(org_id, { until: before + REMEMBERED_MS, all });
    return all;
  }
}

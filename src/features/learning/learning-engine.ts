import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import type { GatewayContext } from "../gateways/gateway-context.ts";
import { GatewayAway } from "../gateways/kind.ts";
import { callsOf } from "../gateways/kinds.ts";
import { Pace } from "../gateways/pace.ts";
import { endOfSession } from "../gateways/tyk/tyk-session.ts";
import { AskedGateway } from "./asked-gateway.ts";
import { type Found, settleAsked } from "./ask-anew.transactions.ts";
import type { Teacher } from "./learning-context.ts";
import { AT_REST_MS, IN_USE_MS } from "./learning.ts";
import { dueAtRest, dueInUse, everyTeacher, findBrought, learningLease } from "./learning.store.ts";
import { leaveLearning, takeLearningTurn } from "./learning.transactions.ts";
import { standingOf } from "./lesson.ts";

/** Keys that are read from the store at once. */
const KEYS = 100;
/** A turn lasts so long at the most, behind which the right is renewed. */
const TURN_MS = 4000;

/**
 * Asks gateways that teach about what was learned from them: about keys in use each minute, about
 * the others daily. Any number of nodes may do so over one store: one at a time does.
 */
export class LearningEngine {
  readonly #id: string;
  readonly #asked = new Map<string, { how: string; gateway: AskedGateway; pace: Pace }>();
  #holds = false;
  #isLeaving = false;

  constructor(private readonly ctx: GatewayContext) {
    this.#id = newId(ctx.clock.now());
  }

  /** One turn over every gateway. True: something was asked, and more may be due. */
  async turn(): Promise<boolean> {
    const { storage, storeClock, clock } = this.ctx;
    const { reader } = storage;
    const teachers = await everyTeacher(reader, { now: toTimestamp(clock.now()) });
    if (teachers.length === 0) return false;
    if (await learningLease.isOthers(reader, this.#id, await storeClock.now())) return false;
    const right = { holder: this.#id, now: await storeClock.now() };
    this.#holds = await storage.commit(takeLearningTurn, right);
    if (!this.#holds) return false;
    const asked = await Promise.all(teachers.map((teacher) => this.#askAt(teacher)));
    return asked.includes(true);
  }

  /** A turn under way ends with the key that it asks about. */
  leaves(): void {
    this.#isLeaving = true;
  }

  /** Leaves the asking to the other nodes at once, where no turn is under way. */
  async giveBack(): Promise<void> {
    if (!this.#holds) return;
    this.#holds = false;
    await this.ctx.storage.commit(leaveLearning, { holder: this.#id });
  }

  /** What holds one gateway up holds no other up. Gives whether it was asked about some keys. */
  async #askAt(teacher: Teacher): Promise<boolean> {
    const { storage: { reader }, clock } = this.ctx;
    const { org_id, id: gateway_id, questions_per_second } = teacher;
    const until = performance.now() + TURN_MS;
    const now = clock.now();
    const place = { org_id, gateway_id };
    const inUse = await dueInUse(
      reader,
      { ...place, asked_by: toTimestamp(now - IN_USE_MS) },
      KEYS,
    );
    const due = inUse.length > 0
      ? inUse
      : await dueAtRest(reader, { ...place, asked_by: toTimestamp(now - AT_REST_MS) }, KEYS);
    let isAny = false;
    try {
      for (const { key_id, remote_id } of due) {
        if (performance.now() > until || this.#isLeaving) break;
        const { gateway, pace } = await this.#askedOf(teacher);
        await pace.wait(Number(questions_per_second));
        isAny = await this.#askAbout(gateway, { org_id, gateway_id, key_id }, remote_id) || isAny;
      }
    } catch (error) {
      // What can't be told now is asked at a later turn, and what nobody foresaw is told of.
      if (!(error instanceof GatewayAway) && !isAway(error)) throw error;
      return false;
    }
    return isAny;
  }

  /** Gives whether it need not be asked about again at once. */
  async #askAbout(
    gateway: AskedGateway,
    place: { org_id: string; gateway_id: string; key_id: string },
    remote_id: string,
  ): Promise<boolean> {
    const { storage, clock } = this.ctx;
    const asked = clock.now();
    const brought = await findBrought(storage.reader, place);
    const session = await gateway.session(remote_id);
    const found: Found = session ? foundIn(session, clock.now()) : { is: "gone" };
    const seen = brought ? Number(brought.wanted) : null;
    const isUnderWay = brought?.state === "waiting" && found.is !== "open";
    await storage.commit(settleAsked, { ...place, seen, found, asked, now: clock.now() });
    return !isUnderWay;
  }

  async #askedOf(teacher: Teacher) {
    const { id, url, secret, canary } = teacher;
    const how = JSON.stringify([url, secret, canary]);
    const known = this.#asked.get(id);
    if (known?.how === how) return known;
    const gateway = new AskedGateway(await callsOf(this.ctx, teacher), canary);
    const made = { how, gateway, pace: known?.pace ?? new Pace() };
    this.#asked.set(id, made);
    return made;
  }
}

function foundIn(session: Readonly<Record<string, unknown>>, now: number): Found {
  const standing = standingOf(session, now);
  if (standing !== "over") return { is: standing };
  return { is: "over", at: endOfSession(session) ?? now };
}

function isAway(error: unknown): boolean {
  return error instanceof Failure && error.code === "unavailable";
}

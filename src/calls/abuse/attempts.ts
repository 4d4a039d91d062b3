import type { Clock } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { Tally } from "../../kernel/metrics/tally.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { BoundedCounters, type Limit, limitOfOne } from "./bounded-counters.ts";

/**
 * The targets of guessing: access tokens, secrets of OAuth clients, tokens of one-time links,
 * passwords that people chose. Each report of a leak and each requested code counts as a failure
 * too.
 */
type Area = "access" | "client" | "one_time_link" | "leak" | "code" | Guessed;

/** The guessable ones: they must withstand every attempt let through. */
type Guessed = "password" | "one_time_code";

/** The caller to whom failed attempts are counted. */
interface Attempter {
  /** As ClientAddresses gives it; undefined for a call in process, which no stranger can make. */
  address: string | undefined;
  /**
   * The user name or client_id. If several organisations could know it, with the organisation
   * before it.
   */
  name?: string;
  /** Lower-case hex SHA-256 of what was presented. */
  credential?: string;
}

/**
 * The attempt of a password or a one-time code, under way. It counts as failed until one of these
 * says otherwise.
 */
interface Attempt {
  /** It was the right one: the name's failures are forgotten, and the address is not charged. */
  succeeded(): void;
  /** The password or code was wrong, and the answer said so. */
  failed(): void;
  /** No one looked (the store was away, the server too busy): nothing is charged. */
  withdrawn(): void;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Keys that each counter holds: about 20 MiB for all of them in the worst case. */
const MOST_KEYS = 10_000;

/** Guessing an unguessable secret only costs work. */
const LIMITS = {
  access: {
    address: { free: 20, firstMs: SECOND, longestMs: MINUTE },
    credential: { free: 10, firstMs: SECOND, longestMs: MINUTE },
  },
  client: {
    address: { free: 20, firstMs: SECOND, longestMs: MINUTE },
    name: { free: 10, firstMs: SECOND, longestMs: MINUTE },
    credential: { free: 10, firstMs: SECOND, longestMs: MINUTE },
  },
  one_time_link: {
    address: { free: 20, firstMs: SECOND, longestMs: MINUTE },
    credential: { free: 10, firstMs: SECOND, longestMs: MINUTE },
  },
  leak: {
    // Of several at once that one scanner sends.
    address: { free: 60, firstMs: SECOND, longestMs: MINUTE },
  },
  code: {
    address: { free: 30, firstMs: SECOND, longestMs: 5 * MINUTE },
  },
  password: {
    // A portal's server asks for all its visitors.
    address: { free: 100, firstMs: SECOND, longestMs: MINUTE },
    name: { free: 5, firstMs: SECOND, longestMs: 5 * MINUTE },
  },
  one_time_code: {
    address: { free: 20, firstMs: SECOND, longestMs: MINUTE },
    name: { free: 5, firstMs: SECOND, longestMs: 5 * MINUTE },
  },
} as const satisfies Record<Area, Partial<Record<keyof Attempter, Limit>>>;

/**
 * Limits failed authentications by address, name and presented credential; of this process alone,
 * in bounded memory. Each of `processes` that serve together allows its part, so that all of them
 * allow what one would. An attempt that is refused while its wait lasts is not counted, so that the
 * wait ends at the announced time.
 */
export class Attempts {
  readonly #clock: Clock;
  readonly #counters = new Map<string, BoundedCounters>();
  /** How often something wrong was presented; what is asked for or reported is nothing wrong. */
  readonly failures = new Tally<Exclude<Area, "leak" | "code" | "one_time_code">>([
    "access",
    "client",
    "one_time_link",
    "password",
  ]);

  constructor(clock: Clock, { mostKeys = MOST_KEYS, processes = 1 } = {}) {
    this.#clock = clock;
    for (const [area, limits] of Object.entries(LIMITS)) {
      for (const [kind, limit] of Object.entries(limits)) {
        const counters = new BoundedCounters(limitOfOne(limit, processes), mostKeys);
        this.#counters.set(`${area} ${kind}`, counters);
      }
    }
  }

  /**
   * Before a password or a one-time code is looked at: throws `too_many_requests` while the name or
   * the address has to wait, for the right one too. Else the attempt counts as failed at once, so
   * that many at the same moment don't all pass.
   */
  begin(
    who: { address: string | undefined; name: string },
    area: Guessed = "password",
  ): Attempt {
    const now = this.#clock.now();
    const keys = this.#keysOf(area, who);
    const waitMs = longestWait(keys, now);
    if (waitMs > 0) throw tooMany(waitMs);
    const undo = keys.map(([counters, key]) => counters.add(key, now));
    const withdrawn = () => undo.splice(0).forEach((takeBack) => takeBack());
    return {
      withdrawn,
      // A one-time code is half of a sign-in.
      failed: () => this.failures.add(area === "password" ? area : "access"),
      succeeded: () => {
        withdrawn();
        const name = this.#counters.get(`${area} name`);
        name?.forget(keyOf(who.name));
      },
    };
  }

  /**
   * After something unguessable (256 bits of ours) turned out to be wrong; what is right always
   * passes, so that no one can lock others out. Gives the `too_many_requests` to answer, or
   * undefined where this one was counted and the ordinary refusal is the answer.
   */
  failed(area: Exclude<Area, Guessed>, who: Attempter): Failure | undefined {
    if (area !== "leak" && area !== "code") this.failures.add(area);
    if (who.address === undefined) return undefined;
    const waits = this.mustWait(area, who);
    if (waits) return waits;
    const now = this.#clock.now();
    for (const [counters, key] of this.#keysOf(area, who)) counters.add(key, now);
    return undefined;
  }

  /** The `too_many_requests` where something of this has to wait, or undefined. Counts nothing. */
  mustWait(area: Exclude<Area, Guessed>, who: Attempter): Failure | undefined {
    if (who.address === undefined) return undefined;
    const waitMs = longestWait(this.#keysOf(area, who), this.#clock.now());
    return waitMs > 0 ? tooMany(waitMs) : undefined;
  }

  /**
   * True while this very credential, by its SHA-256, has to wait: it was wrong often, and need not
   * be looked up.
   */
  isWrong(area: Exclude<Area, Guessed>, credential: string): boolean {
    const counters = this.#counters.get(`${area} credential`);
    if (!counters || counters.size === 0) return false;
    return counters.waitOf(credential, this.#clock.now()) > 0;
  }

  /** How many keys are held in all. */
  get size(): number {
    return [...this.#counters.values()].reduce((sum, { size }) => sum + size, 0);
  }

  #keysOf(area: Area, { address, name, credential }: Attempter): [BoundedCounters, string][] {
    const given = { address, name: name && keyOf(name), credential };
    const keys: [BoundedCounters, string][] = [];
    for (const [kind, key] of Object.entries(given)) {
      const counters = this.#counters.get(`${area} ${kind}`);
      if (counters && key) keys.push([counters, key]);
    }
    return keys;
  }
}

/** A name is as long as its sender likes; its hash is not. */
function keyOf(name: string): string {
  return sha256(name);
}

function longestWait(keys: readonly [BoundedCounters, string][], now: number): number {
  return Math.max(0, ...keys.map(([counters, key]) => counters.waitOf(key, now)));
}

function tooMany(waitMs: number): Failure {
  return new Failure("too_many_requests", { retryAfterSeconds: Math.ceil(waitMs / 1000) });
}

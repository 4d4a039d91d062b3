/** The origin of a question, by its gateway. */
export interface Source {
  readonly gateway: string;
  /** The network of the visitor's address; "": no one knows it. */
  readonly network: string;
}

/** So many questions of one network at one gateway wait at a time. */
const MOST_OF_ONE = 32;
/** And so many in all. */
const MOST = 2000;

/**
 * So many turns a second, given out in equal shares: each gateway that has questions gets as many
 * as another one, and of a gateway's turns each network as many as another one; what a person
 * leaves the others have. So anyone who asks without end uses up their own share alone.
 */
export class FairTurns {
  #tokens: number;
  #filledAt: number;
  #waiting = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Gateways in the order in which they have their turns, each with its networks in the same. */
  readonly #gateways = new Map<string, Map<string, Waiting[]>>();

  constructor(public perSecond: number, private readonly now = () => performance.now()) {
    this.#tokens = perSecond;
    this.#filledAt = now();
  }

  /** Waits for a turn, at most so long. False: none came, or too many wait. */
  async take({ gateway, network }: Source, waitMs: number): Promise<boolean> {
    this.#fill();
    if (this.#waiting === 0 && this.#tokens >= 1) {
      this.#tokens--;
      return true;
    }
    const networks = this.#gateways.get(gateway) ?? new Map<string, Waiting[]>();
    const own = networks.get(network) ?? [];
    if (own.length >= MOST_OF_ONE || this.#waiting >= MOST) return false;
    return await new Promise((resolve) => {
      const one: Waiting = { until: this.now() + waitMs, resolve };
      own.push(one);
      networks.set(network, own);
      this.#gateways.set(gateway, networks);
      this.#waiting++;
      this.#schedule();
    });
  }

  /** In how many seconds it is worth trying again. */
  retryAfterSeconds(): number {
    return Math.min(LONGEST_RETRY, Math.max(1, Math.ceil(this.#waiting / this.perSecond)));
  }

  #fill(): void {
    const now = this.now();
    this.#tokens = Math.min(
      Math.max(1, this.perSecond),
      this.#tokens + (now - this.#filledAt) * this.perSecond / 1000,
    );
    this.#filledAt = now;
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#waiting === 0) return;
    const ms = Math.max(1, (1 - this.#tokens) * 1000 / this.perSecond);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#serve();
    }, Math.min(ms, LOOK_MS));
  }

  #serve(): void {
    this.#fill();
    this.#giveUp();
    while (this.#waiting > 0 && this.#tokens >= 1) {
      const next = this.#next();
      if (!next) break;
      this.#tokens--;
      next.resolve(true);
    }
    this.#schedule();
  }

  /**
   * The first of the network whose turn it is at the gateway whose turn it is; both go last then.
   */
  #next(): Waiting | undefined {
    for (const [gateway, networks] of this.#gateways) {
      this.#gateways.delete(gateway);
      for (const [network, waiting] of networks) {
        networks.delete(network);
        const one = waiting.shift();
        if (waiting.length > 0) networks.set(network, waiting);
        if (networks.size > 0) this.#gateways.set(gateway, networks);
        if (!one) break;
        this.#waiting--;
        return one;
      }
    }
    return undefined;
  }

  /** Sends away who has waited for too long. */
  #giveUp(): void {
    const now = this.now();
    for (const [gateway, networks] of this.#gateways) {
      for (const [network, waiting] of networks) {
        while (waiting[0] && waiting[0].until <= now) {
          waiting.shift()?.resolve(false);
          this.#waiting--;
        }
        if (waiting.length === 0) networks.delete(network);
      }
      if (networks.size === 0) this.#gateways.delete(gateway);
    }
  }
}

interface Waiting {
  readonly until: number;
  readonly resolve: (hasTurn: boolean) => void;
}

/** Waiting questions are checked so often, so that none waits much longer than it should. */
const LOOK_MS = 50;
const LONGEST_RETRY = 30;

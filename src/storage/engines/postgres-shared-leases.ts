import type { Lease, PostgresServers } from "./postgres-servers.ts";

/** So many readers share a connection at a time. */
const MOST_READERS = 16;
/** While so many connections are shared, who comes waits for one of them, or for `GATHERING_MS`. */
const FEW = 2;
const GATHERING_MS = 1;

/** A lease that others share. */
interface SharedLease {
  readonly lease: Lease;
  /** To be called once, after the answer. `isLost`: the connection can't be used any more. */
  end(isLost: boolean): void;
}

/** Readers who leave together. */
interface Flight {
  readonly readers: PromiseWithResolvers<SharedLease>[];
  isLeaving: boolean;
  timer?: ReturnType<typeof setTimeout>;
}

/**
 * Connections for statements that read by themselves. Readers who come at about the same time share
 * one, and what they ask is sent in one piece: sending and being woken cost more than most of the
 * answers. Each statement still sees what was committed before it was asked.
 */
export class SharedLeases {
  readonly #servers: Pick<PostgresServers, "lease">;
  #flight: Flight | undefined;
  #underWay = 0;

  constructor(servers: Pick<PostgresServers, "lease">) {
    this.#servers = servers;
  }

  /**
   * Throws what `PostgresServers.lease` throws. The caller asks one question with it, and that at
   * once.
   */
  lease(): Promise<SharedLease> {
    const reader = Promise.withResolvers<SharedLease>();
    const flight = this.#flight ??= { readers: [], isLeaving: false };
    flight.readers.push(reader);
    if (flight.readers.length === MOST_READERS) {
      this.#flight = undefined;
      this.#leave(flight);
    } else if (this.#underWay < FEW) this.#leave(flight);
    else flight.timer ??= setTimeout(() => this.#leave(flight), GATHERING_MS);
    return reader.promise;
  }

  /** Until there is a connection others may still join. */
  #leave(flight: Flight | undefined): void {
    if (!flight || flight.isLeaving) return;
    flight.isLeaving = true;
    clearTimeout(flight.timer);
    this.#underWay++;
    this.#servers.lease()
      .then((lease) => this.#share(lease, flight), (error) => {
        this.#close(flight);
        for (const reader of flight.readers) reader.reject(error);
        this.#landed();
      });
  }

  #close(flight: Flight): void {
    if (this.#flight === flight) this.#flight = undefined;
  }

  #share(lease: Lease, flight: Flight): void {
    this.#close(flight);
    const { readers } = flight;
    let left = readers.length;
    let lost = false;
    const end = (isLost: boolean) => {
      lost ||= isLost;
      if (--left > 0) return;
      if (lost) lease.discard();
      else lease.release();
      this.#landed();
    };
    for (const reader of readers) reader.resolve({ lease, end });
  }

  #landed(): void {
    this.#underWay--;
    this.#leave(this.#flight);
  }
}

import process from "node:process";
import type { Connection } from "./storage.ts";

/** So many rows are asked for by one statement at the most. */
const MOST = 32;
/**
 * While so many statements are under way, who comes waits for the end of one of them, or for
 * `GATHERING_MS`.
 */
const FEW = 2;
const GATHERING_MS = 1;

/** Finds one row of an organisation by its id; undefined: there is none. */
type Lookup<Row> = (db: Connection, org_id: string, id: string) => Promise<Row | undefined>;

/**
 * Look-ups of single rows that are asked for at about the same time as one statement: to a database
 * server, each statement costs several times what its row does. It is sent after the last of them
 * was asked for. `find` gives the rows of these ids in any order, `idOf` the id of a row.
 */
export function gatheredLookup<Row>(
  find: (db: Connection, org_id: string, ids: readonly string[]) => Promise<Row[]>,
  idOf: (row: Row) => string,
): Lookup<Row> {
  const stores = new WeakMap<Connection, Map<string, Gathering<Row>>>();
  return (asking, org_id, id) => {
    const { reader: db, waitFor } = asking.shared ?? { reader: asking, waitFor: undefined };
    const organisations = stores.get(db) ?? new Map<string, Gathering<Row>>();
    stores.set(db, organisations);
    let gathering = organisations.get(org_id);
    if (!gathering) {
      const findAll = async (ids: readonly string[]) =>
        new Map((await find(db, org_id, ids)).map((row) => [idOf(row), row]));
      gathering = new Gathering(findAll, () => organisations.delete(org_id));
      organisations.set(org_id, gathering);
    }
    const together = gathering;
    return waitFor ? waitFor(() => together.find(id)) : together.find(id);
  };
}

/** The look-ups of one organisation. */
class Gathering<Row> {
  readonly #find: (ids: readonly string[]) => Promise<ReadonlyMap<string, Row>>;
  readonly #idle: () => void;
  #waiting = new Map<string, PromiseWithResolvers<Row | undefined>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #underWay = 0;
  /** True until the end of a turn in which it is sent. */
  #isDue = false;

  /** `idle` is called when nothing is under way any more. */
  constructor(
    find: (ids: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
    idle: () => void,
  ) {
    this.#find = find;
    this.#idle = idle;
  }

  find(id: string): Promise<Row | undefined> {
    const asked = this.#waiting.get(id) ?? Promise.withResolvers<Row | undefined>();
    this.#waiting.set(id, asked);
    if (this.#waiting.size >= MOST) this.#send();
    else if (this.#underWay < FEW) this.#sendBehindThese();
    else this.#timer ??= setTimeout(() => this.#send(), GATHERING_MS);
    return asked.promise;
  }

  /** Sends at the end of this turn of the event loop, in which others still ask. */
  #sendBehindThese(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    process.nextTick(() => {
      this.#isDue = false;
      if (this.#waiting.size > 0) this.#send();
    });
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const asked = this.#waiting;
    this.#waiting = new Map();
    this.#underWay++;
    this.#find([...asked.keys()]).then((rows) => {
      for (const [id, { resolve }] of asked) resolve(rows.get(id));
    }, (error) => {
      for (const { reject } of asked.values()) reject(error);
    }).finally(() => {
      this.#underWay--;
      if (this.#waiting.size > 0) this.#send();
      else if (this.#underWay === 0) this.#idle();
    });
  }
}

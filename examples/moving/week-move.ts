/** Both sides of a week in which both run: the gateway with its plugin, Keydesk, and who calls. */
import { randomBytes } from "node:crypto";
import { askGateway, askKeydesk, type Door, openDoor, type Place } from "./door.ts";
import { ids, ORG } from "./fill.ts";
import type { Gateway } from "./gateway.ts";
import { atGateway, GATEWAY_SECRET } from "./gateway-interface.ts";
import { rawKey } from "./keys.ts";
import type { Original } from "./original.ts";
import { observing, type Told } from "./plugin.ts";
import { Tally } from "./tally.ts";
import type { DayOfWeek, Kept } from "./week.ts";
import { type Desk, startDesk, until } from "./week-desk.ts";
import { filledForWeek, type Keeper } from "./week-keys.ts";

/** Who decides about a plan's keys. */
export type Decided = "keydesk" | "gateway";

/** A place with what Keydesk answered to the gateway there. */
export interface ObservedPlace extends Place {
  readonly told: Told;
}

/** What a rehearsal of a week works with. */
export interface Move extends AsyncDisposable {
  readonly desk: Desk;
  readonly original: Original;
  readonly gateway: OldGateway;
  readonly keepers: Keeper[];
  readonly door: Door;
  /** The gateway decides, and asks Keydesk by its plugin. */
  readonly observed: ObservedPlace;
  /** Keydesk alone decides. */
  readonly takesOver: Place;
  readonly tally: Tally;
  /** How often a plan was switched over or back. */
  readonly switches: number;
  /** Each of them calls once. */
  calls(those: readonly Keeper[]): Promise<void>;
  /** A key that is issued at the original; nobody is its holder yet. */
  issueThere(developer_id: string): Promise<Keeper>;
  /** Switches these plans, else all that have keys; resolves once that counts. */
  decide(decided: Decided, plans?: readonly string[]): Promise<void>;
  rowsOfSwitches(): Promise<number>;
  /** Resolves once the meter shows every call of today; throws where it shows another number. */
  meterShowsAll(): Promise<void>;
  /** Lets so many days go by, and gives what the meter says of the last of them. */
  goAhead(days: number): Promise<Omit<DayOfWeek, "what">>;
  promise(promise: string, isKept: boolean, seen: string): void;
  promises(): Kept[];
}

/** Starts both sides, filled. */
export async function startMove(
  folder: string,
  { developers, callers }: { developers: number; callers: number },
): Promise<Move> {
  const { original, keepers } = await filledForWeek(developers);
  const gateway = new OldGateway(original.gateway);
  const desk = await startDesk(folder, gateway.host);
  gateway.desk = desk;
  const token = (await desk.command("token", "create", "gateway", "--allow", "verify")).trim();
  const ofGateway = askGateway(gateway.url);
  const ofKeydesk = askKeydesk(desk.url, token);
  const portal = { url: desk.url, token: "" };
  const settings = { keydesk: desk.url, access_token: token };
  const { ask, told } = observing(desk.plugin, settings, ofGateway);
  const door = openDoor({ ask: ofGateway, portal });
  const tally = new Tally();
  const kept: Kept[] = [];
  let switches = 0;
  let morning = copyOf(told);
  const move: Move = {
    desk,
    original,
    gateway,
    keepers,
    door,
    observed: { ask, portal, told },
    takesOver: {
      ask: (key, api_id) => {
        told.here++;
        return ofKeydesk(key, api_id);
      },
      portal,
    },
    tally,
    get switches() {
      return switches;
    },
    calls: async (those) => {
      let next = 0;
      await Promise.all(Array.from({ length: callers }, async (_, caller) => {
        for (let one = those[next++]; one; one = those[next++]) {
          const { form } = one;
          await tally.count(caller, `a key by ${form}`, () => statusOf(door, one));
        }
      }));
    },
    issueThere: (developer_id) => issuedAt(original, developer_id),
    decide: async (decided, plans) => {
      const all = (await desk.call("GET", "/v1/migration")).plans;
      for (const { plan, decided: before } of all) {
        if (plans && !plans.includes(plan) || before === decided) continue;
        await desk.call("PUT", `/v1/plans/${plan}/decided`, { decided });
        switches++;
      }
      // Every server has heard of it within the second.
      await until(async () => {
        const side = decided === "keydesk" ? "here" : "there";
        const then = told[side];
        const probe = keepers.find(({ calls, opens, imported }) => calls && opens && imported);
        if (probe) await statusOf(door, probe);
        return told[side] > then;
      }, "a switch");
    },
    rowsOfSwitches: async () => {
      const path = "/v1/audit-log?action=plan_switch.updated&limit=100";
      return (await desk.call("GET", path)).data.length;
    },
    meterShowsAll: async () => {
      const expected = differenceOf(told, morning);
      let shown: Shown | undefined;
      const isSo = async () => {
        shown = shownBy((await desk.call("GET", "/v1/migration")).now);
        return JSON.stringify(shown) === JSON.stringify(expected);
      };
      await until(isSo).catch(() => {
        const [seen, wanted] = [shown, expected].map((one) => JSON.stringify(one));
        throw new Error(`the meter shows ${seen} instead of ${wanted}`);
      });
    },
    goAhead: async (more) => {
      const { differed } = differenceOf(told, morning);
      await desk.goAhead(more);
      morning = copyOf(told);
      const { days, keys } = await desk.call("GET", "/v1/migration");
      const { date, in_keydesk: here, at_gateway: there } = days.at(-1);
      const learned = await gateway.learned();
      return { date, here, there, differed, learned, neverSeen: keys.never_seen };
    },
    promise: (promise, isKept, seen) => kept.push({ promise, isKept, seen }),
    promises: () => [...kept, ofCalls(tally)],
    [Symbol.asyncDispose]: async () => {
      await door[Symbol.asyncDispose]();
      await desk[Symbol.asyncDispose]();
      await gateway.stop();
    },
  };
  return move;
}

/** Whether a key opens at the door; it is no call of the rehearsal's table. */
export async function opensAt(door: Door, one: Keeper): Promise<boolean> {
  return await statusOf(door, one) === 200;
}

async function statusOf(door: Door, { key, api_id }: Keeper): Promise<number> {
  const headers = { authorization: key };
  const response = await fetch(`${door.url}/${api_id}/`, { headers });
  await response.body?.cancel();
  return response.status;
}

function ofCalls({ rows, problems }: Tally): Kept {
  const calls = rows.reduce((sum, row) => sum + row.calls, 0);
  const seen = `${calls} calls${problems.map((one) => `; ${one}`).join("")}`;
  return { promise: "no call of a good key was refused", isKept: problems.length === 0, seen };
}

async function issuedAt(original: Original, developer_id: string): Promise<Keeper> {
  const key = rawKey(ORG, randomBytes(16).toString("hex"), "sha256");
  await original.issue(key, developer_id, [ids.plan(1)]);
  const more = { form: "sha256", calls: true, opens: true, imported: false, home: false } as const;
  return { key, api_id: "weather", developer_id, ...more };
}

/** The gateway that one moves away from, which can be switched off and on. */
export class OldGateway {
  readonly #port: number;
  #server: Deno.HttpServer<Deno.NetAddr> | undefined;
  #id = "";
  desk: Desk | undefined;

  constructor(private readonly gateway: Gateway) {
    this.#server = this.#serve(0);
    this.#port = this.#server.addr.port;
  }

  get host(): string {
    return `127.0.0.1:${this.#port}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  /** Adds it at Keydesk, and has it teach. */
  async add(): Promise<void> {
    const { url } = this;
    const body = { name: "City", connection: "synced", url, secret: GATEWAY_SECRET };
    // What an access token adds would wait for a person's yes.
    this.#id = (await this.desk?.callInPerson("POST", "/v1/gateways", body)).id;
    const ends_at = new Date(Date.now() + 200 * 24 * 60 * 60 * 1000).toISOString();
    // It can be believed once it has a canary.
    await until(async () => {
      try {
        await this.#call("PUT", "/lazy-migration", { ends_at, questions_per_second: 1000 });
        return true;
      } catch {
        return false;
      }
    }, "a gateway that teaches");
  }

  /** How many keys were learned from it. */
  async learned(): Promise<number> {
    return (await this.#call("GET", "/lazy-migration")).migrated;
  }

  /** Nothing is learned from it any more. */
  async learnNoMore(): Promise<void> {
    await this.#call("DELETE", "/lazy-migration");
  }

  /** Ends a key, as somebody does at the original. */
  async revoke(key: string): Promise<void> {
    const name = await this.gateway.find(key);
    if (name === undefined) throw new Error("nobody knows that key there");
    this.gateway.revoke(name);
  }

  /** It is gone; Keydesk brings nothing there any more. */
  async stop(): Promise<void> {
    await this.#server?.shutdown();
    this.#server = undefined;
  }

  /** It is there again, with all that it had. */
  start(): void {
    this.#server = this.#serve(this.#port);
  }

  // deno-lint-ignore no-explicit-any -- answers of several shapes
  async #call(method: string, path: string, body?: object): Promise<any> {
    const id = this.#id === "" ? "" : `/${this.#id}`;
    return await this.desk?.call(method, `/v1/gateways${id}${path}`, body);
  }

  #serve(port: number): Deno.HttpServer<Deno.NetAddr> {
    return Deno.serve(
      { hostname: "127.0.0.1", port, onListen: () => {} },
      (request) => atGateway(this.gateway, request),
    );
  }
}

/** Of the calls of a day, as the meter tells them. */
interface Shown {
  here: number;
  there: number;
  unknown: number;
  differed: number;
}

// deno-lint-ignore no-explicit-any -- as the interface gives it
type Now = any;

function shownBy(
  { in_keydesk: here, at_gateway: there, unknown, allowed_at_gateway_only }: Now,
): Shown {
  const known = allowed_at_gateway_only.reduce(
    (sum: number, one: { calls: number }) => sum + one.calls,
    0,
  );
  return { here, there, unknown: unknown.calls, differed: known + unknown.opened };
}

function differenceOf(told: Told, before: Told): Shown {
  const sum = ({ differed }: Told) => [...differed.values()].reduce((all, n) => all + n, 0);
  return {
    here: told.here - before.here,
    there: told.there - before.there,
    unknown: told.unknown - before.unknown,
    differed: sum(told) - sum(before),
  };
}

function copyOf(told: Told): Told {
  return { ...told, differed: new Map(told.differed) };
}

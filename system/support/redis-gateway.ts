/** A stand-in of the original's gateway whose records stand in a real Redis. */
import { atGateway } from "../../examples/moving/gateway-interface.ts";
import type { StandIn } from "../../test/support/gateway.ts";

/** What of a Redis it needs. */
export interface Records {
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<unknown>;
  del(name: string): Promise<unknown>;
  keys(pattern: string): Promise<string[]>;
}

/** Has a stand-in read each record there before it answers, and write there what it changed. */
export function keepRecords(door: StandIn, redis: Records) {
  const { gateway } = door;
  const record = (name: string) => `apikey-${name}`;
  const with_ = async <T>(names: readonly string[], work: () => Promise<T>): Promise<T> => {
    const before = new Map<string, string | null>();
    try {
      for (const name of names) before.set(name, await redis.get(record(name)));
      gateway.redisIsAway = false;
    } catch {
      gateway.redisIsAway = true;
      return await work();
    }
    for (const [name, text] of before) {
      if (text === null) gateway.records.delete(record(name));
      else gateway.records.set(record(name), JSON.parse(text));
    }
    const done = await work();
    for (const [name, text] of before) await write(name, text);
    return done;
  };
  const write = async (name: string, before: string | null) => {
    const now = gateway.records.get(record(name));
    const text = now === undefined ? null : JSON.stringify(now);
    // As the gateway does: without an end, whatever stood there.
    if (text === null && before !== null) await redis.del(record(name));
    else if (text !== null && text !== before) await redis.set(record(name), text);
  };
  // One after the other: what is read is still so when it is answered.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work, work);
    last = done.catch(() => {});
    return done;
  };
  door.instead = (request) =>
    inTurn(async () => {
      const [, name] = /^\/tyk\/keys\/?([^/]*)/.exec(new URL(request.url).pathname) ?? [];
      if (name === undefined) return undefined;
      const names = name === ""
        ? (await redis.keys(record("*"))).map((one) => one.slice(record("").length))
        : [name];
      const answer = await with_(names, () => atGateway(gateway, request));
      if (request.method !== "POST" || answer.status !== 200) return answer;
      const body = await answer.json();
      await write(body.key_hash, null);
      return Response.json(body);
    });
  return {
    /** The status of a call with a key. */
    open: (key: string) =>
      inTurn(async () => {
        const names = [await gateway.nameOf(key)];
        return await with_(names, () => door.open(key));
      }),
  };
}

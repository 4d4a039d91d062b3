/** What every kind of gateway holds to, whatever is behind it. */
import assert from "node:assert/strict";
import type { Wanted } from "../../../src/features/gateways/gateway.ts";
import {
  GatewayAway,
  type KeyThere,
  type Kind,
  Stuck,
  Undone,
} from "../../../src/features/gateways/kind.ts";
import { randomBytes, toHex } from "../../../src/kernel/ids.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";

/** A gateway of some kind, and what happens to it behind the desk's back. */
export interface Place extends AsyncDisposable {
  readonly org_id: string;
  /** A plan that it knows. */
  readonly plan: string;
  /** What talks to it, with no memory of what others did. */
  kind(): Kind;
  /** Whether a call with this key reaches the API. */
  opens(key: string): Promise<boolean>;
  /** Takes a key away there. */
  take(key_id: string): Promise<void>;
  /** All that it holds is gone. */
  lose(): Promise<void>;
  /** It can't be used any more. */
  away(): Promise<void>;
}

type Check = (place: Place, kind: Kind) => Promise<void>;

/** Each check by what it promises. */
export const checks: Readonly<Record<string, Check>> = {
  "a key that is brought opens, however often it is brought": async (place, kind) => {
    const { key, open } = keyOf(place);
    for (let n = 0; n < 2; n++) {
      await settled(kind, key, open);
      assert.equal(await place.opens(textOf(key)), true);
    }
    assert.equal(await kind.compare(await named(kind, key), open), "");
    assert.ok((await kind.names())?.has(kind.nameIn(await rowOf(kind, key))) ?? true);
  },
  "a key that is closed opens nothing, and opens again": async (place, kind) => {
    const { key, open, closed } = keyOf(place);
    await settled(kind, key, open);
    await settled(kind, key, closed);
    assert.equal(await place.opens(textOf(key)), false);
    assert.notEqual(await kind.compare(await named(kind, key), open), "");
    await settled(kind, key, open);
    assert.equal(await place.opens(textOf(key)), true);
  },
  "a key that is ended is gone, and ending it again is nothing": async (place, kind) => {
    const { key, open } = keyOf(place);
    const other = keyOf(place);
    await settled(kind, key, open);
    await settled(kind, other.key, other.open);
    for (let n = 0; n < 2; n++) await settled(kind, key, { is: "absent" });
    assert.deepEqual([await place.opens(textOf(key)), await place.opens(textOf(other.key))], [
      false,
      true,
    ]);
    assert.equal((await kind.names())?.has(kind.nameIn(await rowOf(kind, key))) ?? false, false);
  },
  "another end is told": async (place, kind) => {
    const { key, open } = keyOf(place);
    await settled(kind, key, open);
    assert.notEqual(await kind.compare(await named(kind, key), { ...open, expires: END }), "");
    await settled(kind, key, { ...open, expires: END });
    assert.equal(await kind.compare(await named(kind, key), { ...open, expires: END }), "");
  },
  "a key that was taken away there is told, and put back": async (place, kind) => {
    const { key, open } = keyOf(place);
    await settled(kind, key, open);
    await place.take(key.key_id);
    assert.notEqual(await kind.compare(await named(kind, key), open), "");
    await settled(kind, key, open);
    assert.equal(await place.opens(textOf(key)), true);
  },
  "many keys at once all reach it": async (place, kind) => {
    const keys = Array.from({ length: 40 }, () => keyOf(place));
    await Promise.all(keys.map(({ key, open }) => settled(kind, key, open)));
    const opened = await Promise.all(keys.map(({ key }) => place.opens(textOf(key))));
    assert.deepEqual(opened.filter((one) => !one), []);
  },
  "its canary stays, and one that lost everything has another": async (place, kind) => {
    const { canary } = await kind.open("");
    assert.notEqual(canary, "");
    assert.equal((await place.kind().open(canary)).canary, canary);
    await place.lose();
    assert.notEqual((await place.kind().open(canary)).canary, canary);
  },
  "a key to try it by opens and is shut, by whichever node, and is none of its keys": async (
    place,
    kind,
  ) => {
    const { canary } = await kind.open("");
    const before = await kind.names();
    const trial = await kind.trial("");
    // A door of a file tells nobody when it has read it.
    if (!trial) return;
    assert.equal(await trial.opens(), false);
    await trial.make();
    assert.equal(await trial.opens(), true);
    const next = place.kind();
    await next.open(canary);
    await (await next.trial("", trial.name))?.end();
    assert.equal(await trial.opens(), false);
    await trial.end();
    assert.deepEqual(await kind.names(), before);
  },
  "while it is away nothing counts as done": async (place, kind) => {
    const { key, open } = keyOf(place);
    await settled(kind, key, open);
    await place.away();
    const bring = async () => {
      const other = place.kind();
      await other.open("");
      await other.bring(await named(other, key), { is: "absent" });
      await other.finish();
    };
    await assert.rejects(bring, (error) => error instanceof GatewayAway || error instanceof Undone);
  },
};

/** Registers every check of a kind. */
export function testKind(name: string, make: () => Promise<Place>): void {
  for (const [promise, check] of Object.entries(checks)) {
    Deno.test(`gateways: ${name}: ${promise}`, () => run(make, check));
  }
}

/** The promises that a kind breaks. */
export async function broken(make: () => Promise<Place>): Promise<string[]> {
  const found: string[] = [];
  for (const [promise, check] of Object.entries(checks)) {
    await run(make, check).catch(() => found.push(promise));
  }
  return found;
}

async function run(make: () => Promise<Place>, check: Check): Promise<void> {
  await using place = await make();
  const kind = place.kind();
  await kind.open("");
  await check(place, kind);
}

const END = Date.UTC(2999, 0, 1) / 1000;

function keyOf({ org_id, plan }: Place) {
  const text = btoa(`{"org":"${org_id}","id":"${toHex(randomBytes(16))}","h":"sha256"}`);
  const key: KeyThere = {
    key_id: sha256(text),
    kind: "token",
    developer_id: "dev ada",
    name: "",
    remote_id: "",
    hash: "",
    secret: { key: text, password: "", redirect_uri: "" },
  };
  const plans = [[plan]] as const;
  return {
    key,
    open: { is: "open", plans, expires: 0, limits: null } satisfies Wanted,
    closed: { is: "closed", plans } satisfies Wanted,
  };
}

function textOf({ secret }: KeyThere): string {
  return secret?.key ?? "";
}

async function named(kind: Kind, key: KeyThere): Promise<KeyThere> {
  return { ...key, remote_id: await kind.nameOf(key) };
}

async function rowOf(kind: Kind, key: KeyThere) {
  return { key_id: key.key_id, remote_id: await kind.nameOf(key) };
}

/** Brings it as the engine does: again where it stood for a moment alone. */
async function settled(kind: Kind, key: KeyThere, wanted: Wanted): Promise<void> {
  for (let tries = 0;; tries++) {
    try {
      await kind.bring(await named(kind, key), wanted);
      return;
    } catch (error) {
      if (error instanceof Stuck || tries > 5) throw error;
    }
  }
}

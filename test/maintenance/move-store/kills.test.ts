/**
 * A move that was killed at any step is carried to its end by the same command; two moves never
 * share a target.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { beginMove } from "../../../src/maintenance/move-store/begin-move.ts";
import { MoveRefused } from "../../../src/maintenance/move-store/in-move.ts";
import { translationFor, verifyTables } from "../../../src/maintenance/move-store/move-store.ts";
import { closingMark, openAgain } from "../../../src/maintenance/move-store/moving.store.ts";
import { makeDemo } from "../../../src/maintenance/seed/demo.ts";
import { seedTransaction } from "../../../src/maintenance/seed/seed.transactions.ts";
import { parsePostgresUrl } from "../../../src/storage/engines/postgres-url.ts";
import type { StoreSession } from "../../../src/storage/engines/store-session.ts";
import { openSession } from "../../../src/storage/open-session.ts";
import {
  keydesk,
  keydeskProcess,
  repository,
  run,
  temporaryFolder,
} from "../../support/command.ts";
import { type Engine, engines, openTestDesk } from "../../support/desk.ts";
import { effort } from "../../support/effort.ts";
import { sharedPostgres } from "../../support/postgres.ts";

/** Kills of the long form, for each direction. */
const KILLS = 30;
const key = newSealingKey().trim();

/** Stages that a kill must not leave without a way on, each found among the steps of a move. */
const stages: readonly [string, (steps: readonly string[]) => number][] = [
  ["the first thing in the target", (steps) => first(steps, /^after target: (create|begin)/)],
  ["half a schema", (steps) => first(steps, /^before target: create table "certificates"/)],
  ["claimed, the source open", (steps) => first(steps, /^before source: insert into "schema_v/)],
  ["closed, nothing copied", (steps) => first(steps, /^before target: update "store_move"/, 2)],
  ["a chunk without its commit", (steps) => first(steps, /^after target: rows of list_counts/)],
  ["copied, not compared", (steps) => first(steps, /^copied/)],
  ["open", (steps) => steps.findLastIndex((one) => one === "after target: commit")],
];

for (const [from, to] of [["sqlite", "postgres"], ["postgres", "sqlite"]] as const) {
  onFolder(
    `${from} → ${to}: killed at any step, the same command ends the move`,
    async (folder) => {
      const source = await place(from, folder, "from");
      {
        await using desk = await openTestDesk(from, {
          environment: { ...source.settings, KEYDESK_SEALING_KEY: key },
        });
        const demo = makeDemo(desk.org_id, Date.parse("2026-03-01T00:00:00Z"));
        await desk.app.ctx.storage.commit(seedTransaction, demo);
      }
      const whole = await killedAt(source, await place(to, folder, "whole"), 0);
      assert.equal(whole.code, 0, whole.stderr);
      const steps: string[] = JSON.parse(whole.stdout);
      await reopen(source);
      const kills = stages.map(([name, find]): [string, number] => [name, find(steps) + 1]);
      for (let i = 0; effort > 1 && kills.length < KILLS; i++) {
        const step = 1 + Math.round((i * (steps.length - 1)) / (KILLS - stages.length - 1));
        kills.push([`step ${step} of ${steps.length}`, step]);
      }
      for (const [i, [name, step]] of kills.entries()) {
        assert.ok(step > 0, `${name} is no step: ${steps.slice(0, 200).join("\n")}`);
        const target = await place(to, folder, `to-${i}`);
        const killed = await killedAt(source, target, step);
        assert.equal(killed.code, 137, `${name}: ${killed.stderr}`);
        const ended = await migrateStore(source, target);
        assert.equal(ended.code, 0, `${name}: ${ended.stderr}`);
        assert.match(ended.stderr, /both hold the same|is done already/, name);
        await compare(source, target);
        await reopen(source);
      }
      if (effort > 1) {
        console.log(
          `moving: ${from} → ${to}: ${kills.length} kills over ${steps.length} steps, all ended whole`,
        );
      }
    },
  );
}

for (const engine of engines) {
  onFolder(
    `${engine}: a target that another move takes first is refused, and the source stays open`,
    async (folder) => {
      const [one, two] = [
        await store("sqlite", folder, "one"),
        await store("sqlite", folder, "two"),
      ];
      const target = await place(engine, folder, "target");
      const early = await openSession(one.location);
      const late = await openSession(two.location);
      const [a, b] = [await openSession(target.location), await openSession(target.location)];
      try {
        // The second comes when the first has claimed the target and not closed its source yet.
        let overtaken = false;
        const slow: StoreSession = {
          ...early,
          change: async (statement, params) => {
            if (!overtaken) {
              overtaken = true;
              await beginMove(late, b);
            }
            return await early.change(statement, params);
          },
        };
        await assert.rejects(
          beginMove(slow, a),
          (error) => error instanceof MoveRefused && /has taken the target/.test(error.message),
        );
        assert.equal(overtaken, true);
        assert.equal(await closingMark(early), undefined);
        // From then on it is the second's.
        await assert.rejects(beginMove(early, a), /begun by another move/);
        assert.equal(await closingMark(early), undefined);
        assert.match(await closingMark(late) ?? "", /^moving/);
      } finally {
        for (const session of [early, late, a, b]) await session.close();
      }
      await (await openAt("sqlite", one))[Symbol.asyncDispose]();
    },
  );

  onFolder(`${engine}: of two moves at once on one target one wins`, async (folder) => {
    const target = await place(engine, folder, "target");
    if ("path" in target.location) await Deno.writeTextFile(target.location.path, "");
    const sources = [await store("sqlite", folder, "one"), await store("sqlite", folder, "two")];
    const ended = await Promise.all(
      sources.map((source) => migrateStore(source, target, keydeskProcess)),
    );
    assert.deepEqual(ended.map(({ code }) => code).sort(), [0, 1], JSON.stringify(ended));
    for (const [i, { code, stderr }] of ended.entries()) {
      const session = await openSession((sources[i] ?? target).location);
      const mark = await closingMark(session);
      await session.close();
      if (code === 0) assert.match(mark ?? "", /^moving/);
      else {
        assert.match(stderr, /the target|locked/);
        // Who waited too long for a lock may go on later.
        if (!/broken off/.test(stderr)) assert.equal(mark, undefined, stderr);
      }
    }
  });

  onFolder(`${engine}: a source that another move holds is refused`, async (folder) => {
    const source = await store(engine, folder, "from");
    const session = await openSession(source.location);
    try {
      await session.lockAlone();
      const ended = await migrateStore(source, await place("sqlite", folder, "to"));
      assert.equal(ended.code, 1);
      assert.match(ended.stderr, /another move-store|locked/);
    } finally {
      await session.close();
    }
    await (await openAt(engine, source))[Symbol.asyncDispose]();
  });

  onFolder(`${engine}: a half-made store is not opened by --reopen`, async (folder) => {
    const source = await store("sqlite", folder, "from");
    const target = await place(engine, folder, "to");
    const [from, to] = [await openSession(source.location), await openSession(target.location)];
    await beginMove(from, to);
    await to.close();
    await from.close();
    const reopened = await keydesk(
      ["move-store", "--reopen", textOf(target)],
      environment(target),
    );
    assert.equal(reopened.code, 1);
    assert.match(reopened.stderr, /target of a move that is not done/);
    await assert.rejects(openAt(engine, target), /has not ended/);
  });
}

onFolder("sqlite: the tables of Litestream are left alone at both ends", async (folder) => {
  const source = await store("sqlite", folder, "from");
  const target = await place("sqlite", folder, "to");
  for (const { location } of [source, target]) {
    const session = await openSession(location);
    await session.exec(`create table _litestream_seq (id integer primary key, seq integer);
      create table _litestream_lock (id integer);
      insert into _litestream_seq (id, seq) values (1, 7)`);
    await session.close();
  }
  const ended = await migrateStore(source, target);
  assert.equal(ended.code, 0, ended.stderr);
  await compare(source, target);
  await (await openAt("sqlite", target))[Symbol.asyncDispose]();
  const copy = join(folder, "copy.db");
  const made = await keydesk(["backup", copy], { ...target.settings, KEYDESK_SEALING_KEY: key });
  assert.equal(made.code, 0, made.stderr);
  const restored = join(folder, "restored");
  const settings = { KEYDESK_DATA_DIR: restored, KEYDESK_SEALING_KEY: key };
  const back = await keydesk(["restore", copy], settings);
  assert.equal(back.code, 0, back.stderr);
  assert.equal((await keydesk(["token", "list"], settings)).code, 0);
});

function first(steps: readonly string[], pattern: RegExp, nth = 1): number {
  let seen = 0;
  return steps.findIndex((step) => pattern.test(step) && ++seen === nth);
}

interface Place {
  location: { path: string } | { url: string };
  settings: Record<string, string>;
}

/** Where a store of an engine may be. */
async function place(engine: Engine, folder: string, name: string): Promise<Place> {
  if (engine === "postgres") {
    const url = await (await sharedPostgres()).createDatabase();
    return { location: { url }, settings: { KEYDESK_DATABASE_URL: url } };
  }
  await Deno.mkdir(join(folder, name));
  const settings = { KEYDESK_DATA_DIR: join(folder, name) };
  return { location: { path: join(folder, name, "keydesk.db") }, settings };
}

/** The same with a store in it. */
async function store(engine: Engine, folder: string, name: string): Promise<Place> {
  const made = await place(engine, folder, name);
  await (await openAt(engine, made))[Symbol.asyncDispose]();
  return made;
}

function openAt(engine: Engine, { settings }: Place) {
  return openTestDesk(engine, { environment: { ...settings, KEYDESK_SEALING_KEY: key } });
}

/** Moves until a step, and is killed there; step 0: to the end, and tells the steps. */
function killedAt(source: Place, target: Place, step: number) {
  const child = join(repository, "test/maintenance/move-store/moved-and-killed.ts");
  const places = [source, target].map(({ location }) =>
    "url" in location ? location.url : location.path
  );
  const command = [Deno.execPath(), "run", "-A", "--quiet", "--no-check", child];
  return run([...command, ...places, String(step)]);
}

function migrateStore(source: Place, target: Place, run = keydesk) {
  const words = ["move-store", "--from", textOf(source), "--to", textOf(target)];
  return run(words, { ...environment(source), ...environment(target) });
}

/** A place as the command takes it; a password is the environment's. */
function textOf({ location }: Place): string {
  if ("path" in location) return `sqlite:${location.path}`;
  const { password } = parsePostgresUrl(location.url);
  return location.url.replace(`:${password}@`, "@");
}

function environment({ location }: Place): Record<string, string> {
  const password = "url" in location ? parsePostgresUrl(location.url).password : undefined;
  return {
    KEYDESK_SEALING_KEY: key,
    ...password === undefined ? {} : { KEYDESK_DATABASE_PASSWORD: password },
  };
}

/** Every table of both, by its rows and their SHA-256; and the target is open. */
async function compare(from: Place, to: Place): Promise<void> {
  const source = await openSession(from.location);
  const target = await openSession(to.location);
  try {
    assert.equal(await closingMark(target), undefined);
    assert.match(await closingMark(source) ?? "", /^moving/);
    const ours = await target.tables();
    const besides = ["schema_versions", "schema_lock", "commits", "store_move"];
    const tables = (await source.tables()).filter(({ name }) => !besides.includes(name))
      .map((shape) => ({ from: shape, to: ours.find(({ name }) => name === shape.name) ?? shape }));
    const move = { source, target, tables, id: "", run: "" };
    const digests = await verifyTables(move, await translationFor(move), () => {});
    assert.ok(digests.reduce((sum, { rows }) => sum + rows, 0) > 5);
  } finally {
    await target.close();
    await source.close();
  }
}

async function reopen({ location }: Place): Promise<void> {
  const session = await openSession(location);
  try {
    assert.equal(await openAgain(session), true);
  } finally {
    await session.close();
  }
}

function onFolder(promise: string, test: (folder: string) => Promise<void>): void {
  Deno.test({
    name: `moving: ${promise}`,
    // The shared PostgreSQL outlives the single test.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using folder = await temporaryFolder();
      await test(folder.path);
    },
  });
}

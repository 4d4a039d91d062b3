/** Turns at the thread: who goes on at once, who waits, and in which order they are let on. */
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { Rests, Turns } from "../../src/kernel/turns.ts";

/** Turns whose clock and event loop are the test's: the system is asked after each slice. */
function ours(unaskedMs = 4) {
  let now = 0;
  const these: (() => void)[] = [];
  const others: (() => void)[] = [];
  const run = async (callbacks: (() => void)[]) => {
    for (const callback of callbacks) callback();
    for (let n = 0; n < 5; n++) await Promise.resolve();
  };
  return {
    turns: new Turns({
      sliceMs: 4,
      unaskedMs,
      elapsed: () => now,
      afterThese: (callback) => void these.push(callback),
      afterOthers: (callback) => void others.push(callback),
    }),
    passes: (ms: number) => now += ms,
    /** Everything runs that is due, and what that makes due, until the system is asked. */
    drain: async () => {
      while (these.length > 0) await run(these.splice(0));
    },
    /** The system was asked: everybody else had a turn. */
    others: async () => await run(others.splice(0)),
    waiting: () => these.length + others.length,
  };
}

Deno.test("turns: within a slice nobody waits, behind it everybody does until the others had theirs", async () => {
  const { turns, passes, drain, others } = ours();
  assert.equal(turns.next(), undefined);
  passes(3);
  assert.equal(turns.next(), undefined);
  passes(1);
  let isLetOn = false;
  const waits = turns.next();
  assert.ok(waits instanceof Promise);
  void waits.then(() => isLetOn = true);
  await drain();
  assert.ok(!isLetOn);
  await others();
  assert.ok(isLetOn);
  assert.equal(turns.next(), undefined, "a slice of its own");
});

Deno.test("turns: those who wait are let on in their order, as many as have room in a slice", async () => {
  const { turns, passes, drain, others, waiting } = ours();
  turns.next();
  passes(4);
  const letOn: string[] = [];
  const wait = (name: string, tookMs: number) =>
    void turns.next()?.then(() => {
      letOn.push(name);
      passes(tookMs);
      if (name === "busy") wait("busy again", 1);
    });
  wait("busy", 4);
  for (const name of ["a", "b", "c"]) wait(name, 1);
  await drain();
  await others();
  await drain();
  assert.deepEqual(letOn, ["busy"]);
  await others();
  await drain();
  assert.deepEqual(letOn, ["busy", "a", "b", "c", "busy again"]);
  await others();
  await drain();
  assert.equal(waiting(), 0);
});

Deno.test("turns: many short pieces share one turn of the event loop", async () => {
  const { turns, passes, drain, others, waiting } = ours();
  turns.next();
  passes(4);
  let letOn = 0;
  for (let n = 0; n < 40; n++) {
    void turns.next()?.then(() => {
      letOn++;
      passes(0.09);
    });
  }
  await drain();
  await others();
  for (let n = 0; n < 200; n++) await Promise.resolve();
  assert.equal(letOn, 40);
  await drain();
  assert.equal(waiting(), 0);
});

Deno.test("turns: where nobody waits nothing is left behind, and idle time is nobody's slice", async () => {
  const { turns, passes, drain, waiting } = ours();
  turns.next();
  await drain();
  assert.equal(waiting(), 0);
  passes(1000);
  assert.equal(turns.next(), undefined);
});

Deno.test("turns: the system is asked once some slices are over, and not while few wait", async () => {
  const { turns, passes, drain, others, waiting } = ours(16);
  turns.next();
  passes(4);
  let letOn = 0;
  const wait = () =>
    void turns.next()?.then(() => {
      letOn++;
      passes(2);
    });
  for (let n = 0; n < 6; n++) wait();
  await drain();
  assert.equal(letOn, 6, "done before the system has to be asked");
  assert.equal(waiting(), 0);

  turns.next();
  passes(4);
  for (let n = 0; n < 8; n++) wait();
  await drain();
  assert.equal(letOn, 12);
  await others();
  await drain();
  assert.equal(letOn, 14);
  assert.equal(waiting(), 0);
});

Deno.test("turns: on the real event loop three who never wait let timers through", async () => {
  const turns = new Turns({ sliceMs: 0, unaskedMs: 0 });
  let others = 0;
  let isOver = false;
  const meanwhile = (async () => {
    for (; !isOver; others++) await setImmediate();
  })();
  const busy = async () => {
    for (let n = 0; n < 50; n++) await turns.next();
  };
  await Promise.all([busy(), busy(), busy()]);
  isOver = true;
  await meanwhile;
  assert.ok(others >= 50, `${others}`);
});

Deno.test("rests: pieces are made one at a time in order, each behind a rest as long as the one before took", async () => {
  const clock = new Clock();
  const rests = new Rests(clock);
  const made: [name: string, at: number][] = [];
  const piece = async (name: string, tookMs: number) => {
    await rests.piece(() => {
      made.push([name, clock.now]);
      return clock.wait(tookMs);
    });
  };
  const all = Promise.all([piece("a", 2), piece("b", 0), piece("slow", 40), piece("c", 3)]);
  await clock.run();
  await all;
  assert.deepEqual(made, [["a", 0], ["b", 4], ["slow", 5], ["c", 50]]);
  // Nobody waits for the last rest, and whoever comes behind it has a turn at once.
  assert.equal(clock.now, 53);
  await clock.pass(3);
  void piece("d", 0);
  assert.deepEqual(made.at(-1), ["d", 56]);
});

Deno.test("rests: a piece that waits for something holds nobody up for long", async () => {
  const clock = new Clock();
  const rests = new Rests(clock);
  const hung = Promise.withResolvers<string>();
  const first = rests.piece(() => hung.promise);
  const made: number[] = [];
  const others = Promise.all([1, 2].map(() =>
    rests.piece(() => {
      made.push(clock.now);
      return Promise.resolve();
    })
  ));
  await clock.run();
  await others;
  assert.deepEqual(made, [50, 51]);
  hung.resolve("at last");
  assert.equal(await first, "at last");
});

/** A clock that goes as far as whoever waits next. */
class Clock {
  now = 0;
  #due: { at: number; callback: () => void }[] = [];

  readonly elapsed = () => this.now;

  readonly after = (callback: () => void, ms: number) => {
    const one = { at: this.now + ms, callback };
    this.#due.push(one);
    return () => {
      this.#due = this.#due.filter((other) => other !== one);
    };
  };

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(resolve, ms));
  }

  async pass(ms: number): Promise<void> {
    void this.wait(ms);
    await this.run();
  }

  /** Until nobody waits any more. */
  async run(): Promise<void> {
    for (;;) {
      for (let n = 0; n < 10; n++) await Promise.resolve();
      const [next] = this.#due.sort((a, b) => a.at - b.at);
      if (!next) return;
      this.#due = this.#due.filter((one) => one !== next);
      this.now = next.at;
      next.callback();
    }
  }
}

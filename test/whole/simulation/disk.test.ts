/**
 * The simulated disk itself: what is shown, what a power cut leaves, and what a failed flush
 * forgets.
 */
import assert from "node:assert/strict";
import { Random } from "../../support/random.ts";
import { Disk, DiskFailed, type Stop, Stopped, stops } from "./disk.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (disk: Disk, name = "a") => new TextDecoder().decode(disk.files().get(name));
const after = (disk: Disk, stop: Stop, seed = 1) => disk.after(stop, new Random(seed));

function diskWith(flushed: string, ...written: string[]): Disk {
  const disk = new Disk();
  disk.put("a", bytes(flushed));
  for (const [n, one] of written.entries()) disk.write("a", flushed.length + n, bytes(one));
  return disk;
}

Deno.test("simulated disk: what was flushed survives every stop", () => {
  for (const stop of stops) {
    for (let seed = 0; seed < 20; seed++) {
      const disk = diskWith("", "x");
      disk.sync("a");
      disk.write("a", 5, bytes("y"));
      assert.equal(text(after(disk, stop, seed)).slice(0, 1), "x", stop);
    }
  }
});

Deno.test("simulated disk: what was not flushed is lost, kept, cut or reordered, and a kill keeps it", () => {
  const disk = () => diskWith("-", "1", "2", "3");
  assert.equal(text(disk()), "-123");
  assert.equal(text(after(disk(), "kill")), "-123");
  assert.equal(text(after(disk(), "lost")), "-");
  assert.equal(text(after(disk(), "kept")), "-123");
  const found = (stop: Stop) =>
    new Set(Array.from({ length: 300 }, (_, seed) => text(after(disk(), stop, seed))));
  assert.deepEqual([...found("torn")].sort(), ["-", "-1", "-12", "-123"]);
  assert.ok(found("reordered").has("-\0\x003"), "the last write alone");
  assert.ok(found("reordered").has("-1\x003"), "not the one in the middle");
});

Deno.test("simulated disk: after a kill, what was not flushed still goes with the power", () => {
  const killed = after(diskWith("-", "1"), "kill");
  assert.equal(text(killed), "-1");
  assert.equal(text(after(killed, "lost")), "-");
});

Deno.test("simulated disk: a flush that failed forgets what it had to write, and shows it all the same", () => {
  const disk = diskWith("-", "1");
  disk.rules = { before: (call) => call === "sync" ? "io" : undefined };
  assert.throws(() => disk.sync("a"), DiskFailed);
  disk.rules = { before: () => undefined };
  disk.sync("a");
  assert.equal(text(disk), "-1");
  assert.equal(text(after(disk, "kept")), "-");
  const killed = after(disk, "kill");
  assert.equal(text(killed), "-1");
  assert.equal(text(after(killed, "kept")), "-");
});

Deno.test("simulated disk: a new file's name, and a name that was removed, may be as before until they are flushed", () => {
  const disk = diskWith("-");
  disk.open("b", true);
  disk.write("b", 0, bytes("new"));
  assert.equal(after(disk, "lost").has("b"), false);
  assert.equal(after(disk, "kill").has("b"), true);
  disk.sync("b");
  assert.equal(text(after(disk, "lost"), "b"), "new");
  disk.delete("b", false);
  assert.equal(after(disk, "lost").has("b"), true);
  assert.equal(after(disk, "kept").has("b"), false);
  disk.open("b", true);
  disk.delete("b", true);
  assert.equal(after(disk, "kept").has("b"), false);
});

Deno.test("simulated disk: nothing is written once everything has stopped", () => {
  const disk = diskWith("-");
  disk.rules = { before: () => "stop" };
  assert.throws(() => disk.write("a", 1, bytes("x")), Stopped);
  assert.throws(() => disk.write("a", 1, bytes("y")), Stopped);
  assert.equal(text(after(disk, "kept")), "-x", "the very write in which it stopped may be there");
  assert.equal(text(after(disk, "lost")), "-");
});

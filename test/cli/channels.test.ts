/** `keydesk channels` on the local store beside its server, and on that server. */
import assert from "node:assert/strict";
import { doors, linesOf, openDoors } from "../support/doors.ts";

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=\n$/;

for (const door of doors) {
  Deno.test(`channels (${door}): added, listed, tested, rotated, paused and removed; secrets go to standard output alone`, async () => {
    await using desk = await openDoors();
    const call = desk[door];
    const url = "https://portal.example.org/hooks";
    const words = ["channels", "add", url, "--name", "Portal"];
    const added = await call(...words, "--topic", "key_request.*", "--topic", "key.revoked");
    assert.equal(added.code, 0, added.stderr);
    assert.match(added.stdout, SECRET);
    assert.match(
      added.stderr,
      /^Nothing can be sent to it until KEYDESK_OUTBOUND names portal\.example\.org\.\nChannel \w+ "Portal"\. Its secret is shown this once:\n$/,
    );
    const near = await call(...words, "--topic", "key_request.aproved");
    assert.deepEqual([near.code, near.stdout], [1, ""]);
    assert.match(near.stderr, /no topic fits; the nearest is key_request\.approved/);
    const nameless = await call("channels", "add", url);
    assert.equal(nameless.code, 2);

    const [target] = linesOf((await call("channels", "list", "--json")).stdout);
    assert.deepEqual(target.topics, ["key_request.*", "key.revoked"]);
    const { id } = target;
    const tested = await call("channels", "test", id);
    assert.equal(tested.code, 1);
    assert.match(tested.stdout, /^portal\.example\.org is not named in KEYDESK_OUTBOUND/);
    assert.equal(tested.stderr, "keydesk: the test was not taken\n");
    assert.equal(JSON.parse((await call("channels", "test", id, "--json")).stdout).ok, false);

    const rotated = await call("channels", "rotate", id, "--overlap-hours", "0");
    assert.match(rotated.stdout, SECRET);
    assert.notEqual(rotated.stdout, added.stdout);
    assert.equal(rotated.stderr, '"Portal" has a fresh secret. Its secret is shown this once:\n');
    const kept = await call("channels", "rotate", id, "--json");
    assert.match(JSON.parse(kept.stdout).secret, /^whsec_/);
    assert.equal(kept.stderr, "");
    assert.equal((await call("channels", "rotate", id, "--overlap-hours", "200")).code, 2);

    assert.equal((await call("channels", "pause", id)).stderr, "Portal is paused.\n");
    const now = "0 messages that waited: a server sends them within five seconds.\n";
    const paused = "Portal is paused: waiting messages are sent once it is resumed.\n";
    assert.equal((await call("deliveries", "now")).stderr, paused + now);
    assert.equal((await call("channels", "resume", id)).stderr, "Portal is active.\n");
    assert.equal((await call("deliveries", "now", "--channel", id)).stderr, now);
    assert.equal((await call("deliveries", "now", "--json")).stdout, '{"woken":0}\n');
    const nobody = await call("deliveries", "now", "--channel", "0".repeat(24));
    assert.match(nobody.stderr, /^keydesk: there is no channel 0+ \(not_found\)\n$/);
    const removed = await call("channels", "remove", id);
    assert.match(
      removed.stderr,
      /^Channel \w+ is removed, and \d+ messages that waited for it\.\n$/,
    );
    const gone = await call("channels", "test", id);
    assert.equal(gone.stderr, `keydesk: there is no channel ${id} (not_found)\n`);
  });
}

/**
 * Names that lead elsewhere at each call, in the sandbox that a server runs in. Needs root, for
 * names of its own.
 */
import assert from "node:assert/strict";
import { grants } from "../bin/grants.js";
import { repository } from "../test/support/command.ts";
import { withFolder } from "../test/support/processes.ts";

/** Counts the connections that it gets and the bytes that it reads, and answers each with 204. */
function startInside(hostname: string, port: number) {
  const listener = Deno.listen({ hostname, port });
  const seen = { connections: 0, bytes: 0 };
  const serving = (async () => {
    for await (const connection of listener) {
      seen.connections++;
      (async () => {
        const read = await connection.read(new Uint8Array(4096));
        seen.bytes += read ?? 0;
        if (read) await connection.write(new TextEncoder().encode("HTTP/1.1 204 No\r\n\r\n"));
        connection.close();
      })().catch(() => {});
    }
  })();
  return {
    port: (listener.addr as Deno.NetAddr).port,
    seen,
    [Symbol.asyncDispose]: async () => {
      listener.close();
      await serving;
    },
  };
}

/**
 * A caller with names of its own, which are in the file `hosts`; a line is one call. It goes by
 * `entries`, in the sandbox of a server that goes by `granted`.
 */
function startCaller(hosts: string, entries: string, url: string, granted = entries) {
  const settings = { KEYDESK_OUTBOUND: entries };
  const flags = grants(["serve"], { KEYDESK_OUTBOUND: granted }, "/nowhere", repository);
  const child = new Deno.Command("unshare", {
    args: [
      "--mount",
      "sh",
      "-c",
      'mount --bind "$0" /etc/hosts && exec "$@"',
      hosts,
      Deno.execPath(),
      "run",
      "--no-prompt",
      ...flags,
      "system/support/caller.ts",
      url,
    ],
    cwd: repository,
    env: settings,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  return {
    call: async () => {
      await writer.write(new TextEncoder().encode("\n"));
      const { value } = await reader.read();
      return value?.trim();
    },
    [Symbol.asyncDispose]: async () => {
      await writer.close();
      await reader.cancel();
      await child.status;
    },
  };
}

Deno.test("outbound: a name that leads elsewhere at the next call leads to no address that is not named", async () => {
  await withFolder(async (folder) => {
    const hosts = `${folder}/hosts`;
    const leadTo = (address: string) => Deno.writeTextFile(hosts, `${address} hooks.example.org\n`);
    await leadTo("127.0.0.1");
    await using meant = startInside("127.0.0.1", 0);
    await using other = startInside("127.0.0.2", meant.port);
    const url = `http://hooks.example.org:${meant.port}/`;
    await using caller = startCaller(hosts, `hooks.example.org:${meant.port},127.0.0.1`, url);
    assert.equal(await caller.call(), "204");
    await leadTo("127.0.0.2");
    assert.equal(await caller.call(), "private_address");
    await leadTo("127.0.0.1");
    assert.equal(await caller.call(), "204");
    assert.equal(meant.seen.connections, 2);
    assert.equal(other.seen.bytes, 0);
  });
});

Deno.test("outbound: the sandbox lets nobody out to a host or port that is not named", async () => {
  await withFolder(async (folder) => {
    const hosts = `${folder}/hosts`;
    await Deno.writeTextFile(hosts, "127.0.0.1 hooks.example.org\n");
    await using server = startInside("127.0.0.1", 0);
    const url = `http://hooks.example.org:${server.port}/`;
    const entries = `hooks.example.org:${server.port},127.0.0.1`;
    for (const granted of ["", "hooks.example.org:1", "127.0.0.0/8", "other.example.org"]) {
      await using caller = startCaller(hosts, entries, url, granted);
      assert.match(await caller.call() ?? "", /EPERM|Requires net access/, granted);
    }
    assert.equal(server.seen.connections, 0);
  });
});

/** Connections that say nothing, and more of them than a process may open files. */
import assert from "node:assert/strict";
import { get } from "node:http";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { patiently, RawConnection } from "../support/raw-http.ts";
import { repository, startServerProcess, temporaryFolder } from "../support/command.ts";

const SILENT = 2000;
/** As the launcher is started by who has set the limit. */
const LIMITED = [
  "sh",
  "-c",
  'ulimit -n 1024; exec node "$0" "$@"',
  join(repository, "bin/keydesk.js"),
];

Deno.test("silence: 2,000 connections at 1,024 files end nothing, and others are answered", async () => {
  await using data = await temporaryFolder();
  await using server = await startServerProcess(
    { KEYDESK_DATA_DIR: data.path },
    { program: LIMITED },
  );
  const { hostname, port } = new URL(server.url);
  const address = { hostname, port: Number(port) };
  const silent: RawConnection[] = [];
  while (silent.length < SILENT) {
    const some = Array.from({ length: 50 }, () => RawConnection.open(address));
    silent.push(...await Promise.all(some));
  }
  for (const from of ["127.0.0.2", "127.0.0.1"]) {
    assert.equal(await statusFrom(from, `${server.url}/livez`), 200, from);
  }
  for (const one of silent) one.close();
  assert.equal(await statusFrom("127.0.0.1", `${server.url}/livez`), 200);
  const lines = server.stdout().trim().split("\n").map((line) => JSON.parse(line));
  const { connections, open_files } = lines.find(({ msg }) => msg === "listening");
  assert.deepEqual([connections, open_files], [896, 1024]);
  assert.match(server.stdout(), /may open 1024 files, so it takes 896 connections at once: raise/);
  // One that had ended meanwhile would have said so by its code.
  assert.equal((await server.stop()).code, 0);
});

Deno.test("silence: a system that gives no connection is asked again, and the process goes on", async () => {
  await using data = await temporaryFolder();
  // Told of more files than it has, so that it is the system that says no.
  const program = [
    "sh",
    "-c",
    'ulimit -n 200; exec "$0" "$@"',
    Deno.execPath(),
    "run",
    "-A",
    "--no-prompt",
    join(repository, "src/cli/main.ts"),
  ];
  await using server = await startServerProcess(
    { KEYDESK_DATA_DIR: data.path, KEYDESK_OPEN_FILES: "4096" },
    { program },
  );
  const { hostname, port } = new URL(server.url);
  const silent = await Promise.all(
    Array.from({ length: 250 }, () => RawConnection.open({ hostname, port: Number(port) })),
  );
  await eventually("a refusal", () => server.stdout().includes("connections refused"));
  assert.match(server.stdout(), /"reason":"Too many open files[^"]*","count":1/);
  for (const one of silent) one.close();
  assert.equal(await statusFrom("127.0.0.1", `${server.url}/livez`), 200);
  assert.equal((await server.stop()).code, 0);
});

function statusFrom(localAddress: string, url: string): Promise<number | undefined> {
  const answered = new Promise<number | undefined>((resolve, reject) => {
    get(url, { localAddress, agent: false }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode));
    }).on("error", reject);
  });
  return patiently("an answer", answered);
}

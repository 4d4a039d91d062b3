/**
 * How a command reaches a server: the access token's file, plain http, and what else may answer.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Ended, keydesk, repository, run, temporaryFolder } from "../support/command.ts";
import { openDoors } from "../support/doors.ts";

const LIST = ["requests", "list"];

/** Refused with one sentence on standard error, and nothing on standard output. */
function assertRefused({ code, stdout, stderr }: Ended, sentence: RegExp, expected = 1): void {
  assert.deepEqual([code, stdout], [expected, ""], stderr);
  assert.match(stderr, sentence);
  assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
}

Deno.test("server access: the token comes from a file or the environment, never from the command line", async () => {
  await using desk = await openDoors();
  const { url } = desk.server;
  const token = (await Deno.readTextFile(desk.tokenFile)).trim();
  const every: [string[], Record<string, string>][] = [
    [["--url", url, "--token-file", desk.tokenFile], {}],
    [["--url", url], { KEYDESK_TOKEN_FILE: desk.tokenFile }],
    [["--url", url], { KEYDESK_TOKEN: token }],
    [[], { KEYDESK_URL: `${url}/`, KEYDESK_TOKEN: token }],
    // What stands beside the address counts before the surroundings.
    [["--url", url, "--token-file", desk.tokenFile], {
      KEYDESK_URL: "http://127.0.0.1:9",
      KEYDESK_TOKEN: "wrong",
    }],
  ];
  for (const [words, settings] of every) {
    const ended = await keydesk([...LIST, ...words], settings);
    assert.deepEqual([ended.code, ended.stderr], [0, ""], words.join(" "));
    assert.equal(ended.stdout.trimEnd().split("\n").length, 51);
  }
  const named = await keydesk([...LIST, "--token", token], {});
  assert.deepEqual([named.code, named.stdout], [2, ""]);
  assert.match(named.stderr, /unknown option '--token'/);
  assertRefused(await keydesk([...LIST, "--url", url], {}), /an access token for .* is needed/);
  assertRefused(
    await keydesk([...LIST, "--token-file", desk.tokenFile], {}),
    /--token-file belongs to --url/,
    2,
  );
  const wrong = await keydesk([...LIST, "--url", url], { KEYDESK_TOKEN: "wrong" });
  const refused = (source: string) =>
    `keydesk: GET ${url}/v1/key-requests: Not authorised by the access token in ${source} (not_authorised)\n`;
  assert.deepEqual([wrong.code, wrong.stderr], [1, refused("KEYDESK_TOKEN")]);
  const wrongFile = join(desk.folder, "wrong");
  await Deno.writeTextFile(wrongFile, "wrong", { mode: 0o600 });
  const inFile = await keydesk([...LIST, "--url", url], { KEYDESK_TOKEN_FILE: wrongFile });
  assert.deepEqual([inFile.code, inFile.stderr], [1, refused(wrongFile)]);
  const made = await desk.local("token", "create", "gate", "--allow", "verify");
  const gate = await keydesk([...LIST, "--url", url], { KEYDESK_TOKEN: made.stdout.trim() });
  assertRefused(gate, /^keydesk: access denied: .* \(access_denied\)\n$/);
});

Deno.test("server access: the access token of one server never goes to another", async () => {
  await using desk = await openDoors();
  const { url } = desk.server;
  const seen: (string | null)[] = [];
  await using other = serve((request) => {
    seen.push(request.headers.get("authorization"));
    return Response.json({ data: [], next_cursor: null });
  });
  const token = (await Deno.readTextFile(desk.tokenFile)).trim();
  const surroundings: Record<string, string>[] = [
    { KEYDESK_TOKEN_FILE: desk.tokenFile },
    { KEYDESK_TOKEN: token },
  ];
  for (const settings of surroundings) {
    const [name] = Object.keys(settings);
    const env = { KEYDESK_URL: url, ...settings };
    const refused = new RegExp(`^keydesk: ${name} belongs to the server of KEYDESK_URL, and `);
    assertRefused(await keydesk([...LIST, "--url", other.url], env), refused, 2);
    // Another path of the same server is no other server.
    const below = await keydesk([...LIST, "--url", `${url}/`], { ...env, KEYDESK_URL: `${url}/x` });
    assert.deepEqual([below.code, below.stderr], [0, ""]);
  }
  assert.deepEqual(seen, []);
  const env = { KEYDESK_URL: other.url, KEYDESK_TOKEN: "of-the-other" };
  const named = ["--url", url, "--token-file", desk.tokenFile];
  assert.equal((await keydesk([...LIST, ...named], env)).code, 0);
  const doctor = await keydesk(["doctor", "--url", url], env);
  assert.equal(doctor.code, 2, doctor.stderr);
});

Deno.test("server access: a token file that others may read is told of, and one without a token refused", async () => {
  await using desk = await openDoors();
  const file = join(desk.folder, "token");
  const call = () => keydesk([...LIST, "--url", desk.server.url, "--token-file", file], {});
  await Deno.writeTextFile(file, await Deno.readTextFile(desk.tokenFile), { mode: 0o600 });
  assert.equal((await call()).stderr, "");
  await Deno.chmod(file, 0o640);
  const open = await call();
  assert.equal(open.code, 0);
  assert.equal(
    open.stderr,
    `keydesk: ${file} is open to others than its owner (mode 640): chmod 600 ${file}\n`,
  );
  await Deno.chmod(file, 0o600);
  for (const content of ["", "two words", "kéy", "line\nline"]) {
    await Deno.writeTextFile(file, content);
    assertRefused(await call(), /token holds no access token: expected one word of plain letters/);
  }
  await Deno.remove(file);
  assertRefused(await call(), /token: there is no such file/);
});

Deno.test("server access: an access token goes over plain http to this machine alone, unless that is asked for", async () => {
  const settings = { KEYDESK_TOKEN: "a-token" };
  for (const host of ["desk.invalid", "192.0.2.1", "127.0.0.1.desk.invalid"]) {
    const ended = await keydesk([...LIST, "--url", `http://${host}`], settings);
    assertRefused(ended, /over plain http everyone on the way to \S+ can read the access token/);
  }
  const asked = ["--url", "http://desk.invalid", "--insecure-http"];
  assertRefused(
    await keydesk([...LIST, ...asked], settings),
    /can't reach http:\/\/desk\.invalid: /,
  );
  // No program asks port 1: whatever may listen there, this is how far it comes.
  for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
    const ended = await keydesk([...LIST, "--url", `http://${host}:1`], settings);
    assertRefused(ended, /can't reach http:\/\/\S+: /);
  }
  const named = await keydesk([...LIST, "--url", "https://u:secret@desk.invalid"], settings);
  assertRefused(named, /--url: expected https/, 2);
  assert.ok(!named.stderr.includes("secret"));
});

Deno.test("server access: what is no Keydesk is told so, and no redirect gets the token", async () => {
  const seen: (string | null)[] = [];
  await using other = serve((request) => {
    seen.push(request.headers.get("authorization"));
    return Response.json({ data: [], next_cursor: null });
  });
  const answers: [() => Response, RegExp][] = [
    [
      () => Response.redirect(other.url, 308),
      /answers with a redirect to http:\S+, not as Keydesk/,
    ],
    [() => new Response("<h1>Welcome</h1>"), /does not answer as Keydesk: expected JSON/],
    [
      () => new Response("<h1>Bad gateway</h1>", { status: 502 }),
      /GET http:\S+\/v1\/key-requests: HTTP 502, which is no answer of Keydesk/,
    ],
    [
      () => Response.json({ error: "nothing here" }, { status: 404 }),
      /GET http:\S+\/v1\/key-requests: HTTP 404, which is no answer of Keydesk/,
    ],
  ];
  for (const [answer, sentence] of answers) {
    await using strange = serve(answer);
    const words = [...LIST, "--url", strange.url];
    assertRefused(await keydesk(words, { KEYDESK_TOKEN: "a-token" }), sentence);
  }
  assert.deepEqual(seen, []);
});

Deno.test("server access: the launcher's sandbox lets a command to its server, and below a path too", async () => {
  await using desk = await openDoors();
  await using folder = await temporaryFolder();
  await using proxy = serve((request) => {
    const { pathname, search } = new URL(request.url);
    return fetch(`${desk.server.url}${pathname.replace("/desk", "")}${search}`, request);
  });
  const program = ["node", join(repository, "bin/keydesk.js")];
  const words = [...LIST, "--url", `${proxy.url}/desk/`, "--token-file", desk.tokenFile, "--json"];
  const ended = await run([...program, ...words], { cwd: folder.path });
  assert.deepEqual([ended.code, ended.stderr], [0, ""]);
  assert.equal(ended.stdout.trimEnd().split("\n").length, 50);
  assert.deepEqual([...Deno.readDirSync(folder.path)], []);
});

/** Something that listens and answers. */
function serve(answer: (request: Request) => Response | Promise<Response>) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/**
 * bin/keydesk.js run by Node, in copies of the layouts that people have: a clone (TypeScript) and
 * an installed package (JavaScript inside node_modules). A small program stands in for Keydesk.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MADE_FILES, STAMP } from "../../tools/generate.js";

const repository = fileURLToPath(new URL("../../", import.meta.url));

/** Prints what it was given, or does what its first argument says. */
const program = `
  const [verb, value] = Deno.args;
  const attempt = (name, run) => {
    try { console.log(name, run() ?? "absent"); } catch (error) { console.log(name, error.name); }
  };
  if (verb === "exit") Deno.exit(Number(value));
  if (verb === "die") Deno.kill(Deno.pid, "SIGKILL");
  if (verb === "wait") {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"]) {
      Deno.addSignalListener(signal, () => {
        console.log(signal);
        Deno.exit(0);
      });
    }
    console.log("ready");
    setInterval(() => {}, 1000);
  } else if (verb === "words") {
    console.log(Deno.env.get("KEYDESK_COMMAND"));
  } else if (verb === "restore" || verb === "serve") {
    attempt("data", () => {
      Deno.mkdirSync("data/new", { recursive: true });
      Deno.writeTextFileSync("data/new/file", "");
      return Deno.statSync("data/new/file").mode.toString(8);
    });
    attempt("argument", () => Deno.readTextFileSync(value));
    attempt("neighbour", () => Deno.readTextFileSync("neighbour"));
    attempt("elsewhere", () => Deno.writeTextFileSync("elsewhere", ""));
    attempt("subprocess", () => new Deno.Command("true").outputSync());
    attempt("setting", () => Deno.env.get("KEYDESK_PAGE_SIZE"));
    attempt("path", () => Deno.env.get("PATH"));
    attempt("listening", () => {
      Deno.listen({ hostname: "127.0.0.1", port: 0 }).close();
      return "done";
    });
    attempt("wider", () => Deno.listen({ hostname: "0.0.0.0", port: 0 }));
  } else {
    console.log(JSON.stringify(Deno.args));
  }
`;

/** Stands in for tools/made-files.ts, and writes a sign each time that it runs. */
const generator = `
  import { MADE_FILES, STAMP } from "./generate.js";
  const began = new Date();
  for (const path of MADE_FILES) Deno.writeTextFileSync(path, "");
  Deno.writeTextFileSync("made", "x", { append: true });
  Deno.utimeSync(STAMP, began, began);
`;

Deno.test("launcher: hands arguments over as they are, and the exit code back", async () => {
  await using folder = await clone();
  const words = ["list", "a b", "", '"quoted" $HOME', "--json", "--", "-x"];
  const { code, stdout } = await launch(folder.path, words);
  assert.deepEqual(JSON.parse(stdout), words);
  assert.equal(code, 0);
  assert.equal((await launch(folder.path, ["exit", "5"])).code, 5);
});

Deno.test("launcher: a program killed by signal n gives 128 + n", async () => {
  await using folder = await clone();
  assert.equal((await launch(folder.path, ["die"])).code, 128 + 9);
});

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const) {
  Deno.test(`launcher: hands ${signal} on and waits for the program's end`, async () => {
    await using folder = await clone();
    const child = command(folder.path, ["wait"]).spawn();
    const lines = readLines(child.stdout);
    assert.equal(await lines.next(), "ready");
    child.kill(signal);
    assert.equal(await lines.next(), signal);
    assert.equal((await child.status).code, 0);
    await lines.rest();
    await child.stderr.cancel();
  });
}

Deno.test("launcher: a launcher killed with SIGKILL leaves no program behind", async () => {
  await using folder = await clone();
  const child = command(folder.path, ["wait"]).spawn();
  const lines = readLines(child.stdout);
  assert.equal(await lines.next(), "ready");
  child.kill("SIGKILL");
  // The program holds the other end of the pipe: its end is the program's.
  const rest = await lines.rest();
  assert.ok(["SIGTERM\n", ""].includes(rest), rest);
  await child.status;
  await child.stderr.cancel();
});

Deno.test("launcher: an installed package runs its built program from another folder", async () => {
  await using folder = await temporary();
  const installed = join(folder.path, "node_modules", "keydesk");
  await put(join(installed, "dist", "keydesk.js"), program);
  await copyLauncher(installed);
  await Deno.symlink(
    join(repository, "node_modules", "deno"),
    join(folder.path, "node_modules/deno"),
  );
  const { code, stdout } = await launch(
    folder.path,
    ["list", "x"],
    join(installed, "bin/keydesk.js"),
  );
  assert.equal(stdout, '["list","x"]\n');
  assert.equal(code, 0);
});

Deno.test("launcher: the program knows by which words it was started", async () => {
  await using folder = await clone();
  const linked = async (path: string) => {
    const link = join(folder.cwd, path, "keydesk");
    await Deno.mkdir(join(link, ".."), { recursive: true });
    await Deno.symlink(join(folder.path, "bin/keydesk.js"), link);
    return link;
  };
  for (
    const [launcher, words] of [
      [join(folder.path, "bin/keydesk.js"), "node bin/keydesk.js"],
      [await linked("node_modules/.bin"), "npx keydesk"],
      [await linked("bin"), "keydesk"],
    ] as const
  ) {
    assert.equal((await launch(folder.path, ["words"], launcher)).stdout, `${words}\n`);
  }
});

Deno.test("launcher: what a command advises can be typed as it is printed", async () => {
  await using folder = await temporary();
  const launcher = join(repository, "bin/keydesk.js");
  const settings = { KEYDESK_DATA_DIR: join(folder.path, "data") };
  const { stderr } = await launch(folder.path, ["check"], launcher, folder.path, settings);
  assert.match(stderr, /, or run `node bin\/keydesk\.js seed`\n$/);
});

Deno.test("launcher: a verb reaches its data, its settings, the file that it is named, and no more", async () => {
  await using folder = await clone();
  await Deno.writeTextFile(join(folder.cwd, "named"), "text");
  await Deno.writeTextFile(join(folder.cwd, "neighbour"), "text");
  const { stdout } = await launch(folder.path, ["restore", "named"], undefined, folder.cwd, {
    KEYDESK_PAGE_SIZE: "20",
    KEYDESK_PORT: "0",
  });
  assert.deepEqual(stdout.trimEnd().split("\n"), [
    "data 100600",
    "argument text",
    "neighbour NotCapable",
    "elsewhere NotCapable",
    "subprocess NotCapable",
    "setting 20",
    "path absent",
    "listening NotCapable",
    "wider NotCapable",
  ]);
});

Deno.test("launcher: the server reaches its port, and nothing that a word names", async () => {
  await using folder = await clone();
  await Deno.writeTextFile(join(folder.cwd, "named"), "text");
  const settings = { KEYDESK_PORT: "0" };
  const { stdout } = await launch(
    folder.path,
    ["serve", "named"],
    undefined,
    folder.cwd,
    settings,
  );
  const lines = stdout.trimEnd().split("\n");
  for (
    const line of [
      "data 100600",
      "argument NotCapable",
      "listening done",
      "wider NotCapable",
    ]
  ) assert.ok(lines.includes(line), line);
});

Deno.test("launcher: the file that a setting names is read, and none beside it", async () => {
  await using folder = await clone();
  await Deno.writeTextFile(join(folder.cwd, "named"), "text");
  await Deno.writeTextFile(join(folder.cwd, "neighbour"), "text");
  const settings = { KEYDESK_SEALING_KEY_FILE: "named" };
  const { stdout } = await launch(
    folder.path,
    ["serve", "named"],
    undefined,
    folder.cwd,
    settings,
  );
  assert.match(stdout, /^argument text\nneighbour NotCapable$/m);
});

Deno.test("launcher: a clone makes what is missing or older than a source before its program runs, and then no more", async () => {
  await using folder = await clone();
  const at = (path: string) => join(folder.path, path);
  const start = async () => {
    assert.equal((await launch(folder.path, ["list"])).stdout, '["list"]\n');
    return (await Deno.readTextFile(at("made")).catch(() => "")).length;
  };
  assert.equal(await start(), 0);
  await Deno.remove(at("openapi.json"));
  assert.equal(await start(), 1);
  await Deno.remove(at(STAMP));
  assert.equal(await start(), 2);
  await Deno.utime(at(STAMP), 0, 0);
  assert.equal(await start(), 3);
  await put(at("src/features/keys/keys.contract.ts"), "");
  assert.equal(await start(), 4);
  await Deno.remove(at("src/features/keys/keys.contract.ts"));
  assert.equal(await start(), 5);
  assert.equal(await start(), 5);
});

Deno.test("launcher: what a clone can't make it says, runs nothing and exits with 69", async () => {
  await using folder = await clone();
  await put(join(folder.path, "tools/made-files.ts"), 'throw new Error("read-only");');
  const { code, stdout, stderr } = await launch(folder.path, ["list"]);
  assert.equal(code, 69);
  assert.equal(stdout, "");
  assert.match(stderr, /^keydesk: what is generated of .*\/src can't be made: .*read-only/);
});

Deno.test("launcher: a clone without its development dependencies says so, runs nothing and exits with 69", async () => {
  await using folder = await clone();
  const modules = join(folder.path, "node_modules");
  await Deno.remove(modules);
  for (const name of ["@deno", "deno"]) {
    await Deno.mkdir(modules, { recursive: true });
    await Deno.symlink(join(repository, "node_modules", name), join(modules, name));
  }
  const { code, stdout, stderr } = await launch(folder.path, ["list"]);
  assert.equal(code, 69);
  assert.equal(stdout, "");
  assert.match(stderr, /^keydesk: a clone runs on its development dependencies: run npm ci in /);
});

Deno.test("launcher: without the package deno it says what to do and exits with 69", async () => {
  await using folder = await temporary();
  await copyLauncher(folder.path);
  await put(join(folder.path, "src/cli/main.ts"), program);
  const { code, stdout, stderr } = await launch(folder.path, ["list"]);
  assert.equal(code, 69);
  assert.equal(stdout, "");
  assert.match(stderr, /^keydesk: the npm package deno is missing\. Run npm ci .*\n$/);
});

Deno.test("launcher: version and help need no deno, and no program", async () => {
  await using folder = await temporary();
  await copyLauncher(folder.path);
  await put(join(folder.path, "dist/help.json"), '{"keys":["Usage: keydesk keys\\n"]}');
  const { version } = JSON.parse(await Deno.readTextFile(join(repository, "package.json")));
  const said = async (...words: string[]) => await launch(folder.path, words);
  assert.deepEqual(await said("version"), { code: 0, stdout: `${version}\n`, stderr: "" });
  assert.deepEqual(await said("keys", "--help"), {
    code: 0,
    stdout: "Usage: keydesk keys\n",
    stderr: "",
  });
  assert.equal((await said("keys", "list")).code, 69);
});

Deno.test("launcher: without the platform's package of deno it names it and exits with 69", async () => {
  await using folder = await temporary();
  await copyLauncher(folder.path);
  await put(join(folder.path, "src/cli/main.ts"), program);
  await put(join(folder.path, "node_modules/deno/package.json"), "{}");
  const { code, stderr } = await launch(folder.path, ["list"]);
  assert.equal(code, 69);
  assert.match(stderr, /^keydesk: the npm package @deno\/\S+ is missing\. .*\n$/);
});

Deno.test("launcher: without a program it says so and exits with 69", async () => {
  await using folder = await temporary();
  await copyLauncher(folder.path);
  await Deno.symlink(join(repository, "node_modules"), join(folder.path, "node_modules"));
  const { code, stderr } = await launch(folder.path, ["list"]);
  assert.equal(code, 69);
  assert.match(stderr, /neither src\/cli\/main\.ts nor dist\/keydesk\.js/);
});

/**
 * A clone with the program in place of src/cli/main.ts, and an empty current directory elsewhere.
 */
async function clone() {
  const folder = await temporary();
  await copyLauncher(folder.path);
  // The program is plain JavaScript, which is TypeScript too: `deno run` checks no types.
  await put(join(folder.path, "src/cli/main.ts"), program);
  await put(
    join(folder.path, "tools/generate.js"),
    await Deno.readTextFile(join(repository, "tools/generate.js")),
  );
  await put(join(folder.path, "tools/made-files.ts"), generator);
  await Deno.symlink(join(repository, "node_modules"), join(folder.path, "node_modules"));
  for (const path of MADE_FILES) await put(join(folder.path, path), "");
  await put(join(folder.path, "docs/gateways/nginx.conf"), "");
  // A file's time is the last tick of the system's clock: what a test writes now must not share it.
  const before = new Date(Date.now() - 60_000);
  for (const path of ["package.json", "src", "tools", "docs"]) {
    await setTimes(join(folder.path, path), before);
  }
  // Not inside the package directory: that may be read.
  const outside = await temporary();
  return {
    path: folder.path,
    cwd: outside.path,
    async [Symbol.asyncDispose]() {
      await folder[Symbol.asyncDispose]();
      await outside[Symbol.asyncDispose]();
    },
  };
}

async function setTimes(path: string, at: Date): Promise<void> {
  if ((await Deno.stat(path)).isDirectory) {
    for await (const { name } of Deno.readDir(path)) await setTimes(join(path, name), at);
  }
  await Deno.utime(path, at, at);
}

async function temporary() {
  const path = await Deno.makeTempDir({ prefix: "keydesk launcher " });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

async function copyLauncher(to: string): Promise<void> {
  for await (const { name } of Deno.readDir(join(repository, "bin"))) {
    await put(join(to, "bin", name), await Deno.readTextFile(join(repository, "bin", name)));
  }
  await put(join(to, "package.json"), await Deno.readTextFile(join(repository, "package.json")));
}

async function put(path: string, text: string): Promise<void> {
  await Deno.mkdir(join(path, ".."), { recursive: true });
  await Deno.writeTextFile(path, text);
}

function command(
  folder: string,
  words: string[],
  launcher = join(folder, "bin/keydesk.js"),
  cwd = folder,
  settings: Record<string, string> = {},
): Deno.Command {
  return new Deno.Command("node", {
    args: [launcher, ...words],
    cwd,
    // As from a plain shell: these tests may themselves run under npm.
    env: { npm_lifecycle_event: "", NO_COLOR: "1", ...settings },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

async function launch(...how: Parameters<typeof command>) {
  const { code, stdout, stderr } = await command(...how).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** One line at a time, then all the rest up to the end of the stream. */
function readLines(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const more = async () => {
    const { done, value } = await reader.read();
    text += value ?? "";
    return !done;
  };
  return {
    async next(): Promise<string> {
      while (!text.includes("\n") && await more());
      const end = text.indexOf("\n");
      const line = end < 0 ? text : text.slice(0, end);
      text = end < 0 ? "" : text.slice(end + 1);
      return line;
    },
    async rest(): Promise<string> {
      while (await more());
      return text;
    },
  };
}

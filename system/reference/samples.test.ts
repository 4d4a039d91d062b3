/** The samples of the reference page, run by what they are written for. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Call } from "../../console/reference/call.ts";
import { LANGUAGES } from "../../console/reference/samples.ts";
import { snippets } from "../../src/features/portal/pages/snippets.ts";
import { run, temporaryFolder } from "../../test/support/command.ts";
import { goProgram } from "../support/go.ts";

const text =
  `{"name":"Ada's \\"desk\\" $HOME \`x\` \\\\ é\\n","ends":null,"ok":true,"list":[1,[]]}`;

/** A call of each kind: an extension method with a body, a read, a form, a file. */
const CALLS: readonly Call[] = [
  {
    method: "UPDATE",
    target: "/api/portal/requests/a%2Fb",
    headers: { "content-type": "application/json", "idempotency-key": "it's $1" },
    credential: { header: "authorization", before: "" },
    body: text,
  },
  {
    method: "GET",
    target: "/v1/keys?q=a%26b&limit=5",
    headers: {},
    credential: { header: "authorization", before: "Bearer " },
  },
  {
    method: "POST",
    target: "/oauth/token",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "grant_type=client_credentials&scope=a%20b",
  },
  {
    method: "POST",
    target: "/v1/certificates",
    headers: { "content-type": "application/x-pkcs12" },
    credential: { header: "authorization", before: "" },
    body: new File([new Uint8Array([0, 1, 255])], "it's a file.p12"),
  },
];

/** The files of a language's samples, and the one program that runs them in turn. */
interface Together {
  readonly files: (samples: readonly string[]) => Readonly<Record<string, string>>;
  readonly program: () => Promise<string[]>;
}

const TOGETHER: Readonly<Record<string, Together>> = {
  curl: {
    files: (samples) => ({ "samples.sh": `set -e\n${samples.join("\n")}\n` }),
    program: () => Promise.resolve(["sh", "samples.sh"]),
  },
  JavaScript: {
    files: (samples) => ({
      ...numbered(samples, "mjs"),
      "samples.mjs": samples.map((_, i) => `await import("./sample${i}.mjs");`).join("\n"),
    }),
    program: () => Promise.resolve(["node", "samples.mjs"]),
  },
  Python: {
    files: (samples) => ({
      ...numbered(samples, "py"),
      "samples.py": samples.map((_, i) => `import sample${i}`).join("\n"),
    }),
    program: () => Promise.resolve(["python3", "samples.py"]),
  },
  Go: {
    files: (samples) => ({
      ...numbered(samples.map((text, i) => text.replace("func main()", `func sample${i}()`)), "go"),
      "samples.go": `package main\n\nfunc main() {\n${
        samples.map((_, i) => `\tsample${i}()`).join("\n")
      }\n}\n`,
    }),
    program: async () => [
      ...await goProgram(),
      "run",
      "samples.go",
      ...CALLS.map((_, i) => `sample${i}.go`),
    ],
  },
};

function numbered(texts: readonly string[], ending: string): Readonly<Record<string, string>> {
  return Object.fromEntries(texts.map((text, i) => [`sample${i}.${ending}`, text]));
}

Deno.test("samples: curl, JavaScript, Python and Go send the very call", async () => {
  await using folder = await temporaryFolder();
  const got: { method: string; target: string; headers: Headers; body: Uint8Array }[] = [];
  await using desk = Deno.serve({ port: 0, onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const body = new Uint8Array(await request.arrayBuffer());
    got.push({ method: request.method, target: pathname + search, headers: request.headers, body });
    return new Response("taken");
  });
  const env = { DESK: `http://127.0.0.1:${desk.addr.port}`, CREDENTIAL: "the-token" };
  for (const { body } of CALLS) {
    if (body instanceof File) {
      await Deno.writeFile(join(folder.path, body.name), await body.bytes());
    }
  }
  assert.deepEqual(Object.keys(LANGUAGES), Object.keys(TOGETHER));
  for (const [language, { files, program }] of Object.entries(TOGETHER)) {
    const samples = CALLS.map((call) => LANGUAGES[language]?.(call) ?? "");
    for (const [name, text] of Object.entries(files(samples))) {
      await Deno.writeTextFile(join(folder.path, name), text);
    }
    const { code, stdout, stderr } = await run(await program(), { cwd: folder.path, env });
    assert.equal(code, 0, `${language}: ${stderr}`);
    assert.equal(stdout.match(/taken/g)?.length, CALLS.length, `${language}: ${stdout}`);
    assert.equal(got.length, CALLS.length, language);
    for (const [i, came] of got.splice(0).entries()) {
      const { method, target, credential, headers, body } = CALLS[i] ?? assert.fail();
      assert.deepEqual([came.method, came.target], [method, target], language);
      assert.equal(
        came.headers.get("authorization"),
        credential ? `${credential.before}the-token` : null,
      );
      for (const [name, value] of Object.entries(headers)) {
        assert.equal(came.headers.get(name), value, `${language} ${name}`);
      }
      await assertSame(came.body, body, language);
    }
  }
});

Deno.test("samples: the calls beside a fresh key take it from the environment, in each language", async () => {
  await using folder = await temporaryFolder();
  const got: string[] = [];
  await using gateway = Deno.serve({ port: 0, onListen() {} }, (request) => {
    const { pathname } = new URL(request.url);
    got.push(`${request.method} ${pathname} ${request.headers.get("x-api-key")}`);
    return new Response("taken");
  });
  const address = `http://127.0.0.1:${gateway.addr.port}/it's/v1`;
  const programs: Readonly<Record<string, readonly string[]>> = {
    curl: ["sh", "call.curl"],
    JavaScript: ["node", "call.mjs"],
    Python: ["python3", "call.py"],
    Go: [...await goProgram(), "run", "call.go"],
  };
  const calls = snippets(address, "X-Api-Key");
  assert.deepEqual(calls.map(({ name }) => name), Object.keys(programs));
  for (const { name, code } of calls) {
    const program = programs[name] ?? [];
    await Deno.writeTextFile(join(folder.path, program.at(-1) ?? ""), code);
    const env = { API_KEY: "the-key" };
    const { code: status, stdout, stderr } = await run([...program], { cwd: folder.path, env });
    assert.equal(status, 0, `${name}: ${stderr}`);
    assert.match(stdout, /taken/, name);
    assert.deepEqual(got.splice(0), ["GET /it's/v1 the-key"], name);
  }
});

/** The same bytes; JSON may be spaced otherwise. */
async function assertSame(
  came: Uint8Array | undefined,
  sent: Call["body"],
  language: string,
): Promise<void> {
  const shown = new TextDecoder().decode(came);
  if (sent instanceof File) assert.deepEqual(came, await sent.bytes(), language);
  else if (sent?.startsWith("{")) assert.deepEqual(JSON.parse(shown), JSON.parse(sent), language);
  else assert.equal(shown, sent ?? "", language);
}

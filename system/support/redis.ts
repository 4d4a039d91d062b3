import { join } from "node:path";
import { run } from "../../test/support/command.ts";

/** A Redis of one test, reached by TLS and with a password alone. */
export interface TestRedis extends AsyncDisposable {
  readonly port: number;
  /**
   * Certificates (PEM) of the authority that signed for it, and the file that holds its password.
   */
  readonly ca: string;
  readonly passwordFile: string;
  /** Runs a command of redis-cli; `input` stands for its last argument. */
  command(words: readonly string[], input?: string): Promise<string>;
}

/**
 * Starts one in a folder, on an address of this machine's own. Another port is tried where one is
 * taken.
 */
export async function startRedis(folder: string): Promise<TestRedis> {
  const at = (name: string) => join(folder, name);
  await mustRun([
    "openssl",
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "2",
    "-keyout",
    at("redis.key"),
    "-out",
    at("redis.crt"),
    "-subj",
    "/CN=localhost",
    "-addext",
    "subjectAltName=DNS:localhost,IP:127.0.0.1",
  ]);
  const password = "a-password-of-redis";
  await Deno.writeTextFile(at("redis-password"), `${password}\n`);
  for (let attempt = 0; attempt < 10; attempt++) {
    const port = freePort();
    await Deno.writeTextFile(
      at("redis.conf"),
      [
        `port 0`,
        `tls-port ${port}`,
        `bind 127.0.0.1`,
        `tls-cert-file ${at("redis.crt")}`,
        `tls-key-file ${at("redis.key")}`,
        `tls-ca-cert-file ${at("redis.crt")}`,
        `tls-auth-clients no`,
        `requirepass ${password}`,
        `save ""`,
        `dir ${folder}`,
        "",
      ].join("\n"),
    );
    const child = new Deno.Command("redis-server", {
      args: [at("redis.conf")],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    const command = async (words: readonly string[], input?: string) => {
      const ended = await run([
        "redis-cli",
        "-p",
        String(port),
        "--tls",
        "--cacert",
        at("redis.crt"),
        "--no-auth-warning",
        "-a",
        password,
        ...input === undefined ? [] : ["-x"],
        ...words,
      ], input === undefined ? {} : { input });
      return ended.stdout;
    };
    let isOver = false;
    const over = child.status.then(() => isOver = true);
    while (!isOver && !(await command(["ping"])).includes("PONG")) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    // Its port was taken meanwhile.
    if (isOver) continue;
    return {
      port,
      ca: at("redis.crt"),
      passwordFile: at("redis-password"),
      command,
      [Symbol.asyncDispose]: async () => {
        child.kill("SIGTERM");
        await over;
      },
    };
  }
  throw new Error("redis-server does not start");
}

/** Runs a program that must succeed. */
export async function mustRun(words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(words);
  if (code !== 0) throw new Error(`${words.join(" ")}: ${stderr}`);
  return stdout;
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/**
 * Ory Hydra, a real provider in Go, in a process of its own on ports of this machine, with the
 * application that it asks who somebody is: whoever comes is `grace`, in the group `desk`.
 */
import { join } from "node:path";
import { download, kept } from "./downloads.ts";
import { freePort } from "./proxies.ts";

const VERSION = "v2.3.0";
const POP = "v6.2.1-0.20241121111754-e5dfc0f3344b";

const MODULE = `module hydra

go 1.22

require github.com/ory/hydra/v2 ${VERSION}

replace github.com/gobuffalo/pop/v6 => github.com/ory/pop/v6 ${POP}
`;

/** Hydra that runs. */
export interface Hydra extends AsyncDisposable {
  readonly issuer: string;
  readonly host: string;
  /** A call of its administration. Throws where it is refused. */
  administer(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
}

/** Starts one. Go 1.22 or later and a C compiler build it once, which takes minutes. */
export async function hydra(): Promise<Hydra> {
  const program = await built();
  const [port, admin] = [freePort(), freePort()];
  const host = `127.0.0.1:${port}`;
  const issuer = `http://${host}`;
  const administer = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`http://127.0.0.1:${admin}/admin${path}`, {
      method,
      headers: { "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === "" ? {} : JSON.parse(text);
  };
  const asked = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const url = new URL(request.url);
      const kind = url.pathname.slice(1);
      const query = `${kind}_challenge=${url.searchParams.get(`${kind}_challenge`) ?? ""}`;
      const path = `/oauth2/auth/requests/${kind}`;
      const { requested_scope: grant_scope } = await administer("GET", `${path}?${query}`);
      const said = {
        login: { subject: "grace", remember: true },
        consent: { grant_scope, session: { id_token: { name: "Grace", groups: ["desk"] } } },
      }[kind];
      const { redirect_to } = await administer("PUT", `${path}/accept?${query}`, said ?? {});
      return Response.redirect(String(redirect_to));
    },
  );
  const application = `http://127.0.0.1:${asked.addr.port}`;
  const child = new Deno.Command(program, {
    args: ["serve", "all", "--dev"],
    env: {
      DSN: "memory",
      SECRETS_SYSTEM: "only-of-this-test-0123456789",
      SERVE_PUBLIC_HOST: "127.0.0.1",
      SERVE_PUBLIC_PORT: String(port),
      SERVE_ADMIN_HOST: "127.0.0.1",
      SERVE_ADMIN_PORT: String(admin),
      URLS_SELF_ISSUER: issuer,
      URLS_LOGIN: `${application}/login`,
      URLS_CONSENT: `${application}/consent`,
      URLS_LOGOUT: `${application}/logout`,
      SQA_OPT_OUT: "true",
    },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const errors = new Response(child.stderr).text();
  let isOver = false;
  void child.status.then(() => isOver = true);
  for (;;) {
    if (isOver) throw new Error(`Hydra ended at its start: ${(await errors).slice(-2000)}`);
    const answer = await fetch(`${issuer}/health/ready`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  // Its keys are made at the first question, which takes seconds.
  for (const name of ["jwks.json", "openid-configuration"]) {
    await (await fetch(`${issuer}/.well-known/${name}`)).body?.cancel();
  }
  return {
    issuer,
    host,
    administer,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await Promise.all([child.status, errors]);
      await asked.shutdown();
    },
  };
}

async function built(): Promise<string> {
  const folder = await kept(`hydra-${VERSION}`, "", [], async (made) => {
    await Deno.writeTextFile(join(made, "go.mod"), MODULE);
    const words = ["go", "build", "-mod=mod", "-tags", "sqlite", "-o", join(made, "hydra")];
    await download("Go", [...words, "github.com/ory/hydra/v2"], { cwd: made });
  });
  return join(folder, "hydra");
}

/**
 * The files that the console hands out, taken over by servers that run already: their other sites
 * go on, and two gateways do not collide.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { filledFile } from "../../../src/contract/filled-file.ts";
import { gatewayFiles } from "../../../src/contract/gateway-files.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { withFolder } from "../../../test/support/processes.ts";
import { nginxMain } from "../../support/placed-gateways.ts";
import { answers, freePort, startApi } from "../../support/proxies.ts";

/** A server whose configuration a gateway's files are added to. */
interface Running {
  /** Its own file, with a site at this port. */
  readonly file: string;
  readonly own: (site: number, folder: string) => string;
  /** The place of a file in its folder. */
  readonly place: (name: string) => string;
  /** A line that its own file gets for a gateway. */
  readonly line?: (name: string) => string;
  readonly start: (folder: string) => string[];
  readonly check: (folder: string) => string[];
  /** Undefined: by a signal. */
  readonly reload: ((folder: string) => string[]) | undefined;
}

const servers: Record<"nginx" | "caddy" | "haproxy", Running> = {
  nginx: {
    file: "nginx.conf",
    own: (site) =>
      nginxMain.replace(
        "include sites-enabled/*;",
        `server { listen 127.0.0.1:${site}; location / { return 200 "another site"; } }`,
      ),
    place: (name) => name.endsWith(".conf") ? `conf.d/${name}` : name,
    start: (folder) => ["/usr/sbin/nginx", "-p", folder, "-c", "nginx.conf", "-g", "daemon off;"],
    check: (folder) => ["/usr/sbin/nginx", "-t", "-p", folder, "-c", "nginx.conf"],
    reload: (folder) => ["/usr/sbin/nginx", "-p", folder, "-c", "nginx.conf", "-s", "reload"],
  },
  caddy: {
    file: "Caddyfile",
    own: (site, folder) =>
      `{\n\tadmin unix/${folder}/admin.sock\n}\n\nhttp://127.0.0.1:${site} {\n\trespond "another site"\n}\n`,
    place: (name) => name,
    line: (name) => `import ${name}.caddy\n`,
    start: (folder) => ["/usr/bin/caddy", "run", "--config", `${folder}/Caddyfile`],
    check: (folder) => ["/usr/bin/caddy", "validate", "--config", `${folder}/Caddyfile`],
    reload: (folder) => ["/usr/bin/caddy", "reload", "--config", `${folder}/Caddyfile`],
  },
  haproxy: {
    file: "haproxy.cfg",
    own: (site) =>
      `defaults\n  mode http\n  timeout connect 1s\n  timeout client 9s\n  timeout server 9s\n` +
      `frontend site\n  bind 127.0.0.1:${site}\n  http-request return string "another site" content-type text/plain\n`,
    place: (name) => name.endsWith(".cfg") ? `conf.d/${name}` : name,
    start: (folder) => ["/usr/sbin/haproxy", "-W", ...haproxyFiles(folder)],
    check: (folder) => ["/usr/sbin/haproxy", "-c", ...haproxyFiles(folder)],
    reload: undefined,
  },
};

function haproxyFiles(folder: string): string[] {
  return ["-f", `${folder}/haproxy.cfg`, "-f", `${folder}/conf.d`];
}

for (const [kind, server] of Object.entries(servers)) {
  Deno.test(`${kind}: takes the files of two gateways over while it runs, and its other site goes on`, async () => {
    await withFolder(async (folder) => {
      await using api = startApi();
      await using desk = startDesk();
      const site = freePort();
      await Deno.mkdir(join(folder, "conf.d"));
      await Deno.writeTextFile(join(folder, server.file), server.own(site, folder));
      const child = command(server.start(folder), folder).spawn();
      try {
        const other = `http://127.0.0.1:${site}/`;
        await eventually("its own site is there", () => answers(other));
        const addresses: string[] = [];
        for (const name of ["edge-1", "edge.1_api"]) {
          addresses.push(`127.0.0.1:${freePort()}`);
          await place(kind as keyof typeof servers, folder, {
            GATEWAY_ADDRESS: `${kind === "caddy" ? "http://" : ""}${addresses.at(-1)}`,
            API_ADDRESS: api.address,
            API_ID: "weather",
            DESK_ADDRESS: desk.address,
            DESK_CREDENTIAL: "the-token",
            GATEWAY_NAME: name,
          });
        }
        const checked = await command(server.check(folder), folder).output();
        assert.equal(checked.code, 0, new TextDecoder().decode(checked.stderr));
        assert.equal(await textOf(other), "another site");
        if (server.reload) {
          assert.equal((await command(server.reload(folder), folder).output()).code, 0);
        } else {
          child.kill("SIGUSR2");
        }
        for (const address of addresses) {
          await eventually("the gateway is there", () => answers(`http://${address}/`));
          const call = (key: string) =>
            fetch(`http://${address}/forecast`, { headers: { authorization: key } });
          const denied = await call("unknown");
          assert.equal(denied.status, 401);
          if (kind === "nginx") assert.equal(await denied.text(), '{"error":"no valid key"}');
          else await denied.body?.cancel();
          assert.equal(await (await call("good")).text(), "served by the API");
        }
        assert.deepEqual([...new Set(desk.gateways)].sort(), ["edge-1;2", "edge.1_api;2"]);
        assert.equal(await textOf(other), "another site");
      } finally {
        child.kill("SIGTERM");
        await child.status;
      }
    });
  });
}

/** Puts the files, as they are downloaded, into their places. */
async function place(
  kind: keyof typeof servers,
  folder: string,
  values: Parameters<typeof filledFile>[1],
): Promise<void> {
  const server = servers[kind];
  for (const { name, text } of gatewayFiles[kind]) {
    const filled = filledFile(text, values).replaceAll("/etc/haproxy", folder);
    const path = join(folder, server.place(filledFile(name, values)));
    await Deno.writeTextFile(path, filled, { mode: 0o600 });
  }
  const line = server.line?.(`keydesk-${values.GATEWAY_NAME}`);
  if (line) await Deno.writeTextFile(join(folder, server.file), line, { append: true });
}

/** Stands in for Keydesk: allows one key, and keeps who asks. */
function startDesk() {
  const gateways: (string | null)[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    gateways.push(request.headers.get("x-keydesk-gateway"));
    const isGood = request.headers.get("authorization") === "good" &&
      request.headers.get("x-keydesk-authorization") === "Bearer the-token" &&
      new URL(request.url).searchParams.get("api") === "weather";
    return new Response(null, { status: isGood ? 200 : 401 });
  });
  return {
    address: `127.0.0.1:${server.addr.port}`,
    gateways,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function command([program = "", ...args]: string[], folder: string): Deno.Command {
  const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  return new Deno.Command(program, {
    args,
    env,
    cwd: folder,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  });
}

async function textOf(url: string): Promise<string> {
  return await (await fetch(url)).text();
}

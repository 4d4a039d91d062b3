/** Keycloak, a real provider in Java, in a process of its own on a port of this machine. */
import { join } from "node:path";
import { run } from "../../test/support/command.ts";
import { download, downloads, kept } from "./downloads.ts";
import { freePort } from "./proxies.ts";

const VERSION = "26.5.5";
const REALM = "harbour";
const MAVEN_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1";

/** Who is there, each with the password `any`. */
const USERS = [
  { username: "grace", name: "Grace", groups: ["/desk"] },
  { username: "eve", name: "Eve", groups: [] },
];

/** A client of it, in its own words. */
export interface KeycloakClient {
  readonly clientId: string;
  readonly secret: string;
  readonly redirectUri: string;
  readonly logoutUri: string;
}

/** Keycloak before it runs: where it will be is known, its clients are not. */
export interface Keycloak extends AsyncDisposable {
  readonly issuer: string;
  readonly host: string;
  /** Starts it with these clients, and waits until it answers. */
  start(clients: readonly KeycloakClient[]): Promise<void>;
  /** What its administrator does, below the realm. Throws where that is refused. */
  administer(method: string, path: string, body?: unknown): Promise<unknown>;
}

/** Has it at hand: out of Maven Central, built once. Java 17 or later, `mvn` and `unzip` run it. */
export async function keycloak(): Promise<Keycloak> {
  const source = await installed();
  const port = freePort();
  const host = `127.0.0.1:${port}`;
  const issuer = `http://${host}/realms/${REALM}`;
  const folder = await Deno.makeTempDir({ dir: downloads, prefix: "keycloak-run-" });
  const home = join(folder, "keycloak");
  let child: Deno.ChildProcess | undefined;
  return {
    issuer,
    host,
    start: async (clients) => {
      // It keeps what it has beside its program: each run has its own, by links, in no time.
      const linked = await run(["cp", "-al", source, home]);
      if (linked.code !== 0) throw new Error(linked.stderr);
      await Deno.mkdir(join(home, "data/import"), { recursive: true });
      const file = join(home, "data/import/realm.json");
      await Deno.writeTextFile(file, JSON.stringify(realm(clients)));
      const words = ["start", "--optimized", "--import-realm", "--http-enabled=true"];
      const at = ["--http-host=127.0.0.1", `--http-port=${port}`, "--hostname-strict=false"];
      child = new Deno.Command("sh", {
        // `exec`, so that what is ended is Java.
        env: {
          KC_BOOTSTRAP_ADMIN_USERNAME: "admin",
          KC_BOOTSTRAP_ADMIN_PASSWORD: "any",
        },
        args: [
          "-c",
          `exec sh "$0" "$@" > "${folder}/log" 2>&1`,
          join(home, "bin/kc.sh"),
          ...words,
          ...at,
        ],
        stdin: "null",
        stdout: "null",
        stderr: "null",
      }).spawn();
      await answers(`${issuer}/.well-known/openid-configuration`, child.status).catch(
        async (error) => {
          throw new Error(await Deno.readTextFile(join(folder, "log")), { cause: error });
        },
      );
    },
    administer: async (method, path, body) => {
      const token = await fetch(`http://${host}/realms/master/protocol/openid-connect/token`, {
        method: "POST",
        body: new URLSearchParams({
          grant_type: "password",
          client_id: "admin-cli",
          username: "admin",
          password: "any",
        }),
      });
      const { access_token } = await token.json();
      const answer = await fetch(`http://${host}/admin/realms/${REALM}${path}`, {
        method,
        headers: { "authorization": `Bearer ${access_token}`, "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return text === "" ? null : JSON.parse(text);
    },
    [Symbol.asyncDispose]: async () => {
      child?.kill();
      await child?.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function installed(): Promise<string> {
  const name = `keycloak-${VERSION}`;
  const folder = await kept(name, "", [], async (made) => {
    const artifact = `-Dartifact=org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`;
    const repository = `-Dmaven.repo.local=${join(downloads, "maven")}`;
    const words = ["mvn", "-q", "-B", repository, "-Dmaven.wagon.rto=60000"];
    const copy = [`${MAVEN_PLUGIN}:copy`, artifact, `-DoutputDirectory=${made}`];
    await download("Maven Central", [...words, ...copy], { cwd: made });
    const zip = `keycloak-quarkus-dist-${VERSION}.zip`;
    const unpacked = await run(["unzip", "-q", zip], { cwd: made });
    if (unpacked.code !== 0) throw new Error(`unzip is needed: ${unpacked.stderr}`);
    await Deno.remove(join(made, zip));
    const built = await run(["sh", join(made, name, "bin/kc.sh"), "build", "--db=dev-file"]);
    if (built.code !== 0) throw new Error(built.stdout.slice(-4000));
  });
  return join(folder, name);
}

function realm(clients: readonly KeycloakClient[]) {
  return {
    realm: REALM,
    enabled: true,
    sslRequired: "none",
    groups: [{ name: "desk" }],
    users: USERS.map(({ username, name, groups }) => ({
      username,
      email: `${username}@harbour.example`,
      emailVerified: true,
      firstName: name,
      lastName: "Harbour",
      enabled: true,
      credentials: [{ type: "password", value: "any" }],
      groups,
    })),
    clients: clients.map(({ clientId, secret, redirectUri, logoutUri }) => ({
      clientId,
      secret,
      redirectUris: [redirectUri],
      attributes: {
        "backchannel.logout.url": logoutUri,
        "backchannel.logout.session.required": "true",
        "post.logout.redirect.uris": "+",
      },
      protocolMappers: [{
        name: "groups",
        protocol: "openid-connect",
        protocolMapper: "oidc-group-membership-mapper",
        // As the dialog has it: the full path, which begins with a slash.
        config: { "claim.name": "groups", "full.path": "true", "id.token.claim": "true" },
      }],
    })),
  };
}

/** Waits until it answers; throws where its process ends before. */
async function answers(address: string, ended: Promise<unknown>): Promise<void> {
  let isOver = false;
  void ended.then(() => isOver = true);
  for (;;) {
    if (isOver) throw new Error("Keycloak ended at its start");
    const answer = await fetch(address).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

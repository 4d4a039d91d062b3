/**
 * The image of deploy/Containerfile: built on a local base, and run by podman as
 * deploy/compose.yaml and the manifests run it. In the short form its container is given what the
 * packed package installs, in the place of what the same npm would install and build in there,
 * which takes most of the time; the long form builds it of the clone, as people do.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { repository, run, temporaryFolder } from "../../test/support/command.ts";
import { effort } from "../../test/support/effort.ts";
import { PATIENCE_MS } from "../../test/support/eventually.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { download, downloads } from "../support/downloads.ts";
import { installed, mustRun } from "../support/packed.ts";
import { lastingPort } from "../support/proxies.ts";

const BASE = "localhost/keydesk-test-base";
const IMAGE = "localhost/keydesk-test";
const ADMINISTRATOR = "administrator-of-the-container-test";

/** Containers and images in a folder of their own, removed at the end. */
interface Containers extends AsyncDisposable {
  /** Of the image's account, to be mounted. */
  readonly folder: string;
  podman(...words: string[]): Promise<string>;
  buildah(...words: string[]): Promise<string>;
}

async function openContainers(): Promise<Containers> {
  const made = await temporaryFolder();
  const where = ["--root", join(made.path, "storage"), "--runroot", join(made.path, "run")];
  const driver = ["--storage-driver", "overlay"];
  const told = async (command: string[]) => {
    const { code, stdout, stderr } = await run(command);
    assert.equal(code, 0, `${command.join(" ")}\n${stdout}${stderr}`);
    return stdout.trim();
  };
  // Where version 1 of control groups is mounted too, crun refuses; in a view of its own there is
  // version 2 alone.
  const alone = 'mount -t cgroup2 none /sys/fs/cgroup && exec "$@"';
  const folder = join(made.path, "mounted");
  await Deno.mkdir(folder);
  const podman = (...words: string[]) =>
    told([
      "unshare",
      "--mount",
      "sh",
      "-c",
      alone,
      "sh",
      "podman",
      "--cgroup-manager",
      "cgroupfs",
      "--events-backend",
      "file",
      ...where,
      ...driver,
      ...words,
    ]);
  return {
    folder,
    podman,
    buildah: (...words) => told(["buildah", ...where, ...driver, ...words]),
    [Symbol.asyncDispose]: async () => {
      await podman("rm", "--all", "--force", "--time", "0").catch(() => {});
      await run(["umount", join(made.path, "storage/overlay")]);
      await made[Symbol.asyncDispose]();
    },
  };
}

/** Of Debian what Node and a shell need: `minbase` takes a minute to unpack and configure. */
const PACKAGES = ["base-files", "coreutils", "dash", "libstdc++6"];

/** Debian, without what this test does not need, and this machine's Node and npm. */
async function baseFolder(): Promise<string> {
  const folder = join(downloads, "container-base");
  await Deno.mkdir(folder, { recursive: true });
  const { isFile } = await Deno.stat(join(folder, "base.tar")).catch(() => ({ isFile: false }));
  if (!isFile) {
    const half = join(folder, "half.tar");
    const words = ["--variant=extract", `--include=${PACKAGES}`, "bookworm", half];
    await download("Debian", ["mmdebstrap", "--quiet", ...words], { cwd: folder });
    await Deno.rename(half, join(folder, "base.tar"));
  }
  const npm = (await run(["npm", "root", "--global"])).stdout.trim();
  const { stdout: node } = await run(["node", "-p", "process.execPath"]);
  await Deno.copyFile(node.trim(), join(folder, "node"));
  await Deno.copyFile("/etc/ssl/certs/ca-certificates.crt", join(folder, "ca-certificates.crt"));
  await run(["rm", "-rf", join(folder, "npm")]);
  await run(["cp", "-rL", join(npm, "npm"), join(folder, "npm")]);
  return folder;
}

/** What an image is built of: a file, and the folder that it copies. */
interface Source {
  readonly file: string;
  readonly context: string;
}

/** What people build of. */
const CLONE: Source = { file: join(repository, "deploy/Containerfile"), context: repository };

/** The commands that install and build; all the rest of the file stays. */
const NPM = /npm ci [^\n]*\n *&& npm run build [^\n]*\n *&& npm prune [^\n]*\n *&& /;

/** The same file without those, over a folder that has what they leave there. */
async function builtAlready(folder: string): Promise<Source> {
  const context = join(folder, "context");
  const packages = join(await installed(), "node_modules");
  await mustRun(["cp", "--archive", "--link", join(packages, "keydesk"), context]);
  await mustRun(["cp", "--archive", "--link", packages, context]);
  await Deno.remove(join(context, "node_modules/keydesk"), { recursive: true });
  const text = await Deno.readTextFile(CLONE.file);
  assert.match(text, NPM);
  const file = join(folder, "Containerfile");
  await Deno.writeTextFile(file, text.replace(NPM, ""));
  return { file, context };
}

const options = { sanitizeOps: false, sanitizeResources: false };

Deno.test(
  "container: it is built, and serves without privileges on a read-only root",
  options,
  async (t) => {
    await using made = await temporaryFolder();
    await using containers = await openContainers();
    const { podman, buildah, folder } = containers;
    const build = ["bud", "--quiet", "--isolation", "chroot", "--network", "host"];
    await t.step("it is built", async () => {
      const base = await baseFolder();
      const file = join(repository, "system/deploy/base.Containerfile");
      await buildah(...build, "--tag", BASE, "--file", file, base);
      const words = ["--build-arg", `BUILD=${BASE}`, "--build-arg", `BASE=${BASE}`];
      const source = effort > 1 ? CLONE : await builtAlready(made.path);
      const format = ["--format", "docker", "--tag", IMAGE, "--file", source.file];
      await buildah(...build, ...words, ...format, source.context);
      const [{ Config, Size }] = JSON.parse(await podman("image", "inspect", IMAGE));
      const [{ Size: ofBase }] = JSON.parse(await podman("image", "inspect", BASE));
      assert.equal(Config.User, "10001:10001");
      console.log(`image: ${((Size - ofBase) / 1e6).toFixed(0)} MB and its base`);
    });

    const start = async (name: string, settings: Record<string, string>) => {
      const port = lastingPort();
      const env = { ...settings, KEYDESK_PORT: String(port), KEYDESK_HOST: "127.0.0.1" };
      await podman(
        "run",
        "--detach",
        "--name",
        name,
        "--network",
        "host",
        "--cgroups",
        "disabled",
        "--read-only",
        "--cap-drop",
        "all",
        "--security-opt",
        "no-new-privileges",
        "--ulimit",
        "nofile=1024:1024",
        "--ulimit",
        "nproc=1024:1024",
        "--volume",
        `${folder}/secrets:/etc/keydesk:ro`,
        "--volume",
        `${folder}/${name}:/var/lib/keydesk`,
        ...Object.entries(env).flatMap(([key, value]) => ["--env", `${key}=${value}`]),
        IMAGE,
      );
      const url = `http://127.0.0.1:${port}`;
      const deadline = Date.now() + PATIENCE_MS;
      while (
        !await fetch(`${url}/readyz`).then((r) => r.body?.cancel().then(() => r.ok), () => false)
      ) {
        assert.ok(Date.now() < deadline, await podman("logs", name));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return url;
    };
    const stop = async (name: string) => {
      await podman("stop", "--time", "30", name);
      const [{ State }] = JSON.parse(await podman("container", "inspect", name));
      assert.equal(State.ExitCode, 0);
      await podman("rm", name);
    };
    const file = async (url: string) => {
      const body = JSON.stringify({ by_user: "ada", for_plan: "weather" });
      const headers = { authorization: ADMINISTRATOR };
      const response = await fetch(`${url}/api/portal/requests`, { method: "POST", headers, body });
      assert.equal((await response.json()).Status, "OK");
      const pages = await fetch(`${url}/api/portal/requests?p=1`, { headers });
      return (await pages.json()).Data.length;
    };
    const own = async (name: string) => {
      await Deno.mkdir(join(folder, name));
      await Deno.chown(join(folder, name), 10001, 10001);
    };
    await own("secrets");
    const write = async (name: string, text: string) => {
      await Deno.writeTextFile(join(folder, "secrets", name), text, { mode: 0o400 });
      await Deno.chown(join(folder, "secrets", name), 10001, 10001);
    };
    await write("sealing-key", newSealingKey());
    await write("administrator", ADMINISTRATOR);
    const secrets = {
      KEYDESK_SEALING_KEY_FILE: "/etc/keydesk/sealing-key",
      KEYDESK_ADMIN_TOKEN_FILE: "/etc/keydesk/administrator",
    };

    await t.step(
      "it serves on SQLite, is healthy, stops with 0, and finds its store again",
      async () => {
        await own("sqlite");
        const url = await start("sqlite", secrets);
        assert.equal(await file(url), 1);
        await podman("healthcheck", "run", "sqlite");
        const told = await podman("exec", "sqlite", "sh", "-c", "id -u; touch /x 2>&1; ls /");
        assert.match(told, /^10001\n.*Read-only file system\n/);
        await stop("sqlite");
        assert.equal(await file(await start("sqlite", secrets)), 2);
        await stop("sqlite");
      },
    );

    await t.step("it serves on PostgreSQL, with the password in a file", async () => {
      await using postgres = await startPostgres();
      const database = new URL(await postgres.createDatabase());
      await write("database-password", decodeURIComponent(database.password));
      database.password = "";
      await own("postgres");
      const url = await start("postgres", {
        ...secrets,
        KEYDESK_DATABASE_URL: database.href,
        KEYDESK_DATABASE_PASSWORD_FILE: "/etc/keydesk/database-password",
      });
      assert.equal(await file(url), 1);
      await stop("postgres");
    });
  },
);

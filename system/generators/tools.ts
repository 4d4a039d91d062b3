/** The generators and what their clients are compiled with. */
import { join } from "node:path";
import { repository, run } from "../../test/support/command.ts";
import { download, downloads, kept, npmPackages, pythonPackages } from "../support/downloads.ts";
import { goEnvironment, goItself } from "../support/go.ts";

/** Here stand versions, lock files, and one program for each generated client. */
export const sources = join(repository, "system/generators");

/** Here stands what the further tools have. */
export const further = join(sources, "further");

/** The version of openapi-generator; those of the others stand in lock files. */
const OPENAPI_GENERATOR = "7.25.0";

const MAVEN_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1";

/**
 * The folder of the npm packages that a tool needs, and of a compiler for what it makes. `from`:
 * where its folder is.
 */
export function npmTools(tool: string, from = sources): Promise<string> {
  return npmPackages(tool, join(from, "npm", tool));
}

/** The programs of a virtual environment with the Python packages. */
export async function pythonTools(): Promise<string> {
  return join(await pythonPackages("python", join(sources, "python")), "bin");
}

/** The file of openapi-generator, to be run by Java. */
export async function openApiGenerator(): Promise<string> {
  const name = `openapi-generator-cli-${OPENAPI_GENERATOR}`;
  const folder = await kept(name, sources, [], async (made) => {
    const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}:jar`;
    await maven(made, `${MAVEN_PLUGIN}:copy`, artifact, `-DoutputDirectory=${made}`);
  });
  return join(folder, `${name}.jar`);
}

/** The libraries that a folder's `pom.xml` names, as a class path. */
export async function javaLibraries(folder: string): Promise<string> {
  await maven(folder, `${MAVEN_PLUGIN}:build-classpath`, "-Dmdep.outputFile=class-path");
  return await Deno.readTextFile(join(folder, "class-path"));
}

/** The Go module with the programs, in a folder, and what runs `go` there. */
export async function goModule(folder: string): Promise<(...words: string[]) => Promise<void>> {
  const files = ["go.mod", "go.sum", "oapi-codegen/main.go", "openapi-generator/main.go"];
  return await goFiles(folder, join(sources, "go"), files, await goItself());
}

/** What runs a program `go` in a folder, which gets files of another one, `go.mod` among them. */
export async function goFiles(
  folder: string,
  from: string,
  files: readonly string[],
  program: string,
): Promise<(...words: string[]) => Promise<void>> {
  for (const file of files) {
    await Deno.mkdir(join(folder, file, ".."), { recursive: true });
    await Deno.copyFile(join(from, file), join(folder, file));
  }
  const options = { cwd: folder, env: goEnvironment };
  await download("Go modules", [program, "mod", "download"], options);
  return async (...words: string[]) => {
    await succeeded([program, ...words], options);
  };
}

/** What a program says that has to succeed. */
export async function succeeded(
  command: readonly string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<string> {
  const { code, stdout, stderr } = await run(command, options).catch((error) => {
    throw new Error(`${command[0]} is needed: ${error.message}`);
  });
  if (code === 0) return stdout + stderr;
  throw new Error(
    `${command.join(" ")} ended with ${code}\n${[stdout, stderr].map(end).join("\n")}`,
  );
}

/** The end of what a program said, which may be long. */
function end(text: string): string {
  return text.slice(-4000);
}

async function maven(cwd: string, ...words: string[]): Promise<void> {
  const repository = `-Dmaven.repo.local=${join(downloads, "maven")}`;
  // Its own limit is half an hour.
  const limit = "-Dmaven.wagon.rto=60000";
  await download("Maven Central", ["mvn", "-q", "-B", repository, limit, ...words], { cwd });
}

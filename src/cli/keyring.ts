/**
 * Access tokens in the system's keyring: `secret-tool` (Secret Service) on Linux, `security` on
 * macOS. Each is stored for a context and its server's origin, so that a context with another
 * address finds none.
 */
import { basename } from "node:path";
import { OperatorError } from "./operator-error.ts";
import { terminal } from "./terminal.ts";

/** A context and its server. */
interface Owner {
  readonly name: string;
  readonly url: string;
}

/** The access token of a context. Throws OperatorError where the keyring has none. */
export async function tokenInKeyring(owner: Owner): Promise<string> {
  const { code, stdout, stderr } = await call("lookup", owner);
  if (code === 0 && stdout.trim() !== "") return stdout.trim();
  const { origin } = new URL(owner.url);
  throw new OperatorError(
    `the keyring gives no access token of ${owner.name} for ${origin}${reasonIn(stderr)}`,
  );
}

/** Stores the access token of a context. Throws OperatorError unless it can be read again. */
export async function putIntoKeyring(owner: Owner, token: string): Promise<void> {
  const { code, stderr } = await call("store", owner, token);
  if (code !== 0) throw new OperatorError(`the keyring takes no access token${reasonIn(stderr)}`);
  // `security` ends with 0 even if it stored nothing.
  if (await tokenInKeyring(owner) !== token) {
    throw new OperatorError("the keyring gives another access token than it was given");
  }
}

/** Removes the access token of a context; one that is gone already is no failure. */
export async function removeFromKeyring(owner: Owner): Promise<void> {
  await call("clear", owner);
}

type Verb = "lookup" | "store" | "clear";

async function call(verb: Verb, owner: Owner, token = "") {
  // The launcher's own variable: it found the program, and grants it alone.
  const program = terminal().environment.KEYDESK_KEYRING;
  if (!program) {
    throw new OperatorError(
      "there is no keyring on this machine: install secret-tool (libsecret), or keep the access token in a file or a variable",
    );
  }
  const words = basename(program) === "security" ? macOs : secretService;
  const { args, input } = words(verb, `keydesk:${new URL(owner.url).origin}`, owner.name, token);
  // Never among the arguments: every process of the machine can read those.
  const child = new Deno.Command(program, {
    args,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const [output] = await Promise.all([
    child.output(),
    new Blob([input]).stream().pipeTo(child.stdin).catch(() => {}),
  ]);
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code: output.code, stdout: text(output.stdout), stderr: text(output.stderr) };
}

interface Words {
  readonly args: string[];
  readonly input: string;
}

function secretService(verb: Verb, service: string, account: string, token: string): Words {
  const attributes = ["service", service, "account", account];
  return verb === "store"
    ? { args: [verb, `--label=Keydesk: ${account}`, ...attributes], input: token }
    : { args: [verb, ...attributes], input: "" };
}

function macOs(verb: Verb, service: string, account: string, token: string): Words {
  const attributes = ["-s", service, "-a", account];
  if (verb === "lookup") return { args: ["find-generic-password", ...attributes, "-w"], input: "" };
  if (verb === "clear") return { args: ["delete-generic-password", ...attributes], input: "" };
  const quoted = [...attributes, "-w", token].map((word) =>
    `"${word.replaceAll(/["\\]/g, "\\$&")}"`
  );
  return { args: ["-i"], input: `add-generic-password -U ${quoted.join(" ")}\n` };
}

/** The first line of a program's complaint. */
function reasonIn(stderr: string): string {
  const [line = ""] = stderr.trim().split("\n");
  return line === "" ? "" : `: ${line.replaceAll(/\p{C}/gu, "\ufffd")}`;
}

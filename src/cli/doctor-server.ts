import { driftSentence } from "../features/config/config-state.ts";
import { Failure } from "../client/failure.ts";
import { clockFinding, fail, type Finding, ok, skip, warn } from "./doctor-findings.ts";
import { reached } from "./fetch-from.ts";
import { OperatorError } from "./operator-error.ts";
import { refusalText } from "./report.ts";
import { clientFor, type ServerClient } from "./server-client.ts";
import { accessTokenFor, plainHttpProblem, type ServerChoice } from "./server-access.ts";

type Findings = AsyncGenerator<Finding, void, void>;

const PATIENCE_MS = 10_000;
/** An access token that ends sooner is worth a word. */
const SOON_MS = 14 * 24 * 60 * 60 * 1000;

/** A server as it is seen from here, through everything that is between. Changes nothing. */
export async function* serverFindings(server: ServerChoice): Findings {
  const problem = plainHttpProblem(server.url);
  if (problem !== undefined) {
    yield server.insecureHttp
      ? warn("address", `${server.url} is plain http: the access token can be read on its way`)
      : fail("address", problem);
  }
  let found: ServerClient | undefined;
  try {
    const { token, source, warnings } = await accessTokenFor(server);
    for (const sentence of warnings) yield fail("files", sentence);
    found = clientFor(server.url, token, source, { retries: 0 });
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    // The check of the address was reported above.
    if (error.message !== problem) yield fail("token", error.message);
  }
  let isThere = true;
  for await (const finding of addressFindings(server.url)) {
    isThere &&= !(finding.check === "server" && finding.result === "fail");
    yield finding;
  }
  if (found === undefined || !isThere) {
    return yield skip("plans", "no server can be asked without its address and an access token");
  }
  yield* callerFindings(found);
}

/** Checks without an access token: whether a server is there, its clock, the connection. */
export async function* addressFindings(url: string): Findings {
  const before = Date.now();
  let hello: Answered;
  try {
    hello = await ask(url, "GET", "hello");
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return yield fail("server", error.message);
  }
  if (!hello.isKeydesk) {
    return yield fail("server", `what answers at ${url} is no Keydesk (HTTP ${hello.status})`);
  }
  yield hello.status === 200
    ? ok("server", `answers at ${url}, and its store too`)
    : fail("server", `answers at ${url}, but not its store (HTTP ${hello.status})`);
  // In whole seconds, of the middle of the call.
  if (hello.date !== undefined) {
    const now = (before + Date.now()) / 2;
    yield clockFinding(now - hello.date - 500, "the server's", 500 + Date.now() - before);
  }
  yield await updateFinding(url);
}

/**
 * Whether UPDATE comes through. No one in particular asks, so that nothing can be changed: to a key
 * request that is 401, and to `/hello`, which takes GET alone, 405, unless something turned the
 * method into GET.
 */
async function updateFinding(url: string): Promise<Finding> {
  const request = await ask(url, "UPDATE", "api/portal/requests/000000000000000000000000");
  const updated = await ask(url, "UPDATE", "hello");
  const remedy = 'clients of Tyk need it; docs/operating.md, "The method UPDATE"';
  if (request.code !== "not_authorised" && request.code !== "too_many_requests") {
    return fail("UPDATE", `is refused on its way with HTTP ${request.status}: ${remedy}`);
  }
  if (updated.status === 200) {
    return fail("UPDATE", `becomes GET on its way, so that nothing is replaced: ${remedy}`);
  }
  return updated.code === "method_not_allowed"
    ? ok("UPDATE", "the method arrives")
    : ok("UPDATE", "the method arrives where key requests are replaced");
}

/** The part of an answer that identifies the server. */
interface Answered {
  status: number;
  isKeydesk: boolean;
  /** The failure's code, where it is a failure of ours. */
  code: string | undefined;
  /** Milliseconds since 1970. */
  date: number | undefined;
}

async function ask(url: string, method: string, path: string): Promise<Answered> {
  const address = new URL(path, url.endsWith("/") ? url : `${url}/`);
  const response = await reached(
    new Request(address, { method, signal: AbortSignal.timeout(PATIENCE_MS) }),
  );
  const text = await response.text();
  const date = Date.parse(response.headers.get("date") ?? "");
  const code = response.headers.get("x-keydesk-error") ?? undefined;
  return {
    status: response.status,
    isKeydesk: code !== undefined || /"description":"Keydesk"/.test(text),
    code,
    date: Number.isNaN(date) ? undefined : date,
  };
}

async function* callerFindings({ client, explained }: ServerClient): Findings {
  try {
    const { access_token: token, permissions } = await client.getCaller();
    const may = permissions.length === 0 ? "nothing" : permissions.join(", ");
    const ends = token.expires_at === null ? NaN : Date.parse(token.expires_at);
    yield ends - Date.now() < SOON_MS
      ? warn("token", `"${token.name}" expires ${token.expires_at}`)
      : ok("token", `"${token.name}" may: ${may}`);
    if (!permissions.includes("admin")) {
      return yield skip("plans", "an access token with the permission admin can look at them");
    }
    const { warnings, problems, ...info } = await client.getServerInfo();
    yield ok("version", `${info.version} on ${info.engine}, schema ${info.schema_version}`);
    for (const { name, reason, stops, since } of problems) {
      const text = `${name} since ${since}: ${reason}`;
      yield stops === "nothing" ? warn("problems", text) : fail("problems", text);
    }
    if (problems.length === 0) yield ok("problems", "nothing is wrong and lasts");
    for (const sentence of warnings) yield warn("plans", sentence);
    if (warnings.length === 0) yield ok("plans", "every plan that active keys name is known");
    // A server of an earlier release has no such member.
    const drifted = info.config?.drifted ?? 0;
    if (drifted > 0) yield warn("config", `${driftSentence(drifted)}: keydesk config managed`);
  } catch (thrown) {
    const error = explained(thrown);
    if (error instanceof OperatorError) return yield fail("token", error.message);
    if (!(error instanceof Failure)) throw error;
    yield fail("token", refusalText(error));
  }
}

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ReceivedRequest } from "../../packages/http-listener/request.ts";
import { Failure } from "../kernel/failure.ts";
import type { AccessLog } from "./access-log.ts";
import { bodilessHeaders } from "./answer.ts";
import { wholeResponse } from "../../packages/http-listener/written-response.ts";
import type { BodyReader } from "./body-reader.ts";
import type { Asked } from "./call.ts";
import { editionFor, KEPT_FOR_GOOD, PACKED_SUFFIX, repacked } from "./compression.ts";
import { contentTypeOf, LONGEST_FORM, parseFormBody } from "./decode-body.ts";
import { asFailure, failureResponse } from "./failure-response.ts";
import { placeOfPosted } from "./posted-answer.ts";
import { type RequestIds, requestIdsOf } from "./request-id.ts";
import { ifNoneMatchHas } from "./routes.ts";

/** The folder of a build: in a clone below dist/, in a package beside the program. */
const FOLDERS = ["../../dist/console/", "./console/"];

/** Everything from this server, nothing inline, no HTML out of texts. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/**
 * A file that is no page loads nothing, whoever shows it. Short, since each of a page's files
 * carries it.
 */
const FILE_POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

const COMMON = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/**
 * An empty page in which the console shows a mail: no script and nothing from outside, but the
 * mail's own styles.
 */
const FRAME = "/console/mail-frame";
const FRAME_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A mail</title></head><body></body></html>
`;
const FRAME_HEADERS = {
  ...COMMON,
  "content-security-policy":
    "sandbox allow-same-origin; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; " +
    "form-action 'none'; frame-ancestors 'self'",
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-cache",
};

/** A file in the list of a build. */
interface BuiltFile {
  readonly type: string;
  readonly etag: string;
  /**
   * Of the page: what each screen takes beside the first script, as `Link` says it, by the first
   * part of its address; `*`: what any other takes.
   */
  readonly links?: Readonly<Record<string, string>>;
}

/** A build: its folder, its files by their names, and when it was made. */
interface Build {
  readonly folder: string;
  readonly files: ReadonlyMap<string, BuiltFile>;
  readonly madeAt: number;
}

/**
 * Serves the console below `/console`: files that the build names, and the page for every other
 * path, so that deep links work. Nothing is kept in memory but the list of names, and no path of a
 * request ever becomes one of a file.
 */
export function serveConsole(
  { log, bodies }: { log: AccessLog; bodies: Pick<BodyReader, "read"> },
  folders = FOLDERS.map(toPath),
) {
  const console = new ConsoleFiles(folders);
  return async ({ request, path }: Pick<Asked, "request" | "path">): Promise<Response> => {
    const started = performance.now();
    const ids = requestIdsOf(request);
    const response = request.method === "POST" && ARRIVAL.test(path)
      ? await onFromPosted(request, path, { ids, bodies })
      : await console.answer(request, path, ids);
    response.headers.set("x-request-id", ids.id);
    log.request(request.method, "/console/*", response.status, started, ids);
    return response;
  };
}

/** The paths at which browsers come back from identity providers. */
const ARRIVAL = /^\/console\/from\/[0-9A-Za-z]{1,64}$/;

/** A provider has the browser post its answer: it goes on by an address, as after all others. */
async function onFromPosted(
  request: ReceivedRequest,
  path: string,
  { ids, bodies }: { ids: RequestIds; bodies: Pick<BodyReader, "read"> },
): Promise<Response> {
  try {
    const bytes = await bodies.read(request, LONGEST_FORM);
    const fields = parseFormBody(bytes, contentTypeOf(request.headers));
    const location = placeOfPosted(path, fields);
    if (location === undefined) throw new Failure("invalid_input");
    return new Response(null, { status: 303, headers: { ...bodilessHeaders, location } });
  } catch (error) {
    return failureResponse(asFailure(error), { ids, path });
  }
}

function toPath(folder: string): string {
  return fileURLToPath(new URL(folder, import.meta.url));
}

class ConsoleFiles {
  readonly #folders: readonly string[];
  #build: Build | undefined;

  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  async answer(request: ReceivedRequest, path: string, ids: RequestIds): Promise<Response> {
    if (request.method !== "GET" && request.method !== "HEAD") {
      const refused = failureResponse(new Failure("method_not_allowed"), { ids, path });
      refused.headers.set("allow", "GET, HEAD");
      return refused;
    }
    if (path === FRAME) {
      const body = request.method === "HEAD" ? null : FRAME_PAGE;
      return body === null
        ? new Response(null, { headers: FRAME_HEADERS })
        : wholeResponse(body, { headers: FRAME_HEADERS });
    }
    const name = path.slice("/console/".length);
    const isAsset = name.startsWith("assets/");
    // A page that is asked for anew finds the newest build; what it names was there before.
    if (!isAsset || !this.#build) this.#build = await newestBuild(this.#folders, this.#build);
    const file = this.#build?.files.get(isAsset ? name : PAGE);
    if (!this.#build || !file) {
      return isAsset ? failureResponse(new Failure("unknown_path"), { ids, path }) : notBuilt();
    }
    const response = await answerFile(this.#build, isAsset ? name : PAGE, file, request);
    const link = isAsset ? undefined : linkOf(file, name, request);
    if (link !== undefined) response.headers.set("link", link);
    return response;
  }
}

/**
 * The files of a screen, so that browsers request them with the page's first script and not after
 * it. A browser without a cookie shows the sign-in first, which needs none of them.
 */
function linkOf(
  { links = {} }: BuiltFile,
  name: string,
  request: ReceivedRequest,
): string | undefined {
  const [screen = ""] = name.split("/");
  if (!request.headers.has("cookie")) return undefined;
  const byScreen = new Map(Object.entries(links));
  return byScreen.get(screen || FIRST_SCREEN) ?? byScreen.get(ANY_SCREEN);
}

/** The screen of the bare address for most people. */
const FIRST_SCREEN = "home";

/** The name in a build's `links` that is no screen's. */
const ANY_SCREEN = "*";

const PAGE = "index.html";

async function newestBuild(
  folders: readonly string[],
  known: Build | undefined,
): Promise<Build | undefined> {
  for (const folder of folders) {
    const list = join(folder, "files.json");
    const made = await Deno.stat(list).catch(() => undefined);
    if (!made) continue;
    const madeAt = made.mtime?.getTime() ?? 0;
    if (known?.folder === folder && known.madeAt === madeAt) return known;
    const text = await Deno.readTextFile(list).catch(() => "{}");
    // as: console/build.js writes exactly this.
    const files = new Map(Object.entries(JSON.parse(text) as Record<string, BuiltFile>));
    return { folder, files, madeAt };
  }
  return undefined;
}

async function answerFile(
  { folder }: Build,
  name: string,
  { type, etag }: BuiltFile,
  request: ReceivedRequest,
): Promise<Response> {
  const { encoding, suffix } = editionFor(request.headers.get("accept-encoding"));
  // Each edition is other bytes.
  const tag = `"${etag}${suffix}"`;
  const headers = new Headers({
    ...COMMON,
    "content-security-policy": name === PAGE ? POLICY : FILE_POLICY,
    etag: tag,
    vary: "accept-encoding",
    "cache-control": name === PAGE ? "no-cache" : KEPT_FOR_GOOD,
  });
  if (ifNoneMatchHas(request.headers.get("if-none-match"), tag)) {
    return new Response(null, { status: 304, headers });
  }
  const packed = await Deno.readFile(join(folder, name + PACKED_SUFFIX)).catch(() => undefined);
  // Taken away by a build that is being made.
  if (packed === undefined) return notBuilt();
  const bytes = await repacked(packed, encoding);
  headers.set("content-type", type);
  headers.set("content-length", String(bytes.length));
  if (encoding !== undefined) headers.set("content-encoding", encoding);
  return request.method === "HEAD"
    ? new Response(null, { headers })
    : wholeResponse(bytes, { headers });
}

/** For an installation whose console was never built: says how to. */
function notBuilt(): Response {
  return wholeResponse(NOT_BUILT, {
    status: 503,
    headers: { ...COMMON, "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
  });
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>The console is not built · Keydesk</title>
<link rel="icon" href="data:,"></head>
<body>
<h1>The console is not built yet</h1>
<p>The API works; the pages of the console are absent, because npm was told to run no scripts. In Keydesk's folder run</p>
<pre>npm ci &amp;&amp; npm run build</pre>
<p>and load this page again. The server need not be started anew.</p>
</body>
</html>
`;

// Builds the console into dist/console: `node console/build.js`, or `npm run build` with all the
// rest. Plain Node, so that `npm ci` can run it in a fresh clone before anything else was
// installed; quick, since every `npm ci` waits.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const root = fileURLToPath(new URL(".", import.meta.url));
const OUT_DIR = fileURLToPath(new URL("../dist/console/", import.meta.url));

const types = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Screens that are loaded when one of them is opened. */
const otherScreens = /[\\/]screens[\\/]developers[\\/]|[\\/]parts[\\/]state-tabs\./;

/** The audit log in words. */
const auditLog = /[\\/]screens[\\/]audit-log[\\/]/;

/** The screen of certificates. */
const certificates = /[\\/]screens[\\/]certificates[\\/]/;

/** The screens of administrators. */
const settings = /[\\/]screens[\\/]settings[\\/]/;

/** Sessions and access tokens of one's own and of others. */
const theirSessions = /[\\/]parts[\\/]session-cards\.|[\\/]api[\\/]token-endpoints\./;

/** The pages for people outside: branding and the developer's pages. */
const outside = /[\\/]screens[\\/]settings[\\/](brand|logo|pages)|[\\/]contract[\\/]accent\./;

/** Additional parts of the way to the first key, and of the trial of a fresh key. */
const newcomers =
  /[\\/]screens[\\/]home[\\/]first-run[\\/][^.]+\.tsx?$|[\\/]parts[\\/]try-key-panel\./;

/** The form of an API. */
const apiForm = /[\\/]parts[\\/]api-form\.|[\\/]api[\\/]apis\./;

/** How people come in beside access tokens: invitations, passkeys, and what is set of both. */
const ways =
  /[\\/]screens[\\/](sign-in[\\/]invitation|settings[\\/](invite|passkeys|sign-in-facts))\.|[\\/]api[\\/](passkeys|sign-in-endpoints)\./;

/** One's own one-time codes, the picture of their secret, and by what others get in. */
const codes =
  /[\\/]settings[\\/](one-time-codes|qr-code|ways-in)\.|[\\/]node_modules[\\/]lean-qr[\\/]/;

/** The way back from a company, and one's own accounts there. */
const company = /[\\/]screens[\\/](sign-in[\\/]from-provider|settings[\\/]identities)\./;

/** The selection of rows for a job, and the job in the address. */
const selection = /[\\/]parts[\\/]bulk-selection\./;

/** The parts of lists, drawers and dialogs. Home has none of them. */
const lists =
  /[\\/]parts[\\/](list-(table|keys|place|look)|use-list|filter-line|drawer|dialog|cover|search-box|tabs|filters|open-id|usage|leak-mark|email|try-key|export-button|mixed-scripts|message-history|managed|pill|one-time-link|denied-calls)\.|[\\/]api[\\/](paged-list|alphabetical)\.|[\\/]changed-emails\./;

/** The sign-in, and what everything else needs, too: all that is loaded until somebody is in. */
const first =
  /[\\/]console[\\/](index\.html|styles[\\/]index\.css|main\.|app\.|said\.|signal\.|shell[\\/]theme\.|api[\\/](client|company|connection|identity-endpoints|route|session|session-endpoints)\.|parts[\\/](button|fields|isolated-children|lazily|mark|offline-banner)\.|screens[\\/]sign-in[\\/](sign-in|chosen-way|code-field)\.)|[\\/]src[\\/](client|kernel)[\\/](client|failure-plain|plain-text)\.|[\\/]node_modules[\\/]preact[\\/]|preload-helper/;

/** The settings of a company's sign-in. */
const providers = /[\\/](settings[\\/]provider|contract[\\/]provider-presets)/;

/** Roles, scopes, and what somebody can do and why: loaded with the first of them. */
const roles = /[\\/]settings[\\/](roles|scope-choice|person-can)\./;

/** Access tokens, and the organisations whose administrators are issued one. */
const accessTokens = /[\\/]settings[\\/](access-token|organisation)/;

/** Break-glass: its rules, its line on every screen, and what one may do of it oneself. */
const temporaryAccess =
  /[\\/]settings[\\/](temporary-access|take-temporary-access|people-names)|[\\/]shell[\\/]temporary-access-line\.|[\\/]api[\\/]temporary-access-endpoints\.|[\\/]contract[\\/]temporary-access\./;

/** The things that files manage: loaded where one may be changed. */
const config =
  /[\\/]settings[\\/]config(-|\.)|[\\/]parts[\\/]managed-notice\.|[\\/]api[\\/]config-endpoints\./;

/** The filters of keys and of denied calls. */
const narrowing = /[\\/]parts[\\/](find-key|narrowing|time-filter|keys[\\/]key)\./;

/** The calls of the day at Home. */
const day = /[\\/]home[\\/]day-panel\./;

/**
 * Denied calls in words, calls of keys, and what becomes of unused ones. The titles of reasons are
 * in `main`: several screens have them, which need nothing of each other.
 */
const deniedCalls =
  /[\\/]parts[\\/](denied-calls[\\/](?!reason-titles)|calls-of-keys\.|unused[\\/])|[\\/]api[\\/]unused-endpoints\./;

/** The screen of gateways. */
const gateways =
  /[\\/]screens[\\/]gateways[\\/]([^\\/]+$|migration[\\/]migration-tabs\.)|[\\/]contract[\\/]checking-gateways\./;

/** The parts of keys and requests that name gateways; their screens need no more of those. */
const atGateways = /[\\/]parts[\\/]gateways[\\/]|[\\/]api[\\/]gateway(s|-endpoints)\./;

/** How far a move from an old gateway is. */
const migration = /[\\/]screens[\\/]gateways[\\/]migration[\\/]|[\\/]api[\\/]migration-endpoints\./;

/** Leaks found in public. */
const leaks = /[\\/]screens[\\/]keys[\\/]leak/;

/** The catalogue of APIs, and their plans. */
const apis = /[\\/]screens[\\/]apis[\\/]/;

/** How a gateway that checks calls is added, with the documented files. */
const gatewayWalk =
  /[\/]screens[\/]gateways[\/](checking-(walk|form|name)|gateway-files)\.|[\/]contract[\/](gateway-(files|steps)|filled-file)\./;

/** Which calls were denied, and why. */
const logs = /[\\/]screens[\\/]logs[\\/]/;

/** Home: waiting requests, expiry and usage. */
const home = /[\\/]screens[\\/]home[\\/]/;

/** The problems of several nodes at Home. */
const nodes = /[\\/]home[\\/]node-problems\./;

/** Deliveries, channels, and their parts in drawers. */
const deliveries =
  /[\\/]screens[\\/]settings[\\/](deliveries[\\/]|channel)|[\\/]parts[\\/](message-history-panel|topics|delivery-words)\.|[\\/]api[\\/]channel(s|-endpoints)\.|[\\/]topics\.contract\./;

/** The forms, words and previews of a mail channel. */
const mails =
  /[\\/]screens[\\/]settings[\\/]mail|[\\/]contract[\\/](mail-(kinds|names|placeholders)|(alarm|person|team)-mails)\./;

/** Many decisions at once: their bar, dialogs and drawer. */
const jobs =
  /[\\/]api[\\/]small-jobs\.|[\\/]screens[\\/](requests|keys|developers|certificates)[\\/]bulk-|[\\/]parts[\\/](job-(?!side|words)|bulk-(?!selection))|[\\/]contract[\\/](list-)?filters\./;

/** Names and labels of keys. */
const labels = /[\\/]parts[\\/]labels[\\/]/;
/** Views, columns and order of lists: loaded with the first of them. */
const listTools = /[\\/]parts[\\/]list-tools[\\/]|[\\/]api[\\/]view-endpoints\./;

/** The dialogs that change keys: loaded with the first of them. */
const keyDialogs = /[\\/]parts[\\/]keys[\\/](?!key\.)/;

/** The screens of approvers: key requests and keys. */
const requests =
  /[\\/]screens[\\/](requests|keys)[\\/](?!leak)|[\\/]parts[\\/](unknown-plans|call-volume)\./;

/** Alerts of expiry: the rules, and their parts in drawers of certificates and keys. */
const alerts =
  /[\\/]parts[\\/]alert-panel\.|[\\/]api[\\/]alert-endpoints\.|[\\/]screens[\\/](settings[\\/]alert-rules|certificates[\\/]care)\./;

/** Loaded when a key, a plan or a developer is first shown in full. */
const usageChart = /[\\/]parts[\\/](usage-chart|usage-slots|reason-words)\./;

/** Bars that one walks through: of use, of a gateway's runs, of a move's days. */
const bars = /[\\/]parts[\\/]bar-slider\./;

/** Loaded when an event's proof is first requested. */
const proof =
  /[\\/]screens[\\/]audit-log[\\/]proof-|[\\/]contract[\\/]audit-proof\.|[\\/]canonical-json\./;
/** The details of an event, once one is opened. */
const noted = /[\\/]screens[\\/]audit-log[\\/](noted-|what-changed)/;

/** The approval of one request, and its granted and offered terms. */
const granted =
  /[\\/]screens[\\/]requests[\\/](granted-|approve-)|[\\/]parts[\\/]condition-facts\./;

/** A request's assignee and the team's comments. */
const team = /[\\/]screens[\\/]requests[\\/]team-/;

/** The form of an approval policy. */
const policies = /[\\/]screens[\\/]apis[\\/]policy-form\./;

/** Sends the first requests while the other modules are on their way. */
const early = /[\\/]api[\\/](early|kept)\./;

/**
 * The forms of changes: loaded with the first screen that has one. Home shows, and changes nothing.
 */
const forms =
  /[\\/]parts[\\/](form-(dialog|fields|problems|state)|use-field|question-lines|confirm|conflict|revealed-secret|save-text|leave-guard|key-parts|copy|combobox|delivery|mailed-links|one-time-link-state|key-end|shell-text)\.|[\\/]api[\\/]decision-endpoints\./;

/** Loaded at the first Ctrl K. */
const palette = /[\\/]shell[\\/]palette[\\/]/;

/** Loaded when a person signs in over a page, looks at their sessions, or may not see a screen. */
const session = /[\\/](sign-in-over|your-(facts|choices)|nothing)\./;

/**
 * Stands in for Vite's own helper around `import()`: what it would load ahead of a screen is there
 * by then, as there is one file of styles, and one of script beside the first.
 */
const plainImports = {
  name: "plain-imports",
  enforce: "pre",
  load: {
    filter: { id: /vite\/preload-helper/ },
    handler: () => "export const __vitePreload = (load) => load();",
  },
};

/** The console needs what filters are called and take, and no texts of documents and commands. */
const filterWords = {
  name: "words-of-filters",
  enforce: "pre",
  transform: {
    filter: { id: /[\\/]contract[\\/]list-filters\.ts$/ },
    handler: (text) => text.replaceAll(/^ {4}(description|option):[^]*?(?=^ {4}\w|^ {2}\})/gm, ""),
  },
};

/**
 * The folder of a screen that is loaded by itself; its name is the first part of the screen's
 * address.
 */
const screen = /[\\/]screens[\\/]([a-z-]+)[\\/]\1\.screen\.tsx$/;

/**
 * Finds what the page of each screen takes beside the first script, for the header `Link` of the
 * page: browsers ask for it with the first script, not after it. `links`: by the first part of the
 * address; `*`: that of any other.
 */
function linksOf(links) {
  return {
    name: "links-of-screens",
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter(({ type }) => type === "chunk");
      const entry = chunks.find(({ isEntry }) => isEntry);
      const named = (name, end) =>
        Object.keys(bundle).find((file) =>
          file.startsWith(`assets/${name}-`) && file.endsWith(end)
        );
      const shellStyle = `</console/${named("console", ".css")}>; rel=preload; as=style`;
      links["*"] = `</console/${named("main", ".js")}>; rel=modulepreload, ${shellStyle}`;
      for (const chunk of chunks) {
        for (const id of chunk.moduleIds) {
          const name = screen.exec(id)?.[1];
          if (name === undefined) continue;
          const scripts = [chunk.fileName, ...chunk.imports].filter((file) =>
            file !== entry.fileName && !entry.imports.includes(file)
          );
          const style = named(name, ".css");
          links[name] = [
            ...scripts.map((file) => `</console/${file}>; rel=modulepreload`),
            shellStyle,
            ...style === undefined ? [] : [`</console/${style}>; rel=preload; as=style`],
          ].join(", ");
        }
      }
    },
  };
}

/**
 * Puts the file that asks early into the page: it runs as soon as it is there, before styles and
 * the first script.
 */
const earlyScript = {
  name: "early-script",
  transformIndexHtml: {
    order: "post",
    handler: (_, { bundle }) => {
      const file = Object.keys(bundle).find((name) => name.startsWith("assets/early-"));
      const attrs = { type: "module", async: true, fetchpriority: "high", src: `/console/${file}` };
      return [{ tag: "script", attrs, injectTo: "head" }];
    },
  },
};

/** Builds and compresses. Leaves no half of an older build behind. */
export async function buildConsole(outDir = OUT_DIR) {
  const { build } = await import("vite");
  const links = {};
  rmSync(outDir, { recursive: true, force: true });
  await build({
    root,
    base: "/console/",
    configFile: false,
    envDir: false,
    logLevel: "warn",
    publicDir: false,
    plugins: [plainImports, filterWords, linksOf(links), earlyScript],
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2023",
      // Browsers with light-dark() need no second copy of each colour.
      cssTarget: ["chrome125", "firefox128", "safari17.5"],
      modulePreload: false,
      // A data: URL is neither cached nor allowed everywhere.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      rolldownOptions: {
        output: {
          comments: { legal: false },
          // The first file of script is what most people come for; what else they open comes in
          // files of their kind of work, each at most 15 kB over the wire.
          codeSplitting: {
            includeDependenciesRecursively: false,
            groups: [
              { name: "early", test: early, priority: 5 },
              { name: "first", test: first, priority: 5 },
              { name: "lists", test: lists, priority: 2 },
              { name: "selection", test: selection, priority: 3 },
              { name: "session", test: session, priority: 3 },
              { name: "forms", test: forms, priority: 3 },
              { name: "palette", test: palette, priority: 3 },
              { name: "nodes", test: nodes, priority: 3 },
              { name: "usage", test: usageChart, priority: 3 },
              { name: "bars", test: bars, priority: 3 },
              { name: "proof", test: proof, priority: 3 },
              { name: "noted", test: noted, priority: 3 },
              { name: "granted", test: granted, priority: 3 },
              { name: "team", test: team, priority: 3 },
              { name: "policies", test: policies, priority: 3 },
              { name: "mails", test: mails, priority: 4 },
              { name: "deliveries", test: deliveries, priority: 3 },
              { name: "alerts", test: alerts, priority: 3 },
              { name: "key-dialogs", test: keyDialogs, priority: 3 },
              { name: "jobs", test: jobs, priority: 3 },
              { name: "labels", test: labels, priority: 3 },
              { name: "list-tools", test: listTools, priority: 3 },
              { name: "newcomers", test: newcomers, priority: 3 },
              { name: "api-form", test: apiForm, priority: 3 },
              { name: "their-sessions", test: theirSessions, priority: 3 },
              { name: "outside", test: outside, priority: 3 },
              { name: "ways", test: ways, priority: 3 },
              { name: "codes", test: codes, priority: 3 },
              { name: "company", test: company, priority: 3 },
              { name: "providers", test: providers, priority: 3 },
              { name: "roles", test: roles, priority: 3 },
              { name: "access-tokens", test: accessTokens, priority: 3 },
              { name: "temporary-access", test: temporaryAccess, priority: 3 },
              { name: "config", test: config, priority: 3 },
              { name: "requests", test: requests, priority: 2 },
              { name: "certificates", test: certificates, priority: 2 },
              { name: "settings", test: settings, priority: 2 },
              { name: "home", test: home, priority: 2 },
              { name: "leaks", test: leaks, priority: 2 },
              { name: "apis", test: apis, priority: 2 },
              { name: "gateways", test: gateways, priority: 3 },
              { name: "at-gateways", test: atGateways, priority: 3 },
              { name: "migration", test: migration, priority: 2 },
              { name: "walk", test: gatewayWalk, priority: 4 },
              { name: "logs", test: logs, priority: 2 },
              { name: "denied-calls", test: deniedCalls, priority: 3 },
              { name: "day", test: day, priority: 4 },
              { name: "narrowing", test: narrowing, priority: 3 },
              { name: "audit-log", test: auditLog, priority: 2 },
              { name: "others", test: otherScreens, priority: 2 },
              {
                name: "main",
                test: (id) =>
                  ![
                    early,
                    first,
                    lists,
                    selection,
                    otherScreens,
                    auditLog,
                    requests,
                    certificates,
                    settings,
                    home,
                    leaks,
                    apis,
                    gateways,
                    atGateways,
                    migration,
                    logs,
                    gatewayWalk,
                    narrowing,
                    deniedCalls,
                    nodes,
                    usageChart,
                    bars,
                    proof,
                    noted,
                    policies,
                    palette,
                    newcomers,
                    apiForm,
                    theirSessions,
                    outside,
                    session,
                    forms,
                    deliveries,
                    mails,
                    alerts,
                    jobs,
                    keyDialogs,
                    labels,
                    listTools,
                    ways,
                    codes,
                    company,
                    accessTokens,
                    temporaryAccess,
                    config,
                    providers,
                    roles,
                  ].some((one) => one.test(id)),
                priority: 1,
              },
            ],
          },
        },
      },
    },
  });
  compress(outDir, links);
}

/**
 * Puts each file's brotli edition in its place, of which the server makes others for the few that
 * don't take it, and writes `files.json`: what the server may answer with, and nothing else it
 * does. The page's `links` stand with it.
 */
function compress(outDir, links) {
  const files = {};
  for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const bytes = readFileSync(path);
    const brotli = brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    });
    const gzip = gzipSync(bytes, { level: 9 });
    rmSync(path);
    writeFileSync(`${path}.br`, brotli);
    const name = relative(outDir, path).split(sep).join("/");
    const type = types[extname(name)];
    if (type === undefined) throw new Error(`${name}: of which type is it?`);
    files[name] = {
      type,
      etag: createHash("sha256").update(bytes).digest("hex").slice(0, 32),
      sizes: { identity: bytes.length, gzip: gzip.length, br: brotli.length },
      ...name === "index.html" && { links },
    };
  }
  writeFileSync(join(outDir, "files.json"), JSON.stringify(files));
}

/**
 * `--if-possible`: what `npm ci` runs. Where it can't be built the server still starts, and says
 * how to.
 */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildConsole().catch((error) => {
    if (!process.argv.includes("--if-possible")) throw error;
    const reason = error.code === "ERR_MODULE_NOT_FOUND" ? "vite is not installed" : error.message;
    console.error(`The console was not built (${reason}). npm ci, then: npm run build`);
  });
}

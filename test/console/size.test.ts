/** The console's budget: what a browser loads of it, and when. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { buildConsole } from "../../console/build.js";

/** Bytes, gzip: what the first screen takes, and what is loaded where it is first needed. */
const MOST: Readonly<Record<string, { files: RegExp; most: number }>> = {
  "first load": {
    files: /^index\.html$|\/(index|icon|main|console)-[^/]*\.(js|css|svg)$/,
    most: 42_900,
  },
  // Heads and all it is 20 kB at most: system/console/first-load.test.ts.
  "sign-in": { files: /^index\.html$|\/(index|icon|early)-[^/]*\.(js|css|svg)$/, most: 17_900 },
  "lists, drawers and dialogs": { files: /\/lists-[^/]*\.js$/, most: 7700 },
  "what is selected of a list for a job": { files: /\/selection-[^/]*\.js$/, most: 1300 },
  "developers": { files: /\/others-[^/]*\.js$/, most: 8200 },
  "audit log": { files: /\/audit-log-[^/]*\.(js|css)$/, most: 10_800 },
  "what something is decided or changed with": { files: /\/forms-[^/]*\.js$/, most: 6700 },
  "what asks early": { files: /\/early-[^/]*\.js$/, most: 1000 },
  "key requests and keys": { files: /\/requests-[^/]*\.js$/, most: 15_400 },
  "approving, and what was granted and offered": { files: /\/granted-[^/]*\.js$/, most: 5150 },
  "who looks after a request, and what the team says": { files: /\/team-[^/]*\.js$/, most: 2500 },
  "what an approval policy is set with": { files: /\/policies-[^/]*\.js$/, most: 2500 },
  "certificates": { files: /\/certificates-[^/]*\.(js|css)$/, most: 12_500 },
  "dialogs of keys": { files: /\/key-dialogs-[^/]*\.js$/, most: 5000 },
  "invitations and passkeys": { files: /\/ways-[^/]*\.js$/, most: 5000 },
  "one-time codes, their picture, and by what others get in": {
    files: /\/codes-[^/]*\.js$/,
    most: 6500,
  },
  "the way back from a company": { files: /\/company-[^/]*\.js$/, most: 2200 },
  "what is set of a company's sign-in": { files: /\/providers-[^/]*\.js$/, most: 7700 },
  "roles, scopes, and what somebody can do": { files: /\/roles-[^/]*\.js$/, most: 3200 },
  "temporary access": { files: /\/temporary-access-[^/]*\.js$/, most: 4600 },
  "what files manage": { files: /\/config-[^/]*\.js$/, most: 5000 },
  "what people outside see": { files: /\/outside-[^/]*\.js$/, most: 4000 },
  "settings": { files: /\/settings-[^/]*\.(js|css)$/, most: 12_800 },
  "access tokens and organisations": { files: /\/access-tokens-[^/]*\.js$/, most: 5600 },
  "palette": { files: /\/palette-[^/]*\.js$/, most: 8600 },
  "chart of use": { files: /\/usage-[^/]*\.js$/, most: 2500 },
  "bars that one walks through": { files: /\/bars-[^/]*\.js$/, most: 1000 },
  "an event's proof": { files: /\/proof-[^/]*\.js$/, most: 4000 },
  "what an event noted": { files: /\/noted-[^/]*\.js$/, most: 1600 },
  "signing in over a page, own sessions and choices": { files: /\/session-[^/]*\.js$/, most: 3000 },
  "the bundler's own": { files: /\/rolldown-runtime-[^/]*\.js$/, most: 300 },
  "home, with its styles": { files: /\/home-[^/]*\.(js|css)$/, most: 10_300 },
  "the day at home": { files: /\/day-[^/]*\.js$/, most: 900 },
  "logs": { files: /\/logs-[^/]*\.(js|css)$/, most: 8200 },
  "how a gateway is added, and the documented files": { files: /\/walk-[^/]*\.js$/, most: 12_200 },
  "single denied calls, calls of keys, and unused ones": {
    files: /\/denied-calls-[^/]*\.js$/,
    most: 4500,
  },
  "what lists of keys and denied calls are narrowed by": {
    files: /\/narrowing-[^/]*\.js$/,
    most: 3000,
  },
  "leaks": { files: /\/leaks-[^/]*\.(js|css)$/, most: 2000 },
  "moving in": { files: /\/(moving-in|migration)-[^/]*\.(js|css)$/, most: 10_500 },
  "what keys say of gateways": { files: /\/at-gateways-[^/]*\.js$/, most: 3700 },
  "gateways": { files: /\/gateways-[^/]*\.(js|css)$/, most: 12_900 },
  "several nodes": { files: /\/nodes-[^/]*\.js$/, most: 1000 },
  "jobs": { files: /\/jobs-[^/]*\.js$/, most: 10_200 },
  "names and tags of keys": { files: /\/labels-[^/]*\.js$/, most: 2500 },
  "views, columns and order of lists, with their styles": {
    files: /\/list-tools-[^/]*\.(js|css)$/,
    most: 7000,
  },
  "alerts": { files: /\/alerts-[^/]*\.js$/, most: 4000 },
  "deliveries and channels": { files: /\/deliveries-[^/]*\.(js|css)$/, most: 14_800 },
  "mails": { files: /\/mails-[^/]*\.js$/, most: 10_400 },
  "styles of the first hour": { files: /\/first-run-[^/]*\.css$/, most: 1000 },
  "the form of an API": { files: /\/api-form-[^/]*\.js$/, most: 2500 },
  "sessions and access tokens of people and developers": {
    files: /\/their-sessions-[^/]*\.js$/,
    most: 1200,
  },
  "first hour": { files: /\/newcomers-[^/]*\.js$/, most: 8500 },
  "APIs and plans": { files: /\/apis-[^/]*\.(js|css)$/, most: 10_800 },
};

Deno.test("size: the sign-in takes 17.9 kB at most and the first screen 42.9 kB, gzip, and what is loaded later has its own limits", async () => {
  const outDir = await mkdtemp(join(tmpdir(), "keydesk-console-"));
  try {
    await buildConsole(outDir);
    // as: the build wrote it a moment ago.
    const sizes = Object.entries(
      JSON.parse(await readFile(join(outDir, "files.json"), "utf8")) as Record<
        string,
        { sizes: { gzip: number } }
      >,
    );
    for (const [what, { files, most }] of Object.entries(MOST)) {
      const sum = sizes.filter(([name]) => files.test(name))
        .reduce((all, [, { sizes: { gzip } }]) => all + gzip, 0);
      assert.ok(sum > most / 2 && sum <= most, `${what}: ${sum} bytes of ${most}`);
    }
    for (const [name] of sizes.filter(([name]) => /\/index-[^/]*\.js$/.test(name))) {
      const script = brotliDecompressSync(await readFile(join(outDir, `${name}.br`))).toString();
      // The sign-in would wait for what it needs not.
      const needed = [...script.matchAll(/(?:import|from)\s*"\.\/([a-z-]+)-[^"]*"/g)];
      assert.deepEqual(needed.map(([, needs]) => needs), ["early"], name);
    }
    const counted = Object.values(MOST).map(({ files }) => files);
    const others = sizes.filter(([name]) => !counted.some((files) => files.test(name)));
    assert.deepEqual(others, [], "what no limit counts");
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
});

/** Weaknesses of libraries: what is promised, and what is told before a release. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DAYS, openAdvisories } from "../../tools/advisories.ts";
import { repository } from "../support/command.ts";

Deno.test("advisories: the days are those that SECURITY.md promises", async () => {
  const page = await Deno.readTextFile(join(repository, "SECURITY.md"));
  const [, chapter = ""] = /## Weaknesses in libraries\n([\s\S]*?)\n## /.exec(page) ?? [];
  const rows = [...chapter.matchAll(/^\| (critical|high|moderate|low)[^|]*\| (\d+) +\|$/gm)];
  const promised = Object.fromEntries(rows.map(([, name = "", days]) => [name, Number(days)]));
  assert.deepEqual(promised, { ...DAYS });
});

Deno.test("advisories: one of what is shipped is open until it is answered; tools are none", () => {
  const via = (severity: string, n: number) => ({ severity, url: `https://example.org/${n}` });
  const audit = {
    vulnerabilities: {
      pg: { via: [via("high", 1), via("low", 2), "pg-pool"] },
      vite: { via: [via("critical", 3)] },
    },
  };
  const answers = [{ url: "https://example.org/2", library: "pg", reason: "never loaded" }];
  const open = openAdvisories(audit, new Set(["pg", "pg-pool"]), answers);
  assert.deepEqual(open.map(({ url, days, reason }) => [url, days, reason]), [
    ["https://example.org/1", 14, undefined],
    ["https://example.org/2", 180, "never loaded"],
  ]);
  assert.deepEqual(openAdvisories({ vulnerabilities: {} }, new Set(["pg"]), []), []);
  // No answer is no good news.
  assert.throws(() => openAdvisories({}, new Set(), []), /no answer/);
});

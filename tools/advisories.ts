/**
 * Published weaknesses of what the package ships: `npm run advisories`, each week and before each
 * release (SECURITY.md). It asks npm for the advisories of the lock file, tells those of what is
 * shipped with their days, and ends with 1 where one is neither mended nor answered.
 */
import answered from "./answered-advisories.json" with { type: "json" };
import { makeSbom } from "./sbom.ts";

/** Within how many days of its advisory a weakness is mended or answered; as SECURITY.md has it. */
export const DAYS = { critical: 3, high: 14, moderate: 60, low: 180 } as const;

/** What is kept of an answer: the advisory, the library, and why it does not reach Keydesk. */
export interface Answered {
  readonly url: string;
  readonly library: string;
  readonly reason: string;
}

/** An advisory of something that is shipped. */
export interface Open {
  readonly library: string;
  readonly severity: string;
  readonly url: string;
  /** Undefined: a severity that nobody promised anything of. */
  readonly days: number | undefined;
  /** Why it does not reach Keydesk; undefined: nobody has said so. */
  readonly reason: string | undefined;
}

interface Audit {
  vulnerabilities?: Record<string, { via: (string | { url: string; severity: string })[] }>;
}

/** The advisories of what is shipped, out of what `npm audit --json` says. Throws for no answer. */
export function openAdvisories(
  audit: Audit,
  shipped: ReadonlySet<string>,
  answers: readonly Answered[],
): Open[] {
  const { vulnerabilities } = audit;
  if (vulnerabilities === undefined) throw new Error("npm gave no answer: nothing is known now");
  return Object.entries(vulnerabilities).filter(([library]) => shipped.has(library)).flatMap(
    ([library, { via }]) =>
      // A name stands for the advisories of the library that it needs, which has a row of its own.
      via.filter((one) => typeof one === "object").map(({ url, severity }) => ({
        library,
        severity,
        url,
        days: Object.entries(DAYS).find(([name]) => name === severity)?.[1],
        reason: answers.find((one) => one.url === url && one.library === library)?.reason,
      })),
  );
}

function main(): void {
  const { stdout } = new Deno.Command("npm", { args: ["audit", "--json"], stderr: "inherit" })
    .outputSync();
  // as: npm writes that, also where it found something and ends with 1.
  const audit = JSON.parse(new TextDecoder().decode(stdout)) as Audit;
  const shipped = new Set(makeSbom().components.map(({ name }) => name));
  const all = openAdvisories(audit, shipped, answered);
  for (const { library, severity, url, days, reason } of all) {
    const within = days === undefined ? "at once" : `within ${days} days of it`;
    console.log(`${library}: ${severity}, ${url}: ${reason ?? `to be mended ${within}`}`);
  }
  if (all.length === 0) console.log("Nothing that is shipped has an advisory.");
  Deno.exit(all.some(({ reason }) => reason === undefined) ? 1 : 0);
}

if (import.meta.main) {
  try {
    main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    Deno.exit(1);
  }
}

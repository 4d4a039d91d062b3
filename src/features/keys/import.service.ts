import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { importKeys, type ImportResult, judgeKeys } from "./import-keys.transactions.ts";
import { type ImportedKey, type ImportOptions, readLine } from "./import-line.ts";

/** A line of a file; `text` undefined: it could not be read, for this reason. */
export type ImportLine = { line: number } & ({ text: string } | { reason: string });

/** The result of a line. */
export type LineResult = { line: number } & ImportResult;

/** How a file is imported. */
export interface ImportRun extends ImportOptions {
  import_id: string;
  /** True: everything is judged and nothing written. */
  dryRun: boolean;
}

/** Imports some lines, in one transaction. Results in the lines' order. */
export async function importLines(
  ctx: RequestContext,
  run: ImportRun,
  lines: readonly ImportLine[],
): Promise<LineResult[]> {
  const now = ctx.clock.now();
  const read = lines.map((line) => "text" in line ? readLine(line.text, run, now) : line.reason);
  const keys = read.filter((one): one is ImportedKey => typeof one !== "string");
  const results = keys.length === 0 ? [] : await importAll(ctx, run, keys);
  let next = 0;
  return lines.map(({ line }, i) => {
    const one = read[i];
    if (typeof one === "string") return { line, result: "refused", reason: one };
    return { line, ...results[next++] ?? { result: "exists" } };
  });
}

async function importAll(
  ctx: RequestContext,
  { import_id, dryRun }: ImportRun,
  keys: ImportedKey[],
): Promise<ImportResult[]> {
  const { storage, principal, settings: { references } } = ctx;
  if (!dryRun) {
    const actor = actorOf(principal, ctx.clock.now());
    return await storage.commit(importKeys, { actor, import_id, references, keys });
  }
  const judgements = await judgeKeys(storage.reader, principal.org_id, keys, references);
  const seen = new Set<string>();
  return judgements.map((result, i) => {
    if (result.result !== "wanted") return result;
    const key_id = keys[i]?.key_id ?? "";
    const isSecond = seen.has(key_id);
    seen.add(key_id);
    return { result: isSecond ? "exists" : "added" };
  });
}

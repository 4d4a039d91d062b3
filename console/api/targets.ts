import type { z } from "zod";
import type { target } from "../../src/features/notifications/targets.contract.ts";
import { say } from "../said.ts";
import { alphabetical } from "./alphabetical.ts";
import { api } from "./client.ts";
import { listTargets } from "./target-endpoints.ts";
import { queries, useQuery } from "./queries.ts";

/** Who is told of changes. */
export type Target = z.output<typeof target>;

/** The key of all targets in `queries`. */
const TARGETS = ["targets"];

/** Targets of one answer, and answers at the most: an organisation has a few. */
const PAGE = 100;
const PAGES = 5;

/** All targets, those that fail first, then by name, paused ones last. */
export async function readTargets(): Promise<Target[]> {
  const all: Target[] = [];
  let cursor: string | undefined;
  for (let n = 0; n < PAGES; n++) {
    const page = await api.call(listTargets, { query: { limit: PAGE, cursor } });
    all.push(...page.data);
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  return all.sort((a, b) => rankOf(a) - rankOf(b) || alphabetical(a.name, b.name));
}

function rankOf(target: Target): number {
  if (target.state === "paused") return 2;
  return target.failing_since === null && !lacksSettings(target) ? 1 : 0;
}

/** Whether the server's settings keep it from being reached. */
export function lacksSettings({ missing_outbound, missing_settings }: Target): boolean {
  return missing_outbound !== null || missing_settings.length > 0;
}

/** Targets by their ids; undefined while nobody knows. */
export function useTargets(): ReadonlyMap<string, Target> | undefined {
  const { data } = useQuery({ queryKey: TARGETS, queryFn: readTargets, staleTime: 30_000 });
  return data && new Map(data.map((one) => [one.id, one]));
}

/** After a change of targets: who shows them reads them again. */
export function targetsChanged(): void {
  void queries.invalidateQueries({ queryKey: TARGETS });
}

/** Whether it is a webhook, which has an address and a secret. */
export function isWebhook({ kind }: Target): boolean {
  return kind === "webhook";
}

/** The host of a target's URL, or its kind, for a line below its name. */
export function hostOf(target: Target): string {
  if (target.mail) {
    return target.mail.from === "" ? "mails to people" : say`from ${target.mail.from}`;
  }
  return URL.canParse(target.url) ? new URL(target.url).host : target.kind;
}

import { listed, say } from "../../said.ts";
/** A process that serves, as the server tells of it. */
export interface Node {
  readonly name: string;
  readonly version: string;
  readonly started: string;
  readonly last_seen: string;
  readonly state: "current" | "seen" | "late" | "silent";
  readonly stale_ms: number | null;
}

/** A problem of a node. */
export interface NodeProblem {
  readonly isBad: boolean;
  readonly what: string;
  readonly why: string;
}

/** Versions may differ for so long, while nodes are restarted one after the other. */
const DIFFER_MS = 60 * 60 * 1000;
/** So old may be what a node knows of keys, and so old at the most. */
const STALE_MS = 15_000;
const VERY_STALE_MS = 60_000;

/** The nodes' problems, their meaning and the fix. `time`: formats an instant. */
export function nodeProblems(
  nodes: readonly Node[],
  now: number,
  time: (at: string) => string,
): NodeProblem[] {
  const alive = nodes.filter(({ state }) => state !== "silent");
  return [
    ...nodes.filter(({ state }) => state === "late" || state === "silent").map((node) => ({
      isBad: node.state === "silent",
      what: say`The node ${node.name} is silent`,
      why:
        say`Last heard of ${time(node.last_seen)}. See whether it runs and reaches the database. ` +
        "If it is gone for good, do nothing: it is forgotten after a day.",
    })),
    ...alive.flatMap(staleOf),
    ...differenceOf(alive, now, time),
  ];
}

function staleOf({ name, stale_ms }: Node): NodeProblem[] {
  if (stale_ms === null || stale_ms < STALE_MS) return [];
  return [{
    isBad: stale_ms >= VERY_STALE_MS,
    what: say`The node ${name} has not heard of changed keys for ${Math.floor(stale_ms / 1000)} s`,
    why: "It may not know of keys that were revoked since. Look at its connection to the database.",
  }];
}

/** Since the second of the versions came, if that is long ago. */
function differenceOf(
  alive: readonly Node[],
  now: number,
  time: (at: string) => string,
): NodeProblem[] {
  const versions = [...new Set(alive.map(({ version }) => version))].sort();
  const starts = versions.map((one) =>
    alive.filter(({ version }) => version === one).map(({ started }) => started).sort()[0] ?? ""
  );
  const since = starts.sort()[1];
  if (since === undefined || now - Date.parse(since) <= DIFFER_MS) return [];
  return [{
    isBad: false,
    what: `Nodes run different versions: ${listed(versions)}`,
    why: say`Since ${time(since)}. Restart those that are left with the newer release.`,
  }];
}

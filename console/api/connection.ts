import { signal } from "../signal.ts";

/**
 * False while the server does not answer. The banner shows it; what failed is asked again once it
 * is back.
 */
export const reachable = signal(true);

/** The server could not be reached, or something between could not reach it. */
export class Unreachable extends Error {
  constructor() {
    super("The server does not answer.");
  }
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 8000;

const listeners = new Set<() => void>();

/** Calls `listener` each time the server is back. The answer ends that. */
export function onReachable(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Begins to look for the server, with growing pauses, until it answers. */
export function lost(): void {
  if (!reachable.value) return;
  reachable.value = false;
  look(FIRST_PAUSE_MS);
}

/** Looks now: for the button of the banner. */
export async function lookNow(): Promise<void> {
  if (await answers()) found();
}

function look(pauseMs: number): void {
  setTimeout(async () => {
    if (reachable.value) return;
    if (await answers()) found();
    else look(Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS));
  }, pauseMs);
}

/** Whether the server answers now. */
export async function answers(): Promise<boolean> {
  try {
    return (await fetch("/healthz", { cache: "no-store", credentials: "omit" })).ok;
  } catch {
    return false;
  }
}

function found(): void {
  if (reachable.value) return;
  reachable.value = true;
  listeners.forEach((listener) => listener());
}

addEventListener("offline", lost);

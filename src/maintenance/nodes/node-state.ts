/** After so long without a sign a process is late, and after so long silent. */
export const LATE_MS = 15_000;
export const SILENT_MS = 60_000;
/** After so long it is forgotten. */
export const FORGOTTEN_MS = 24 * 60 * 60 * 1000;

/** The state of another process whose last sign is so old. */
export function stateAfter(ms: number): "seen" | "late" | "silent" {
  if (ms >= SILENT_MS) return "silent";
  return ms >= LATE_MS ? "late" : "seen";
}

import type { Approval } from "../client/operations.ts";

/**
 * A key as it is printed: itself, and where there is one its password or secret. None where nothing
 * was minted.
 */
export function keyLines(
  credential: Pick<Approval, "RawKey" | "Password"> | null,
): string[] {
  if (!credential) return [];
  const { RawKey, Password } = credential;
  return Password === "" ? [RawKey] : [RawKey, Password];
}

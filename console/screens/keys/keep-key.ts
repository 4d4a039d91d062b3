import { toast, toastFailure } from "../../parts/toasts.tsx";
import type { Key } from "../../parts/keys/key.ts";

/** Says that a key is needed: it opens again what its schedule of unused keys had shut. */
export async function keepKey(key: Key, onKept: (key: Key) => void): Promise<void> {
  try {
    const { keep } = await import("../../parts/unused/keep.ts");
    onKept(await keep(key));
    toast({ text: "Kept. Its days without a use begin anew." });
  } catch (error) {
    toastFailure(error);
  }
}

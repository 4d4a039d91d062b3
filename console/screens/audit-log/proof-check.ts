import {
  checkProof,
  headOf,
  type ProvedRow,
  type RowProof,
} from "../../../src/contract/audit-proof.ts";

/** A proof as the server gives it. */
export interface ProofView extends Omit<RowProof, "leaf_index" | "audit_path"> {
  /** Null: it waits for the log. */
  readonly leaf_index: number | null;
  readonly audit_path: readonly string[];
  readonly keys: readonly string[];
}

/** This browser's result. `signature`: "unchecked" if the browser can't check any. */
export type Result =
  | { readonly is: "waiting" | "unable" }
  | {
    readonly is: "holds" | "fails";
    readonly isErased: boolean;
    /** The mismatch, as a part of a sentence; empty without one. */
    readonly why: string;
    readonly signature: "good" | "bad" | "unchecked";
    /**
     * The key that signed, as `keydesk audit checkpoint --keys` prints it; empty: none of those
     * that were named.
     */
    readonly signedBy: string;
  };

const SHOWN = ["id", "at", "actor", "action", "object", "object_id"] as const;

/** The fields of an event's row on the screen. */
export type EventView = Pick<ProvedRow, typeof SHOWN[number]>;

const sha256 = async (bytes: Uint8Array<ArrayBuffer>) =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

/** Checks the proof of what is shown, by hashes that are computed here. */
export async function resultOn(proof: ProofView, shown: EventView): Promise<Result> {
  const { leaf_index } = proof;
  if (leaf_index === null) return { is: "waiting" };
  // Browsers compute hashes on pages that came by https, or from this machine, alone.
  if (crypto.subtle === undefined) return { is: "unable" };
  const { isAsWritten, isInHead, isErased } = await checkProof({ ...proof, leaf_index }, sha256);
  const isShown = SHOWN.every((name) => proof.event[name] === shown[name]);
  const { signature, signedBy } = await signatureOf(proof);
  const why = !isShown
    ? "the list shows another row than the log has"
    : !isAsWritten
    ? "the row is not what was written"
    : !isInHead
    ? "the row does not lead to the checkpoint that was signed"
    : signature === "bad"
    ? "the checkpoint was signed by no known key"
    : "";
  return { is: why === "" ? "holds" : "fails", isErased, why, signature, signedBy };
}

/** Which of the keys signed the head (C2SP signed-note, Ed25519). */
async function signatureOf(
  { checkpoint, keys }: ProofView,
): Promise<{ signature: "good" | "bad" | "unchecked"; signedBy: string }> {
  const end = checkpoint.lastIndexOf("\n\n");
  const body = new TextEncoder().encode(checkpoint.slice(0, end + 1));
  const origin = headOf(checkpoint)?.origin;
  for (const key of keys) {
    const [name = "", , ...rest] = key.split("+");
    const bytes = bytesOf(rest.join("+"));
    if (name !== origin || bytes?.length !== 33 || bytes[0] !== 1) continue;
    for (const line of checkpoint.slice(end + 2).split("\n")) {
      const signature = bytesOf(line.split(" ")[2] ?? "")?.subarray(4);
      if (!line.startsWith(`\u2014 ${name} `) || signature?.length !== 64) continue;
      try {
        const raw = bytes.subarray(1);
        const imported = await crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
        if (await crypto.subtle.verify("Ed25519", imported, signature, body)) {
          return { signature: "good", signedBy: key };
        }
      } catch {
        // A browser that knows no Ed25519 yet.
        return { signature: "unchecked", signedBy: "" };
      }
    }
  }
  return { signature: "bad", signedBy: "" };
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) return undefined;
  return Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
}

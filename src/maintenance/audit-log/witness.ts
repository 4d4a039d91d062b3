import { Buffer } from "node:buffer";
import {
  COSIGNATURE,
  keyOfText,
  readCheckpoint,
  type Verifier,
} from "../../../packages/audit-log/checkpoint.ts";
import { cosignaturesOf } from "../../../packages/audit-log/cosignature.ts";
import type { Outbound } from "../../kernel/outbound/outbound.ts";

/** Another person who signs the heads of our logs (C2SP tlog-witness). */
export interface Witness {
  /** The prefix of its addresses, without a slash at the end. */
  readonly url: string;
  readonly key: Verifier;
}

/** Reads `https://witness.example.org#witness.example.org+0123abcd+BA…`; undefined: it is none. */
export function parseWitness(text: string): Witness | undefined {
  const mark = text.indexOf("#");
  const key = mark < 0 ? undefined : keyOfText(text.slice(mark + 1), COSIGNATURE);
  const url = URL.parse(text.slice(0, Math.max(mark, 0)));
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (!key || !url || !isWeb || url.search !== "" || url.username !== "") return undefined;
  return { url: url.href.replace(/\/$/, ""), key };
}

/** The witnesses of a setting; what is none was refused at the start. */
export function witnessesOf(texts: readonly string[]): Witness[] {
  return texts.flatMap((text) => parseWitness(text) ?? []);
}

/** The answer of a witness about a checkpoint. */
export type Witnessed =
  /** It signed: the lines that stand behind the checkpoint. */
  | { result: "cosigned"; lines: string[] }
  /** It knows so many entries of the log, and wants the proof from there on. */
  | { result: "knows"; size: number }
  /** Its latest checkpoint is no beginning of this log. */
  | { result: "differs" }
  /** It signed nothing, for another reason. */
  | { result: "none"; why: string };

/** So much of an answer is read: some lines. */
const KEPT_BYTES = 64 * 1024;
/** The content type of an answer that says how much a witness knows. */
const SIZE_TYPE = "text/x.tlog.size";

/**
 * Asks a witness to sign a checkpoint, with the proof that it goes on from the first `old` entries.
 * Never rejects.
 */
export async function askWitness(
  outbound: Pick<Outbound, "send">,
  witness: Witness,
  { note, old, proof, timeoutMs }: {
    note: string;
    old: number;
    proof: readonly string[];
    timeoutMs: number;
  },
): Promise<Witnessed> {
  const lines = proof.map((hash) => `${Buffer.from(hash, "hex").toString("base64")}\n`);
  try {
    const { status, headers, body } = await outbound.send({
      url: `${witness.url}/add-checkpoint`,
      method: "POST",
      headers: { "content-type": "text/plain; charset=utf-8", "user-agent": "Keydesk" },
      body: `old ${old}\n${lines.join("")}\n${note}`,
      timeoutMs,
      keptBytes: KEPT_BYTES,
    });
    if (status === 200) return cosignedBy(witness, note, body);
    if (status === 409) return conflictOf(headers.get("content-type"), body, old);
    if (status === 422) return { result: "differs" };
    // litewitness (0.6.1) answers 403 where C2SP says 404.
    const isUnknown = status === 403 && /unknown log/i.test(body);
    const why = WHY[isUnknown ? 404 : status] ?? `it answers with status ${status}`;
    return { result: "none", why };
  } catch (error) {
    return { result: "none", why: error instanceof Error ? error.message : "no answer" };
  }
}

const WHY: Readonly<Record<number, string>> = {
  403: "it takes none of the keys that signed",
  404: "it knows no log of this name",
};

function cosignedBy({ key }: Witness, note: string, body: string): Witnessed {
  // One is as good as many, and takes no room.
  const lines = cosignaturesOf(body, readCheckpoint(note, []).head, key).slice(0, 1);
  if (lines.length > 0) return { result: "cosigned", lines };
  return { result: "none", why: "it answers without a cosignature by its key" };
}

/** A witness that knows as much as was said, and refuses all the same, knows another tree. */
function conflictOf(type: string | null, body: string, old: number): Witnessed {
  const [, digits] = /^(0|[1-9]\d{0,14})\n?$/.exec(body) ?? [];
  if (!type?.startsWith(SIZE_TYPE) || digits === undefined) {
    return { result: "differs" };
  }
  const size = Number(digits);
  return size === old ? { result: "differs" } : { result: "knows", size };
}

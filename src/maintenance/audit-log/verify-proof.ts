import { checkProof } from "../../contract/audit-proof.ts";
import {
  NoCheckpoint,
  parseVerifier,
  readCheckpoint,
} from "../../../packages/audit-log/checkpoint.ts";
import { sha256Bytes } from "../../kernel/sha256.ts";
import type { ExportedLine } from "./exported-log.ts";
import type { Finding, Wrong } from "./log-found.ts";
import type { Verified, VerifyOptions } from "./verify-store.ts";

/** Verifies the proof of one row, by the keys that are trusted, else by those it names itself. */
export async function verifyProof(
  proof: Extract<ExportedLine, { audit_path: unknown }>,
  { verifiers, since = [] }: VerifyOptions,
): Promise<{ verified: Verified; findings: Finding[] }> {
  const { org_id, event: { id, at }, kind, leaf_index } = proof;
  const found = await checkProof(proof, sha256Bytes);
  const findings: Finding[] = [];
  const say = (wrong: Wrong, why: string) =>
    findings.push({ org_id, wrong, leaf_index, entries: 1, id, at, why });
  const { head, signedBy } = signedHead(proof.checkpoint, verifiers ?? proof.keys.flatMap(keyOf));
  if (!found.isAsWritten) say("changed", "the row differs from the hash in the log");
  else if (!found.isInHead) say("altered", "the proof does not lead to the checkpoint's root");
  if (!signedBy) say("unsigned", "no trusted key signed the checkpoint");
  for (const note of head ? since : []) {
    const noted = readCheckpoint(note, []).head;
    if (noted.size !== head?.size) {
      say("unknown", `the noted checkpoint has ${noted.size} entries: it needs an export`);
    } else if (noted.root !== head.root) {
      say("forked", `with ${head.size} entries the log had another root than the noted one`);
    }
  }
  const holds = findings.length === 0;
  const verified = {
    org_id,
    entries: 1,
    size: found.size,
    cut: 0,
    waiting: 0,
    waitingLong: 0,
    late: 0,
    firstLate: undefined,
    purgedByOlder: 0,
    erased: Number(found.isErased),
    erasedValues: 0,
    reportedErased: 0,
    compared: null,
    upgrade: Number(kind === "upgrade"),
    older: Number(kind === "older"),
    head: holds ? head : undefined,
    signedBy: holds ? signedBy : undefined,
  };
  return { verified, findings };
}

function signedHead(note: string, verifiers: Parameters<typeof readCheckpoint>[1]) {
  try {
    return readCheckpoint(note, verifiers);
  } catch (error) {
    if (error instanceof NoCheckpoint) return { head: undefined, signedBy: undefined };
    throw error;
  }
}

function keyOf(text: string) {
  try {
    return [parseVerifier(text)];
  } catch (error) {
    if (error instanceof NoCheckpoint) return [];
    throw error;
  }
}

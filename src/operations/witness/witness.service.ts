import type { RequestContext } from "../../calls/context.ts";
import { Answer } from "../../kernel/answer.ts";
import { parseVerifier, readCheckpoint } from "../../kernel/checkpoint.ts";
import { Failure } from "../../kernel/failure.ts";
import { readAddCheckpoint } from "./add-checkpoint.ts";
import { cosignHead } from "./witness.transactions.ts";
import { findWitnessedLog } from "./witnessed-logs.store.ts";

/** The trouble that lasts while a log sends heads that contradict what was signed of it. */
const FORKED = "witnessed_log_forked";

/**
 * Signs the head of a log, or says why not, as C2SP's tlog-witness has it. Throws `invalid_input`
 * for a body of another form, `not_found` for a log that nobody added.
 */
export async function addCheckpoint(
  { storage, clock, troubles }: RequestContext,
  bytes: Uint8Array,
): Promise<Answer<string | null>> {
  const asked = readAddCheckpoint(bytes);
  if (typeof asked === "string") {
    throw new Failure("invalid_input", { details: [`body: ${asked}`] });
  }
  const { head, old, proof, note } = asked;
  const log = await findWitnessedLog(storage.reader, { origin: head.origin });
  if (!log) throw new Failure("not_found");
  // as: witness.transactions.ts writes a list of texts.
  const keys = (JSON.parse(log.keys) as string[]).map(parseVerifier);
  if (!readCheckpoint(note, keys).signedBy) return new Answer(null, {}, 403);
  if (old > head.size) {
    throw new Failure("invalid_input", { details: ["body: old is more than the checkpoint has"] });
  }
  const answered = await storage.commit(cosignHead, { head, old, proof, now: clock.now() });
  switch (answered.verdict) {
    case "cosigned":
      troubles.end(FORKED);
      return new Answer(answered.line, { "content-type": "text/plain; charset=utf-8" });
    case "unknown":
      throw new Failure("not_found");
    case "conflict":
      if (answered.isFork) {
        troubles.begin(FORKED, { reason: forked(head.origin), stops: "nothing" });
      }
      return new Answer(`${answered.size}\n`, { "content-type": "text/x.tlog.size" }, 409);
    case "inconsistent":
      troubles.begin(FORKED, { reason: forked(head.origin), stops: "nothing" });
      return new Answer(null, {}, 422);
  }
}

function forked(origin: string): string {
  return `${origin} sent a head, signed by its key, that does not go on from the one signed here before`;
}

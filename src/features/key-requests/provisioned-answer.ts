import type { RequestContext } from "../../calls/context.ts";
import type { Idempotency } from "../../calls/principal.ts";
import type { ReceivedHeaders } from "../../../packages/http-listener/request.ts";
import { requestTimeoutMs } from "../../calls/request-timeout.ts";
import { provisionedOf } from "../../changes/provisioned.ts";
import { PROVISIONED } from "../../contract/provisioned.ts";
import { Answer } from "../../kernel/answer.ts";

/** A call's waiting time, and whether it may be a repeat. */
interface Waiting {
  readonly idempotency: Idempotency;
  readonly query: { readonly wait?: number | undefined };
  readonly headers: ReceivedHeaders;
}

/**
 * An approval's answer with whether every gateway has its key, which it waits for where the call
 * asks for that. If no gateway is to have one, it is the answer alone. Nothing is asked then, nor
 * of a call that waits for nothing and is no repeat: what was just decided waits.
 */
export async function withProvisioned<T>(
  { storage, principal: { org_id } }: RequestContext,
  { idempotency, query: { wait = 0 }, headers }: Waiting,
  answer: T,
  key_id: string | undefined,
): Promise<T | Answer<T>> {
  if (key_id === undefined) return answer;
  if (wait === 0 && idempotency === null) return new Answer(answer, { [PROVISIONED]: "waiting" });
  // The key is in the answer alone: it comes while its caller is there.
  const waitMs = Math.min(wait, requestTimeoutMs(headers) / 2);
  return new Answer(answer, {
    [PROVISIONED]: await provisionedOf(storage, { org_id, key_id }, waitMs),
  });
}

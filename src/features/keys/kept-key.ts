import type { RequestContext } from "../../calls/context.ts";
import { Answer } from "../../kernel/answer.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { Part } from "../../storage/touched-rows.ts";
import { NEVER } from "./key.ts";

/** The view of one key, as JSON text, and the parts of the store that it was made of. */
interface KeyView {
  readonly text: string;
  /** Of the answer; absent: none. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly parts: readonly Part[];
  /** When it becomes another by itself, or NEVER; undefined: at any moment, so it is not kept. */
  readonly turnsAt: string | undefined;
}

interface KeptKey {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly turnsAt: string;
  readonly length: number;
}

/**
 * An answer about one key, from memory while nothing that it was made of has changed. `name` begins
 * with the kind of answer, and holds no plain key. An error of `make` is not cached.
 */
export function keptKey(
  ctx: RequestContext,
  name: string,
  make: () => Promise<KeyView>,
): Answer<string> | Promise<Answer<string>> {
  const { principal: { org_id }, storage: { changes }, readCache, clock } = ctx;
  const given = ({ text, headers, turnsAt }: KeptKey) => {
    const holds = turnsAt === NEVER || toTimestamp(clock.now()) < turnsAt;
    return holds
      ? new Answer(text, headers)
      : make().then((made) => new Answer(made.text, made.headers ?? {}));
  };
  const kept = readCache.get<KeptKey>(`${org_id} ${name}`, changes, async () => {
    const { text, headers = {}, parts, turnsAt } = await make();
    const length = turnsAt === undefined ? Infinity : text.length;
    return { answer: { text, headers, length, turnsAt: turnsAt ?? NEVER }, parts };
  });
  return kept instanceof Promise ? kept.then(given) : given(kept);
}

/**
 * One system call of a traced process, or of its threads; `start` and `end` order calls among each
 * other.
 */
export interface TracedCall {
  name: string;
  /** What its file descriptor stands for: a path, `socket:[…]`; empty where there is none. */
  target: string;
  /** The call as strace writes it, arguments and result. */
  text: string;
  /** What it returned; negative for an error. */
  result: number;
  start: number;
  end: number;
}

/** The words that run a command under strace, its calls of these names written to `file`. */
export function straceOf(names: readonly string[], file: string): string[] {
  const quiet = ["-qq", "-e", "signal=none", "-s", "64", "-y"];
  return ["strace", "-f", "--seccomp-bpf", ...quiet, "-e", `trace=${names.join(",")}`, "-o", file];
}

/** The calls of a trace in the order in which they began. */
export function parseTrace(text: string): TracedCall[] {
  const calls: TracedCall[] = [];
  /** Calls of each thread that another thread's lines have interrupted. */
  const open = new Map<string, { text: string; start: number }>();
  for (const [line, whole] of text.split("\n").entries()) {
    const [, thread = "", rest = ""] = /^(\d+)\s+(.*)$/.exec(whole) ?? [];
    const unfinished = /^(.*) <unfinished \.\.\.>$/.exec(rest);
    if (unfinished) {
      open.set(thread, { text: unfinished[1] ?? "", start: line });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    const begun = resumed ? open.get(thread) : undefined;
    const call = toCall(
      begun ? begun.text + (resumed?.[1] ?? "") : rest,
      begun?.start ?? line,
      line,
    );
    if (call) calls.push(call);
  }
  return calls.sort((a, b) => a.start - b.start);
}

function toCall(text: string, start: number, end: number): TracedCall | undefined {
  const match = /^(\w+)\((?:\d+<(.*?)>(?=[,)]))?.*\)\s+= (-?\d+)/.exec(text);
  if (!match) return undefined;
  const [, name = "", target = "", result = ""] = match;
  return { name, target, text, result: Number(result), start, end };
}

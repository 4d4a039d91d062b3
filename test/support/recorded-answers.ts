/**
 * What a run of the suite was answered and left behind: each call with its answer, each mail, and
 * at the end the audit and outbox rows of every desk, a file a desk below the folder that
 * `KEYDESK_RECORD_ANSWERS` names. Ids, secrets and times have one name each, and the lines are
 * sorted, so that two runs of the same code give the same files but where tests race;
 * tools/compare-answers.ts tells what differs.
 */
import { join } from "node:path";
import { sha256 } from "../../src/kernel/sha256.ts";
import { statement } from "../../src/storage/statement.ts";
import type { Connection } from "../../src/storage/storage.ts";

const FOLDER = "KEYDESK_RECORD_ANSWERS";
/** A body is kept to here; behind that its digest tells it apart. */
const LONGEST = 20_000;

const auditSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("audit_events").select(["actor", "action", "object", "object_id"])
    .select(["detail", "personal"])
);
const outboxSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("outbox_events").select(["topic", "object_id", "actor", "detail"])
);

/** The test that runs now. */
let test = "";
/** How many desks each test has opened. */
const opened = new Map<string, number>();
const open = new Set<string[]>();

/** Names the test whose desks are opened from now on. */
export function recordTest(name: string): void {
  test = name;
}

/** Adds a line to the recordings of all desks that are open. */
export function recordLine(kind: string, ...words: readonly string[]): void {
  for (const lines of open) lines.push(lineOf(kind, ...words));
}

/** Writes down what one desk answers; undefined: nothing is recorded. */
export function recordingOf(fetch: Fetch): Recording | undefined {
  const folder = Deno.env.get(FOLDER);
  if (folder === undefined || test === "") return undefined;
  const n = (opened.get(test) ?? 0) + 1;
  opened.set(test, n);
  const file = join(folder, `${sha256(test).slice(0, 24)}-${n}.txt`);
  const lines: string[] = [];
  const title = `${test} (${n})`;
  open.add(lines);
  return {
    fetch: async (request, info) => {
      const { method, url } = request;
      const path = url.slice(url.indexOf("/", "http://".length));
      const sent = request.body === null ? "" : await textOf(request.clone());
      const answer = await fetch(request, info);
      const { status, headers } = answer;
      const error = headers.get("x-keydesk-error") ?? "";
      const type = headers.get("content-type") ?? "";
      // A stream that does not end is read by its test alone.
      const body = type.startsWith("text/event-stream") ? "" : await textOf(answer.clone());
      lines.push(lineOf("call", method, path, sent, String(status), error, type, body));
      return answer;
    },
    end: async (reader) => {
      open.delete(lines);
      for (const row of await reader.rows(auditSql, {})) {
        lines.push(lineOf("audit", ...Object.values(row)));
      }
      for (const row of await reader.rows(outboxSql, {})) {
        lines.push(lineOf("outbox", ...Object.values(row).map(String)));
      }
      await Deno.mkdir(folder, { recursive: true });
      await Deno.writeTextFile(file, [title, ...lines.sort(), ""].join("\n"));
    },
  };
}

type Fetch = (request: Request, info?: never) => Promise<Response>;

/** What writes a desk's answers down. */
export interface Recording {
  /** Has the call answered and keeps both. */
  fetch: Fetch;
  /** Adds the rows that the desk leaves, and writes the file. */
  end(reader: Connection): Promise<void>;
}

/** Bytes that are no text are told by their number alone: archives hold times. */
async function textOf(message: Request | Response): Promise<string> {
  try {
    const bytes = await message.bytes();
    const text = new TextDecoder().decode(bytes);
    return text.includes("\0") || text.includes("\ufffd") ? "<bytes>" : text;
  } catch {
    // Cut off on purpose.
    return "<cut>";
  }
}

function lineOf(...words: readonly string[]): string {
  const line = words.map(normalized).join("\t");
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST)}… ${sha256(line)}`;
}

/** The text with what differs at each run under one name, in one line. */
function normalized(text: string): string {
  return text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uuid>")
    .replaceAll(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})/g, "<time>")
    .replaceAll(/[\w-]{4}…[\w-]{4}/g, "<mask>")
    .replaceAll(/\d{2}:\d{2}(:\d{2})? UTC/g, "<clock>")
    .replaceAll(/[\w\-+=]{20,}/g, (one) => /\d|[A-Z].*[a-z].*[A-Z]/.test(one) ? "<id>" : one)
    .replaceAll(/[0-9a-f]{12,}/g, "<hex>")
    .replaceAll(/\d{6,}(\.\d+)?/g, "<number>")
    .replaceAll(/\d+\.\d{3,}/g, "<number>")
    .replaceAll(/127\.0\.0\.1:\d+|localhost:\d+/g, "<here>")
    .replaceAll(/\r?\n/g, "⏎");
}

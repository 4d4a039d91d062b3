import type { ThreadScope } from "../../../../kernel/thread-scope.ts";
import { readDocument } from "./api-document.ts";
import { renderMarkdown } from "./markdown.ts";

/** A document for the thread. */
export interface Reading {
  readonly what: "document" | "markdown";
  readonly text: string;
}

declare const self: ThreadScope<Reading, unknown>;

/** The thread on which texts of others are read: it says that it is there; then one answer each. */
self.onmessage = ({ data: { what, text } }: MessageEvent<Reading>) => {
  self.postMessage(what === "document" ? readDocument(text) : rendered(text));
};

self.postMessage("ready");

/** Undefined: it could not be done. */
function rendered(text: string): string | undefined {
  try {
    return renderMarkdown(text);
  } catch {
    return undefined;
  }
}

/// <reference lib="deno.worker" />
import { readDocument } from "./api-document.ts";
import { renderMarkdown } from "./markdown.ts";

/** What the thread is asked for. */
export interface Reading {
  readonly what: "document" | "markdown";
  readonly text: string;
}

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

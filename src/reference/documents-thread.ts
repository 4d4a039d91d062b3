/// <reference lib="deno.worker" />
import { endpoints } from "./registry.ts";
import { writtenDocuments } from "./written-documents.ts";

/** Writes the documents where no build did, beside the thread that serves, and sends them once. */
self.postMessage(writtenDocuments(endpoints));

/// <reference lib="deno.worker" />
import { packedDocuments } from "./packed-documents.ts";
import { endpoints } from "./registry.ts";

/** Writes the documents where no build did, beside the thread that serves, and sends them once. */
self.postMessage(packedDocuments(endpoints));

import type { ThreadScope } from "../kernel/thread-scope.ts";
import { endpoints } from "./registry.ts";
import { writtenDocuments } from "./written-documents.ts";

declare const self: ThreadScope<never, unknown>;

/** Writes the documents where no build did, beside the thread that serves, and sends them once. */
self.postMessage(writtenDocuments(endpoints));

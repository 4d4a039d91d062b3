import { Registry, type RegistryContentType } from "prom-client";
import type { ReceivedRequest } from "../../../packages/http-listener/request.ts";
import { successResponse } from "../../http/answer.ts";
import { requestIdsOf } from "../../http/request-id.ts";
import { Answer } from "../../kernel/answer.ts";
import { LONGEST_HEADER } from "../../kernel/input-limits.ts";
import type { Family } from "./family.ts";
import { gather, type Watched } from "./gather.ts";
import { StoreQuestions } from "./store-metrics.ts";

/** Puts the figures of a process and its store together, for each scrape anew. */
export class Scrapes {
  readonly #watched: Watched;
  readonly #store: StoreQuestions;

  constructor(watched: Watched) {
    this.#watched = watched;
    const { storage, clock } = watched.ctx;
    this.#store = new StoreQuestions(storage.reader, () => clock.now());
  }

  /** The figures as they are now, in the format that the request takes. */
  async answer(request: ReceivedRequest): Promise<Response> {
    const families = gather(this.#watched, await this.#store.answer());
    const { text, contentType } = await expose(families, request.headers.get("accept"));
    const answer = new Answer(text, { "content-type": contentType, vary: "Accept" });
    return await successResponse(answer, requestIdsOf(request).id, request, true);
  }
}

/** Figures as a scraper reads them. */
interface Exposition {
  readonly text: string;
  readonly contentType: string;
}

/**
 * The figures in the format that `accept` asks for: OpenMetrics where it names that, else
 * Prometheus' text.
 */
async function expose(
  families: readonly Family[],
  accept: string | null,
): Promise<Exposition> {
  const contentType = wantsOpenMetrics(accept)
    ? Registry.OPENMETRICS_CONTENT_TYPE
    : Registry.PROMETHEUS_CONTENT_TYPE;
  // Made anew for each: it renames counters for the format that it writes.
  const registry = new Registry<RegistryContentType>();
  registry.setContentType(contentType);
  for (const family of families) {
    const metric = { ...family, get: () => Promise.resolve(metric) };
    // as: of a metric the registry asks for its name, and for its values by `get`; its types name
    // its own classes alone.
    registry.registerMetric(metric as unknown as Parameters<typeof registry.registerMetric>[0]);
  }
  return { text: await registry.metrics(), contentType };
}

function wantsOpenMetrics(accept: string | null): boolean {
  return accept !== null && accept.length <= LONGEST_HEADER &&
    /application\/openmetrics-text(?!\s*;[^,]*\bq=0(\.0*)?\s*(,|;|$))/i.test(accept);
}

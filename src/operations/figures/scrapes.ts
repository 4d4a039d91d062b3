import type { ReceivedRequest } from "../../calls/received.ts";
import { successResponse } from "../../http/answer.ts";
import { requestIdsOf } from "../../http/request-id.ts";
import { Answer } from "../../kernel/answer.ts";
import { expose } from "./exposition.ts";
import { gather, type Watched } from "./gather.ts";
import { StoreQuestions } from "./store-figures.ts";

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
    return await successResponse(answer, requestIdsOf(request).told, request, true);
  }
}

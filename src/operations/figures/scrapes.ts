import { securityHeaders } from "../../http/answer.ts";
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
  async answer(request: Request): Promise<Response> {
    const families = gather(this.#watched, await this.#store.answer());
    const { text, contentType } = await expose(families, request.headers.get("accept"));
    return new Response(text, {
      headers: { ...securityHeaders, "content-type": contentType, vary: "accept" },
    });
  }
}

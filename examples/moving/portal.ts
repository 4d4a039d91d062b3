/**
 * A developer portal at work, by the interface alone: it reads, and where its pages are open it
 * writes.
 */
import type { Tally } from "./tally.ts";

/** A key that the portal handed to a developer. */
export interface Handed {
  key: string;
  developer_id: string;
}

/** A portal that calls the interface at `url`, whoever answers there. */
export class Portal {
  /** False: its pages that change something are closed. */
  isOpen = true;

  constructor(readonly url: string, readonly plan: string, readonly tally: Tally) {}

  /** Reads what a portal shows. */
  async read(developer_id: string): Promise<void> {
    await this.#call("GET", "/api/portal/requests?p=1");
    await this.#call("GET", `/api/portal/developers/${developer_id}`);
    await this.#call("GET", "/api/portal/catalogue");
  }

  /** Registers a developer and gives the id. */
  async register(email: string): Promise<string> {
    return textOf(await this.#call("POST", "/api/portal/developers", { email, fields: {} }));
  }

  /** Changes a developer. */
  async rename(developer_id: string, email: string, Name: string): Promise<void> {
    await this.#call("PUT", `/api/portal/developers/${developer_id}`, { email, fields: { Name } });
  }

  /** Asks for a key and has it approved; undefined where something was refused. */
  async hand(developer_id: string): Promise<Handed | undefined> {
    const asked = await this.#call("POST", "/api/portal/requests", {
      by_user: developer_id,
      for_plan: this.plan,
    });
    const path = `/api/portal/requests/approve/${textOf(asked)}`;
    const { RawKey: key } = await this.#call("PUT", path);
    return typeof key === "string" ? { key, developer_id } : undefined;
  }

  async #call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    let answer: Record<string, unknown> = {};
    await this.tally.count("portal", `${method} ${path}`, async () => {
      const response = await fetch(this.url + path, {
        method,
        headers: method === "PUT" && !body ? { "idempotency-key": crypto.randomUUID() } : {},
        ...body ? { body: JSON.stringify(body) } : {},
      });
      answer = Object(await response.json());
      return response.status;
    });
    return answer;
  }
}

function textOf({ Message }: Record<string, unknown>): string {
  return typeof Message === "string" ? Message : "";
}

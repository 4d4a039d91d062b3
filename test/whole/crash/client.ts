import assert from "node:assert/strict";
import { sha256 } from "../../../src/kernel/sha256.ts";
import type { ServerAnswer, ServerCall, ServerProcess } from "../../support/processes.ts";
import type { Random } from "../../support/random.ts";

const PATH = "/api/portal/requests";

/** What a client knows of one of its requests, from answers alone. */
export interface Known {
  body: Body;
  /** The key id of the credential that an approval revealed; "unseen" when its answer was lost. */
  key?: string | undefined;
  deleted: boolean;
}

type Body = { by_user: string; for_plan: string; fields: Record<string, string>; version: string };

/** A call that was sent and whose answer never came. */
interface Doubt {
  id: string;
  update?: Body;
  approve?: { headers?: Record<string, string> };
  remove?: boolean;
}

/**
 * One client: does one thing after the other, remembers what was acknowledged, and what is in
 * doubt.
 */
export class CrashClient {
  readonly known = new Map<string, Known>();
  /** Markers of creates, acknowledged or not: each may be in the store once at the most. */
  readonly markers = new Set<string>();
  acknowledged = 0;
  /**
   * Approvals that were committed, whose answers were lost, and that their Idempotency-Key gave
   * again.
   */
  replayed = 0;
  #serial = 0;
  #doubt: Doubt | undefined;

  constructor(readonly name: string, readonly random: Random) {}

  /** Works until the server no longer answers. */
  async work(server: ServerProcess, onAcknowledged: () => void): Promise<void> {
    try {
      await this.settle(server);
      while (true) {
        await this.#doSomething(server);
        this.acknowledged++;
        onAcknowledged();
      }
    } catch (error) {
      // A fault of the server or of this test is an AssertionError; everything else is the kill.
      if (error instanceof assert.AssertionError) throw error;
    }
  }

  /** Finds out, with the server up again, what became of the call whose answer was lost. */
  async settle(server: ServerProcess): Promise<void> {
    const doubt = this.#doubt;
    const known = doubt && this.known.get(doubt.id);
    if (!doubt || !known) return;
    const shown = await server.send("GET", `${PATH}/${doubt.id}`);
    if (doubt.remove) {
      known.deleted = shown.status === 404;
    } else {
      assert.equal(shown.status, 200, `${doubt.id} is missing`);
    }
    if (doubt.update) {
      const { fields } = shown.body;
      const kept = [known.body, doubt.update].find((body) => body.fields.rev === fields.rev);
      assert.ok(kept, `${doubt.id} shows neither its old nor its new value`);
      known.body = kept;
    }
    if (doubt.approve) await this.#settleApproval(server, doubt.id, known, doubt.approve, shown);
    this.#doubt = undefined;
  }

  async #settleApproval(
    server: ServerProcess,
    id: string,
    known: Known,
    call: ServerCall,
    shown: ServerAnswer,
  ): Promise<void> {
    const committed: boolean = shown.body.approved;
    const answer = await server.send("PUT", `${PATH}/approve/${id}`, call);
    if (!call.headers && committed) {
      assert.equal(answer.body.Message, "Key request has already been processed.");
      known.key = "unseen";
      return;
    }
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    known.key = sha256(answer.body.RawKey);
    if (!call.headers) return;
    if (committed) this.replayed++;
    assert.deepEqual(await server.send("PUT", `${PATH}/approve/${id}`, call), answer);
  }

  async #doSomething(server: ServerProcess): Promise<void> {
    const open = [...this.known].filter(([, known]) => !known.deleted);
    const pending = open.filter(([, known]) => known.key === undefined);
    const dice = this.random.next();
    const candidates = dice < 0.7 ? pending : open;
    const target = candidates.length > 0 ? this.random.pick(candidates) : undefined;
    if (!target || dice < 0.3) return await this.#create(server);
    const [id, known] = target;
    if (dice < 0.45) return await this.#update(server, id, known);
    if (dice < 0.85 && known.key === undefined) return await this.#approve(server, id, known);
    await this.#remove(server, id, known);
  }

  async #create(server: ServerProcess): Promise<void> {
    const body = this.#body();
    this.markers.add(body.fields.marker ?? "");
    const answer = await this.#acknowledge(server.send("POST", PATH, { body }));
    this.known.set(answer.body.Message, { body, deleted: false });
  }

  async #update(server: ServerProcess, id: string, known: Known): Promise<void> {
    const body = { ...this.#body(), by_user: known.body.by_user, for_plan: known.body.for_plan };
    body.fields = { ...body.fields, marker: known.body.fields.marker ?? "" };
    this.#doubt = { id, update: body };
    await this.#acknowledge(server.send("UPDATE", `${PATH}/${id}`, { body }));
    known.body = body;
  }

  async #approve(server: ServerProcess, id: string, known: Known): Promise<void> {
    const key = `${this.name}-${id}-${++this.#serial}`;
    const call = this.random.next() < 0.5 ? { headers: { "idempotency-key": key } } : {};
    this.#doubt = { id, approve: call };
    const answer = await this.#acknowledge(server.send("PUT", `${PATH}/approve/${id}`, call));
    known.key = sha256(answer.body.RawKey);
  }

  async #remove(server: ServerProcess, id: string, known: Known): Promise<void> {
    this.#doubt = { id, remove: true };
    await this.#acknowledge(server.send("DELETE", `${PATH}/${id}`));
    known.deleted = true;
  }

  async #acknowledge(sent: Promise<ServerAnswer>): Promise<ServerAnswer> {
    const answer = await sent;
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    this.#doubt = undefined;
    return answer;
  }

  #body(): Body {
    const serial = ++this.#serial;
    return {
      by_user: `dev-${this.name}-${serial % 3}`,
      for_plan: `plan-${serial % 4}`,
      fields: {
        marker: `${this.name}-${serial}`,
        rev: `${serial}`,
        text: "é日".repeat(this.random.below(200)),
      },
      version: `v${serial}`,
    };
  }
}

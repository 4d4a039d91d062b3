/**
 * Clients that work on the same requests at the same time through several nodes, and write down
 * what they are told.
 */
import assert from "node:assert/strict";
import { sha256 } from "../../../src/kernel/sha256.ts";
import type { Random } from "../../support/random.ts";
import type { Change, History } from "./history.ts";

/** One node, as a client reaches it: throws where no whole answer came back. */
export type Node = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
  // deno-lint-ignore no-explicit-any -- whatever the node sends
) => Promise<{ status: number; body: any }>;

/** What a crowd does beyond the usual. */
export interface CrowdOptions {
  /** Declines, issues and rotates too, and repeats calls with their `Idempotency-Key`. */
  everything?: boolean;
  /** Statuses that leave a call's outcome unknown, besides 503. */
  unknown?: readonly number[];
  /** How many of the newest requests they work on. */
  newest?: number;
}

/** A call that is repeated by its `Idempotency-Key`, and what becomes of its answer. */
interface Repeatable {
  change: Change;
  key: string;
  send(): Promise<unknown>;
  generation: number;
}

const PATH = "/api/portal/requests";
const PLAN = "plan-history";
const DEVELOPER = "dev-history";

/** What all clients know together, so that they meet on the same requests. */
export class Crowd {
  readonly history: History;
  readonly #nodes: readonly Node[];
  readonly #requests: { id: string; key?: string }[] = [];
  /** The lengths of the pauses between acknowledged changes, and the last of them. */
  lastWriteAt = performance.now();
  longestGapMs = 0;
  /** How many changes were acknowledged. */
  acknowledged = 0;
  #serial = 0;
  readonly #options: CrowdOptions;
  readonly #issued: { id: string; key: string }[] = [];
  #repeatable: Repeatable[] = [];
  #oneTimeLinks: { id: string; token: string }[] = [];
  #generation = 0;

  constructor(history: History, nodes: readonly Node[], options: CrowdOptions = {}) {
    this.history = history;
    this.#nodes = nodes;
    this.#options = options;
  }

  /**
   * From now on nobody repeats what was sent before, or opens a one-time link: neither is kept for
   * ever.
   */
  forgetRepeats(): void {
    this.#repeatable = [];
    this.#oneTimeLinks = [];
    this.#generation++;
  }

  /**
   * Adds the plan and the developer of all requests, where nobody has: a key of a plan that nobody
   * knows opens nothing, and `/v1` issues none for it.
   */
  async addPlan(): Promise<void> {
    const [node] = this.#nodes;
    const plan = { _id: PLAN, id: PLAN, name: PLAN };
    const answer = await node?.("POST", "/api/portal/policies", plan);
    assert.ok(answer?.status === 200 || answer?.status === 400, JSON.stringify(answer));
    const developer = { id: DEVELOPER, email: "history@example.org" };
    const told = await node?.("POST", "/v1/developers", developer);
    assert.ok(told?.status === 200 || told?.status === 400, JSON.stringify(told));
  }

  /** One client: does one thing after the other until `isOver`. */
  async work(random: Random, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      // A client that was told to come back later does so.
      if (!await this.#doSomething(random)) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Looks at everything once more, through every node; call it when nothing disturbs any more. */
  async lookAtEverything(): Promise<void> {
    for (const node of this.#nodes) {
      const answers = [await this.#list(node)];
      for (const { id, key } of this.#requests) {
        answers.push(await this.#read(node, id));
        if (key) answers.push(await this.#verify(node, id, key));
      }
      for (const { id, key } of this.#issued) answers.push(await this.#verify(node, id, key));
      for (const one of this.#repeatable) answers.push(await this.#repeat(node, one));
      assert.ok(answers.every(Boolean), "a node did not recover");
    }
  }

  async #doSomething(random: Random): Promise<boolean> {
    const node = random.pick(this.#nodes);
    // The newest ones, so that many work on the same.
    const some = this.#requests.slice(-(this.#options.newest ?? 8));
    if (this.#options.everything && some.length > 0 && random.chance(0.3)) {
      return await this.#doMore(node, random, some);
    }
    const dice = random.next();
    if (some.length < 4 || dice < 0.12) return await this.#create(node);
    const request = random.pick(some);
    const { id, key } = request;
    if (dice < 0.3) return await this.#update(node, id);
    if (dice < 0.5) return await this.#approve(node, request);
    if (dice < 0.54 && key) return await this.#revoke(node, id, key);
    if (dice < 0.57) {
      return await this.#change(node, { kind: "delete", id }, "DELETE", `${PATH}/${id}`);
    }
    if (dice < 0.7 && key) return await this.#verify(node, id, key);
    return dice < 0.71 ? await this.#list(node) : await this.#read(node, id);
  }

  async #create(node: Node): Promise<boolean> {
    const value = this.#next();
    const change: Change = {
      ...this.#begun(node),
      kind: "create",
      id: "",
      outcome: "unknown",
      value,
    };
    const answer = await this.#ask(change, node, "POST", PATH, bodyOf(value));
    if (answer?.status !== 200) return false;
    Object.assign(change, { id: answer.body.Message, outcome: "ok" });
    this.history.changes.push(change);
    this.#requests.push({ id: change.id });
    return true;
  }

  async #doMore(node: Node, random: Random, some: readonly { id: string }[]): Promise<boolean> {
    const dice = random.next();
    const { id } = random.pick(some);
    if (dice < 0.2) {
      const path = `/v1/key-requests/${id}/decline`;
      return await this.#change(node, { kind: "decline", id }, "POST", path, { reason: "history" });
    }
    if (dice < 0.28) return await this.#once(node, "approve", id);
    if (dice < 0.36) return await this.#approveByOneTimeLink(node, id);
    if (dice < 0.43 && this.#oneTimeLinks.length > 0) {
      return await this.#open(node, random.pick(this.#oneTimeLinks));
    }
    if (dice < 0.5) return await this.#once(node, "create", "");
    if (dice < 0.65 || this.#issued.length === 0) return await this.#once(node, "issue", "");
    if (dice < 0.72) return await this.#rotate(node, random.pick(this.#issued).id);
    if (dice < 0.82 || this.#repeatable.length === 0) {
      const { id, key } = random.pick(this.#issued);
      return random.chance(0.4)
        ? await this.#revoke(node, id, key)
        : await this.#verify(node, id, key);
    }
    return await this.#repeat(node, random.pick(this.#repeatable));
  }

  /** Sends a call that may be repeated until its outcome is known. */
  async #once(node: Node, kind: "create" | "approve" | "issue", id: string): Promise<boolean> {
    const key = `the-only-${kind}-of-${this.#next()}`;
    const change: Change = { ...this.#begun(node), kind, id, outcome: "unknown" };
    if (kind === "create") change.value = this.#next();
    const calls = {
      create: ["POST", PATH, bodyOf(change.value ?? "")],
      approve: ["PUT", `${PATH}/approve/${id}`, {}],
      issue: ["POST", `/v1/developers/${DEVELOPER}/keys`, { plans: [PLAN] }],
    } as const;
    const [method, path, body] = calls[kind];
    // Of what is made nobody knows the name before its answer.
    if (kind === "approve") this.history.changes.push(change);
    const repeatable: Repeatable = {
      change,
      key,
      generation: this.#generation,
      send: () => node(method, path, body, { "idempotency-key": key }),
    };
    this.#repeatable.push(repeatable);
    return await this.#repeat(node, repeatable);
  }

  async #repeat(node: Node, { change, key, send, generation }: Repeatable): Promise<boolean> {
    const span = this.#begun(node);
    // as: what it sends is a node's answer.
    const sent: Node = () => send() as ReturnType<Node>;
    const path = `repeat of ${key}`;
    const answer = await this.#ask(span, sent, "POST", path);
    if (!answer) return false;
    if (generation !== this.#generation || change.outcome === "refused") return true;
    const isFirst = change.outcome === "unknown";
    if (answer.status !== 200) {
      assert.equal(change.kind, "approve", whyOf(answer));
      // Somebody else decided, or deleted it; of what was answered before, that is a lie.
      if (isFirst) Object.assign(change, { outcome: "refused", end: span.end, why: whyOf(answer) });
      else this.history.answers.push({ key, text: JSON.stringify(answer.body) });
      return true;
    }
    this.history.answers.push({ key, text: JSON.stringify(answer.body) });
    if (!isFirst) return true;
    Object.assign(change, { outcome: "ok", end: span.end });
    const { body } = answer;
    if (change.kind === "approve") {
      change.key = body.RawKey;
      const request = this.#requests.find(({ id }) => id === change.id);
      if (request) request.key = body.RawKey;
      return true;
    }
    change.id = change.kind === "create" ? body.Message : body.key_id;
    this.history.changes.push(change);
    if (change.kind === "create") this.#requests.push({ id: change.id });
    else {
      change.key = body.RawKey;
      this.#issued.push({ id: change.id, key: body.RawKey });
    }
    return true;
  }

  async #approveByOneTimeLink(node: Node, id: string): Promise<boolean> {
    const generation = this.#generation;
    const path = `/v1/key-requests/${id}/approve`;
    const body = { deliver: "one_time_link" };
    return await this.#change(node, { kind: "approve", id }, "POST", path, body, (answer) => {
      const [, token = ""] = answer.one_time_link.link.split("#");
      if (generation === this.#generation) this.#oneTimeLinks.push({ id, token });
      return {};
    });
  }

  async #open(node: Node, { id, token }: { id: string; token: string }): Promise<boolean> {
    const generation = this.#generation;
    const path = "/v1/one-time-links/open";
    const opened = await this.#change(
      node,
      { kind: "open", id },
      "POST",
      path,
      { token },
      (told) => {
        const key = told.key.RawKey;
        const request = this.#requests.find((one) => one.id === id);
        if (request) request.key = key;
        return { key };
      },
    );
    // It may have ended meanwhile, and then nobody else came before.
    if (generation !== this.#generation) {
      const refused = this.history.changes.filter((one) => one.id === id && one.kind === "open");
      for (const one of refused) if (one.outcome === "refused") one.outcome = "unknown";
    }
    return opened;
  }

  async #rotate(node: Node, id: string): Promise<boolean> {
    const path = `/v1/keys/${id}/rotate`;
    const body = { overlap_seconds: 60 };
    return await this.#change(node, { kind: "rotate", id }, "POST", path, body, (answer) => {
      const { key_id, RawKey } = answer;
      this.#issued.push({ id: key_id, key: RawKey });
      this.history.changes.push({
        ...this.#begun(node),
        kind: "issue",
        id: key_id,
        key: RawKey,
        outcome: "ok",
        end: performance.now(),
      });
      return {};
    });
  }

  #update(node: Node, id: string): Promise<boolean> {
    const value = this.#next();
    return this.#change(
      node,
      { kind: "update", id, value },
      "UPDATE",
      `${PATH}/${id}`,
      bodyOf(value),
    );
  }

  async #approve(node: Node, request: { id: string; key?: string }): Promise<boolean> {
    const { id } = request;
    return await this.#change(
      node,
      { kind: "approve", id },
      "PUT",
      `${PATH}/approve/${id}`,
      {},
      (body) => {
        request.key = body.RawKey;
        return { key: body.RawKey };
      },
    );
  }

  #revoke(node: Node, id: string, key: string): Promise<boolean> {
    const path = `/v1/keys/${sha256(key)}/revoke`;
    return this.#change(node, { kind: "revoke", id }, "POST", path, { reason: "history" });
  }

  async #read(node: Node, id: string): Promise<boolean> {
    const span = this.#begun(node);
    const answer = await this.#ask(span, node, "GET", `${PATH}/${id}`);
    if (!answer) return false;
    const { status, body } = answer;
    const seen = status === 404
      ? { value: null, approved: false }
      : { value: body.fields.value, approved: body.approved };
    this.history.sights.push({ ...span, kind: "read", id, ...seen });
    return true;
  }

  /** The whole list is a look at every request: also at those that are not in it. */
  async #list(node: Node): Promise<boolean> {
    const known = this.#requests.map(({ id }) => id);
    const span = this.#begun(node);
    const answer = await this.#ask(span, node, "GET", PATH);
    if (!answer) return false;
    // deno-lint-ignore no-explicit-any -- whatever the node sends
    const rows: any[] = answer.body.Data;
    const shown = new Map(rows.map((row) => [row.id, row]));
    assert.equal(shown.size, rows.length, "a list shows a request twice");
    for (const id of known) {
      const row = shown.get(id);
      const seen = { value: row?.fields.value ?? null, approved: row?.approved ?? false };
      this.history.sights.push({ ...span, kind: "list", id, ...seen });
    }
    return true;
  }

  async #verify(node: Node, id: string, key: string): Promise<boolean> {
    const span = this.#begun(node);
    const answer = await this.#ask(span, node, "POST", "/v1/keys/verify", { key });
    if (!answer) return false;
    const verdict = answer.body.valid ? "valid" : answer.body.reason;
    this.history.verdicts.push({ ...span, kind: "verify", id, key, verdict });
    return true;
  }

  async #change(
    node: Node,
    what: Pick<Change, "kind" | "id" | "value">,
    method: string,
    path: string,
    body?: unknown,
    // deno-lint-ignore no-explicit-any -- whatever the node sends
    told: (body: any) => Partial<Change> = () => ({}),
  ): Promise<boolean> {
    const change: Change = { ...this.#begun(node), ...what, outcome: "unknown" };
    // Before its answer: what never ends has begun all the same.
    this.history.changes.push(change);
    const answer = await this.#ask(change, node, method, path, body);
    if (!answer) return false;
    if (answer.status === 200) Object.assign(change, told(answer.body), { outcome: "ok" });
    else Object.assign(change, { outcome: "refused", why: whyOf(answer) });
    return true;
  }

  /**
   * Undefined where nobody knows what became of the call. The answer's moment is noted in `span`.
   */
  async #ask(
    span: { begin: number; end: number },
    node: Node,
    method: string,
    path: string,
    body?: unknown,
  ) {
    let answer: Awaited<ReturnType<Node>>;
    try {
      answer = await node(method, path, body);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return undefined;
    }
    const told = `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`;
    const unknown = [429, 503, ...this.#options.unknown ?? []];
    assert.ok([200, 400, 404, 409, 410, ...unknown].includes(answer.status), told);
    if (unknown.includes(answer.status)) return undefined;
    span.end = performance.now();
    if (answer.status === 200 && method !== "GET" && !path.endsWith("/verify")) {
      this.longestGapMs = Math.max(this.longestGapMs, span.end - this.lastWriteAt);
      this.lastWriteAt = span.end;
      this.acknowledged++;
    }
    return answer;
  }

  #begun(node: Node) {
    return { node: this.#nodes.indexOf(node), begin: performance.now(), end: Infinity };
  }

  #next(): string {
    return `v${++this.#serial}`;
  }
}

// deno-lint-ignore no-explicit-any -- whatever the node sends
function whyOf({ status, body }: { status: number; body: any }): string {
  return `${status} ${body?.Message ?? body?.detail ?? body?.code ?? ""}`;
}

function bodyOf(value: string) {
  return { by_user: DEVELOPER, for_plan: PLAN, fields: { value } };
}

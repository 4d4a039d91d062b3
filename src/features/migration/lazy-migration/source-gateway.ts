import { GatewayAway } from "../../gateways/kind.ts";
import { byName, membersOf, type TykCalls } from "../../gateways/tyk/tyk-calls.ts";
import { type Policy, readPolicies } from "../../gateways/tyk/tyk-policies.ts";
import type { Session } from "../../gateways/tyk/tyk-session.ts";

/** A canary that read 200 so long ago says that the gateway knows its keys. */
const CANARY_MS = 1000;
/** The list of policies is cached for so long. */
const POLICIES_MS = 5000;
/** A gateway that could not be believed is left alone for so long. */
const REST_MS = 1000;

/**
 * A gateway that is asked about keys, by their names alone. Questions that come at once share what
 * they are believed by. Each function throws GatewayAway where nothing that it says can be.
 */
export class SourceClient {
  /** When the last reading of the canary that was answered with 200 began. */
  #canaryAt = -Infinity;
  #reading: Promise<void> | undefined;
  #policies: { at: number; all: Promise<Policy[]> } | undefined;
  #restsUntil = -Infinity;

  constructor(private readonly calls: TykCalls, private readonly canary: string) {}

  /**
   * The session under a name. Undefined: there is none, where the canary was there within the
   * second before the question, was read again behind the answer, and the same was answered once
   * more: so a Redis that came back in between hides nothing.
   */
  async session(name: string): Promise<Session | undefined> {
    return await this.#believed(async () => {
      await this.#confirm(performance.now() - CANARY_MS);
      const found = await this.#find(name);
      if (found) return found;
      await this.#confirm(performance.now());
      return await this.#find(name);
    });
  }

  async #find(name: string): Promise<Session | undefined> {
    const { status, json } = await this.calls.send("GET", byName(name));
    if (status === 200) return membersOf(json);
    if (status !== 404) throw answered(status);
    return undefined;
  }

  /** Its policies, as of the last seconds. */
  async policies(): Promise<readonly Policy[]> {
    return await this.#believed(async () => {
      const now = performance.now();
      if (!this.#policies || now - this.#policies.at >= POLICIES_MS) {
        this.#policies = { at: now, all: this.#readPolicies() };
      }
      return await this.#policies.all;
    });
  }

  async #readPolicies(): Promise<Policy[]> {
    const { status, json } = await this.calls.send("GET", "/tyk/policies");
    if (status !== 200) throw answered(status);
    return readPolicies(json);
  }

  /** Throws unless the canary read 200, in a reading that began then or later. */
  async #confirm(since: number): Promise<void> {
    while (this.#canaryAt < since) {
      this.#reading ??= this.#read().finally(() => this.#reading = undefined);
      await this.#reading;
    }
  }

  async #read(): Promise<void> {
    if (this.canary === "") throw new GatewayAway("the gateway has no canary yet");
    const began = performance.now();
    const { status } = await this.calls.send("GET", byName(this.canary));
    if (status !== 200) {
      throw new GatewayAway("the gateway does not know its canary now, so nothing is believed");
    }
    this.#canaryAt = began;
  }

  async #believed<T>(ask: () => Promise<T>): Promise<T> {
    if (performance.now() < this.#restsUntil) {
      throw new GatewayAway("the gateway could not be asked");
    }
    try {
      return await ask();
    } catch (error) {
      if (error instanceof GatewayAway) this.#restsUntil = performance.now() + REST_MS;
      this.#policies = undefined;
      throw error;
    }
  }
}

function answered(status: number): GatewayAway {
  return new GatewayAway(`the gateway answers ${status}`);
}

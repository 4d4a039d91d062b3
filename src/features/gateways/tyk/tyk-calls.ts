import {
  type Outbound,
  type OutboundAnswer,
  OutboundDenied,
  OutboundFailed,
} from "../../../kernel/outbound/outbound.ts";
import { GatewayAway } from "../kind.ts";

/** An answer is awaited for so long. */
const ANSWER_MS = 5000;
/** The session of a key is smaller than this. */
const KEPT_BYTES = 256 * 1024;
/** The names of about a million keys. */
const LARGEST_LISTING = 128 * 1024 * 1024;

/** The address and secret of a gateway's own interface. */
interface TykPlace {
  readonly url: string;
  readonly secret: string;
}

/** An answer with its body as JSON has it; undefined: it is none. */
interface TykAnswer {
  readonly status: number;
  readonly json: unknown;
  /** The gateway's clock in milliseconds since 1970; NaN: it did not say. */
  readonly date: number;
}

/** Calls a gateway's own interface. */
export class TykCalls {
  constructor(
    private readonly outbound: Pick<Outbound, "send">,
    private readonly place: TykPlace,
  ) {}

  /** Throws GatewayAway where there is no answer, or the secret does not open the interface. */
  async send(method: string, path: string, body?: object): Promise<TykAnswer> {
    const sent = body && { type: "application/json", text: JSON.stringify(body) };
    return answerOf(await this.#sent(method, path, sent));
  }

  /** The status of a call to an API behind the gateway with this key. */
  async open(url: string, key: string): Promise<number> {
    try {
      const { status } = await this.outbound.send({
        url,
        method: "GET",
        headers: { authorization: key, "user-agent": "Keydesk" },
        timeoutMs: ANSWER_MS,
        keptBytes: 0,
      });
      return status;
    } catch (error) {
      throw new GatewayAway(error instanceof Error ? error.message : "", { cause: error });
    }
  }

  async #sent(method: string, path: string, body: Sent | undefined): Promise<OutboundAnswer> {
    try {
      return await this.outbound.send({
        url: new URL(this.place.url).href.replace(/\/$/, "") + path,
        method,
        headers: {
          "x-tyk-authorization": this.place.secret,
          "user-agent": "Keydesk",
          ...body === undefined ? {} : { "content-type": body.type },
        },
        ...body === undefined ? {} : { body: body.text },
        timeoutMs: ANSWER_MS,
        keptBytes: path === LIST ? LARGEST_LISTING : KEPT_BYTES,
      });
    } catch (error) {
      if (error instanceof OutboundDenied || error instanceof OutboundFailed) {
        throw new GatewayAway(error.message, { cause: error });
      }
      throw error;
    }
  }
}

/** A body as it is sent. */
interface Sent {
  readonly type: string;
  readonly text: string;
}

function answerOf({ status, body, headers }: OutboundAnswer): TykAnswer {
  if (status === 401 || status === 403) {
    throw new GatewayAway("the gateway refuses the secret of its interface");
  }
  return { status, json: parsed(body), date: Date.parse(headers.get("date") ?? "") };
}

/** The path of the list of all its keys. */
export const LIST = "/tyk/keys";

/** The path of a key, by the gateway's name of it. */
export function byName(name: string, more = ""): string {
  return `${LIST}/${encodeURIComponent(name)}?hashed=true${more}`;
}

/** The members of an object as JSON has it; empty for anything else. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

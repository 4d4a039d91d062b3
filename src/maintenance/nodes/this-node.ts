import { newId } from "../../kernel/ids.ts";

/** The context with the process's own state. */
export interface WithNode {
  readonly node: ThisNode;
}

/** The process as the other nodes know it. */
export class ThisNode {
  /** Of this start alone. */
  readonly id = newId(Date.now());
  #host: string | undefined;
  #port: number;

  /** `port`: as the settings say. */
  constructor(port: number) {
    this.#port = port;
  }

  /** The host and the port: what a process that starts again has in common with the last. */
  get name(): string {
    return `${this.#host ??= hostName()}:${this.#port}`;
  }

  /** For how long the process has been running, in milliseconds. */
  get upMs(): number {
    return Math.round(performance.now());
  }

  /** Notes the port that was really taken. */
  listensOn(port: number): void {
    this.#port = port;
  }
}

function hostName(): string {
  try {
    return Deno.hostname();
  } catch {
    // Not allowed: commands other than `serve` need no name.
    return "";
  }
}

/**
 * A network namespace for nodes, between which and a port of ours packets can be dropped without a
 * word.
 */

/** The namespace with its two ends. Needs root, Debian's iproute2 and iptables. */
export class Cut implements AsyncDisposable {
  readonly #name: string;
  /** Our address, and the one in the namespace. */
  readonly outside: string;
  readonly inside: string;

  private constructor(name: string, net: number) {
    this.#name = name;
    this.outside = `10.231.${net}.1`;
    this.inside = `10.231.${net}.2`;
  }

  /** Makes it. Throws when the machine does not allow it. */
  static async start(): Promise<Cut> {
    const net = 1 + Math.floor(Math.random() * 250);
    const cut = new Cut(`keydesk-${net}`, net);
    try {
      await cut.#make(net);
      return cut;
    } catch (error) {
      await cut[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** What a command is to begin with to run in there. */
  get under(): string[] {
    return ["ip", "netns", "exec", this.#name];
  }

  /**
   * From now on nothing passes between the namespace and this port; open connections notice
   * nothing.
   */
  async drop(port: number): Promise<void> {
    for (const [chain, side] of [["OUTPUT", "--dport"], ["INPUT", "--sport"]] as const) {
      await this.#exec("iptables", "-A", chain, "-p", "tcp", side, String(port), "-j", "DROP");
    }
  }

  /** Everything passes again. */
  async heal(): Promise<void> {
    await this.#exec("iptables", "-F");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The link goes with the namespace.
    await run("ip", "netns", "del", this.#name).catch(() => {});
  }

  async #make(net: number): Promise<void> {
    const [ours, theirs] = [`kd${net}o`, `kd${net}i`];
    await run("ip", "netns", "add", this.#name);
    await run("ip", "link", "add", ours, "type", "veth", "peer", "name", theirs);
    await run("ip", "link", "set", theirs, "netns", this.#name);
    await run("ip", "addr", "add", `${this.outside}/30`, "dev", ours);
    await run("ip", "link", "set", ours, "up");
    await this.#exec("ip", "addr", "add", `${this.inside}/30`, "dev", theirs);
    await this.#exec("ip", "link", "set", theirs, "up");
    await this.#exec("ip", "link", "set", "lo", "up");
  }

  #exec(...command: string[]): Promise<void> {
    return run(...this.under, ...command);
  }
}

async function run(program = "", ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args }).output();
  if (success) return;
  throw new Error(`${program} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
}

import { refusalOfPem } from "../../certificates/reading/refused-there.ts";
import { GatewayAway, type KeyThere, Stuck, Undone } from "../kind.ts";
import type { Wanted } from "../gateway.ts";
import { membersOf, type TykCalls } from "./tyk-calls.ts";

const PRIVATE = "-----BEGIN PRIVATE KEY-----";

/** Certificates at a gateway, which it calls by the organisation's id and the SHA-256 of each. */
export class TykCertificates {
  /** `confirm` throws unless the gateway's 404 can be believed at this moment. */
  constructor(
    private readonly calls: TykCalls,
    private readonly org_id: string,
    private readonly confirm: () => Promise<void>,
  ) {}

  /** As Kind.bring. One that stands there without its private key is taken away first. */
  async bring(key: KeyThere, wanted: Wanted): Promise<void> {
    const before = await this.compare(key, wanted);
    if (before === "") return;
    if (before !== MISSING) await this.calls.send("DELETE", this.#path(key.key_id));
    if (wanted.is === "open") {
      if (!key.secret) throw new Stuck("secret_gone");
      const made = await this.calls.sendPem(this.#path(""), key.secret.key);
      const { id } = membersOf(made.json);
      if (made.status === 200 && id !== key.key_id) throw new Stuck("hashed_otherwise");
      if (made.status !== 200) {
        await this.confirm();
        const why = refusalOfPem(key.secret.key, Date.now());
        if (why) throw new Stuck(`refused_there ${why}`);
        const { message = "" } = membersOf(made.json);
        throw new Undone(`the gateway answers ${made.status} ${message}`.trimEnd());
      }
    }
    const differs = await this.compare(key, wanted);
    if (differs !== "") throw new Undone(differs);
  }

  /** As Kind.compare. */
  async compare({ key_id, secret }: KeyThere, wanted: Wanted): Promise<string> {
    const { status, json } = await this.calls.send("GET", this.#path(key_id));
    if (status !== 200 && status !== 404) {
      throw new GatewayAway(`the gateway answers ${status}`);
    }
    if (status === 404) await this.confirm();
    if (wanted.is !== "open") return status === 200 ? "it stands there" : "";
    if (status === 404) return MISSING;
    const hasPrivate = secret?.key.includes(PRIVATE) ?? false;
    const isPrivate = membersOf(json).has_private === true;
    return hasPrivate && !isPrivate ? "it has no private key there" : "";
  }

  #path(id: string): string {
    const named = id === "" ? "" : `/${encodeURIComponent(id)}`;
    return `/tyk/certs${named}?org_id=${encodeURIComponent(this.org_id)}`;
  }
}

const MISSING = "it is not there";

import type { ActingCall } from "../changes/audit.ts";
import type { Peer, ReceivedHeaders } from "../../packages/http-listener/request.ts";
import type { ClientAddresses } from "./abuse/client-addresses.ts";

/** The origin of a call. The address is found out on demand: most calls change nothing. */
export class Origin {
  readonly request_id: string;
  readonly caller_request_id: string;
  readonly #peer: Peer | undefined;
  readonly #headers: ReceivedHeaders;
  readonly #addresses: ClientAddresses;

  constructor(
    ids: Pick<ActingCall, "request_id" | "caller_request_id">,
    peer: Peer | undefined,
    headers: ReceivedHeaders,
    addresses: ClientAddresses,
  ) {
    this.request_id = ids.request_id;
    this.caller_request_id = ids.caller_request_id;
    this.#peer = peer;
    this.#headers = headers;
    this.#addresses = addresses;
  }

  /** As the audit log may keep it; "" for a call in process, or where addresses are not kept. */
  get client_address(): string {
    return this.#addresses.kept({ peer: this.#peer, headers: this.#headers });
  }
}

import { GATEWAY_NAME } from "../../../contract/checking-gateways.ts";

/** No one has to read more of a header than this. */
const LONGEST = 160;

/** The header that files of before 0.9.0 set. */
export const FORMER_HEADER = "X-Keydesk-Door";

/** The statement of a gateway about itself. */
interface StatedGateway {
  readonly name: string;
  /** Of its file; "" where it says none. */
  readonly version: string;
}

/**
 * The value of `X-Keydesk-Gateway`: a name, and behind a semicolon the version of the file that set
 * it. Any other form names no gateway.
 */
export function readStatedGateway(header: string): StatedGateway {
  if (header.length > LONGEST) return NO_GATEWAY;
  const [said = "", version = ""] = header.split(";", 2);
  const name = said.trim().toLowerCase();
  if (!GATEWAY_NAME.test(name)) return NO_GATEWAY;
  return { name, version: version.trim().replace(/[^\x20-\x7e]/g, "").slice(0, 64) };
}

const NO_GATEWAY: StatedGateway = { name: "", version: "" };

/**
 * The name that a call's headers state. A call with the former header alone is of an old file, and
 * its version says so.
 */
export function statedIn(headers: { get(name: string): string | null } | undefined): string {
  const stated = headers?.get("x-keydesk-gateway");
  if (stated) return stated;
  const former = headers?.get(FORMER_HEADER);
  if (!former) return "";
  const [name = "", version = ""] = former.split(";", 2);
  return `${name};${FORMER_HEADER} ${version.trim()}`;
}

import { DOOR_NAME } from "../../../contract/checking-gateways.ts";

/** Nobody has to read more of a header than this. */
const LONGEST = 160;

/** What a door says of itself. */
interface SaidDoor {
  readonly name: string;
  /** Of its file; "" where it says none. */
  readonly version: string;
}

/**
 * What `X-Keydesk-Door` says: a name, and behind a semicolon the version of the file that set it.
 * What has another form names nobody.
 */
export function readDoor(header: string): SaidDoor {
  if (header.length > LONGEST) return NOBODY;
  const [said = "", version = ""] = header.split(";", 2);
  const name = said.trim().toLowerCase();
  if (!DOOR_NAME.test(name)) return NOBODY;
  return { name, version: version.trim().replace(/[^\x20-\x7e]/g, "").slice(0, 64) };
}

const NOBODY: SaidDoor = { name: "", version: "" };

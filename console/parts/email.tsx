import { emailWarning } from "../../src/contract/changed-emails.ts";
import { listed } from "../said.ts";
import { mixedScripts } from "./mixed-scripts.ts";
import { Tag } from "./pill.tsx";

/** Whether an address is confirmed, and when it became what it is, as the server says. */
export interface EmailStanding {
  state: string;
  changed_at: string | null;
}

/**
 * An e-mail address, with a mark where it may be read as another one, and one where it changed
 * lately or is not confirmed.
 */
export function Email({ of, standing }: { of: string; standing?: EmailStanding }) {
  const scripts = mixedScripts(of);
  const warning = standing && emailWarning(standing, Date.now());
  return (
    <>
      {of} {scripts.length > 0 && <Tag>mixes {listed(scripts, " and ")}</Tag>}{" "}
      {warning && <Tag>{warning === "changed" ? "changed lately" : "not confirmed"}</Tag>}
    </>
  );
}

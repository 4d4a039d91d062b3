/**
 * Loaded before Keydesk, so that its clock goes ahead by as many milliseconds as the file says that
 * `REHEARSAL_AHEAD_FILE` names. For rehearsals alone: no setting of Keydesk does so.
 */
const LOOKS_EACH_MS = 50;

const file = Deno.env.get("REHEARSAL_AHEAD_FILE") ?? "";
const now = Date.now;
let aheadMs = said();
Date.now = () => now() + aheadMs;
// The program starts once nothing is waited for here.
Deno.unrefTimer(setInterval(() => aheadMs = said(), LOOKS_EACH_MS));

function said(): number {
  return Number(Deno.readTextFileSync(file));
}

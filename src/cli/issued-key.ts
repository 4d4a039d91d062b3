/** How a key that was just issued is handed on, and what is said with it. */
import { type Client, Failure } from "../client/keydesk-client.ts";
import type { ClassicApproval, IssuedOneTimeLink } from "../client/operations.ts";
import { type Form, textOf } from "./forms.ts";
import { OperatorError } from "./operator-error.ts";
import { terminal } from "./terminal.ts";

/**
 * The printed output of an answer: its members, the link that hands the key over, or the key
 * itself with its password or secret on the next line. None if no key was issued. `address`: the
 * prefix of a link if there is no public one.
 */
export async function handedOver(
  answer: { readonly one_time_link: IssuedOneTimeLink | null },
  credential: Pick<ClassicApproval, "RawKey" | "Password"> | null,
  { address, form }: { readonly address: string; readonly form: Form | undefined },
): Promise<{ link: IssuedOneTimeLink | null; lines: string[] }> {
  const { one_time_link } = answer;
  const isLocal = one_time_link?.link.startsWith("/") ?? false;
  const link = one_time_link && isLocal
    ? { ...one_time_link, link: address + one_time_link.link }
    : one_time_link;
  if (form) {
    const text = await textOf([link ? { ...answer, one_time_link: link } : answer], form);
    return { link, lines: [text.trimEnd()] };
  }
  if (link) return { link, lines: [link.link] };
  if (!credential) return { link, lines: [] };
  const { RawKey, Password } = credential;
  return { link, lines: Password === "" ? [RawKey] : [RawKey, Password] };
}

/** Tells on standard error what a person who gives a key away should know of it; once each. */
interface KeyNotes {
  /** Plans by which keys open nothing. One call for each plan that was not asked for yet. */
  ofPlans(ids: readonly string[]): Promise<void>;
  /** Warns of the plans that a key has. One call more. */
  ofKey(key_id: string): Promise<void>;
  /** A developer who is inactive. One call. */
  ofDeveloper(id: string): Promise<void>;
}

/** Never throws for a refusal or an unreachable server: the key exists already, and was printed. */
export function keyNotes(client: Client): KeyNotes {
  const asked = new Set<string>();
  const ofPlans = async (ids: readonly string[]) => {
    for (const id of ids) {
      if (asked.has(id)) continue;
      asked.add(id);
      const name = JSON.stringify(id);
      const plan = await known(() => client.getPlan({ id }));
      if (plan === "absent") {
        terminal().err(
          `There is no plan ${name}: keys are valid for nothing by it until there is one with this id, unless KEYDESK_UNKNOWN_PLAN=allow.`,
        );
      } else if (plan?.active === false) {
        terminal().err(
          `The plan ${name} is inactive: keys are valid for nothing by it until it is activated.`,
        );
      }
    }
  };
  return {
    ofPlans,
    ofKey: async (key_id) => {
      const key = await known(() => client.getKey({ key_id }));
      if (key !== undefined && key !== "absent") await ofPlans(key.plans);
    },
    ofDeveloper: async (id) => {
      const developer = await known(() => client.getDeveloper({ id }));
      if (developer === undefined || developer === "absent" || !developer.inactive) return;
      terminal().err(
        `The developer ${
          JSON.stringify(id)
        } is inactive and can't sign in to the portal; keys are valid for their plans.`,
      );
    },
  };
}

/** Undefined where it can't be known, such as without the permission to read. */
async function known<T>(read: () => Promise<T>): Promise<T | "absent" | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Failure) return error.code === "not_found" ? "absent" : undefined;
    if (error instanceof OperatorError) return undefined;
    throw error;
  }
}

import type { z } from "zod";
import type { developerPages } from "../../../src/features/portal/access/developer-pages.contract.ts";

/** The settings of the developer's pages. */
export type Pages = z.output<typeof developerPages>;

/** The people who may sign up by themselves. */
export const signUpWords: Readonly<Record<Pages["sign_up"], string>> = {
  closed: "No one",
  invitation: "Who was invited",
  domains: "Who has an address of these domains, or was invited",
  open: "Everybody with an address that mail reaches",
};

/** The permissions of a session that a portal's back end opened. */
export const linkWords: Readonly<Record<Pages["back_end_access"], string>> = {
  look: "Reads, asks and withdraws; more takes a mailed code",
  all: "Allows everything that the developer may do",
};

import type { ReceivedHeaders } from "../../../../packages/http-listener/request.ts";
import type { RequestContext } from "../../../calls/context.ts";
import type { Peer } from "../../../../packages/http-listener/request.ts";
import type { AccountContext } from "../../accounts/developer-accounts.service.ts";
import type { MyContext } from "../my/own.ts";
import type { OwnCounts } from "../my/own-counts.ts";
import type { Html } from "./html.ts";
import type { Texts } from "./texts.ts";

/** The server's part that pages need. */
export type PageContext = RequestContext & AccountContext & MyContext;

/** The organisation of the pages, and its ways to sign in: see `/v1/my/pages`. */
export interface Site {
  readonly organisation: {
    readonly name: string;
    readonly logo: string;
    readonly colour: string;
    readonly support: string;
  };
  readonly sign_in: { readonly code: boolean; readonly password: boolean };
  readonly sign_up: "closed" | "invitation" | "domains" | "open";
  readonly mail_domains: readonly string[];
}

/** How a reader wants the pages. */
export interface Look {
  readonly theme: "system" | "light" | "dark";
  /** False: keys are no shortcuts. */
  readonly shortcuts: boolean;
}

/** One call of a page. */
export interface PageCall {
  readonly ctx: PageContext;
  readonly site: Site;
  readonly t: Texts;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The fields of a form; empty for a GET. */
  readonly form: Readonly<Record<string, string>>;
  readonly headers: ReceivedHeaders;
  readonly peer: Peer | undefined;
  /** By how the browser came. */
  readonly isSecure: boolean;
  readonly counts: OwnCounts;
  readonly look: Look;
  /**
   * The developer as whom a person of the organisation views the pages; undefined: it is the
   * developer.
   */
  readonly seenAs?: string;
  /** By what the browser keeps drafts of the person who is signed in; undefined: it keeps none. */
  readonly drafts?: string;
  /** The CSRF token in forms of this page; "" without a session. */
  readonly csrf: string;
}

/** One call of a page by a person without a session. */
export interface OpenCall
  extends Pick<PageCall, "ctx" | "site" | "t" | "path" | "params" | "query" | "look"> {
  /** The prefix of the addresses of these pages. */
  readonly origin: string;
}

/** A page as it is answered. */
export interface Page {
  readonly title: string;
  readonly body: Html;
  readonly status?: 200 | 400 | 401 | 403 | 404 | 409 | 429 | 503;
  /** True: a narrow sheet in the middle. */
  readonly narrow?: true;
  readonly cookies?: readonly string[];
  /** Of a page for people without a session. */
  readonly open?: {
    readonly description: string;
    /** Its address for search engines; absent: it is none for them. */
    readonly canonical?: string;
    /** True: another call may find it otherwise, although nothing has changed. */
    readonly isFleeting?: boolean;
  };
  /** The origin that its script may call, besides this server. */
  readonly calls?: string;
  /** The other address to which the browser goes on automatically. */
  readonly onTo?: string;
}

/** A text for programs. */
export interface PageFile {
  readonly type: string;
  readonly text: string;
}

/** Another page comes next (303). */
export interface Onward {
  readonly to: string;
  readonly cookies?: readonly string[];
  /** True: the browser is to forget what it keeps of this site. */
  readonly forget?: true;
}

/** The handler of a method of a path. */
export interface Handler {
  /** `developer`: anyone who is not signed in is sent to the sign-in. */
  readonly for: "everybody" | "developer";
  /**
   * True: a form of everybody's that keeps something for the developer whose session it carries.
   */
  readonly knowsDeveloper?: true;
  /**
   * True: a session that a back end opened, and that no code was entered in, is asked for one.
   */
  readonly opens?: true;
  /** The page for everyone without a session; undefined: they are sent to the sign-in. */
  open?(call: OpenCall): Promise<Page | PageFile | undefined>;
  /** True: only a session that the developer began themselves, and just now. */
  readonly begins?: true;
  /**
   * True: a form of everybody's that proves by itself to which session it belongs, as what comes
   * back from a provider does: it carries no token of it.
   */
  readonly proves?: true;
  /** True: an identity provider may have a browser post its answer here, from its own site. */
  readonly takesPosted?: true;
  /** True: also a person who only sees what the developer does sends this form. */
  readonly leaves?: true;
  run(call: PageCall): Promise<Page | Onward | PageFile>;
}

/** A page of these pages to go to; whatever else is there leads to the first one. */
export function placeIn(wanted: string | null | undefined): string {
  return wanted && PLACE.test(wanted) && wanted.length <= 300 ? wanted : "/portal";
}

/** No segment is one that a browser takes for the folder above. */
const PLACE = /^\/portal(\/(?!\.|%2e)([\w.~-]|%[0-9a-f]{2})+)*$/i;

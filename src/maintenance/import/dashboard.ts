import { isObject } from "./extended-json.ts";
import { inPath, type InterfacePlace, InterfaceReader } from "./interface-reader.ts";
import {
  type Kind,
  type Members,
  type Source,
  type SourceDocument,
  SourceUnusable,
} from "./source.ts";

/** The address of a dashboard; `pageByPage`: its lists of everything are not requested. */
type DashboardPlace =
  & Pick<InterfacePlace, "url" | "secret" | "ca" | "allowPlain" | "pauseMs">
  & { pageByPage: boolean };

/** The paths of its lists, and their names. */
const LISTS = {
  plan: { path: "/api/portal/policies?", what: "the policies" },
  developer: { path: "/api/portal/developers?", what: "the developers" },
  request: { path: "/api/portal/requests?", what: "the key requests" },
  certificate: { path: "/api/certs?mode=detailed&", what: "the certificates" },
  certificateId: { path: "/api/certs?", what: "the ids of certificates" },
} as const;

const RECORDS = {
  catalogue: { path: "/api/portal/catalogue", what: "the catalogue" },
  configuration: { path: "/api/portal/configuration", what: "the configuration" },
} as const;

/** A page is short; a server that knows no pages gives everything. */
const LARGEST_PAGE = 64 * 1024 * 1024;
/** A list of everything may be too much for it: then its pages are asked for. */
const TRIES = 2;
/** No list has so many pages. */
const MOST_PAGES = 10_000_000;

type ListKind = keyof typeof LISTS;
type Page = { objects: Members[]; pages: number };

/**
 * A dashboard by its interface: policies, developers, key requests, catalogue, configuration,
 * documents that the catalogue names, and which certificates there are. It gives no password and no
 * certificate's text. Throws SourceUnusable.
 */
export function openDashboard({ pageByPage, ...place }: DashboardPlace): Promise<Source> {
  const reader = new InterfaceReader({
    ...place,
    option: "--dashboard",
    secretOption: "--dashboard-token-file",
    header: "authorization",
  });
  const dashboard = new Dashboard(reader, pageByPage);
  return Promise.resolve({
    name: reader.host,
    type: "dashboard",
    kinds: new Set<Kind>([
      "plan",
      "configuration",
      "catalogue",
      "documentation",
      "certificate",
      "developer",
      "request",
    ]),
    expected: (kind) => dashboard.expected(kind),
    documents: (kind) => dashboard.documents(kind),
    close: () => Promise.resolve(reader.close()),
  });
}

class Dashboard {
  constructor(readonly reader: InterfaceReader, readonly pageByPage: boolean) {}

  async expected(kind: Kind): Promise<number | undefined> {
    if (kind === "catalogue" || kind === "configuration") return 1;
    if (kind === "documentation") return (await this.#documentIds()).length;
    if (!isList(kind)) return undefined;
    const { objects, pages } = await this.#page(kind, 1).catch((error) => {
      if (kind !== "certificate" || !(error instanceof SourceUnusable)) throw error;
      return this.#page("certificateId", 1);
    });
    return objects.length * Math.max(pages, 1);
  }

  async *documents(kind: Kind): AsyncGenerator<SourceDocument, void, void> {
    const place = this.reader.host;
    if (kind === "catalogue" || kind === "configuration") {
      const members = await this.#record(kind);
      if (members) yield { place, members };
    } else if (kind === "documentation") yield* this.#documentation();
    else if (kind === "certificate") {
      for await (const members of this.#certificates()) yield { place, ...certificateIn(members) };
    } else if (isList(kind)) {
      let n = 0;
      for await (const members of this.#everything(kind)) {
        n++;
        yield { place: `${place}, ${kind} ${n}`, members: withoutSecrets(members) };
      }
    }
  }

  /** Every object of a list: in one answer where it gives that, else page by page. */
  async *#everything(kind: ListKind): AsyncGenerator<Members, void, void> {
    let from = 1;
    if (!this.pageByPage) {
      const first = await this.#page(kind, 1);
      const { status, objects } = await this.reader.list(`${LISTS[kind].path}p=-1`, TRIES);
      let n = 0;
      for await (const one of objects) {
        n++;
        yield one;
      }
      const isAll = n > first.objects.length || (n === first.objects.length && first.pages <= 1);
      if (status === 200 && isAll) return;
      // It took -1 for the first page, or for none.
      from = n > 0 && n === first.objects.length ? 2 : 1;
    }
    yield* this.#pages(kind, from);
  }

  /**
   * The certificates; where one is there that it can't read, it gives no list of them in detail:
   * then their ids, and what it says of each.
   */
  async *#certificates(): AsyncGenerator<Members, void, void> {
    const met = new Set<unknown>();
    try {
      for await (const one of this.#everything("certificate")) {
        met.add(one.id);
        yield one;
      }
      return;
    } catch (error) {
      if (!(error instanceof SourceUnusable)) throw error;
    }
    for await (const { id } of this.#everything("certificateId")) {
      if (typeof id === "string" && !met.has(id)) yield { ...await this.#certificate(id), id };
    }
  }

  /** The dashboard's answer about one certificate; empty: none, as of one that it can't read. */
  async #certificate(id: string): Promise<Members> {
    try {
      const { value } = await this.reader.value(`/api/certs/${inPath(id)}`, LARGEST_PAGE, 1);
      return isObject(value) ? value : {};
    } catch (error) {
      if (error instanceof SourceUnusable) return {};
      throw error;
    }
  }

  async *#pages(kind: ListKind, from: number): AsyncGenerator<Members, void, void> {
    let before = "";
    for (let p = from; p < MOST_PAGES; p++) {
      const { objects, pages } = await this.#page(kind, p);
      const [first] = objects;
      // Without paging, each page is the same.
      const text = JSON.stringify(first ?? null);
      if (!first || text === before) return;
      before = text;
      yield* objects;
      if (pages > 0 && p >= pages) return;
    }
  }

  async #page(kind: ListKind, p: number): Promise<Page> {
    const { path, what } = LISTS[kind];
    const tries = kind === "certificate" ? TRIES : undefined;
    const { status, value } = await this.reader.value(`${path}p=${p}`, LARGEST_PAGE, tries);
    // Old releases list no certificates.
    if (kind.startsWith("certificate") && status === 404) return { objects: [], pages: 0 };
    if (status !== 200 || !isObject(value)) throw this.reader.unusable(what, status);
    const { Data, Pages, cert_basics, certs, pages } = value;
    const listed = [Data, cert_basics, certs].find(Array.isArray) ?? [];
    const objects = listed.map((one) => typeof one === "string" ? { id: one } : one)
      .filter(isObject);
    const number = [Pages, pages].find((one) => typeof one === "number");
    return { objects, pages: typeof number === "number" ? number : 0 };
  }

  async #record(kind: keyof typeof RECORDS): Promise<Members | undefined> {
    const { path, what } = RECORDS[kind];
    const { status, value } = await this.reader.value(path);
    if (status === 404) return undefined;
    if (status !== 200 || !isObject(value)) throw this.reader.unusable(what, status);
    return value;
  }

  /** The documents that entries of the catalogue name, each once. */
  async #documentIds(): Promise<string[]> {
    const apis = (await this.#record("catalogue"))?.apis;
    const named = (Array.isArray(apis) ? apis : []).map((entry): unknown =>
      isObject(entry) ? entry.documentation : undefined
    );
    return [...new Set(named.filter((one) => typeof one === "string").filter(Boolean))];
  }

  async *#documentation(): AsyncGenerator<SourceDocument, void, void> {
    const place = this.reader.host;
    for (const id of await this.#documentIds()) {
      const path = `/api/portal/documentation/${inPath(id)}`;
      const { status, value } = await this.reader.value(path);
      yield status === 200 && isObject(value)
        ? { place, members: { id, ...value } }
        : { place, id, missing: `${place}: HTTP ${status}` };
    }
  }
}

function isList(kind: Kind): kind is Kind & ListKind {
  return Object.hasOwn(LISTS, kind);
}

/** The interface's members of a developer, which has secrets as empty texts. */
function withoutSecrets(members: Members): Members {
  return Object.fromEntries(
    Object.entries(members).filter(([name, value]) => value !== "" || !SECRET.has(name)),
  );
}

const SECRET: ReadonlySet<string> = new Set(["sso_key", "nonce", "password"]);

/** A certificate that the interface lists: its id, and what people know it by. */
function certificateIn(members: Members): { id: string; missing: string } {
  const { id, subject_cn, not_after } = members;
  const withoutSecrets = [subject_cn, not_after].filter((one) =>
    typeof one === "string" && one !== ""
  );
  return {
    id: typeof id === "string" ? id : "",
    missing: withoutSecrets.join(", until ").slice(0, 255),
  };
}

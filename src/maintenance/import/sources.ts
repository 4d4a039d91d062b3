import {
  type Kind,
  kinds,
  type Source,
  type SourceDocument,
  type SourceType,
  type UsedQuotas,
} from "./source.ts";

/** Which source counts where several know the same object, from the first on, and why. */
interface Order {
  types: readonly SourceType[];
  why: string;
}

const PORTAL: Order = {
  types: ["files", "dashboard"],
  why: "the database has passwords, sso_keys and exact times, which no interface gives",
};
const PLANS: Order = {
  types: [...PORTAL.types, "gateway"],
  why:
    "the database has exact times, and a gateway's policies are asked for where nothing else has plans",
};
const REQUESTS: Order = {
  types: ["dashboard", "files"],
  why: "what was decided since an export was made must arrive decided",
};
const CERTIFICATES: Order = {
  types: ["redis", "files", "dashboard"],
  why: "Redis has the private keys, and the interface no certificate's text",
};
const KEYS: Order = {
  types: ["gateway", "redis", "files"],
  why: "the gateway counts what is left of a quota now",
};

/** Of each kind. */
export const orders: Readonly<Record<Kind, Order>> = {
  plan: PLANS,
  configuration: PORTAL,
  catalogue: PORTAL,
  documentation: PORTAL,
  certificate: CERTIFICATES,
  developer: PORTAL,
  client: KEYS,
  key: KEYS,
  request: REQUESTS,
  rest: { types: ["files"], why: "exports of Keydesk are files" },
};

/**
 * Several sources as one: of each kind the objects of the source that counts most, then those of
 * the next.
 */
export function together(sources: readonly Source[]): Source {
  const having = (kind: Kind) => {
    const { types } = orders[kind];
    const all = sources.filter((source) => source.kinds.has(kind))
      .sort((a, b) => types.indexOf(a.type) - types.indexOf(b.type));
    // A gateway calls policies by one of their two ids, so that no one could tell which are the
    // same.
    const others = kind === "plan" ? all.filter(({ type }) => type !== "gateway") : [];
    return others.length > 0 ? others : all;
  };
  return {
    name: sources.map(({ name }) => name).join("; "),
    type: sources[0]?.type ?? "files",
    kinds: new Set(kinds.filter((kind) => having(kind).length > 0)),
    several: new Set(kinds.filter((kind) => having(kind).length > 1)),
    expected: async (kind) => {
      const counts: (number | undefined)[] = [];
      for (const source of having(kind)) counts.push(await source.expected(kind));
      const known = counts.filter((count) => count !== undefined);
      return known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0);
    },
    documents: (kind) => documentsOf(having(kind), kind),
    close: async () => {
      for (const source of sources) await source.close();
    },
  };
}

async function* documentsOf(
  sources: readonly Source[],
  kind: Kind,
): AsyncGenerator<SourceDocument, void, void> {
  const dumps = kind === "key" ? sources.filter(({ quotas }) => quotas !== undefined) : [];
  const used = dumps.length > 1 ? await usedInAll(dumps) : undefined;
  for (const { name, documents, quotas } of sources) {
    for await (const document of documents(kind)) {
      yield { ...quotas && used ? withQuota(document, used) : document, from: name };
    }
  }
}

/** The used quotas in several dumps; of a record that several have the first counts. */
async function usedInAll(dumps: readonly Source[]): Promise<UsedQuotas> {
  const found = new Map<string, { used?: number }>();
  for (const { quotas } of dumps) {
    for (const [name, used] of await quotas?.() ?? []) if (!found.has(name)) found.set(name, used);
  }
  return found;
}

/** A key of a dump with what another one says is used of its quota, where its own says nothing. */
function withQuota(document: SourceDocument, used: UsedQuotas): SourceDocument {
  if (!("members" in document) || document.isOwn) return document;
  const { name } = document.members;
  const other = typeof name === "string" ? used.get(name) : undefined;
  return { ...document, members: { ...other, ...document.members } };
}

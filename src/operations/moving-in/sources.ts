import { type Kind, kinds, type Source, type SourceDocument } from "./source.ts";

/** Several sources as one: the objects of the first, then those of the next. */
export function together(sources: readonly Source[]): Source {
  return {
    name: sources.map(({ name }) => name).join("; "),
    kinds: new Set(kinds.filter((kind) => sources.some((source) => source.kinds.has(kind)))),
    documents: (kind) => documentsOf(sources, kind),
    close: async () => {
      for (const source of sources) await source.close();
    },
  };
}

async function* documentsOf(
  sources: readonly Source[],
  kind: Kind,
): AsyncGenerator<SourceDocument, void, void> {
  for (const source of sources) {
    if (source.kinds.has(kind)) yield* source.documents(kind);
  }
}

import { partsOf } from "../../parts/credential-parts.ts";
import { RevealedSecret } from "../../parts/revealed-secret.tsx";
import type { Fresh } from "./key.ts";

/** A fresh credential, this once. */
export function FreshKey({ title, note, fresh, onDone }: {
  title: string;
  note: string;
  fresh: Fresh;
  onDone: () => void;
}) {
  return (
    <RevealedSecret
      title={title}
      note={note}
      parts={partsOf(fresh)}
      stored="Shown once. Only a hash is stored, so it cannot be shown again."
      onDone={onDone}
    />
  );
}

import { partsOf } from "../key-parts.ts";
import { FreshLink } from "../delivery.tsx";
import { RevealedSecret } from "../revealed-secret.tsx";
import { say } from "../../said.ts";
import type { Fresh } from "./key.ts";

/** A fresh credential or the link to it, this once. */
export function FreshKey({ title, note, fresh, to, onDone }: {
  title: string;
  note: string;
  fresh: Fresh;
  /** The recipient. */
  to: string;
  onDone: () => void;
}) {
  if (fresh.one_time_link) {
    return (
      <FreshLink
        title={say`One-time link for ${to}`}
        note={note}
        one_time_link={fresh.one_time_link}
        to={to}
        onDone={onDone}
      />
    );
  }
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

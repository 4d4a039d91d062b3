import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { lazily } from "./lazily.tsx";

const ExportFile = lazily(() => import("./export-file.tsx"));

/** Asks for the form of a CSV file and downloads it, with the filters of `query`. */
export function ExportButton({ of: path, query = {}, label = "Export", isQuiet = true }: {
  of: string;
  query?: Readonly<Record<string, string | number | undefined>>;
  label?: string;
  isQuiet?: boolean;
}) {
  const [asked, setAsked] = useState(false);
  const chosen = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) chosen.set(name, String(value));
  }
  return (
    <>
      <Button kind={isQuiet ? "quiet" : "plain"} onClick={() => setAsked(true)}>{label}</Button>
      {asked && <ExportFile of={path} query={chosen} onClose={() => setAsked(false)} />}
    </>
  );
}

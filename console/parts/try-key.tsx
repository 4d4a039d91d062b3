import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { may } from "../api/session.ts";
import type { Trial } from "./try-key-panel.tsx";

let Panel: ComponentType<Trial> | undefined;

/**
 * Asks, where one may, whether a fresh key opens its API. The code is read when the first is shown.
 */
export function TryKey(trial: Trial) {
  const [, show] = useState(0);
  useEffect(() => {
    if (Panel || !may("verify")) return;
    import("./try-key-panel.tsx").then((module) => {
      Panel = module.TryKeyPanel;
      show(1);
      // Whatever is missing then, the key itself is shown.
    }, () => {});
  }, []);
  return Panel ? <Panel {...trial} /> : null;
}

import { useEffect, useRef, useState } from "preact/hooks";
import { lazily } from "../parts/lazily.tsx";
import { toast } from "../parts/toasts.tsx";

const load = () => import("./palette/palette.tsx");

const Palette = lazily(load, ({ onClose }: { onClose: () => void }) => {
  toast({ text: "The search could not be loaded. Reload the page.", kind: "bad" });
  onClose();
});

/**
 * Ctrl K or Cmd K opens the palette, also in a field, and also for whoever turned single keys off:
 * these are more than one. Not over a dialog: to go elsewhere would lose what stands there, a key
 * that is shown once among it.
 */
export function usePalette() {
  const [isOpen, setOpen] = useState(false);
  const place = useRef(isOpen);
  place.current = isOpen;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // What is pasted at once after Ctrl K finds the field there.
      if (event.key === "Control" || event.key === "Meta") void load().catch(() => {});
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || !isK(event)) {
        return;
      }
      event.preventDefault();
      const dialog = document.querySelector("dialog[open]");
      if (!dialog) setOpen(true);
      else if (place.current) dialog.querySelector("input")?.select();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return {
    open: () => setOpen(true),
    palette: isOpen && <Palette onClose={() => setOpen(false)} />,
  };
}

/** By its letter; where the layout has none of Latin, by its place. */
function isK({ key, code }: KeyboardEvent): boolean {
  return key.toLowerCase() === "k" || (code === "KeyK" && !/^[a-z]$/i.test(key));
}

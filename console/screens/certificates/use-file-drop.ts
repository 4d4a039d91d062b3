import { useEffect, useRef, useState } from "preact/hooks";

/**
 * Files that are dropped on the page, and PEM that is pasted outside of fields. The answer: whether
 * files are held over the page now.
 */
export function useFileDrop(
  isOn: boolean,
  onFiles: (files: readonly File[], text?: string) => void,
): boolean {
  const [isOver, setOver] = useState(false);
  const newest = useRef(onFiles);
  newest.current = onFiles;
  useEffect(() => {
    if (!isOn) return;
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const over = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      setOver(false);
      newest.current([...event.dataTransfer?.files ?? []]);
    };
    const paste = (event: ClipboardEvent) => {
      if (event.target instanceof HTMLElement && event.target.matches("input, textarea")) return;
      if (document.querySelector("dialog[open]")) return;
      const files = [...event.clipboardData?.files ?? []];
      const text = event.clipboardData?.getData("text") ?? "";
      if (files.length === 0 && !text.includes("-----BEGIN ")) return;
      // Else the text that opens takes the focus, and the browser pastes into it once more.
      event.preventDefault();
      newest.current(files, text);
    };
    document.addEventListener("dragover", over);
    document.addEventListener("dragleave", leave);
    document.addEventListener("drop", drop);
    document.addEventListener("paste", paste);
    return () => {
      setOver(false);
      document.removeEventListener("dragover", over);
      document.removeEventListener("dragleave", leave);
      document.removeEventListener("drop", drop);
      document.removeEventListener("paste", paste);
    };
  }, [isOn]);
  return isOver;
}

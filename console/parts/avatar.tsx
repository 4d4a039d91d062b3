import { useLayoutEffect, useRef } from "preact/hooks";

/** Each dark enough for white letters (4.5:1) and apart from both themes' paper. */
const COLOURS = [
  "#8b4379",
  "#00785a",
  "#00737a",
  "#a03c50",
  "#5656a0",
  "#28649b",
  "#786000",
  "#8b5500",
  "#a04628",
  "#4b7328",
];

/** A person's initials on a colour of their own. For the eye alone: the name stands beside it. */
export function Avatar({ name, id, size }: { name: string; id: string; size?: "small" }) {
  const ref = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    // By property: a style attribute is refused by the page's policy.
    if (ref.current) ref.current.style.backgroundColor = colourOf(id);
  }, [id]);
  return (
    <span ref={ref} class={size === "small" ? "avatar is-small" : "avatar"} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}

function colourOf(id: string): string {
  let sum = 0;
  for (const letter of id) sum = (sum * 31 + letter.charCodeAt(0)) >>> 0;
  return COLOURS[sum % COLOURS.length] ?? "";
}

function initialsOf(name: string): string {
  const words = name.trim().split(/[\s@._-]+/).filter((word) => word !== "");
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => [...word ?? ""][0] ?? "");
  return letters.join("").toUpperCase() || "?";
}

import type { ComponentChildren } from "preact";

/** How urgent or final a state is. */
export type Tone = "waiting" | "good" | "bad" | "quiet";

/** A state in a coloured pill; the word says it all, the colour only repeats it. */
export function Pill({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`pill is-${tone}`}>{children}</span>;
}

/** A small frame around a word: "private key", "CA". */
export function Tag({ children }: { children: ComponentChildren }) {
  return <span class="tag">{children}</span>;
}

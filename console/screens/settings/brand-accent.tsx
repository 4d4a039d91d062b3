import { type Accent, accentOf, checksOf, contrastOf } from "../../../src/contract/accent.ts";
import { say } from "../../said.ts";

/** The pairs of colours, in words. */
const WORDS = {
  "button, light": "White on a button, light",
  "button, dark": "White on a button, dark",
  "links, light": "Links on paper, light",
  "links, dark": "Links on paper, dark",
  "bars, dark": "Bars, dark; 3 is enough",
} as const;

/** A colour as a small square. By property: a style attribute is refused by the page's policy. */
export function Swatch({ colour }: { colour: string }) {
  return <span class="swatch" ref={(box) => box?.style.setProperty("background", colour)} />;
}

/**
 * A colour on the developer's pages, and its contrast, before it is saved. Nothing for an
 * incomplete colour.
 */
export function BrandAccent({ colour, name }: { colour: string; name: string }) {
  const typed = colour.trim().toLowerCase();
  if (!/^#[0-9a-f]{6}$/.test(typed)) return null;
  const accent = accentOf(typed);
  const contrast = shortOf(contrastOf(typed, "#ffffff"));
  const hint = accent.light === typed
    ? "It is readable on a light page."
    : say`White on ${typed} is ${contrast}:1, too little to read. Made darker until buttons and links are readable.`;
  return (
    <section class="accent" aria-label="The colour on the pages">
      <p class="field-hint" role="status">{hint}</p>
      <p class="accent-both">
        <span>
          <Swatch colour={accent.light} />
          {accent.light} light
        </span>
        <span>
          <Swatch colour={accent.dark} />
          {accent.dark} dark
        </span>
      </p>
      <dl class="accent-checks">
        {checksOf(accent).map(({ of, colour: one, on }) => (
          <div key={of}>
            <dt>{WORDS[of]}</dt>
            <dd>{shortOf(contrastOf(one, on))}</dd>
          </div>
        ))}
      </dl>
      <div class="accent-seen">
        <Seen theme="light" accent={accent} name={name} />
        <Seen theme="dark" accent={accent} name={name} />
      </div>
    </section>
  );
}

/** A piece of the pages in one theme. */
function Seen({ theme, accent, name }: { theme: "light" | "dark"; accent: Accent; name: string }) {
  return (
    <div
      class={`accent-page is-${theme}`}
      aria-hidden="true"
      ref={(box) => {
        box?.style.setProperty("--seen", accent[theme]);
        box?.style.setProperty("--seen-link", theme === "light" ? accent.light : accent.darkLink);
      }}
    >
      <b>{name}</b>
      <span class="accent-bar" />
      <span>
        <span class="accent-button">Rotate</span> <span class="accent-link">All of 30 days</span>
      </span>
    </div>
  );
}

/** To one place, never more than it is. */
function shortOf(contrast: number): string {
  return (Math.floor(contrast * 10) / 10).toFixed(1);
}

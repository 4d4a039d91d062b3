/**
 * What a page is asked besides what axe asks: nothing is cut off, everything can be reached, and
 * says what it is.
 */
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const axeSource = fileURLToPath(import.meta.resolve("axe-core/axe.min.js"));
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The only rules whose result depends on the colours of a theme. */
export const COLOURS = ["color-contrast", "link-in-text-block"];

/**
 * What axe finds against WCAG 2.2 AA and its best practices, or against the rules that are named: a
 * line for each.
 */
export async function violationsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  // By the debugger's protocol, which the page's policy does not hold back.
  if (!await page.evaluate(() => "axe" in globalThis)) {
    await page.evaluate(await Deno.readTextFile(axeSource));
  }
  return await page.evaluate(async ([tags, rules]) => {
    // as: the script above made it.
    const { axe } = globalThis as unknown as { axe: typeof import("axe-core") };
    const { violations } = await axe.run(document, {
      runOnly: rules ? { type: "rule", values: [...rules] } : { type: "tag", values: tags },
      ...(rules ? {} : { rules: { "target-size": { enabled: true } } }),
      resultTypes: ["violations"],
      elementRef: false,
      preload: false,
    });
    return violations.map(({ id, nodes }) =>
      `${id}: ${
        nodes.map((node) => `${node.target.join(" ")} (${node.failureSummary})`).join("; ")
      }`
    );
  }, [TAGS, rules] as const);
}

/** Waits until what was asked for is there and nothing moves. */
export async function settled(page: Page): Promise<void> {
  // Whoever listens to the width of the window hears of another one with the next frame.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  await page.waitForFunction(() =>
    document.querySelector(".bone, .is-loading, [aria-busy=true], button:disabled.is-busy") ===
      null && document.getAnimations().length === 0
  );
}

/**
 * What is wider than the page, or cut off by what is around it (WCAG 1.4.10, 1.4.12). Code, fields
 * and what says so by three dots in the row of a list, whose whole stands in its drawer, may scroll
 * or be cut.
 */
export async function cutOff(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    // Of what three dots shorten the whole stands where it leads. A page at 400 % has all the
    // height for it.
    const mayDot = innerWidth > 400;
    const found: string[] = [];
    const nameOf = (one: Element) =>
      `${one.tagName.toLowerCase()}.${[...one.classList].join(".")} “${
        (one.textContent ?? "").trim().slice(0, 40)
      }”`;
    const root = document.scrollingElement;
    if (root && root.scrollWidth > innerWidth) found.push(`page: ${root.scrollWidth} px wide`);
    const MAY_SCROLL =
      "pre, textarea, input, select, iframe, .copy-value, svg, svg *, .unseen, .unseen *, th span";
    const MAY_BE_CUT = `${MAY_SCROLL}, .row *, .who-names *`;
    const top = [...document.querySelectorAll("dialog[open], .menu:popover-open")].at(-1) ??
      document.body;
    for (const one of top.querySelectorAll<HTMLElement>("*")) {
      if (one.closest("[inert], [hidden]") || !one.checkVisibility()) continue;
      const style = getComputedStyle(one);
      const { overflowX, overflowY } = style;
      const isWide = one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0;
      const isBar = innerWidth > 360 && one.matches(".page-filters");
      if (isWide && /auto|scroll/.test(overflowX) && !isBar && !one.matches(MAY_SCROLL)) {
        found.push(`${nameOf(one)}: scrolls sideways, ${one.scrollWidth} in ${one.clientWidth} px`);
      }
      const isDotted = mayDot && style.textOverflow === "ellipsis";
      if (isWide && /hidden|clip/.test(overflowX) && !isDotted && !one.matches(MAY_BE_CUT)) {
        found.push(`${nameOf(one)}: cut at its side, ${one.scrollWidth} in ${one.clientWidth} px`);
      }
      const isHigh = one.scrollHeight > one.clientHeight + 2 && one.clientHeight > 0;
      if (isHigh && /hidden|clip/.test(overflowY) && !one.matches(MAY_BE_CUT)) {
        found.push(`${nameOf(one)}: cut below, ${one.scrollHeight} in ${one.clientHeight} px`);
      }
      const hasText = [...one.childNodes].some((node) =>
        node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== ""
      );
      if ((hasText || one.matches("button, input, select")) && !one.closest(MAY_SCROLL)) {
        const { left, right, width } = one.getBoundingClientRect();
        if (width > 0 && (left < -1 || right > innerWidth + 1)) {
          found.push(`${nameOf(one)}: from ${Math.round(left)} to ${Math.round(right)} px`);
        }
      }
    }
    return [...new Set(found)];
  });
}

/**
 * What can't be seen while the focus is on it: hidden behind something (WCAG 2.4.11), or looking as
 * it does without it (2.4.7). Moves the focus through everything that Tab reaches, and back.
 */
export async function lostFocus(page: Page): Promise<string[]> {
  // From here on the browser shows the focus as for somebody who types.
  await page.keyboard.press("Shift");
  return await page.evaluate(async () => {
    const found: string[] = [];
    const before = document.activeElement;
    const top = [...document.querySelectorAll("dialog[open], .menu:popover-open")].at(-1) ??
      document.body;
    const reached = [...top.querySelectorAll<HTMLElement>(
      "a[href], button, input, select, textarea, summary, [tabindex]",
    )].filter((one) =>
      one.tabIndex >= 0 && !one.matches(":disabled") && !one.closest("[inert]") &&
      one.checkVisibility({ visibilityProperty: true })
    );
    // What shows that the focus is on it: itself, what lies around it, or a box stretched over its
    // row.
    const looksOf = (one: HTMLElement) =>
      [
        one,
        one.parentElement,
        one.closest("label"),
        one.closest("fieldset"),
        one.nextElementSibling,
      ]
        .flatMap((shown) =>
          shown ? [getComputedStyle(shown), getComputedStyle(shown, "::after")] : []
        )
        .map((style) =>
          `${style.outlineStyle} ${style.outlineWidth} ${style.outlineColor} ${style.borderColor}`
        ).join();
    // The focus on what has it already would scroll nothing.
    if (before instanceof HTMLElement) before.blur();
    const quiet = reached.map((one) => one === document.activeElement ? "" : looksOf(one));
    for (const [at, one] of reached.entries()) {
      one.focus();
      // What closes itself when the focus leaves it does so now.
      await Promise.resolve();
      if (document.activeElement !== one) continue;
      const name = `${one.tagName.toLowerCase()}.${one.className} “${
        (one.getAttribute("aria-label") ?? one.textContent ?? "").trim().slice(0, 40)
      }”`;
      if (looksOf(one) === quiet[at] && !one.matches("input, textarea, select")) {
        found.push(`${name}: looks as without the focus`);
      }
      const shown = one.closest("label") ?? one;
      const box = shown.getBoundingClientRect();
      const left = Math.max(box.left, 0);
      const right = Math.min(box.right, innerWidth);
      const upper = Math.max(box.top, 0);
      const lower = Math.min(box.bottom, innerHeight);
      const places = [[.5, .5], [.1, .2], [.9, .2], [.1, .8], [.9, .8]] as const;
      const isSeen = left < right && upper < lower && places.some(([x, y]) => {
        const hit = document.elementFromPoint(
          left + (right - left) * x,
          upper + (lower - upper) * y,
        );
        return hit !== null && (shown.contains(hit) || hit.contains(shown));
      });
      if (!isSeen) {
        found.push(`${name}: hidden, at ${Math.round(box.left)} ${Math.round(box.top)}`);
      }
    }
    if (before instanceof HTMLElement) before.focus();
    return [...new Set(found)];
  });
}

/**
 * Names that mislead: words that run together though they stand apart, and things beside each other
 * that are called the same and do something else.
 */
export async function badNames(page: Page): Promise<string[]> {
  const { glued, twins } = await page.evaluate(() => {
    const glued: string[] = [];
    const top = [...document.querySelectorAll("dialog[open], .menu:popover-open")].at(-1) ??
      document.body;
    const named = "a[href], button, label, h1, h2, h3, th, [role=option], summary, legend";
    for (const one of top.querySelectorAll<HTMLElement>(named)) {
      if (one.closest("[inert]") || !one.checkVisibility()) continue;
      const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
      let last: Text | undefined;
      while (walker.nextNode()) {
        // as: the walker shows texts alone.
        const text = walker.currentNode as Text;
        if (text.data.trim() === "" || text.parentElement?.closest("[aria-hidden=true]")) continue;
        if (last && /\w$/.test(last.data) && /^\w/.test(text.data)) {
          const range = document.createRange();
          range.selectNodeContents(last);
          const from = [...range.getClientRects()].at(-1);
          range.selectNodeContents(text);
          const [to] = range.getClientRects();
          const isApart = from && to && (to.left - from.right > 1 || to.top - from.top > 4);
          const [word = ""] = last.data.match(/\w+$/) ?? [];
          const [next = ""] = text.data.match(/^\w+/) ?? [];
          if (isApart) glued.push(word + next);
        }
        last = text;
      }
    }
    const seen = new Map<string, Element>();
    const twins: string[] = [];
    // as: the script of axe made it.
    const { axe } = globalThis as unknown as {
      axe: typeof import("axe-core") & {
        setup(of: Element): void;
        teardown(): void;
        commons: { text: { accessibleText(of: Element): string } };
      };
    };
    axe.setup(document.documentElement);
    // A row's link is told apart by the cells of its row.
    for (
      const one of top.querySelectorAll<HTMLElement>("a[href]:not(.row-link), button, summary")
    ) {
      if (one.closest("[inert]") || !one.checkVisibility()) continue;
      const place = one.closest("ul, ol, table, dl, form, dialog, aside, nav");
      if (!place) continue;
      const name = axe.commons.text.accessibleText(one).trim();
      const key = `${name} ${[...document.querySelectorAll("*")].indexOf(place)}`;
      const other = seen.get(key);
      const isSame = other?.getAttribute("href") != null &&
        other.getAttribute("href") === one.getAttribute("href");
      if (other && !isSame) twins.push(`“${name}” twice in one ${place.tagName.toLowerCase()}`);
      seen.set(key, one);
    }
    axe.teardown();
    return { glued, twins: [...new Set(twins)] };
  });
  if (glued.length === 0) return twins;
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  const names = nodes.filter(({ ignored }) => !ignored).map(({ name }) => String(name?.value));
  return [
    ...twins,
    ...new Set(
      glued.flatMap((words) => {
        const name = names.find((one) => one.includes(words));
        return name === undefined ? [] : [`“${name}” runs together`];
      }),
    ),
  ];
}

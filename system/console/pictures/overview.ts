import type { Scene } from "./scene.ts";

/** The files of a scene, below `docs/pictures`. */
export function filesOf({ name, phone }: Pick<Scene, "name" | "phone">): string[] {
  return ["", ...phone ? ["-phone"] : []].flatMap((size) =>
    ["light", "dark"].map((theme) => `screens/${name}${size}-${theme}.webp`)
  );
}

/** The page that shows all pictures, by screen. */
export function overview(scenes: readonly Scene[]): string {
  const parts = [...new Set(scenes.map(({ of }) => of))];
  return [
    "# Pictures of the console and the developer pages",
    "",
    "Every screen and its main states, made by `npm run pictures` from a demo with a fixed clock. A",
    "picture changes only when its screen does. Larger ones are in",
    "`.tmp/screenshots/all` then.",
    "",
    ...parts.flatMap((part) => [
      `## ${part}`,
      "",
      ...scenes.filter(({ of }) => of === part).flatMap((scene) => [
        `**${upper(scene.shows)}**`,
        "",
        ...filesOf(scene).map((file) =>
          `<img src="${file}" width="${file.includes("-phone-") ? 200 : 420}" alt="${
            altOf(scene, file)
          }">`
        ),
        "",
      ]),
    ]),
  ].join("\n").trimEnd() + "\n";
}

function altOf({ of, shows }: Scene, file: string): string {
  const theme = file.endsWith("-dark.webp") ? "dark" : "light";
  return `${of}: ${shows}, ${theme}${file.includes("-phone-") ? ", on a phone" : ""}`;
}

function upper(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

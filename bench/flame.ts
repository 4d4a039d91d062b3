/**
 * A flame graph of a CPU profile, as an SVG whose boxes tell their share when pointed at:
 * `deno run -A bench/flame.ts FILE.cpuprofile [--within NAME] > graph.svg`. `--within`: only what
 * runs inside functions of which the name begins so. Profiles are what `bench/write-path.ts
 * --profile DIR` and the runtime's `--cpu-prof` write.
 */
import { parseArgs } from "node:util";
import "./machine.ts";

interface Profile {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
    children?: number[];
  }[];
  samples: number[];
  timeDeltas: number[];
}

/** A function in its place, with the microseconds of itself and all that it called. */
interface Frame {
  name: string;
  micros: number;
  below: Map<string, Frame>;
}

const WIDTH = 1200;
const HEIGHT = 17;
/** Boxes that are narrower are left out. */
const LEAST = 1.5;

const { values, positionals: [file = ""] } = parseArgs({
  allowPositionals: true,
  options: { within: { type: "string", default: "" } },
});
const profile: Profile = JSON.parse(await Deno.readTextFile(file));
console.log(svgOf(framesOf(profile)));

function framesOf({ nodes, samples, timeDeltas }: Profile): Frame {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((to) => [to, id])));
  const root: Frame = { name: "all", micros: 0, below: new Map() };
  samples.forEach((sample, i) => {
    const stack: string[] = [];
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const { functionName, url, lineNumber } = byId.get(id)?.callFrame ??
        { functionName: "", url: "", lineNumber: 0 };
      stack.unshift(`${functionName || "(anonymous)"} ${url.split("/").at(-1)}:${lineNumber + 1}`);
    }
    const from = stack.findIndex((name) => name.startsWith(values.within));
    if (from < 0 || stack[1]?.startsWith("(idle)")) return;
    let frame = root;
    frame.micros += timeDeltas[i] ?? 0;
    for (const name of stack.slice(from)) {
      const next: Frame = frame.below.get(name) ?? { name, micros: 0, below: new Map() };
      frame.below.set(name, next);
      next.micros += timeDeltas[i] ?? 0;
      frame = next;
    }
  });
  return root;
}

function svgOf(root: Frame): string {
  const boxes: string[] = [];
  let deepest = 0;
  const draw = (frame: Frame, x: number, depth: number) => {
    const width = frame.micros / root.micros * WIDTH;
    if (width < LEAST) return;
    deepest = Math.max(deepest, depth);
    const share = `${(frame.micros / root.micros * 100).toFixed(1)} %`;
    const text = frame.name.replace(/[&<>]/g, (one) => `&#${one.charCodeAt(0)};`);
    const shown = text.slice(0, Math.max(0, Math.floor(width / 6.2) - 1));
    const hue = 20 + [...frame.name].reduce((sum, one) => sum + one.charCodeAt(0), 0) % 35;
    boxes.push(
      `<g><title>${text}, ${share}</title>` +
        `<rect x="${x.toFixed(1)}" y="${depth * HEIGHT}" width="${width.toFixed(1)}" ` +
        `height="${HEIGHT - 1}" fill="hsl(${hue} 80% 70%)"/>` +
        `<text x="${(x + 2).toFixed(1)}" y="${depth * HEIGHT + 12}">${shown}</text></g>`,
    );
    let at = x;
    for (const one of [...frame.below.values()].sort((a, b) => b.micros - a.micros)) {
      draw(one, at, depth + 1);
      at += one.micros / root.micros * WIDTH;
    }
  };
  draw(root, 0, 0);
  const size = `width="${WIDTH}" height="${(deepest + 1) * HEIGHT}"`;
  const style = "<style>text{font:11px monospace}</style>";
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${style}\n${boxes.join("\n")}\n</svg>`;
}

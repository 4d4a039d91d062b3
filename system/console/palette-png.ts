/** Pictures of screens as PNG with a palette: about a third of what Chromium writes. */
import { Buffer } from "node:buffer";
import { crc32, deflateSync } from "node:zlib";
import type { Page } from "playwright-core";

/** What a palette holds at most. */
const COLOURS = 256;

/**
 * The same picture in 256 of its colours; each other pixel takes the nearest of them. `page` is any
 * page: its browser decodes. The same pixels give the same bytes.
 */
export async function palettePng(page: Page, png: Uint8Array): Promise<Uint8Array> {
  const { width, height, colours } = await pixelsOf(page, png);
  const palette = paletteOf(colours);
  const places = new Map(palette.map((colour, place) => [colour, place]));
  const rows = Buffer.alloc((width + 1) * height);
  for (const [at, colour] of colours.entries()) {
    let place = places.get(colour);
    if (place === undefined) places.set(colour, place = nearest(palette, colour));
    // Each row begins with the number of its filter: none.
    rows[at + Math.floor(at / width) + 1] = place;
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits a pixel, which is a place in the palette.
  head.set([8, 3], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("PLTE", Buffer.from(palette.flatMap(channelsOf))),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

interface Pixels {
  width: number;
  height: number;
  /** Row by row, each 0xrrggbb. */
  colours: number[];
}

async function pixelsOf(page: Page, png: Uint8Array): Promise<Pixels> {
  return await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const { width, height } = image;
    const context = new OffscreenCanvas(width, height).getContext("2d");
    context?.drawImage(image, 0, 0);
    const { data } = context?.getImageData(0, 0, width, height) ?? { data: [] };
    const colours = Array.from(
      { length: width * height },
      (_, at) => (data[4 * at] ?? 0) << 16 | (data[4 * at + 1] ?? 0) << 8 | (data[4 * at + 2] ?? 0),
    );
    return { width, height, colours };
  }, Buffer.from(png).toString("base64"));
}

/** Chosen one by one: the colour whose pixels would else be shown most wrongly. */
function paletteOf(colours: readonly number[]): number[] {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const known = [...counts].sort(([a, many], [b, more]) => more - many || a - b)
    .map(([colour, count]) => ({ colour, count, error: Infinity }));
  const palette: number[] = [];
  while (palette.length < Math.min(COLOURS, known.length)) {
    const worst = known.reduce((one, other) =>
      other.error * other.count > one.error * one.count ? other : one
    );
    palette.push(worst.colour);
    for (const one of known) {
      one.error = Math.min(one.error, distance(one.colour, worst.colour));
    }
  }
  return palette;
}

function nearest(palette: readonly number[], colour: number): number {
  const distances = palette.map((one) => distance(one, colour));
  return distances.indexOf(Math.min(...distances));
}

function distance(one: number, other: number): number {
  const [red, green, blue] = [16, 8, 0].map((bits) => (one >> bits & 255) - (other >> bits & 255));
  return (red ?? 0) ** 2 + (green ?? 0) ** 2 + (blue ?? 0) ** 2;
}

function channelsOf(colour: number): number[] {
  return [colour >> 16, colour >> 8 & 255, colour & 255];
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

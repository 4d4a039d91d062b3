/**
 * The program in a clone, started again at each change: `npm run dev`. What is made of its files is
 * made first, so that a new endpoint is there as soon as its file is saved.
 */
import { generateIfOlder } from "./generate.js";

generateIfOlder();
// Not by its name alone: what stands there is read before anything runs.
await import(new URL("../src/cli/main.ts", import.meta.url).href);

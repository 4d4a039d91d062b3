import type { Page } from "playwright-core";

/** One picture, of each size in both themes. */
export interface Scene {
  /** The file's name. */
  readonly name: string;
  /** The part of the list of all that it stands in. */
  readonly of: string;
  /** What it shows, in a few words. */
  readonly shows: string;
  /** Below the server's address. */
  readonly path: string;
  /** Which desk: at work (unless said), the same without problem, or empty. */
  readonly desk?: "calm" | "empty";
  /** Taken on a phone, too. */
  readonly phone?: true;
  /** Whoever looks is not signed in. */
  readonly stranger?: true;
  /** What is done before it is taken; resolves once all of it is there. */
  readonly open: (page: Page, desk: SceneDesk) => Promise<unknown>;
}

/** What scenes ask of the desk. */
export interface SceneDesk {
  // deno-lint-ignore no-explicit-any -- any answer
  call(method: string, path: string, body?: unknown): Promise<any>;
  /** A key that was issued once, for whoever finds one. */
  readonly key: string;
  /** What workers in the background would do by now is done. */
  settle(): Promise<void>;
}

/**
 * A scene by its parts: where it stands, its file, what it shows, its address and what is done
 * there.
 */
export function scene(
  of: string,
  name: string,
  shows: string,
  path: string,
  open: Scene["open"],
  more: Pick<Scene, "desk" | "phone" | "stranger"> = {},
): Scene {
  return { of, name, shows, path, open, ...more };
}

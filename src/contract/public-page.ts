import { z } from "zod";
import type { Chapter } from "./chapters.ts";
import { defineEndpoint } from "./endpoint.ts";

/** A page that anybody may read, or what it loads. */
export function definePublicPage<Path extends string>(
  { type, ...page }: {
    id: string;
    path: Path;
    tag: Chapter;
    /** Its content type. */
    type: string;
    summary: string;
    description: string;
    answerHeaders?: Readonly<Record<string, string>>;
  },
) {
  return defineEndpoint({
    ...page,
    method: "GET",
    permission: "public",
    response: z.string(),
    contentTypes: { response: [type] },
    errors: [],
  });
}

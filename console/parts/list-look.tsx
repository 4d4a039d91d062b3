import { useState } from "preact/hooks";
import { say } from "../said.ts";
import { lazily } from "./lazily.tsx";
import type { ListToolsProps, Look } from "./list-tools/look.ts";

/** The look of a list, and what its tools set it with; plain until they are there. */
export function useLook(): [Look, (look: Look) => void] {
  return useState<Look>({ dress: (columns) => columns, name: "" });
}

/** A screen's title with the view that it shows. */
export function titleWith(title: string, { name }: Look): string {
  return name === "" ? title : say`${title}: ${name}`;
}

const Tools = lazily<ListToolsProps>(async () => {
  const tools = await import("./list-tools/list-tools.tsx");
  await tools.readOwnStyles();
  return tools;
});

/** Views, columns and order of a list, at the end of its line of filters. */
export function ListTools(props: ListToolsProps) {
  return (
    <div class="list-tools">
      <Tools {...props} />
    </div>
  );
}

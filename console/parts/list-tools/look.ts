import type { Column } from "../list-table.tsx";
import type { ListName } from "./facts.ts";

/** How a list looks to this person: what its tools make of its columns, and which view it shows. */
export interface Look {
  readonly dress: <Row>(columns: readonly Column<Row>[]) => readonly Column<Row>[];
  /** The view's name behind the screen's; "" without a view. */
  readonly name: string;
}

/** The input of a list's tools; they read the rest in the address. */
export interface ListToolsProps {
  list: ListName;
  onLook: (look: Look) => void;
}

import { type Form, printValues } from "./forms.ts";
import { print } from "./standard-output.ts";
import { columnsWithin, tableLine } from "./table.ts";
import { terminal } from "./terminal.ts";

/** Items read at once. */
const PAGE = 100;

/** A page of any list; without a cursor it is the only one. */
export interface Page<Item> {
  data: Item[];
  next_cursor?: string | null;
  incomplete?: true;
}

/** A column of a list. */
export interface Column<Item> {
  readonly head: string;
  /** Fixed, because the rows to come are not known yet; the last column has none and is whole. */
  readonly width?: number;
  /** The member that it shows, or what is made of the item. */
  readonly of: (keyof Item & string) | ((item: Item) => string | number);
  /** From 1: when it goes where a terminal is narrow; `-o wide` shows it. */
  readonly extra?: number;
}

/** How a list is shown. */
interface Listing<Item> {
  readonly columns: readonly Column<Item>[];
  /** The output if nothing matches. */
  readonly empty: string;
}

/** The options of every list. */
interface ListOptions {
  /** The form of the output, if not a table. */
  form?: Form;
  /** Items at the most. */
  limit?: number;
  /** `wide`: every column whole, however narrow the terminal is. */
  output?: "wide";
}

/**
 * Prints a list page by page, so that it takes no memory however long it is. That nothing matches,
 * or that a search may lack something, is said on standard error.
 */
export async function printList<Item>(
  read: (place: { limit: number; cursor?: string }) => Promise<Page<Item>>,
  { form, limit = Infinity, output }: ListOptions,
  { columns, empty }: Listing<Item>,
): Promise<void> {
  const { isOutTerminal, outWidth } = terminal();
  const isNarrow = isOutTerminal && output !== "wide";
  const head = columns.map((one) => one.head);
  const { visible, widths } = columnsWithin({
    head,
    // All have one, but the last.
    widths: columns.flatMap(({ width }) => width ?? []),
    extra: columns.filter(({ extra }) => extra !== undefined)
      .toSorted((a, b) => (a.extra ?? 0) - (b.extra ?? 0)).map((one) => one.head),
  }, isNarrow ? outWidth : Infinity);
  const cells = (item: Item) =>
    columns.map(({ of }) => String(typeof of === "function" ? of(item) : item[of]));
  const line = (all: readonly string[]) =>
    tableLine(visible.map((i) => all[i] ?? ""), widths, !isNarrow);
  let left = limit;
  let cursor: string | undefined;
  let isEmpty = true;
  let isComplete = true;
  do {
    const page = await read({ limit: Math.min(PAGE, left), cursor });
    left -= page.data.length;
    cursor = page.next_cursor ?? undefined;
    isComplete &&= page.incomplete === undefined;
    if (page.data.length === 0) continue;
    if (isEmpty && !form) await print(`${line(head)}\n`);
    isEmpty = false;
    await (form
      ? printValues(page.data, form)
      : print(page.data.map((item) => `${line(cells(item))}\n`).join("")));
  } while (cursor !== undefined && left > 0);
  if (isEmpty) terminal().err(empty);
  if (!isComplete) {
    terminal().err("Changes of the last moment may be missing; try again soon.");
  }
}

/** Prints an object: a line for each member, without those that are empty. */
export async function printObject(value: object): Promise<void> {
  const members = Object.entries(value).filter(([, member]) => !isEmptyMember(member));
  const width = Math.max(...members.map(([name]) => name.length));
  const lines = members.map(([name, member]) => tableLine([name, visible(member)], [width]));
  await print(lines.map((line) => `${line}\n`).join(""));
}

function visible(member: unknown): string {
  if (Array.isArray(member) && member.every((one) => typeof one === "string")) {
    return member.join(", ");
  }
  return typeof member === "object" ? JSON.stringify(member) : String(member);
}

/** True for what nothing is said of. */
export function isEmptyMember(member: unknown): boolean {
  if (member === null || member === undefined || member === "") return true;
  return typeof member === "object" && Object.keys(member).length === 0;
}

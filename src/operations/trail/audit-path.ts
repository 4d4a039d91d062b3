import { half, type LogLeaves, LogTree } from "./log-tree.ts";

/**
 * The sibling of each node on the way from an entry to the root of the tree of the first `size`
 * entries (RFC 6962, 2.1.1), from the leaf up. Reads every entry at the first time, later the block
 * of the entry and what is new. Entries that are missing count as zeros, so the path leads to no
 * root that was signed.
 */
export async function auditPath(
  log: LogLeaves,
  leaf_index: number,
  size: number,
): Promise<string[]> {
  const tree = new LogTree(log);
  const path: string[] = [];
  for (let [from, to] = [0, size]; to - from > 1;) {
    const middle = from + half(to - from);
    if (leaf_index < middle) {
      path.push(await tree.root(middle, to));
      to = middle;
    } else {
      path.push(await tree.root(from, middle));
      from = middle;
    }
  }
  return path.reverse();
}

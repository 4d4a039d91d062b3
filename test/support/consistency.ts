import { parentHash } from "../../packages/audit-log/merkle.ts";

/** A tree by its size and its root, hex. */
interface TreeState {
  readonly size: number;
  readonly root: string;
}

/**
 * Whether a proof shows that the later tree begins with the earlier one (RFC 9162, 2.1.4.2). The
 * sizes are whole numbers, the earlier one is neither 0 nor larger.
 */
export function isConsistent(
  earlier: TreeState,
  later: TreeState,
  proof: readonly string[],
): boolean {
  if (earlier.size === later.size) return proof.length === 0 && earlier.root === later.root;
  let [left, last] = [earlier.size - 1, later.size - 1];
  while (left % 2 === 1) [left, last] = [halved(left), halved(last)];
  // A whole tree is the first node itself.
  const nodes = left === 0 ? [earlier.root, ...proof] : proof;
  let [before, after] = [nodes[0] ?? "", nodes[0] ?? ""];
  if (before === "") return false;
  for (const node of nodes.slice(1)) {
    if (last === 0) return false;
    if (left % 2 === 1 || left === last) {
      before = parentHash(node, before);
      after = parentHash(node, after);
      while (left % 2 === 0 && left > 0) [left, last] = [halved(left), halved(last)];
    } else {
      after = parentHash(after, node);
    }
    [left, last] = [halved(left), halved(last)];
  }
  return last === 0 && before === earlier.root && after === later.root;
}

function halved(n: number): number {
  return Math.floor(n / 2);
}

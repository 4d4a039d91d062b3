import { type Component, options, type VNode } from "preact";

/**
 * A value that components read while they render: each change renders those, and no others, anew.
 */
export interface Signal<T> {
  /** Read outside of rendering it is just the value. What is set to what it is changes nothing. */
  value: T;
}

/** The component that is being rendered. */
let reader: Component | undefined;

/**
 * The sources of each component's newest rendering, so that nothing is kept of a component that is
 * gone.
 */
const sources = new WeakMap<Component, Set<Set<Component>>>();

/** A signal that begins with `value`. */
export function signal<T>(value: T): Signal<T> {
  const readers = new Set<Component>();
  return {
    get value() {
      if (reader) {
        readers.add(reader);
        const read = sources.get(reader) ?? new Set();
        sources.set(reader, read.add(readers));
      }
      return value;
    },
    set value(next) {
      if (Object.is(value, next)) return;
      value = next;
      readers.forEach((component) => component.setState({}));
    },
  };
}

// as: Preact's own extensions hook in by these names, so its builds keep them: `__r` before a
// component renders, `__c` the component of a node.
const hooks = options as typeof options & { __r?: (node: VNode) => void };
const componentOf = (node: VNode) => (node as VNode & { __c?: Component | null }).__c ?? undefined;
const { __r: rendering, diffed, unmount } = hooks;

hooks.__r = (node) => {
  rendering?.(node);
  reader = componentOf(node);
  forget(reader);
};

hooks.diffed = (node) => {
  reader = undefined;
  diffed?.(node);
};

hooks.unmount = (node) => {
  forget(componentOf(node));
  unmount?.(node);
};

function forget(component: Component | undefined): void {
  if (!component) return;
  sources.get(component)?.forEach((readers) => readers.delete(component));
  sources.delete(component);
}

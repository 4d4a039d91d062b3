import { Fragment, h, options } from "preact";
import { isolated, turns } from "../said.ts";

/** Elements that hold text alone: signs stand there for a `bdi`. */
const OF_TEXT = new Set(["option", "text", "textarea", "title", "tspan"]);

/**
 * From now on a text that turns the direction of others does so in no element of the page: among
 * other texts, as in `<p>Suspends {name}’s keys</p>`, it stands in a `bdi`. Texts that turn nothing
 * stay as they are, so ordinary pages hold no element more. What stands alone in an element is kept
 * there by base.css.
 */
export function isolateChildren(): void {
  const before = options.vnode;
  options.vnode = (vnode) => {
    const { type, props } = vnode;
    if (type === Fragment) props.children = kept(props.children, false);
    else if (typeof type === "string" && type !== "bdi" && Array.isArray(props.children)) {
      props.children = kept(props.children, OF_TEXT.has(type));
    }
    before?.(vnode);
  };
}

/** The children of an element. Text in another direction is isolated. */
function kept(children: unknown, isText: boolean): preact.ComponentChildren {
  if (typeof children === "string" && turns(children)) {
    return isText ? isolated(children) : h("bdi", null, children);
  }
  if (Array.isArray(children) && children.some((one) => kept(one, isText) !== one)) {
    return children.map((one) => kept(one, isText));
  }
  // as: it was a child before.
  return children as preact.ComponentChildren;
}

// What Swagger UI and its parts ask of react-dom, by Preact.

import { options } from "preact";
import compat from "preact/compat";
import { createRoot } from "preact/compat/client";

export * from "preact/compat";
export default { ...compat, createRoot };

/** React takes any list as children, Preact arrays alone; Swagger UI gives it Immutable's. */
const before = options.vnode;
options.vnode = (vnode) => {
  const { children } = vnode.props;
  if (typeof children === "object" && children !== null) vnode.props.children = asArrays(children);
  before?.(vnode);
};

function asArrays(child) {
  if (Array.isArray(child)) return child.some(isList) ? child.map(asArrays) : child;
  return isList(child) ? Array.from(child, asArrays) : child;
}

function isList(child) {
  return typeof child === "object" && child !== null && Symbol.iterator in child;
}

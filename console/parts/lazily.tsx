import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

/**
 * A component whose code is read when it is first shown. Where it can't be, nothing is shown and
 * `failed` is told.
 */
export function lazily<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  failed: (props: Props) => void = () => {},
): (props: Props) => VNode | null {
  let Content: ComponentType<Props> | undefined;
  return function Lazy(props) {
    const [, show] = useState(0);
    const Shown = Content;
    useEffect(() => {
      // What came since then is shown at once: a module that was read is read no second time.
      if (Shown) return;
      load().then((module) => {
        Content = module.default;
        show(1);
      }, () => failed(props));
    }, []);
    return Shown ? <Shown {...props} /> : null;
  };
}

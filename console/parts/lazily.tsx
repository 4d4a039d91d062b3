import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

/**
 * A component whose code is read when it is first shown, or by `ahead`, which never throws. If that
 * fails, nothing is shown and `failed` is called.
 */
export function lazily<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  failed: (props: Props) => void = () => {},
): ((props: Props) => VNode | null) & { ahead: () => Promise<void> } {
  let Content: ComponentType<Props> | undefined;
  const read = async () => {
    Content = (await load()).default;
  };
  return Object.assign(Lazy, { ahead: () => Content ? Promise.resolve() : read().catch(() => {}) });
  function Lazy(props: Props) {
    const [, show] = useState(0);
    const Loaded = Content;
    useEffect(() => {
      // A module that came since then is shown at once: it is not read twice.
      if (Loaded) return;
      read().then(() => show(1), () => failed(props));
    }, []);
    return Loaded ? <Loaded {...props} /> : null;
  }
}

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { Empty, Loading } from "../parts/states.tsx";
import type { Screen } from "../screens.ts";

const loaded = new Map<Screen, ComponentType>();

/** A screen's code, read when it is opened. It may be gone: then the server was updated under the open page. */
export function LazyScreen({ screen }: { screen: Screen }) {
  const [, show] = useState(0);
  const [isGone, setGone] = useState(false);
  useEffect(() => {
    if (!screen.load || loaded.has(screen)) return;
    setGone(false);
    screen.load().then((module) => {
      loaded.set(screen, module.default);
      show((turn) => turn + 1);
    }, () => setGone(true));
  }, [screen]);
  const Content = screen.component ?? loaded.get(screen);
  if (Content) return <Content />;
  return (
    <main class="page-main" data-behind-drawer>
      {isGone
        ? (
          <Empty
            title="This screen could not be loaded"
            action={<Button kind="primary" onClick={() => location.reload()}>Reload</Button>}
          >
            Keydesk may have been updated since you opened this page.
          </Empty>
        )
        : <Loading lines={8} />}
    </main>
  );
}

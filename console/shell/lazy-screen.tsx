import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { answers, lost, onReachable, reachable } from "../api/connection.ts";
import { Button } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, Loading } from "../parts/states.tsx";
import type { Screen } from "../screens.ts";

const loaded = new Map<Screen, ComponentType>();

/** Reads screens before somebody opens them, once the browser has nothing else to do. What fails is read when it is opened. */
export function readWhenIdle(screens: readonly Screen[]): void {
  const read = () => screens.forEach((screen) => void screen.load?.().catch(() => {}));
  // Not every browser has it.
  if ("requestIdleCallback" in globalThis) requestIdleCallback(read);
  else setTimeout(read, 2000);
}

/**
 * A screen's code, read when it is opened. While the server does not answer it waits, and goes on by itself. A server
 * that answers and has no such file was updated under the open page.
 */
export function LazyScreen({ screen }: { screen: Screen }) {
  const [, show] = useState(0);
  const [isGone, setGone] = useState(false);
  useEffect(() => {
    const { load } = screen;
    if (!load || loaded.has(screen)) return;
    let stop = () => {};
    let isLeft = false;
    const read = () =>
      load().then((module) => {
        loaded.set(screen, module.default);
        show((turn) => turn + 1);
      }, async () => {
        if (await answers()) setGone(true);
        else if (!isLeft) {
          lost();
          stop = onReachable(() => {
            stop();
            void read();
          });
        }
      });
    setGone(false);
    void read();
    return () => {
      isLeft = true;
      stop();
    };
  }, [screen]);
  const Content = screen.component ?? loaded.get(screen);
  if (Content) return <Content />;
  return (
    <Page title={screen.name}>
      {isGone
        ? (
          <Empty
            title="This screen could not be loaded"
            action={<Button kind="primary" onClick={() => location.reload()}>Reload</Button>}
          >
            Keydesk may have been updated since you opened this page.
          </Empty>
        )
        : (
          <>
            {!reachable.value && (
              <p class="muted page-wait">Opens by itself once the server answers.</p>
            )}
            <Loading lines={8} />
          </>
        )}
    </Page>
  );
}

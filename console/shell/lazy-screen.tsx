import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { answers, lookNow, lost, onReachable, reachable } from "../api/connection.ts";
import { Button } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, Loading } from "../parts/states.tsx";
import { type Screen, screens } from "../screens.ts";

const loaded = new Map<Screen, ComponentType>();

/** While the first answers are on their way the network is theirs. */
const AHEAD_MS = 2000;

/**
 * Reads screens before they are opened, shortly after the page is shown. A screen that fails is
 * read when it is opened.
 */
export function readWhenIdle(screens: readonly Screen[]): void {
  setTimeout(() => screens.forEach((screen) => void screen.load().catch(() => {})), AHEAD_MS);
}

/**
 * Reads the screen of the address at once, before anything is rendered. What fails is read when it
 * is shown.
 */
export async function readFirst(): Promise<void> {
  const path = location.pathname.replace(/^\/console/, "");
  const first = screens.find((screen) =>
    path === screen.path || path.startsWith(`${screen.path}/`)
  );
  await first?.load().then(({ default: content }) => loaded.set(first, content), () => {});
}

/**
 * A screen's code, read when it is opened. While the server does not answer it says so, and goes on
 * by itself. A server that answers and has no such file was updated under the open page.
 */
export function LazyScreen({ screen }: { screen: Screen }) {
  const [, show] = useState(0);
  const [isGone, setGone] = useState(false);
  const Content = loaded.get(screen);
  useEffect(() => {
    // A module that came since then is shown at once: it is not read twice.
    if (Content) return;
    const { load } = screen;
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
        : reachable.value
        ? <Loading lines={8} />
        : (
          <Empty
            title="This screen can’t be read now"
            action={<Button onClick={() => void lookNow()}>Try again</Button>}
          >
            It opens by itself once the server answers.
          </Empty>
        )}
    </Page>
  );
}

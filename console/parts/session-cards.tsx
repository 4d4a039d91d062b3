import type { ComponentChildren } from "preact";
import { queries } from "../api/queries.ts";
import type { QueryKey } from "../api/query-cache.ts";
import { say } from "../said.ts";
import { Button } from "./button.tsx";
import { exactTime, Time } from "./time.tsx";
import { toast, toastFailure } from "./toasts.tsx";

/** How a person is signed in. */
export interface SignedIn {
  id: string;
  /** The card's head. */
  name: string;
  /** The session's name for people who hear the button alone. */
  what: string;
  about: ComponentChildren;
  end: () => Promise<unknown>;
  /** Said once it is ended. */
  ended: string;
}

/** A session's name, and its name in the button that revokes it. */
export function namedSession({ browser, date_created }: { browser: string; date_created: string }) {
  const name = browser || "A program";
  return { name, what: say`the session of ${name}, since ${exactTime(date_created)}` };
}

/**
 * The sessions of a person, each with a button that revokes it. `read`: the list that is then read
 * again.
 */
export function SignedInBy({ title, all, read, endAll, allEnded, children }: {
  title: string;
  all: readonly SignedIn[];
  read: QueryKey;
  endAll: () => Promise<unknown>;
  allEnded: string;
  /** The button that ends all. */
  children: string;
}) {
  const run = async (end: () => Promise<unknown>, done: string) => {
    await end().then(() => toast({ text: done }), toastFailure);
    await queries.invalidateQueries({ queryKey: read });
  };
  return (
    <section aria-label={title}>
      <h3 class="group-title">{title}</h3>
      <ul class="cards">
        {all.map(({ id, name, what, about, end, ended }) => (
          <li key={id} class="card">
            <p class="card-head">
              <b>{name}</b>
            </p>
            <p class="muted">{about}</p>
            <div class="card-actions">
              <Button label={say`Revoke ${what}`} onClick={() => void run(end, ended)}>
                Revoke
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <Button onClick={() => void run(endAll, allEnded)}>{children}</Button>
    </section>
  );
}

/** Since when something was not used, within a sentence. */
export function LastUsed({ at }: { at: string | null }) {
  if (at === null) return <>never used</>;
  return (
    <>
      last used <Time at={at} />
    </>
  );
}

import { cameBack, invitation, known, over, session, swap } from "./api/session.ts";
import { Button } from "./parts/button.tsx";
import { lazily } from "./parts/lazily.tsx";
import { SignIn } from "./screens/sign-in/sign-in.tsx";
import { signal } from "./signal.ts";

const SignInOver = lazily(
  () => import("./screens/sign-in/sign-in-over.tsx"),
  ({ over }) => over.done(false),
);

const Swap = lazily(() => import("./screens/sign-in/swap.tsx"));

const Invitation = lazily(() => import("./screens/sign-in/invitation.tsx"));

const FromProvider = lazily(() => import("./screens/sign-in/from-provider.tsx"));

/** True: the shell could not be read. */
const isGone = signal(false);

/**
 * Everything but the ways in, with its styles, without which nothing is drawn. Whoever is not
 * signed in loads none of it.
 */
export const Shell = lazily(async () => {
  const shell = await import("./shell/shell.tsx");
  await shell.styled;
  return shell;
}, () => {
  isGone.value = true;
});

/**
 * The console: the shell, or the sign-in in its place. Until the server has said who it is, the
 * shell waits.
 */
export function App() {
  if (isGone.value) return <Gone />;
  return (
    <>
      {invitation.value !== null
        ? <Invitation text={invitation.value} />
        : cameBack.value !== null
        ? <FromProvider {...cameBack.value} />
        : session.value === null
        ? <SignIn />
        : <Shell />}
      {over.value && <SignInOver over={over.value} />}
      {swap.value && known() && <Swap link={swap.value} />}
    </>
  );
}

/** Stands where the shell could not be read. */
function Gone() {
  return (
    <main class="sign-in">
      <div class="sign-in-box">
        <h1 class="sign-in-title">This page could not be loaded</h1>
        <p class="sign-in-hint" role="alert">
          The server does not answer, or was updated since you opened the page.
        </p>
        <Button kind="primary" onClick={() => location.reload()}>Reload</Button>
      </div>
    </main>
  );
}

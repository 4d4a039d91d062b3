import { Router } from "wouter-preact";
import { cameBack, invitation, over, session } from "./api/session.ts";
import { lazily } from "./parts/lazily.tsx";
import { SignIn } from "./screens/sign-in/sign-in.tsx";
import { Shell } from "./shell/shell.tsx";

const SignInOver = lazily(
  () => import("./screens/sign-in/sign-in-over.tsx"),
  ({ over }) => over.done(false),
);

const Invitation = lazily(() => import("./screens/sign-in/invitation.tsx"));

const FromProvider = lazily(() => import("./screens/sign-in/from-provider.tsx"));

/**
 * The console: the shell, or the sign-in in its place. Until the server has said who it is, the
 * shell waits.
 */
export function App() {
  return (
    <Router base="/console">
      {invitation.value !== null
        ? <Invitation text={invitation.value} />
        : cameBack.value !== null
        ? <FromProvider {...cameBack.value} />
        : session.value === null
        ? <SignIn />
        : <Shell />}
      {over.value && <SignInOver over={over.value} />}
    </Router>
  );
}

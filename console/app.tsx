import { Router } from "wouter-preact";
import { session } from "./api/session.ts";
import { SignIn } from "./screens/sign-in/sign-in.tsx";
import { Shell } from "./shell/shell.tsx";

/** The console: the shell, or the sign-in in its place. Until the server has said who it is, the shell waits. */
export function App() {
  return <Router base="/console">{session.value === null ? <SignIn /> : <Shell />}</Router>;
}

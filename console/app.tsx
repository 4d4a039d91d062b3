import { QueryClientProvider } from "@tanstack/preact-query";
import { Router } from "wouter-preact";
import { queries } from "./api/queries.ts";
import { session } from "./api/session.ts";
import { SignIn } from "./screens/sign-in/sign-in.tsx";
import { guards } from "./shell/leave-guard.ts";
import { Shell } from "./shell/shell.tsx";

/**
 * The console: the shell, or the sign-in in its place. Until the server has said who it is, the shell waits; and while
 * something is shown that can't be shown again, it stays whatever happened to the session.
 */
export function App() {
  return (
    <QueryClientProvider client={queries}>
      <Router base="/console">
        {session.value === null && guards.value === 0 ? <SignIn /> : <Shell />}
      </Router>
    </QueryClientProvider>
  );
}

// Loaded into Deno before the program where its parent process must not die alone: a launcher
// killed with SIGKILL can't hand anything on, and the shell that npx starts doesn't. When that
// parent is gone, this process tells itself to stop, gracefully.

const parent = Number(Deno.env.get("KEYDESK_PARENT_PID"));

const timer = setInterval(() => {
  if (Deno.ppid === parent) return;
  clearInterval(timer);
  Deno.kill(Deno.pid, "SIGTERM");
}, 1000);
Deno.unrefTimer(timer);

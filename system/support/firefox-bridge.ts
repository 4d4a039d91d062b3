/**
 * Starts Firefox over a fresh profile and passes WebDriver BiDi on to it, as a program that
 * Playwright takes for Firefox itself. One command it answers by itself: Playwright sets media
 * features with each context, and Firefox ESR knows no `emulation.setMediaFeaturesOverride`.
 * Without that the bridge has nothing to do and can go.
 */
const UNKNOWN_TO_ESR = "emulation.setMediaFeaturesOverride";

/** No network but the page's own, no panel over the page, and the clipboard without asking. */
const settings = {
  "app.update.enabled": false,
  "browser.download.alwaysOpenPanel": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "dom.events.testing.asyncClipboard": true,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "ui.prefersReducedMotion": 1,
};

const profile = await Deno.makeTempDir({ prefix: "keydesk-firefox-" });
const lines = Object.entries(settings).map(([name, value]) => `user_pref("${name}", ${value});\n`);
await Deno.writeTextFile(`${profile}/user.js`, lines.join(""));
const child = new Deno.Command("/usr/bin/firefox-esr", {
  args: ["--headless", "--no-remote", "--remote-debugging-port=0", "--profile", profile],
  stdout: "null",
  stderr: "piped",
}).spawn();
const address = Promise.withResolvers<string>();
void readAll(child.stderr);

Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: async ({ port }) => {
    await address.promise;
    console.error(`WebDriver BiDi listening on ws://127.0.0.1:${port}`);
  },
}, async (request) => {
  const { socket, response } = Deno.upgradeWebSocket(request);
  const inner = new WebSocket(`${await address.promise}/session`);
  const opened = new Promise((resolve) => inner.onopen = resolve);
  socket.onmessage = async ({ data }) => {
    const { id, method } = JSON.parse(data);
    if (method === UNKNOWN_TO_ESR) {
      socket.send(JSON.stringify({ type: "success", id, result: {} }));
    } else {
      await opened;
      inner.send(data);
    }
  };
  inner.onmessage = ({ data }) => socket.send(data);
  inner.onclose = () => socket.close();
  // Whoever asked for the browser is gone.
  socket.onclose = () => {
    try {
      child.kill();
    } catch {
      // It ended before.
    }
  };
  return response;
});

const { code } = await child.status;
await Deno.remove(profile, { recursive: true });
Deno.exit(code);

/** Reads what Firefox says to its end, and finds its address in it. */
async function readAll(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
  let said = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    said += text;
    const found = /WebDriver BiDi listening on (ws:\/\/\S+)\n/.exec(said)?.[1];
    if (found) address.resolve(found);
  }
  address.reject(new Error(said));
}

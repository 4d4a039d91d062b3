import { type Scene, scene, type SceneDesk } from "../scene.ts";
import { button, text } from "../sights.ts";

/** What whoever is not signed in sees. */
export const strangerScenes: readonly Scene[] = [
  scene(
    "Sign-in",
    "sign-in",
    "by an access token or a link",
    "/console",
    (page) => page.getByLabel("Your e-mail address").waitFor(),
    { phone: true, stranger: true },
  ),
  scene(
    "Sign-in",
    "sign-in-refused",
    "an access token that is not valid",
    "/console",
    async (page) => {
      await page.getByRole("button", { name: "Use an access token" }).click();
      await page.getByLabel("Your access token").fill("kd_wrong");
      await button(page, "Sign in").click();
      await page.getByRole("alert").first().waitFor();
    },
    { stranger: true },
  ),
  scene(
    "Page of a one-time link",
    "one-time-link",
    "before the key is displayed",
    "/claim",
    async (page, desk) => {
      await page.goto(await oneTimeLinkUrl(desk));
      await button(page, /^Show/).waitFor();
    },
    { phone: true, stranger: true },
  ),
  scene(
    "Page of a one-time link",
    "one-time-link-shown",
    "the key, displayed once",
    "/claim",
    async (page, desk) => {
      await page.goto(await oneTimeLinkUrl(desk));
      await button(page, /^Show/).click();
      await page.getByRole("checkbox").waitFor();
    },
    { phone: true, stranger: true },
  ),
  scene(
    "Page of a one-time link",
    "one-time-link-over",
    "a link that is not valid",
    "/claim",
    async (page) => {
      const { origin } = new URL(page.url());
      await page.goto("about:blank");
      await page.goto(`${origin}/claim#${"x".repeat(43)}`);
      await text(page, "This link is wrong");
    },
    { stranger: true },
  ),
  scene("Reference", "reference", "every endpoint", "/reference", (page) => text(page, "Approve"), {
    phone: true,
    stranger: true,
  }),
];

/** A one-time link of a fresh key. */
async function oneTimeLinkUrl(desk: SceneDesk): Promise<string> {
  const { data: developers } = await desk.call("GET", "/v1/developers?limit=20");
  const { data: plans } = await desk.call("GET", "/v1/plans?limit=20");
  // deno-lint-ignore no-explicit-any -- any answer
  const named = (list: any[], name: string) =>
    list.find((one) => JSON.stringify(one).includes(name));
  const issued = await desk.call("POST", `/v1/developers/${named(developers, "Elif").id}/keys`, {
    plans: [named(plans, "Professional")._id],
    deliver: "one_time_link",
  });
  return issued.one_time_link.link;
}

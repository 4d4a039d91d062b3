/** A mistyped client secret, as an administrator and whoever comes see it, before any provider. */
import type { Page } from "playwright-core";
import { type DemoServer, signIn, type Visitor } from "./browser.ts";

/** A provider's client whose secret is set wrong, with who comes by it. */
export interface Mistyped {
  readonly name: string;
  /** The right one. */
  readonly secret: string;
  readonly visitor: Visitor;
  /** Has the visitor sign in at the provider. */
  readonly come: (page: Page) => Promise<void>;
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Which error a provider has for it (RFC 6749, 5.2), and what that means. */
const SAYS = /"(invalid|unauthorized)_client".*it does not know the client id/;

/**
 * "Try it" says that nobody comes in; whoever comes hears nothing of the reason, and the provider's
 * card names it as last refused. With the right secret it answers.
 */
export async function seesMistypedSecret(
  ada: Visitor,
  server: DemoServer,
  { name, secret, visitor, come }: Mistyped,
): Promise<void> {
  const tried = () => button(ada.page, `Try it: ${name}`).click();
  await signIn(ada, server, "/settings?show=sign-in");
  await tried();
  await ada.page.getByText(/No one can sign in by it now: the token endpoint/)
    .and(ada.page.getByText(SAYS)).waitFor();
  await come(visitor.page);
  await visitor.page.getByText("did not vouch for it").waitFor();
  await ada.page.reload();
  await ada.page.getByText(/: the provider answered/).and(ada.page.getByText(SAYS)).waitFor();
  await ada.show("sign-in/company-last-refused");
  await button(ada.page, `Change ${name}`).click();
  const dialog = ada.page.getByRole("dialog");
  await dialog.getByLabel("Client secret", { exact: true }).fill(secret);
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.waitFor({ state: "hidden" });
  await tried();
  await ada.page.getByText(/^It answers/).waitFor();
  await visitor.context.clearCookies();
}

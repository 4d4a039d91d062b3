import { Link } from "wouter-preact";
import { may } from "../api/session.ts";
import { Page } from "../parts/page.tsx";
import { Empty } from "../parts/states.tsx";
import type { Screen } from "../screens.ts";

/** The page for a screen that the access token may not see; `first`: one that it may. */
export default function Nothing({ screen, first }: { screen?: Screen; first: Screen | undefined }) {
  if (!screen || !first) return <NoScreen />;
  return (
    <Page title={screen.name}>
      <Empty
        title="Your access token does not show you this"
        action={<Link class="button" href={first.path}>Go to {first.name}</Link>}
      >
        Ask an administrator for the permission to see {screen.name.toLowerCase()}.
      </Empty>
    </Page>
  );
}

/** For an access token that opens no screen, such as one that only verifies keys. */
function NoScreen() {
  return (
    <Page title="Keydesk">
      {may("approve")
        ? (
          <Empty title="You may approve key requests, but not see them">
            Ask an administrator for “See requests, keys, developers, plans” (portal:read) as well.
          </Empty>
        )
        : (
          <Empty title="Your access token is valid for no screen">
            It is meant for programs. Ask an administrator for one with more permissions.
          </Empty>
        )}
    </Page>
  );
}

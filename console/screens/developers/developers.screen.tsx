import { Empty } from "../../parts/states.tsx";
import { Page } from "../../shell/page.tsx";

/** Developers. */
export default function DevelopersScreen() {
  return (
    <Page title="Developers">
      <Empty title="This screen is still to come">The API behind it answers already.</Empty>
    </Page>
  );
}

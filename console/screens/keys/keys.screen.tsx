import { Empty } from "../../parts/states.tsx";
import { Page } from "../../shell/page.tsx";

/** Keys. */
export default function KeysScreen() {
  return (
    <Page title="Keys">
      <Empty title="This screen is still to come">The API behind it answers already.</Empty>
    </Page>
  );
}

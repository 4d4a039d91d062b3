import { Empty } from "../../parts/states.tsx";
import { Page } from "../../shell/page.tsx";

/** Activity. */
export default function ActivityScreen() {
  return (
    <Page title="Activity">
      <Empty title="This screen is still to come">The API behind it answers already.</Empty>
    </Page>
  );
}

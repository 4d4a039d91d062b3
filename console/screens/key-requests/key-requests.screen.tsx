import { Empty } from "../../parts/states.tsx";
import { Page } from "../../shell/page.tsx";

/** Key requests. */
export default function KeyRequestsScreen() {
  return (
    <Page title="Key requests">
      <Empty title="This screen is still to come">The API behind it answers already.</Empty>
    </Page>
  );
}

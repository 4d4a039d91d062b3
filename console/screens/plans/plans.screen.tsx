import { Empty } from "../../parts/states.tsx";
import { Page } from "../../shell/page.tsx";

/** Plans. */
export default function PlansScreen() {
  return (
    <Page title="Plans">
      <Empty title="This screen is still to come">The API behind it answers already.</Empty>
    </Page>
  );
}

import { Empty } from "../../parts/states.tsx";
import { Page } from "../../shell/page.tsx";

/** Settings. */
export default function SettingsScreen() {
  return (
    <Page title="Settings">
      <Empty title="This screen is still to come">The API behind it answers already.</Empty>
    </Page>
  );
}

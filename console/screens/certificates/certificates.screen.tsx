import { Empty } from "../../parts/states.tsx";
import { Page } from "../../shell/page.tsx";

/** Certificates. */
export default function CertificatesScreen() {
  return (
    <Page title="Certificates">
      <Empty title="This screen is still to come">The API behind it answers already.</Empty>
    </Page>
  );
}

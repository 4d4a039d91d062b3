import { lazily } from "./lazily.tsx";
import type { RefusedOf } from "./denied-calls/panel.tsx";

const Panel = lazily(() => import("./denied-calls/panel.tsx"));

/** The newest refused calls of a key, a plan, an API or a developer, in their drawer. */
export function Refusals({ of }: { of: RefusedOf }) {
  return (
    <>
      <h3 class="group-title">Refusals</h3>
      <Panel of={of} />
    </>
  );
}

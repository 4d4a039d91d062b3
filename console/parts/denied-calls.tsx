import { lazily } from "./lazily.tsx";
import type { DeniedOf } from "./denied-calls/panel.tsx";

const Panel = lazily(() => import("./denied-calls/panel.tsx"));

/** The newest denied calls of a key, a plan, an API or a developer, in their drawer. */
export function DeniedCalls({ of }: { of: DeniedOf }) {
  return (
    <>
      <h3 class="group-title">Denied calls</h3>
      <Panel of={of} />
    </>
  );
}

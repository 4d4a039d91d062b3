import { useState } from "preact/hooks";
import { usePlans } from "../../../api/plans.ts";
import { may } from "../../../api/session.ts";
import { Button } from "../../../parts/button.tsx";
import { TextField } from "../../../parts/fields.tsx";
import { type Result, ResultLine, resultOn } from "../../../parts/try-key-panel.tsx";
import type { Facts } from "./facts.ts";

/** Tries a stored key. The typed key stays in this component, and goes by POST. */
export function TryStep({ offer, isNext, onPassed }: {
  offer: Facts["offer"];
  isNext: boolean;
  onPassed: () => void;
}) {
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<Result>();
  const plan = usePlans().get(offer?.plan.id ?? "");
  if (!may("verify")) return <p>Its holder tries it with the line below.</p>;
  const ask = async () => {
    setBusy(true);
    const found = await resultOn({ key: key.trim() }, plan);
    setResult(found);
    setBusy(false);
    if (found.valid) onPassed();
  };
  return (
    <form
      class="start-try"
      onSubmit={(event) => {
        event.preventDefault();
        if (key.trim() !== "" && !busy) void ask();
      }}
    >
      <TextField
        label="The key that you kept"
        type="password"
        autocomplete="off"
        value={key}
        onInput={setKey}
      />
      <Button kind={isNext ? "primary" : "plain"} type="submit" busy={busy}>Try it</Button>
      {result && <ResultLine result={result} />}
    </form>
  );
}

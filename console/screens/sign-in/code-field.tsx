import { useEffect, useRef } from "preact/hooks";
import { TextField } from "../../parts/fields.tsx";

/** The field of a one-time code, as soon as it is requested. */
export function CodeField({ value, error, onInput }: {
  value: string;
  error: string;
  onInput: (typed: string) => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.querySelector("input")?.focus(), []);
  return (
    <div ref={place}>
      <TextField
        label="One-time code"
        hint="What your authenticator app shows now, or a recovery code."
        autocomplete="one-time-code"
        value={value}
        error={error}
        onInput={onInput}
      />
    </div>
  );
}

import { useId, useState } from "preact/hooks";

/** Bytes of a picture whose `data:` URL the server takes. */
const MOST = 48 * 1000;

/** Picks a picture of this machine; its value is a `data:` URL. */
export function LogoField({ value, error, onChange }: {
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  const id = useId();
  const [problem, setProblem] = useState("");
  const said = problem || error;
  const pick = async (file: File | undefined) => {
    if (!file) return;
    const isPicture = ["image/png", "image/jpeg", "image/webp"].includes(file.type);
    if (!isPicture) return setProblem("Choose a PNG, JPEG or WebP picture.");
    if (file.size > MOST) return setProblem("Choose a picture of at most 48 kB.");
    setProblem("");
    onChange(await dataUrlOf(file));
  };
  return (
    <div class="field">
      <label class="field-label" for={id}>Logo</label>
      {value !== "" && <img class="brand-logo" src={value} alt="The logo now" />}
      <input
        id={id}
        class="input"
        type="file"
        accept="image/png,image/jpeg,image/webp"
        aria-invalid={said ? true : undefined}
        aria-describedby={`${id}-said`}
        onChange={({ currentTarget }) => void pick(currentTarget.files?.[0])}
      />
      <p id={`${id}-said`} class={said ? "field-error" : "field-hint"}>
        {said || "A square PNG, JPEG or WebP picture, at most 48 kB."}
      </p>
    </div>
  );
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

import { useEffect, useRef, useState } from "preact/hooks";
import { api, wordsOf } from "../../api/client.ts";
import { setCertificateRenewal } from "../../api/endpoints.ts";
import { announce } from "../../parts/announcer.tsx";
import { Button, LinkButton } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { CheckField, TextField } from "../../parts/fields.tsx";
import { Pill, type Tone } from "../../parts/pill.tsx";
import { utcDayOf } from "../../parts/time.tsx";
import { listed, say } from "../../said.ts";
import { nameOf } from "./certificate.ts";
import { withKeys } from "./pairs.ts";
import { type Result, type Upload, uploadFile, wantsPassphrase } from "./uploads.ts";

let lastId = 0;

const PASTED = "Pasted text";

/** The certificate for which another one is added: to renew it by its names, or to replace it. */
export interface Successor {
  readonly of: { readonly id: string; readonly name: string };
  readonly act: "renew" | "replace";
}

/**
 * Adds certificates: files that are dropped or chosen, or text that is pasted; with a result for
 * each certificate, and for which one it takes over.
 */
export function UploadDialog({ files, text: pasted, successor, onAdded, onOpen, onClose }: {
  /** Files that were dropped on the page. */
  files: readonly File[];
  /** Text that was pasted on the page. */
  text: string;
  successor?: Successor | undefined;
  /** Called when something was added, so that the list is read again. */
  onAdded: () => void;
  onOpen: (id: string) => void;
  onClose: () => void;
}) {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const [text, setText] = useState(pasted);
  const [problem, setProblem] = useState("");
  const [isOver, setOver] = useState(false);
  const [takesOver, setTakesOver] = useState(true);
  const input = useRef<HTMLInputElement>(null);

  const send = async (upload: Upload, passphrase = "") => {
    let done: Upload;
    try {
      done = { ...upload, answer: await uploadFile(upload.file, passphrase, takesOver) };
      const { added, key_added, exists, refused } = done.answer ?? {};
      announce(
        say`${upload.name}: ${
          (added ?? 0) + (key_added ?? 0)
        } added, ${exists} already in Keydesk, ${refused} refused.`,
      );
      if (added || key_added) onAdded();
    } catch (error) {
      done = { ...upload, problem: wordsOf(error) };
    }
    setUploads((all) => all.map((one) => one.id === upload.id ? done : one));
  };
  const again = (upload: Upload, passphrase: string) => {
    const fresh = { id: upload.id, name: upload.name, file: upload.file };
    setUploads((all) => all.map((one) => one.id === upload.id ? fresh : one));
    void send(fresh, passphrase);
  };
  const take = async (chosen: readonly { name: string; file: Blob }[]) => {
    const fresh = chosen.map((one) => ({ ...one, id: ++lastId }));
    setUploads((all) => [...all, ...fresh]);
    // One after the other: each is read whole, and a bundle may be large.
    for (const one of fresh) await send(one);
  };
  const takeFiles = (list: Iterable<File>) => {
    const chosen = [...list].map((file) => ({ name: file.name, file }));
    void withKeys(chosen).then(take);
  };
  useEffect(() => takeFiles(files), []);

  const takeText = () => {
    if (!text.includes("-----BEGIN ")) {
      return setProblem("Paste a certificate as PEM: it begins with -----BEGIN CERTIFICATE-----.");
    }
    setText("");
    const before = uploads.filter(({ name }) => name.startsWith(PASTED)).length;
    const name = before === 0 ? PASTED : say`${PASTED} ${before + 1}`;
    void take([{ name, file: new Blob([text]) }]);
  };
  const isBusy = uploads.some(({ answer, problem: why }) => !answer && why === undefined);
  return (
    <Dialog
      title={successor ? say`${titles[successor.act]} ${successor.of.name}` : "Add certificates"}
      note={say`${
        successor ? say`${notes[successor.act]} ` : ""
      }PEM, DER, PKCS#7 or PKCS#12; a certificate and its key also as two files.${
        successor ? "" : " Expired ones are taken too."
      }`}
      wide
      onClose={isBusy ? undefined : onClose}
    >
      <div
        class={isOver ? "drop-zone is-over" : "drop-zone"}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          takeFiles(event.dataTransfer?.files ?? []);
        }}
      >
        <span>Drop files here, or</span>
        <Button onClick={() => input.current?.click()} autoFocus={pasted === ""}>
          Choose files
        </Button>
        <input
          ref={input}
          type="file"
          class="unseen"
          multiple
          tabIndex={-1}
          aria-label="Files"
          accept=".pem,.crt,.cer,.key,.p12,.pfx,.der,.p7b,.p7c"
          onChange={(event) => {
            takeFiles(event.currentTarget.files ?? []);
            event.currentTarget.value = "";
          }}
        />
      </div>
      <div class="paste">
        <TextField
          label="Or paste PEM"
          rows={uploads.length > 0 ? 2 : 5}
          value={text}
          error={problem}
          autocomplete="off"
          placeholder="-----BEGIN CERTIFICATE-----"
          autoFocus={pasted !== ""}
          onInput={(value) => {
            setText(value);
            setProblem("");
          }}
        />
        {text.trim() !== "" && <Button kind="primary" onClick={takeText}>Add pasted text</Button>}
      </div>
      <CheckField
        label="A renewal takes over the owner, tags and mute of what it renews"
        checked={takesOver}
        onChange={setTakesOver}
      />
      <UploadResults uploads={uploads} onAgain={again} onOpen={onOpen} />
      {successor && <Outcome {...successor} uploads={uploads} onSaved={onAdded} />}
      <DialogButtons>
        <Button kind={uploads.length > 0 ? "primary" : "plain"} onClick={onClose} disabled={isBusy}>
          {uploads.length > 0 ? "Done" : "Cancel"}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

const titles = { renew: "Renew", replace: "Replace" };

const notes = {
  renew: "Add the one that follows it: with the same names, and a later expiry.",
  replace: "Add the one that takes its place, whatever its names, with a later expiry.",
};

/** Whether an added certificate follows the one that it was added for; by hand if it must. */
function Outcome({ of, act, uploads, onSaved }: Successor & {
  uploads: readonly Upload[];
  onSaved: () => void;
}) {
  const [saved, setSaved] = useState<{ name: string; problem: string }>();
  const results = uploads.flatMap(({ answer }) => answer?.results ?? []);
  const byName = results.find(({ renews }) => renews?.id === of.id);
  const first = results.find(({ id }) => id !== undefined && id !== of.id);
  const replace = async ({ id = "", name = "" }: Result) => {
    const called = nameOf({ id, name });
    try {
      const body = { certificate: id, renews: true };
      await api.call(setCertificateRenewal, { params: { id: of.id }, body });
      setSaved({ name: called, problem: "" });
      onSaved();
    } catch (error) {
      setSaved({ name: called, problem: wordsOf(error) });
    }
  };
  useEffect(() => {
    if (act === "replace" && first && !byName) void replace(first);
  }, [first?.id]);
  if (!first) return null;
  const called = nameOf({ id: first.id ?? "", name: first.name ?? "" });
  return (
    <p class={saved?.problem ? "notice is-bad" : "notice"} role="status">
      <span>
        {byName
          ? say`What was added renews ${of.name}.`
          : saved?.problem
          ? say`${saved.name} can't replace ${of.name}: ${saved.problem}`
          : saved
          ? say`${saved.name} replaces ${of.name}.`
          : act === "renew" &&
            say`Nothing that was added renews ${of.name}: the names differ, or it expires earlier.`}
      </span>
      {act === "renew" && !byName && !saved && (
        <LinkButton onClick={() => void replace(first)}>
          {say`Replace it by ${called}`}
        </LinkButton>
      )}
    </p>
  );
}

const outcomes: Record<Result["result"], { tone: Tone; text: string }> = {
  added: { tone: "good", text: "Added" },
  key_added: { tone: "good", text: "Key added" },
  exists: { tone: "quiet", text: "Already in Keydesk" },
  refused: { tone: "bad", text: "Refused" },
  skipped: { tone: "quiet", text: "Skipped" },
};

/** Results that are shown one by one; of a huge bundle those that were refused come first. */
const SHOWN = 100;

/** The result of each file and of each certificate in it. */
function UploadResults({ uploads, onAgain, onOpen }: {
  uploads: readonly Upload[];
  onAgain: (upload: Upload, passphrase: string) => void;
  onOpen: (id: string) => void;
}) {
  return (
    <>
      {uploads.map((upload) => (
        <section key={upload.id} class="upload" aria-label={upload.name}>
          <h3 class="upload-name">
            <span>{upload.name}</span>
            <span class="muted">{summaryOf(upload)}</span>
          </h3>
          {upload.problem !== undefined && (
            <p class="notice is-bad" role="alert">
              <span>{upload.problem}</span>
              <LinkButton onClick={() => onAgain(upload, "")}>Try again</LinkButton>
            </p>
          )}
          {upload.answer && (wantsPassphrase(upload.answer)
            ? <Passphrase upload={upload} onAgain={onAgain} />
            : <Results results={upload.answer.results} onOpen={onOpen} />)}
        </section>
      ))}
    </>
  );
}

function summaryOf({ answer, problem }: Upload): string {
  if (problem !== undefined) return "";
  if (!answer) return "Reading…";
  if (wantsPassphrase(answer)) return "locked";
  const { added, key_added, exists, refused, skipped } = answer;
  return listed(
    [
      [added, "added"],
      [key_added, "keys added"],
      [exists, "already in Keydesk"],
      [refused, "refused"],
      [skipped, "skipped"],
    ].filter(([count]) => count !== 0).map(([count, word]) => say`${count} ${word}`),
  ) ||
    "nothing in it";
}

function Results({ results, onOpen }: {
  results: readonly Result[];
  onOpen: (id: string) => void;
}) {
  const isRefused = (one: Result) => one.result === "refused" ? 0 : 1;
  const shown = results.toSorted((a, b) => isRefused(a) - isRefused(b)).slice(0, SHOWN);
  return (
    <ul class="results">
      {shown.map((one) => {
        const { tone, text } = outcomes[one.result];
        const { id } = one;
        return (
          <li key={one.index}>
            <Pill tone={tone}>{text}</Pill>
            {id !== undefined
              ? (
                <span>
                  <LinkButton class="is-plain" onClick={() => onOpen(id)}>
                    {nameOf({ id, name: one.name ?? "" })}
                  </LinkButton>
                  {one.renews && (
                    <span class="muted">
                      {say` renews ${nameOf(one.renews)}, ${endOf(one.renews)}`}
                    </span>
                  )}
                </span>
              )
              : (
                <span>
                  {one.message}
                  {one.line !== undefined && <span class="muted result-line">line {one.line}</span>}
                </span>
              )}
          </li>
        );
      })}
      {results.length > SHOWN && <li class="muted">and {results.length - SHOWN} more</li>}
    </ul>
  );
}

/** The end of what is renewed, in words. */
function endOf({ not_after }: { not_after: string }): string {
  const verb = Date.parse(not_after) < Date.now() ? "expired" : "expires";
  return say`which ${verb} ${utcDayOf(not_after)}`;
}

/** Asks for what opens a locked file. */
function Passphrase({ upload, onAgain }: {
  upload: Upload;
  onAgain: (upload: Upload, passphrase: string) => void;
}) {
  const [passphrase, setPassphrase] = useState("");
  const isWrong = upload.answer !== undefined &&
    wantsPassphrase(upload.answer)?.reason === "wrong_passphrase";
  return (
    <form
      class="unlock"
      onSubmit={(event) => {
        event.preventDefault();
        onAgain(upload, passphrase);
      }}
    >
      <TextField
        label="Passphrase"
        type="password"
        autocomplete="off"
        error={isWrong ? "This passphrase is wrong." : ""}
        value={passphrase}
        autoFocus
        onInput={setPassphrase}
      />
      <Button kind="primary" type="submit">Open</Button>
    </form>
  );
}

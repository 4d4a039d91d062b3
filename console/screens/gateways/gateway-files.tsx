import { useEffect, useRef, useState } from "preact/hooks";
import { type DoorValues, filledFile } from "../../../src/contract/filled-file.ts";
import { gatewayFiles } from "../../../src/contract/gateway-files.ts";
import { api } from "../../api/client.ts";
import { getUsage, listDoors } from "../../api/endpoints.ts";
import { announce } from "../../parts/announcer.tsx";
import { Button } from "../../parts/button.tsx";
import { copyFrom } from "../../parts/copy.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { useLeaveGuard } from "../../parts/leave-guard.ts";
import { reasonTitles } from "../../parts/denied-calls/words.ts";
import { say } from "../../said.ts";
import type { Door } from "./checking-gateway.ts";

/** A kind of door that has a documented file. */
export type FiledKind = keyof typeof gatewayFiles;

/** What is done with the files of each kind. */
const starts: Record<FiledKind, string> = {
  nginx: "Put it where nginx reads it, readable for root alone, then: nginx -t && nginx -s reload",
  caddy: "caddy run --adapter caddyfile --config Caddyfile",
  haproxy: "Put both into one folder, then: haproxy -C <folder> -f haproxy.cfg",
  envoy: "envoy -c envoy.yaml",
  traefik: "Put it where Traefik looks for its dynamic configuration.",
  plugin:
    "Take these members over into the API's definition, and put auth-check.js where the gateway looks for middleware.",
};

/** How often is looked for the first call. */
const EVERY_MS = 1000;

/**
 * The files of a door with everything filled in, this once, and what becomes of its next call. The
 * token is shown as dots; copying and downloading give it. Where it is kept, its place is open.
 */
export function DoorFiles({ door, kind, values, onDone }: {
  door: Door;
  kind: FiledKind;
  values: Partial<DoorValues>;
  onDone: () => void;
}) {
  const isOpen = values.DESK_CREDENTIAL === undefined;
  const [hasIt, setHasIt] = useState(isOpen);
  const [asked, setAsked] = useState(false);
  const verdict = useNextCall(door);
  useLeaveGuard(() => setAsked(true));
  const dots = isOpen ? {} : { DESK_CREDENTIAL: "•".repeat(12) };
  return (
    <Dialog wide title={say`${door.name} is set up`} note={starts[kind]} onClose={undefined}>
      {isOpen && <p>Put its access token in the place of DESK_CREDENTIAL.</p>}
      {gatewayFiles[kind].map(({ name, text }) => (
        <TheFile
          key={name}
          name={name}
          shown={filledFile(text, { ...values, ...dots })}
          text={filledFile(text, values)}
          onTaken={() => setHasIt(true)}
        />
      ))}
      <p class={verdict ? "notice" : "notice door-waits"} role="status">
        {verdict ?? say`Waiting for the first call of ${door.name}…`}
      </p>
      <p class="field-error" role="alert">
        {asked && !hasIt && !verdict
          ? "Copy or download the file first: its access token can't be shown again."
          : ""}
      </p>
      <DialogButtons>
        <Button
          kind="primary"
          onClick={() => hasIt || verdict || asked ? onDone() : setAsked(true)}
        >
          Done
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

function TheFile({ name, shown, text, onTaken }: {
  name: string;
  shown: string;
  text: string;
  onTaken: () => void;
}) {
  const [href, setHref] = useState("");
  const [said, setSaid] = useState("Copy");
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    setHref(url);
    return () => URL.revokeObjectURL(url);
  }, [text]);
  return (
    <section class="door-file" aria-label={name}>
      <div class="card-head">
        <b>{name}</b>
        <Button
          label={say`${said} ${name}`}
          onClick={async () => {
            if (!await copyFrom(null, text)) return;
            setSaid("Copied");
            onTaken();
          }}
        >
          {said}
        </Button>
        <a class="button" href={href} download={name} onClick={onTaken}>
          Download<span class="unseen">{name}</span>
        </a>
      </div>
      <pre tabIndex={0}>{shown}</pre>
    </section>
  );
}

/** What became of the first call since this stands there; undefined: none came yet. */
function useNextCall({ id, name, last_call_at }: Door): string | undefined {
  const [verdict, setVerdict] = useState<string>();
  // Of a door that called before, its last call when this looks first.
  const before = useRef(last_call_at === null ? null : undefined as string | null | undefined);
  useEffect(() => {
    if (verdict !== undefined) return;
    let isOver = false;
    const counted = usageOf(name).catch(() => undefined);
    const look = async () => {
      try {
        const { data } = await api.call(listDoors, {});
        const last = data.find((one) => one.id === id)?.last_call_at ?? null;
        if (before.current === undefined) before.current = last;
        if (last === before.current || isOver) return;
        const told = verdictOf(await usageOf(name), await counted);
        if (isOver) return;
        setVerdict(told);
        announce(told);
      } catch {
        // The banner tells of it; the next look is soon.
      }
    };
    const timer = setInterval(() => void look(), EVERY_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [verdict]);
  return verdict;
}

type Total = Awaited<ReturnType<typeof usageOf>>;

async function usageOf(door: string) {
  return (await api.call(getUsage, { query: { door } })).total;
}

/** What is there now and was not before. */
function verdictOf(now: Total, before: Total | undefined): string {
  const was = (reason: string) => before?.reasons.find((one) => one.reason === reason)?.calls ?? 0;
  const refused = now.reasons.find(({ reason, calls }) => calls > was(reason));
  if (now.success > (before?.success ?? 0)) return "It called, and a call was let in.";
  return refused === undefined
    ? "It called."
    : say`It called, and a call was refused: ${reasonTitles[refused.reason].toLowerCase()}.`;
}

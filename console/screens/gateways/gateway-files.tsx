import { useEffect, useRef, useState } from "preact/hooks";
import { type FileValues, filledFile } from "../../../src/contract/filled-file.ts";
import { gatewayFiles } from "../../../src/contract/gateway-files.ts";
import { gatewaySteps } from "../../../src/contract/gateway-steps.ts";
import { api } from "../../api/client.ts";
import { getUsage } from "../../api/endpoints.ts";
import { getGateway } from "../../api/gateway-endpoints.ts";
import type { CheckingGateway } from "../../api/gateways.ts";
import { announce } from "../../parts/announcer.tsx";
import { Button } from "../../parts/button.tsx";
import { copyFrom } from "../../parts/copy.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { useLeaveGuard } from "../../parts/leave-guard.ts";
import { reasonTitles } from "../../parts/denied-calls/reason-titles.ts";
import { say } from "../../said.ts";

/** A kind of gateway that has a documented file. */
export type FiledKind = keyof typeof gatewayFiles;

/** The use of the files, before the commands. */
const uses: Record<FiledKind, string> = {
  nginx:
    "For a server of yours that runs: the files lie beside its others, and its sites stay as they are.",
  caddy:
    "For a server of yours that runs: its Caddyfile gets one line, and its sites stay as they are.",
  haproxy:
    "For a server of yours that runs: HAProxy reads it after its own file, which stays as it is.",
  envoy: "A process of its own, beside others; or put its listener and clusters into your file.",
  traefik: "A part of Traefik's dynamic configuration: other routers stay as they are.",
  tyk: "For one API of Tyk Gateway; its other APIs stay as they are.",
};

/** How often is looked for the first call. */
const EVERY_MS = 1000;

/**
 * The files of a gateway with everything filled in, this once, and what becomes of its next call.
 * The token is shown as dots; copying and downloading give it.
 */
export function GatewayFiles({ gateway, isNew, kind, values, onDone }: {
  gateway: CheckingGateway;
  /** It was added just now. */
  isNew: boolean;
  kind: FiledKind;
  values: FileValues;
  onDone: () => void;
}) {
  const [hasIt, setHasIt] = useState(false);
  const [asked, setAsked] = useState(false);
  const result = useNextCall(gateway);
  useLeaveGuard(() => setAsked(true));
  const dots = { DESK_CREDENTIAL: "•".repeat(12) };
  const title = isNew ? say`${gateway.name} is added` : say`File of ${gateway.name}`;
  return (
    <Dialog wide title={title} note={uses[kind]} onClose={undefined}>
      {gatewayFiles[kind].map(({ name, text }) => (
        <TheFile
          key={name}
          name={filledFile(name, values)}
          shown={filledFile(text, { ...values, ...dots })}
          text={filledFile(text, values)}
          onTaken={() => setHasIt(true)}
        />
      ))}
      <section class="gateway-file" aria-label="Commands">
        <b>Then, as root</b>
        <pre tabIndex={0}>
          {gatewaySteps[kind].map((step) => filledFile(step, values)).join("\n")}
        </pre>
      </section>
      <p class={result ? "notice" : "notice gateway-waits"} role="status">
        {result ?? say`Waiting for the first call of ${gateway.name} with a key…`}
      </p>
      <p class="field-error" role="alert">
        {asked && !hasIt && !result
          ? "Copy or download the file first: its access token can't be shown again."
          : ""}
      </p>
      <DialogButtons>
        <Button
          kind="primary"
          onClick={() => hasIt || result || asked ? onDone() : setAsked(true)}
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
    <section class="gateway-file" aria-label={name}>
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

/** The result of the first call since this is shown; undefined: none came yet. */
function useNextCall({ id, name, last_call_at }: CheckingGateway): string | undefined {
  const [result, setResult] = useState<string>();
  // Of a gateway that called before, its last call when this looks first.
  const before = useRef(last_call_at === null ? null : undefined as string | null | undefined);
  useEffect(() => {
    if (result !== undefined) return;
    let isOver = false;
    const counted = usageOf(name).catch(() => undefined);
    const look = async () => {
      try {
        const now = await api.call(getGateway, { params: { id } });
        const last = now.connection === "checks" ? now.last_call_at : null;
        if (before.current === undefined) before.current = last;
        if (last === before.current || isOver) return;
        const next = resultOf(await usageOf(name), await counted);
        if (isOver) return;
        setResult(next);
        announce(next);
      } catch {
        // The banner tells of it; the next look is soon.
      }
    };
    const timer = setInterval(() => void look(), EVERY_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [result]);
  return result;
}

type Total = Awaited<ReturnType<typeof usageOf>>;

async function usageOf(gateway: string) {
  return (await api.call(getUsage, { query: { gateway } })).total;
}

/** The difference between the counts. */
function resultOf(now: Total, before: Total | undefined): string {
  const was = (reason: string) => before?.reasons.find((one) => one.reason === reason)?.calls ?? 0;
  const denied = now.reasons.find(({ reason, calls }) => calls > was(reason));
  if (now.success > (before?.success ?? 0)) return "It called, and a call was allowed.";
  return denied === undefined
    ? "It called."
    : say`It called, and a call was denied (${reasonTitles[denied.reason]}).`;
}

import { useEffect, useRef, useState } from "preact/hooks";
import { type FileValues, filledFile } from "../../../src/contract/filled-file.ts";
import { gatewayFiles } from "../../../src/contract/gateway-files.ts";
import { api } from "../../api/client.ts";
import { getUsage } from "../../api/endpoints.ts";
import { getGateway } from "../../api/gateway-endpoints.ts";
import type { CheckingGateway } from "../../api/gateways.ts";
import { announce } from "../../parts/announcer.tsx";
import { Button } from "../../parts/button.tsx";
import { copyFrom } from "../../parts/copy.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { useLeaveGuard } from "../../parts/leave-guard.ts";
import { reasonTitles } from "../../parts/denied-calls/words.ts";
import { say } from "../../said.ts";

/** A kind of gateway that has a documented file. */
export type FiledKind = keyof typeof gatewayFiles;

/** The use of the files of each kind. */
const starts: Record<FiledKind, string> = {
  nginx:
    "Put it into a folder of its own, readable for root alone, then: nginx -p <folder> -c nginx.conf",
  caddy: "caddy run --adapter caddyfile --config Caddyfile",
  haproxy: "Put both into one folder, then: haproxy -C <folder> -f haproxy.cfg",
  envoy: "envoy -c envoy.yaml",
  traefik: "Put it where Traefik looks for its dynamic configuration.",
  tyk:
    "Take these members over into the API's definition, and put auth-check.js where the gateway looks for middleware.",
};

/** How often is looked for the first call. */
const EVERY_MS = 1000;

/**
 * The files of a gateway with everything filled in, this once, and what becomes of its next call.
 * The token is shown as dots; copying and downloading give it. Where it is kept, its place is open.
 */
export function GatewayFiles({ gateway, kind, values, onDone }: {
  gateway: CheckingGateway;
  kind: FiledKind;
  values: Partial<FileValues>;
  onDone: () => void;
}) {
  const isOpen = values.DESK_CREDENTIAL === undefined;
  const [hasIt, setHasIt] = useState(isOpen);
  const [asked, setAsked] = useState(false);
  const result = useNextCall(gateway);
  useLeaveGuard(() => setAsked(true));
  const dots = isOpen ? {} : { DESK_CREDENTIAL: "•".repeat(12) };
  return (
    <Dialog wide title={say`${gateway.name} is added`} note={starts[kind]} onClose={undefined}>
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

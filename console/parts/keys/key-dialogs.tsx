import { lazily } from "../lazily.tsx";
import { AddressesDialog } from "./addresses-dialog.tsx";
import { ExpiryDialog } from "./expiry-dialog.tsx";
import { IssueDialog } from "./issue-dialog.tsx";
import type { Key } from "./key.ts";
import { PlansDialog } from "./plans-dialog.tsx";
import { ReplaceDialog } from "./replace-dialog.tsx";
import { StateDialog } from "./state-dialog.tsx";

const LabelDialog = lazily(() => import("../labels/label-dialog.tsx"));

/** The dialog that stands open, and the key that it is about. */
export type Asked =
  | { kind: "suspend" | "resume" | "revoke" | "restore" | "dismiss"; key: Key }
  | { kind: "rotate" | "reissue"; key: Key }
  | { kind: "expiry" | "labels"; key: Key }
  /** `opening`: the API that it should open. */
  | { kind: "plans"; key: Key; opening?: string | undefined }
  /** `seen`: addresses of denied calls. */
  | { kind: "addresses"; key: Key; seen?: string | undefined }
  /** `like`: for the developer and the plans of this one. */
  | { kind: "issue"; like?: Key };

/** The dialogs of the screen. */
export default function KeyDialogs({ asked, onChanged, onIssued, onClose }: {
  asked: Asked;
  onChanged: (key: Key) => void;
  /** Called with the id of a fresh key, once its secret is stored. */
  onIssued: (id: string) => void;
  onClose: () => void;
}) {
  switch (asked.kind) {
    case "suspend":
    case "resume":
    case "revoke":
    case "restore":
    case "dismiss":
      return (
        <StateDialog of={asked.key} change={asked.kind} onChanged={onChanged} onClose={onClose} />
      );
    case "rotate":
    case "reissue":
      return (
        <ReplaceDialog
          of={asked.key}
          how={asked.kind}
          onIssued={onIssued}
          onClose={onClose}
        />
      );
    case "plans":
      return (
        <PlansDialog
          of={asked.key}
          opening={asked.opening}
          onChanged={onChanged}
          onClose={onClose}
        />
      );
    case "addresses":
      return (
        <AddressesDialog of={asked.key} seen={asked.seen} onChanged={onChanged} onClose={onClose} />
      );
    case "expiry":
      return <ExpiryDialog of={asked.key} onChanged={onChanged} onClose={onClose} />;
    case "labels":
      return <LabelDialog of={asked.key} onChanged={onChanged} onClose={onClose} />;
    case "issue":
      return <IssueDialog like={asked.like} onIssued={onIssued} onClose={onClose} />;
  }
}

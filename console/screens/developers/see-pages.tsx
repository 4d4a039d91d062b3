import { useState } from "preact/hooks";
import { api, codeOf, wordsOf } from "../../api/client.ts";
import { createDeveloperView } from "../../api/endpoints.ts";
import { Button } from "../../parts/button.tsx";
import { toast } from "../../parts/toasts.tsx";

/** Opens a developer's pages as that developer sees them, in another window, to read only. */
export function SeePages({ id }: { id: string }) {
  const [busy, setBusy] = useState(false);
  const see = async () => {
    setBusy(true);
    // Before anything is waited for: browsers open no window later.
    const page = open("", "_blank");
    try {
      const { token, pages_url } = await api.call(createDeveloperView, { params: { id } });
      const address = `${pages_url || location.origin}/portal/enter#${token}`;
      if (!page) throw new Error("The browser blocked the window.");
      page.opener = null;
      page.location.replace(address);
    } catch (error) {
      page?.close();
      const isOff = codeOf(error) === "not_found";
      toast({ text: isOff ? "The developer’s pages are off." : wordsOf(error), kind: "bad" });
    } finally {
      setBusy(false);
    }
  };
  return <Button disabled={busy} onClick={() => void see()}>See their pages</Button>;
}

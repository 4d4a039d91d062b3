import { useLocation } from "wouter-preact";
import { may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { want } from "../../parts/wanted.ts";
import { say } from "../../said.ts";

/**
 * The action before an expiry, for people who may take it: a key gets a later one, a certificate
 * its successor.
 */
export function EndAct({ href, name, act }: {
  /** The path of the thing. */
  href: string;
  name: string;
  act: "Extend" | "Renew" | "";
}) {
  const [, navigate] = useLocation();
  if (act === "" || !may(act === "Extend" ? "approve" : "certs:write")) return null;
  const open = () => {
    navigate(href);
    const [, screen = "", id = ""] = href.split("/");
    want(`/${screen}`, act === "Extend" ? "expiry" : "renew", decodeURIComponent(id));
  };
  return (
    <span class="home-act">
      <Button onClick={open}>
        {act}
        <span class="unseen">{say` ${name}`}</span>
      </Button>
    </span>
  );
}

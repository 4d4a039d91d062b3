import { useOpenId } from "../../parts/open-id.ts";
import { ConfigFiles } from "./config-files.tsx";
import { ConfigReview } from "./config-review.tsx";

/** The things that files manage, or the change of a digest in the address. */
export default function Config() {
  const [digest] = useOpenId("/settings/config");
  return digest === undefined ? <ConfigFiles /> : <ConfigReview key={digest} digest={digest} />;
}

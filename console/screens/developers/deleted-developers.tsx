import { api, decisionKey } from "../../api/client.ts";
import { listDeletedDevelopers, restoreDeveloper } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Empty, Loading, Problem } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { toast, toastFailure } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { forgetDevelopers, nameOf } from "./developer.ts";

/** The latest developers who were deleted and can be brought back. */
export function DeletedDevelopers({ onClose }: { onClose: () => void }) {
  const read = useCall(
    ["developers", "deleted"],
    listDeletedDevelopers,
    { query: { limit: 100 } },
    { gcTime: 0 },
  );
  const restore = async (id: string, deletion: string, name: string) => {
    try {
      await api.call(restoreDeveloper, {
        params: { id },
        body: { deletion },
        headers: decisionKey(),
      });
      toast({ text: say`${name} is back.` });
      onClose();
    } catch (error) {
      toastFailure(error);
    } finally {
      forgetDevelopers();
    }
  };
  return (
    <Dialog
      title="Deleted developers"
      note="They can be brought back for 7 days, with the keys that were revoked with them."
      wide
      onClose={onClose}
    >
      {read.error !== null && <Problem error={read.error} onRetry={() => void read.refetch()} />}
      {read.error === null && !read.data && <Loading />}
      {read.data?.data.length === 0 && (
        <Empty title="Nobody">Nobody was deleted within the last 7 days.</Empty>
      )}
      <ul class="mini-list">
        {read.data?.data.map(({ deletion, id, email, fields, keys, until }) => {
          const name = nameOf({ id, email, fields });
          return (
            <li key={deletion}>
              <span>
                {name} <span class="muted">{id}, {keys} {keys === 1 ? "key" : "keys"}, until</span>
                {" "}
                <Time at={until} />
              </span>
              <Button onClick={() => void restore(id, deletion, name)}>Bring back</Button>
            </li>
          );
        })}
      </ul>
      <DialogButtons>
        <Button onClick={onClose} autoFocus>Close</Button>
      </DialogButtons>
    </Dialog>
  );
}

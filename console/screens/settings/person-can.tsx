import { getPersonPermissions } from "../../api/identity-endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { Unread } from "../../parts/states.tsx";

/** A person's permissions with their reasons, a sentence each, and the obstacles. */
export default function PersonCan({ id }: { id: string }) {
  const { data, error, refetch } = useCall(["people", id, "permissions"], getPersonPermissions, {
    params: { id },
  });
  if (!data) return <Unread of={{ error, refetch }} lines={2} />;
  const { can, limits } = data;
  return (
    <>
      {limits.map((one) => <p key={one} class="notice is-warning">{one}</p>)}
      {can.length === 0 && <p class="muted">Nothing yet.</p>}
      <ul class="person-can">
        {can.map(({ permission, sentence, open }) => (
          <li key={permission} class={open ? undefined : "muted"}>
            {sentence} {!open && "Closed now."}
          </li>
        ))}
      </ul>
    </>
  );
}

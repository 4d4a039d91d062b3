import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { api, wordsOf } from "../../api/client.ts";
import { getCertificate, setCertificateRenewal, updateCertificate } from "../../api/endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { LinkButton } from "../../parts/button.tsx";
import { Fact, Facts, TagsFact } from "../../parts/drawer.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { toast } from "../../parts/toasts.tsx";
import { listed } from "../../said.ts";
import { utcDayOf } from "../../parts/time.tsx";
import { type CertificateDetail, nameOf, shortId } from "./certificate.ts";

/** A certificate's owner, its tags, and its renewal. */
export default function Care(
  { of: certificate, mayChange }: { of: CertificateDetail; mayChange: boolean },
) {
  const [changing, setChanging] = useState(false);
  const { id, owner, tags, renewed_by, renewal } = certificate;
  const listAt = (name: string, value: string) =>
    `/certificates?${name}=${encodeURIComponent(value)}`;
  return (
    <>
      <Facts title="Owner">
        <Fact name="Owner">
          {owner === ""
            ? <span class="muted">No owner</span>
            : <Link class="text-link" href={listAt("owner", owner)}>{owner}</Link>}
        </Fact>
        <TagsFact tags={tags} to={(tag) => listAt("tag", tag)} />
        <Fact name="Renewed by">
          {renewed_by ? <Renewal id={renewed_by} /> : <span class="muted">Not renewed yet</span>}
          {renewal?.by_hand && " (by hand)"}
          {certificate.is_ca && renewal?.new_key && " (same name, new key)"}
        </Fact>
        {renewal && renewal.added_names.length > 0 && (
          <Fact name="Added names">{listed(renewal.added_names.slice(0, 10))}</Fact>
        )}
      </Facts>
      {mayChange && (
        <LinkButton onClick={() => setChanging(true)}>
          Change owner and tags
        </LinkButton>
      )}
      {mayChange && <SayRenewal of={certificate} />}
      {changing && (
        <FormDialog
          name={`care ${id}`}
          title="Owner and tags"
          action="Save"
          initial={{ owner, tags: tags.join(", ") }}
          onSave={async (draft) => {
            const body = {
              owner: draft.owner.trim(),
              tags: draft.tags.split(",").map((tag) => tag.trim()).filter((tag) => tag !== ""),
            };
            await api.call(updateCertificate, { params: { id }, body });
            await queries.invalidateQueries({ queryKey: ["certificates"] });
            await queries.invalidateQueries({ queryKey: ["alerts", "certificate", id] });
            toast({ text: "Owner and tags are saved." });
          }}
          onClose={() => setChanging(false)}
          fields={[
            {
              of: "owner",
              label: "Owner",
              hint: "The owner's e-mail address.",
              type: "email",
            },
            { of: "tags", label: "Tags", hint: "Up to 10, with commas between." },
          ]}
        />
      )}
    </>
  );
}

/** A person's statement about its renewal: another one renews it, or this one does not. */
function SayRenewal({ of: { id, renewed_by } }: { of: CertificateDetail }) {
  const [naming, setNaming] = useState(false);
  const sayRenewal = async (other: string, renews: boolean) => {
    const body = { certificate: other, renews };
    await api.call(setCertificateRenewal, { params: { id }, body });
    await queries.invalidateQueries({ queryKey: ["certificates"] });
    await queries.invalidateQueries({ queryKey: ["alerts", "certificate", id] });
    toast({ text: renews ? "The renewal is saved." : "It is not its renewal." });
  };
  return (
    <>
      {renewed_by && (
        <LinkButton
          onClick={() =>
            sayRenewal(renewed_by, false).catch((error) => toast({ text: wordsOf(error) }))}
        >
          This is not its renewal
        </LinkButton>
      )}
      <LinkButton onClick={() => setNaming(true)}>Name its renewal</LinkButton>
      {naming && (
        <FormDialog
          name={`renewal ${id}`}
          title="Renewal"
          note="A certificate that expires later. Your choice takes precedence over the match by names."
          action="This renews it"
          initial={{ certificate: "" }}
          onSave={(draft) => sayRenewal(draft.certificate.trim(), true)}
          onClose={() => setNaming(false)}
          fields={[
            {
              of: "certificate",
              label: "Id of the certificate that renews it",
              autocomplete: "off",
            },
          ]}
        />
      )}
    </>
  );
}

/** The certificate that takes over, by name and end once they are read. */
function Renewal({ id }: { id: string }) {
  const { data } = useCall(["certificates", "one", id], getCertificate, { params: { id } }, {
    gcTime: 30_000,
  });
  return (
    <>
      <Link class="text-link" href={`/certificates/${encodeURIComponent(id)}`}>
        {data ? nameOf(data) : <code>{shortId(id)}</code>}
      </Link>
      {data && ` until ${utcDayOf(data.not_after)}`}
    </>
  );
}

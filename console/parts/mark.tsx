/** The product's mark; `letter`: another organisation's. */
export function Mark({ letter = "" }: { letter?: string }) {
  return (
    <svg class="mark" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <rect width="20" height="20" rx="5" />
      {letter
        ? <text x="10" y="14.4">{letter}</text>
        : <path d="M6.6 4.8h2.1v4.5l4-4.5h2.6l-4 4.4 4.3 6h-2.6l-3.2-4.6-1.1 1.2v3.4H6.6z" />}
    </svg>
  );
}

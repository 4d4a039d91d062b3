/** The column that holds what a developer is filed under; null: nothing. */
interface TagsColumn {
  tags: string | null;
}

/** The tags that a developer's column holds. */
export function tagsIn({ tags }: TagsColumn): string[] {
  // as: tagsColumn and imports write exactly this.
  return tags === null ? [] : JSON.parse(tags) as string[];
}

/** The column's value for these tags, without duplicates. */
export function tagsColumn(tags: readonly string[]): string | null {
  const own = [...new Set(tags)];
  return own.length === 0 ? null : JSON.stringify(own);
}

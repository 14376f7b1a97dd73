/** A page of the site, in Markdown. */
export interface Page {
  /** Where it stands on the site: `guide/faults.md`. */
  readonly path: string;
  readonly text: string;
}

/** The first heading of a page, as plain text. */
export function titleOf(text: string): string {
  const heading = /^# (.+)$/m.exec(text)?.[1];
  if (heading === undefined) throw new Error(`a page without a title:\n${text.slice(0, 200)}`);
  return heading.replaceAll('`', '');
}

/** What a link's `#` calls a heading: as GitHub spells it, so that the repository's links hold on the site. */
export function slugify(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** A cell of a table holds no line's end and no bar. */
export const cell = (text: string): string => text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|');

/** The same text outside of fenced blocks, changed by `change`. */
export function outsideBlocks(text: string, change: (prose: string) => string): string {
  return text
    .split(/(^ *```[\s\S]*?^ *```$)/m)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');
}

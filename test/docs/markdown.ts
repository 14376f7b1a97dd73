import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A file of the repository. @param path from the top */
export const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** What is made here and belongs to nobody. */
const MADE = new Set(['node_modules', 'dist', 'coverage', '.git', '.turbo']);

/** The files of the repository: from the top, in order. */
export const repositoryFiles: readonly string[] = filesOf('');

function filesOf(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true }).filter(({ name }) => !MADE.has(name));
  return entries
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesOf(path) : [path];
    })
    .sort();
}

/** Every page of Markdown. */
export const pages = repositoryFiles.filter((path) => path.endsWith('.md'));

/** Those that somebody reads from top to bottom; the packages' own are held by tests beside them. */
export const guides = pages.filter((path) => !path.startsWith('packages/') && path !== 'CHANGELOG.md');

/** A fenced block. */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  /** The comment before it: what it is, and of what; `''` without one. */
  readonly what: string;
  readonly argument: string;
  readonly code: string;
}

/** The fenced blocks of a page, each with the comment that stands right before it. */
export function blocksOf(page: string): Block[] {
  const text = read(page);
  return [...text.matchAll(/(?:<!-- ([^:>]+?)(?:: (\S+))? -->\n+)?^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)].map(
    (match) => ({
      page,
      line: text.slice(0, match.index).split('\n').length,
      what: match[1] ?? '',
      argument: match[2] ?? '',
      language: match[4]!,
      // In a list it is indented.
      code: match[5]!.replaceAll(new RegExp(`^${match[3]}`, 'gm'), '').trimEnd(),
    }),
  );
}

/** A page without its blocks, line by line as it was. */
export function prose(page: string): string {
  return read(page).replace(/^ *```[\s\S]*?^ *```$/gm, (block) => block.replace(/[^\n]/g, ''));
}

/** What a link's `#` may say of a page: its headings, as GitHub spells them. */
export function anchors(page: string): string[] {
  const seen = new Map<string, number>();
  return [...prose(page).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading]) => {
    const slug = heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
}

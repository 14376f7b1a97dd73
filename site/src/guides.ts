import { relink } from './links.ts';
import { outsideBlocks, type Page } from './page.ts';
import { read } from './repository.ts';

/** What is said to the tests of the examples: `<!-- run -->`. */
const TO_TESTS = /^<!-- [^>]* -->\n+/gm;

/** The pages that people wrote, as they stand in the repository but for their links. */
export function guidePages(places: ReadonlyMap<string, string>): Page[] {
  return [...places]
    .filter(([from]) => from.endsWith('.md'))
    .map(([from, path]) => ({ path, text: guidePage(from, places) }));
}

/** One of them. @param from its path in the repository */
export function guidePage(from: string, places: ReadonlyMap<string, string>): string {
  const text = outsideBlocks(read(from), (prose) => prose.replace(TO_TESTS, ''));
  return relink(text, from, places);
}

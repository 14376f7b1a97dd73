import { dirname, join } from 'node:path/posix';
import { outsideBlocks } from './page.ts';
import { assets } from './places.ts';

/**
 * Points the links of a page of the repository to the pages of the site. What the site has not, such as a source file, is
 * named without a link: whoever reads sources has the repository.
 * @param from the page's path in the repository
 * @param places where files of the repository stand on the site
 */
export function relink(text: string, from: string, places: ReadonlyMap<string, string>): string {
  return outsideBlocks(text, (prose) =>
    prose.replace(/\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (link, words: string, to: string) => {
      if (/^[a-z]+:/.test(to) || to.startsWith('#')) return link;
      const [path = '', anchor] = to.split('#');
      const target = join(dirname(from), path).replace(/\/$/, '');
      const place = places.get(target) ?? assets.get(target);
      return place === undefined ? words : `[${words}](/${place}${anchor === undefined ? '' : `#${anchor}`})`;
    }),
  );
}

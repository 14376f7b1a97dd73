import { dirname, join } from 'node:path/posix';
import { outsideBlocks } from './page.ts';
import { assets } from './places.ts';
import { filesUrl } from './repository.ts';

/**
 * Points the links of a page of the repository to the pages of the site. What the site has not, such as a source file, is
 * named without a link: whoever reads sources has the repository. Its address on the web counts as its top.
 * @param from the page's path in the repository
 * @param places where files of the repository stand on the site
 */
export function relink(text: string, from: string, places: ReadonlyMap<string, string>): string {
  return outsideBlocks(text, (prose) =>
    prose.replace(/\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (link, words: string, to: string) => {
      const onTheWeb = to.startsWith(filesUrl);
      if ((/^[a-z]+:/.test(to) && !onTheWeb) || to.startsWith('#')) return link;
      const [path = '', anchor] = to.replace(filesUrl, '').split('#');
      const target = join(onTheWeb ? '' : dirname(from), path).replace(/\/$/, '');
      const place = places.get(target) ?? assets.get(target);
      return place === undefined ? words : `[${words}](/${place}${anchor === undefined ? '' : `#${anchor}`})`;
    }),
  );
}

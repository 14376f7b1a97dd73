import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesUrl } from '../../site/src/repository.ts';
import { anchors, pages, prose, repositoryFiles } from './markdown.ts';

// What the pages point to is there: links, anchors, and paths that stand in the text.

const files = new Set(repositoryFiles);
const folders = new Set(
  repositoryFiles.flatMap((path) => path.split('/').map((_, i, all) => all.slice(0, i).join('/'))),
);
const tops = new Set(repositoryFiles.filter((path) => path.includes('/')).map((path) => path.split('/')[0]!));

const exists = (path: string) => files.has(path) || folders.has(path);

/** Links to elsewhere in the repository, also by its address on the web, as seen from the page. */
function linksOf(page: string): string[] {
  return [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, to]) => (to!.startsWith(filesUrl) ? join(relative(dirname(page), '.'), to!.slice(filesUrl.length)) : to!))
    .filter((to) => !/^[a-z]+:/.test(to));
}

/** Code that is a path from the top: `packages/ttl/src/batch.ts`. `NAME` and `<PACKAGE>` stand for anything. */
function pathsOf(page: string): string[] {
  return [...prose(page).matchAll(/`([\w.@<>*-]+(?:\/[\w.@<>*-]*)+)`/g)]
    .map(([, path]) => path!.replace(/\/$/, ''))
    .filter((path) => tops.has(path.split('/')[0]!) && !/[<*]|[A-Z]{3}/.test(path.replace('README.md', '')));
}

describe.for(pages)('%s', (page) => {
  test('its links lead somewhere', () => {
    for (const link of linksOf(page)) {
      const [to, anchor] = link.split('#') as [string, string?];
      const target = to === '' ? page : join(dirname(page), to).replace(/\/$/, '');
      expect(exists(target), `${page}: no ${link}`).toBe(true);
      if (anchor !== undefined) expect(anchors(target), `${page}: ${link}`).toContain(anchor);
    }
  });

  test('the files that it names are there', () => {
    for (const path of pathsOf(page)) expect(exists(path), `${page}: no ${path}`).toBe(true);
  });
});

test('there are links and paths to look at', () => {
  expect(pages.flatMap(linksOf).length).toBeGreaterThan(100);
  expect(pages.flatMap(pathsOf).length).toBeGreaterThan(30);
});

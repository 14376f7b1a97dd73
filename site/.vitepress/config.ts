import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { defineConfig, type MarkdownOptions } from 'vitepress';
import { guidePage } from '../src/guides.ts';
import { slugify } from '../src/page.ts';
import { places } from '../src/places.ts';
import { root } from '../src/repository.ts';

const pages = join(root, 'site/dist/pages');

type ShikiTransformer = NonNullable<MarkdownOptions['codeTransformers']>[number];

/** On a busy machine the highlighter would leave a line half done after half a second: the same sources, other colours. */
const patient: ShikiTransformer = {
  name: 'patient',
  preprocess: (code, options) => {
    options.tokenizeTimeLimit = 0;
    return code;
  },
};

export default defineConfig({
  title: 'replsim',
  description: 'A MongoDB replica set that you can script, in virtual time',
  lang: 'en',
  srcDir: 'dist/pages',
  outDir: 'dist/html',
  cacheDir: 'dist/cache',
  cleanUrls: true,
  // One page after the other: the index of the search holds them in the order in which they come.
  buildConcurrency: 1,
  markdown: { anchor: { slugify }, codeTransformers: [patient] },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Lessons', link: '/lessons/' },
      { text: 'Scenarios', link: '/guide/scenarios' },
      { text: 'Reference', link: '/reference/steps' },
      { text: 'API', link: '/api/replsim' },
    ],
    sidebar: JSON.parse(readFileSync(join(root, 'site/dist/sidebar.json'), 'utf8')),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        // Whoever looks for a word wants what is said of it, and not every run in which it occurs.
        _render: (text, env, md) =>
          md.render(
            /^(scenarios|lessons)\//.test(env.relativePath) ? text.replace(/^```[\s\S]*?^```$/gm, '') : text,
            env,
          ),
      },
    },
  },
  vite: { plugins: [followGuides()] },
});

/** While somebody writes, a page changes with the file of the repository that it is made of. */
function followGuides() {
  const where = places();
  return {
    name: 'follow-guides',
    configureServer({
      watcher,
    }: {
      watcher: { add(paths: string[]): void; on(event: 'change', heard: (path: string) => void): void };
    }) {
      watcher.add([...where.keys()].filter((from) => from.endsWith('.md')).map((from) => join(root, from)));
      watcher.on('change', (path) => {
        const from = relative(root, path);
        const place = where.get(from);
        if (place !== undefined && from.endsWith('.md')) writeFileSync(join(pages, place), guidePage(from, where));
      });
    },
  };
}

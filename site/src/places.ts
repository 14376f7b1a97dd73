import { lessonFiles } from './lessonList.ts';
import { namesIn } from './repository.ts';

/** What of the repository is on the site, and where. By path from the top: `docs/faults.md` is `guide/faults.md`. */
export function places(): ReadonlyMap<string, string> {
  const found = new Map<string, string>([
    ['README.md', 'start.md'],
    ['CONTRIBUTING.md', 'inside/contributing.md'],
    ['site/README.md', 'inside/site.md'],
    ['CHANGELOG.md', 'changelog.md'],
    ['packages/node/STATECHARTS.md', 'packages/statecharts.md'],
    ['scenarios', 'scenarios/index.md'],
    ['docs/languages', 'guide/languages.md'],
    ['docs/languages/README.md', 'guide/languages.md'],
  ]);
  for (const name of namesIn('docs')) if (name.endsWith('.md')) found.set(`docs/${name}`, `guide/${name}`);
  for (const name of namesIn('packages')) {
    found.set(`packages/${name}`, `packages/${name}.md`);
    found.set(`packages/${name}/README.md`, `packages/${name}.md`);
  }
  const lessons = new Set(lessonFiles);
  for (const folder of namesIn('scenarios')) {
    found.set(`scenarios/${folder}`, `scenarios/${folder}/index.md`);
    for (const file of namesIn(`scenarios/${folder}`)) {
      const path = `scenarios/${folder}/${file}`;
      const name = file.replace(/\.(yaml|transcript)$/, '.md');
      found.set(
        path,
        lessons.has(path.replace(/transcript$/, 'yaml')) ? `lessons/${name}` : `scenarios/${folder}/${name}`,
      );
    }
  }
  return found;
}

/** Files that the site hands out as they are, by path from the top. */
export const assets: ReadonlyMap<string, string> = new Map([
  ['packages/scenario/schema.json', 'schema.json'],
  ['packages/scenario/forecast.schema.json', 'forecast.schema.json'],
  ['packages/cli/report.schema.json', 'report.schema.json'],
]);

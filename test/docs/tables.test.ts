import { basename } from 'node:path';
import { type MongodVersion, VERSIONS } from '@replsim/protocol';
import { ttlParametersOf } from '@replsim/ttl';
import { expect, test } from 'vitest';
import { VERBS, type Verb } from '../../packages/cli/src/control/verbs.ts';
import { KNOWN } from '../specifications/unified/known.ts';
import { prose, read, repositoryFiles } from './markdown.ts';

// Tables and lists of the guides that say what the sources say too.

/** The cells of a page's rows, without the heads of tables. */
const rowsOf = (page: string): string[][] =>
  [...prose(page).matchAll(/^\| (.*) \|$/gm)].map(([, row]) => row!.split(' | '));

test('a lesson is called what its scenario claims', () => {
  const lessons = [...read('docs/scenarios.md').matchAll(/^(\d+)\. \[(.*)\]\(\.\.\/(\S+)\)$/gm)];
  expect(lessons.length).toBeGreaterThan(40);
  for (const [index, [, number, title, file]] of lessons.entries()) {
    expect(Number(number)).toBe(index + 1);
    expect(read(file!)).toContain(`\nname: ${title}\n`);
  }
  expect(new Set(lessons.map(([, , , file]) => file)).size).toBe(lessons.length);
});

test('each folder of scenarios is told of', () => {
  const folders = repositoryFiles.flatMap((path) => /^scenarios\/(\w+)\//.exec(path)?.[1] ?? []);
  const told = [...read('docs/scenarios.md').matchAll(/\]\(\.\.\/scenarios\/(\w+)\)/g)].map(([, folder]) => folder!);
  expect(told.sort()).toEqual([...new Set(folders)].sort());
});

test('each verb of serve --control is in the guide, as it describes itself', () => {
  const shown = rowsOf('docs/serve.md').filter(([request]) => /^`(GET|POST) /.test(request!));
  const verbs = Object.entries<Verb>(VERBS).map(([name, { method, what, fields, takesFaults }]) => [
    `\`${method} ${name}\``,
    [...(takesFaults ? ['one or more faults'] : []), ...Object.keys(fields).map((field) => `\`${field}\``)].join(
      ', ',
    ) || 'none',
    what,
  ]);
  expect(shown).toEqual(verbs);
});

test('each word of the glossary has a scenario, and they stand in order', () => {
  const rows = rowsOf('docs/glossary.md').filter(([word]) => word !== 'word');
  const core = rowsOf('docs/glossary.md').findLastIndex(([word]) => word === 'word') - 1;
  expect(core).toBeGreaterThanOrEqual(12);
  expect(core).toBeLessThanOrEqual(18);
  expect(rows.length).toBeGreaterThan(30);
  for (const [word, , seen] of rows) {
    const [, name, file] = /^\[(.*)\]\((.*)\)$/.exec(seen!)!;
    expect(basename(file!, '.yaml'), word).toBe(name);
  }
  const words = rows.map(([word]) => word!.toLowerCase());
  expect(new Set(words).size).toBe(words.length);
  for (const table of [words.slice(0, core), words.slice(core)])
    expect(table).toEqual([...table].sort((a, b) => (a < b ? -1 : 1)));
});

test('the TTL parameters are those of the releases', () => {
  const releases = (['3.2', '4.4', '6.0', '7.0', '8.0', '8.2'] as const satisfies MongodVersion[]).map(
    (version) => [version, ttlParametersOf(VERSIONS[version])] as const,
  );
  const names = new Set(releases.flatMap(([, parameters]) => parameters.map(({ name }) => name)));
  const expected = [...names].map((name) => {
    const knowing = releases.filter(([, parameters]) => parameters.some((parameter) => parameter.name === name));
    const gone = releases.slice(releases.indexOf(knowing.at(-1)!) + 1).map(([version]) => version);
    const value = knowing[0]![1].find((parameter) => parameter.name === name)!.default;
    return [`\`${name}\``, String(value), [knowing[0]![0], ...gone.map((version) => `not in ${version}`)].join(', ')];
  });
  const shown = rowsOf('docs/ttl.md').filter(([cell]) => /^`(ttl|batched)\w+`$/.test(cell!));
  expect(shown.sort()).toEqual(expected.sort());
});

test('the commands of a served set are told of in the guide as in the package', () => {
  const namesIn = (page: string) =>
    new Set([...prose(page).matchAll(/^\| `(?:\{ )?(replsim\w+)/gm)].map(([, name]) => name));
  expect(namesIn('docs/serve.md').size).toBeGreaterThan(5);
  expect(namesIn('docs/serve.md')).toEqual(namesIn('packages/replsim/README.md'));
});

test('the guide to differences has a chapter for each package whose sources say that they simplify something', () => {
  const chapters = [...read('docs/differences.md').matchAll(/^## (.*)$/gm)].flatMap(([, title]) =>
    title!.split(/, | and /),
  );
  const simpler = repositoryFiles
    .filter((path) => /^packages\/\w+\/src\/.*\.ts$/.test(path) && /\bsimplifications?:/i.test(read(path)))
    .map((path) => path.split('/')[1]!);
  expect(simpler.length).toBeGreaterThan(20);
  for (const name of new Set(simpler)) expect(chapters).toContain(name);
});

test('the way of an insert goes by files that hold what is said of them', () => {
  const steps = rowsOf('docs/architecture.md').filter(([, where]) => where?.startsWith('`packages/'));
  expect(steps.length).toBeGreaterThan(12);
  for (const [, where] of steps) {
    for (const place of where!.split(', ')) {
      const [path, ...names] = [...place.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
      const source = read(path!);
      for (const name of names) expect(source, `${path} has no ${name}`).toMatch(new RegExp(`(^|[\\s*.(])${name}\\b`));
    }
  }
});

test('the folders of node are those that it has', () => {
  const told = rowsOf('docs/architecture.md').flatMap(([cell]) =>
    /^`\w+`(, `\w+`)*$/.test(cell!) ? cell!.replaceAll('`', '').split(', ') : [],
  );
  const folders = repositoryFiles.flatMap((path) => /^packages\/node\/src\/(\w+)\//.exec(path)?.[1] ?? []);
  expect(told.sort()).toEqual([...new Set(folders)].sort());
});

test('the recipes name what the files hold', () => {
  const named = [
    ...prose('docs/change-it.md').matchAll(/`(\w+)`(?:, and to `\w+`)?\s+in\s+`((?:packages|test)\/[^`]+\.ts)`/g),
  ];
  expect(named.length).toBeGreaterThan(12);
  for (const [, name, path] of named)
    expect(read(path!), `${path} has no ${name}`).toMatch(new RegExp(`\\b${name}\\b`));
});

test('each known failure of the driver specifications is told of, and no other', () => {
  const causes: Record<string, string> = { "the driver's": 'driver', 'by choice': 'choice' };
  const told = rowsOf('docs/drivers.md').flatMap(([suite = '', reason = '', , whose = '']) =>
    causes[whose] === undefined ? [] : [`${suite}: ${reason} (${causes[whose]})`],
  );
  expect(told.sort()).toEqual(KNOWN.map(({ suite, reason, cause }) => `${suite}: ${reason} (${cause})`).sort());
});

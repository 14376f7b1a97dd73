import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// What a file exports, another file reads. Sources are read as text.

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Values alone: a type that is exported names what a function gives or takes, to whoever reads it. */
const DECLARED = /^export (?:abstract )?(?:const|let|function\*?|class) (\w+)/gm;
const HANDED_ON = /^export (?:type )?\{([^}]*)\}/gm;
const TAKEN = /\b(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)'/g;
/** `import * as all from`, `await import(…)`: whoever takes a file so takes all that it has. */
const TAKEN_WHOLE = /(?:\bfrom |\bimport\()'(\.[^']+)'/g;

/** What a package hands to others is its own affair, and named in its package.json. */
const DOORS = /\/src\/(index|vitest|jest|jestEnvironment|jestSetup|mongodbMemoryServer\/index)\.ts$/;

/** `a, type B, c as d`: what the names are on the left side of `as`, or on the right one. */
function namesIn(list: string, side: 'left' | 'right'): string[] {
  return list
    .split(',')
    .map((item) =>
      item
        .trim()
        .replace(/^type /, '')
        .split(' as '),
    )
    .flatMap((pair) => (side === 'left' ? pair.slice(0, 1) : pair.slice(-1)))
    .filter((name) => name !== '');
}

/** `FILE NAME` of each export that no file in `texts` takes. @param texts by path, from the root */
function untaken(texts: ReadonlyMap<string, string>): string[] {
  const taken = new Set<string>();
  for (const [path, text] of texts) {
    const fileOf = (specifier: string) => normalize(join(dirname(path), specifier));
    const rest = text.replaceAll(TAKEN, (_, list: string, specifier: string) => {
      for (const name of namesIn(list, 'left')) taken.add(`${fileOf(specifier)} ${name}`);
      return '';
    });
    for (const [, specifier = ''] of rest.matchAll(TAKEN_WHOLE)) taken.add(fileOf(specifier));
  }
  return [...texts].flatMap(([path, text]) => {
    if (!/^packages\/\w+\/src\//.test(path) || DOORS.test(path)) return [];
    const exported = [
      ...[...text.matchAll(DECLARED)].flatMap(([, name = '']) => name),
      ...[...text.matchAll(HANDED_ON)].flatMap(([, list = '']) => namesIn(list, 'right')),
    ];
    return taken.has(path) ? [] : exported.map((name) => `${path} ${name}`).filter((key) => !taken.has(key));
  });
}

test('nothing is exported that nobody takes', () => {
  const texts = new Map<string, string>();
  for (const folder of ['packages', 'test', 'bench']) {
    for (const file of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      const path = join(folder, file);
      if (!/\.tsx?$/.test(path) || /\b(dist|node_modules)\b/.test(path)) continue;
      texts.set(path, readFileSync(join(root, path), 'utf8'));
    }
  }
  expect(texts.size).toBeGreaterThan(1000);
  expect(untaken(texts)).toEqual([]);
});

test('it is seen', () => {
  const a = 'packages/x/src/a.ts';
  const text = `export const one = 1;\nexport function two() {}\nexport class Three {}\nexport { four as five };`;
  const of = (other: string) => untaken(new Map([[a, text], ['packages/x/test/b.test.ts', other]])); // biome-ignore format: one line
  const all = ['one', 'two', 'Three', 'five'].map((name) => `${a} ${name}`);
  expect(of(`import { one } from './a.ts';`)).toEqual(all);
  expect(of(`import {\n  one,\n  Three as T,\n} from '../src/a.ts';`)).toEqual([all[1], all[3]]);
  expect(of(`export type { five } from '../src/a.ts';\nconst { two } = await import('../src/a.ts');`)).toEqual([]);
});

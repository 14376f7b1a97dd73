import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// What the page is made of beside its own folder: turbo takes a build from its cache unless one of these changed.

const root = new URL('../../../../', import.meta.url);
const text = (path: string) => readFileSync(new URL(path, root), 'utf8');

test('the page is built anew when a file changes that it is made of', () => {
  const { inputs } = JSON.parse(text('turbo.json')).tasks['@replsim/studio#build'] as { inputs: readonly string[] };
  const sources = readdirSync(new URL('packages/studio', root), { recursive: true, encoding: 'utf8' })
    .filter((path) => /^(src|vite)\/.*\.tsx?$|^vite\.config\.ts$/.test(path))
    .map((path) => text(`packages/studio/${path}`))
    .join('\n');
  const outside = [...sources.matchAll(/'(?:\.\.\/){3,}((?:docs|scenarios|packages)\/[^'?]*)[?']/g)].map(
    ([, path = '']) => path,
  );
  expect(outside).toContain('scenarios/');
  const isInput = (path: string) => inputs.some((each) => `$TURBO_ROOT$/${path}`.startsWith(each.replace(/\*\*$/, '')));
  expect(outside.filter((path) => !isInput(path))).toEqual([]);
});

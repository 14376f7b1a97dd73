import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { asksForRare, CHECK_KEYS, STEP_GROUPS } from '@replsim/scenario';
import { beforeAll, expect, test } from 'vitest';
import { oneScript } from '../../vite/oneScript.ts';

// What steps and checks need themselves is in the page's simulator: a scenario that only turns out to need more is played twice.

const scenarios = fileURLToPath(new URL('../../../../scenarios', import.meta.url));
const KEYS = [...STEP_GROUPS.flatMap(([, keys]) => keys), ...Object.values(CHECK_KEYS).flat()];
const keysOf = (text: string) => KEYS.filter((key) => new RegExp(`^[^#]*\\b${key}:`, 'm').test(text));

/** The shortest scenarios that do not ask for what is rare, and between them have every step and check that such ones have. */
function shortest(): readonly (readonly [file: string, text: string])[] {
  const all = readdirSync(scenarios, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => [file, readFileSync(`${scenarios}/${file}`, 'utf8')] as const)
    .filter(([, text]) => !asksForRare(text))
    .sort(([, one], [, other]) => one.length - other.length);
  const had = new Set<string>();
  return all.filter(([, text]) => {
    const fresh = keysOf(text).filter((key) => !had.has(key));
    for (const key of fresh) had.add(key);
    return fresh.length > 0;
  });
}

const chosen = shortest();
let lacks: (text: string) => Promise<boolean>;

beforeAll(async () => {
  const script = await oneScript(fileURLToPath(new URL('./lackedEntry.ts', import.meta.url)));
  const { TextEncoder, TextDecoder, crypto, performance } = globalThis;
  const self: { lacks?: typeof lacks } = {};
  runInNewContext(script, { self, TextEncoder, TextDecoder, crypto, performance, navigator: {} });
  lacks = self.lacks!;
});

/** Steps and checks that rest on what is rare, or that no scenario of the shelf has. */
const NOT_PLAYED = 'sometimes collMod watch disconnect secured refused awaitEnded hangUp stream';

test('nearly every step and check is there', () => {
  const had = new Set(chosen.flatMap(([, text]) => keysOf(text)));
  expect(KEYS.filter((key) => !had.has(key))).toEqual(NOT_PLAYED.split(' '));
});

test.for(chosen)('%s is played by what the page has', async ([, text]) => {
  expect(await lacks(text)).toBe(false);
});

test('what is lacking is noticed', async () => {
  const text =
    'name: it\nsteps:\n  - eventually: { within: 30s, primary: any }\n  - run: { on: primary, command: { distinct: c, key: a } }\n';
  expect(await lacks(text)).toBe(true);
});

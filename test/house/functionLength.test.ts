import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';

// A function fits a screen. Sources are parsed, and not run.

const root = fileURLToPath(new URL('../..', import.meta.url));
const MAX_LINES = 60;

const TABLE = 'a table, a row for each case';

/** Longer ones, and why. The list may only shrink. */
const LONGER: Readonly<Record<string, string>> = {
  'pipeline/src/stages/runStages.ts compileStage': TABLE,
  'scenario/src/transcript/narrator.ts text': TABLE,
  'storage/src/keys/valueKey.ts pushBody': TABLE,
  'why/src/memberStory.ts observe': TABLE,
};

test('no function is longer than a screen, but for those listed', () => {
  const long = readdirSync(join(root, 'packages')).flatMap((name) => longFunctionsIn(name));
  expect(long.sort()).toEqual(Object.keys(LONGER).sort());
});

test('a function that is too long is found by its name, whichever way it is written', () => {
  const lines = '\n'.repeat(MAX_LINES);
  const text = `function a() {${lines}}\nconst b = () => {${lines}};\nclass C { #d() {${lines}} e() {} }\nconst f = { g() {${lines}} };`;
  expect(longIn(text, 'ts')).toEqual(['a', 'b', 'd', 'g']);
});

function longFunctionsIn(name: string): string[] {
  const folder = join(root, 'packages', name, 'src');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => {
      const language = file.endsWith('x') ? 'tsx' : 'ts';
      const long = longIn(readFileSync(join(folder, file), 'utf8'), language);
      return long.map((each) => `${name}/src/${file} ${each}`);
    });
}

/** A part of a parsed source, as far as it is looked at. */
interface Part {
  readonly type?: unknown;
  readonly start?: unknown;
  readonly end?: unknown;
  readonly id?: { readonly name?: string } | null;
  readonly key?: { readonly name?: string };
  readonly body?: unknown;
}

function longIn(text: string, lang: 'ts' | 'tsx'): string[] {
  const long: string[] = [];
  const visit = (part: Part, around: string): void => {
    const name = part.id?.name ?? part.key?.name ?? around;
    if (isFunction(part) && text.slice(part.start, part.end).split('\n').length > MAX_LINES) long.push(name);
    for (const inner of Object.values(part)) {
      for (const each of Array.isArray(inner) ? inner : [inner])
        if (typeof each === 'object' && each !== null) visit(each, name);
    }
  };
  visit(parseAst(text, { lang }) as Part, '');
  return long;
}

function isFunction(part: Part): part is Part & { readonly start: number; readonly end: number } {
  return typeof part.type === 'string' && /^(Arrow)?Function(Expression|Declaration)$/.test(part.type);
}

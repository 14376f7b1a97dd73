import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as conversion from '../../query/src/expressions/conversion.ts';
import * as dates from '../../query/src/expressions/dates.ts';
import * as objects from '../../query/src/expressions/objects.ts';
import * as quantiles from '../../query/src/expressions/quantiles.ts';
import * as regexes from '../../query/src/expressions/regexes.ts';
import * as sets from '../../query/src/expressions/sets.ts';
import * as strings from '../../query/src/expressions/strings.ts';
import * as trigonometry from '../../query/src/expressions/trigonometry.ts';
import { RARE_COMMANDS, RARE_CONTROLS, RARE_OPERATORS } from '../../scenario/src/schema/rare.ts';
import { COMMANDS_LEFT_OUT, LEFT_OUT } from '../vite/leftOut.ts';

// What the page leaves out is noticed when it is asked for, so that the whole can take its place.

const packages = new URL('../../', import.meta.url);

test.for(LEFT_OUT)('$file: all names are there', async ({ file, instead }) => {
  const all: object = await import(new URL(file, packages).href);
  expect(instead).toContain('globalThis.replsimLacked = true;');
  const listed = [...instead.matchAll(/export \{([^}]*)\}/g)].flatMap(([, list = '']) =>
    list.split(',').map((each) => each.trim().replace(/^\w+ as /, '')),
  );
  const made = [...instead.matchAll(/export (?:const|class) (\w+)/g)].map(([, name = '']) => name);
  expect([...listed, ...made].filter((name) => name !== '').sort()).toEqual(Object.keys(all).sort());
});

test('operators that are left out are known', () => {
  const all = { ...conversion, ...dates, ...objects, ...quantiles, ...regexes, ...sets, ...strings, ...trigonometry };
  for (const [table, names] of Object.entries({ ...RARE_OPERATORS, ...RARE_CONTROLS }))
    expect(names, table).toEqual(Object.keys(all[table as keyof typeof all]));
});

test('a scenario that runs a command that is left out is seen to ask for it', () => {
  const named = COMMANDS_LEFT_OUT.flatMap((file) => {
    const text = readFileSync(new URL(file, packages), 'utf8');
    const names = [...text.matchAll(/^ +name: '(\w+)'|aliases: \['(\w+)'\]/gm)].map(([, name, alias]) => name ?? alias);
    expect(names, file).not.toEqual([]);
    return names;
  });
  expect(RARE_COMMANDS).toEqual(expect.arrayContaining(named));
});

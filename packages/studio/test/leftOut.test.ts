import { fileURLToPath } from 'node:url';
import * as geo from '@replsim/geo';
import { expressionRules } from '@replsim/query';
import { asksForSearches } from '@replsim/scenario';
import * as text from '@replsim/text';
import { expect, test } from 'vitest';
import { coreInBrowser } from '../vite/core.ts';

// What the page leaves out refuses, and says where it is to be had.

const [onlyBrowser] = coreInBrowser.plugins;
const indexOf = (name: string) => fileURLToPath(new URL(`../../${name}/src/index.ts`, import.meta.url));
const insteadOf = (name: string) => (onlyBrowser as unknown as { load(id: string): string }).load(indexOf(name));

test.for([
  ['geo', 'places', geo],
  ['text', 'searches by words', text],
] as const)('%s: all names are there', ([name, what, all]) => {
  const instead = insteadOf(name);
  expect(instead).toContain(
    `this page knows nothing of ${what}, which was asked for in a way that it did not see: play it by \`replsim run\``,
  );
  const names = [...instead.matchAll(/export \{([^}]*)\}/g)].flatMap(([, list = '']) =>
    list.split(',').map((each) => each.trim().replace(/^refuse as /, '')),
  );
  expect(names.sort()).toEqual(Object.keys(all).sort());
});

test('an operator of expressions never needs the whole program', () => {
  for (const name of Object.keys(expressionRules)) expect(asksForSearches(`v: { ${name}: $x }`), name).toBe(false);
});

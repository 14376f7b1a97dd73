import { fileURLToPath } from 'node:url';
import * as geo from '@replsim/geo';
import { expressionRules, operators } from '@replsim/query';
import { asksForSearches } from '@replsim/scenario';
import * as text from '@replsim/text';
import { expect, test } from 'vitest';
import { controls } from '../../query/src/expressions/control.ts';
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

test('whoever asks for an operator that another library computes gets the whole program', () => {
  const own = new Set([...operators.keys(), ...Object.keys(controls), '$literal', '$const']);
  const others = Object.keys(expressionRules).filter((name) => !own.has(name));
  expect(others).toContain('$regexMatch');
  for (const name of others) expect(asksForSearches(`v: { ${name}: $x }`), name).toBe(true);
  for (const name of own) if (name !== '$text') expect(asksForSearches(`v: { ${name}: $x }`), name).toBe(false);
});

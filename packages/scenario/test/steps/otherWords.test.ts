import { expect, test } from 'vitest';
import { InvalidScenario, parseScenario } from '../../src/index.ts';
import { OTHER_WORDS } from '../../src/steps/otherWords.ts';
import { STEP_GROUPS } from '../../src/steps/table.ts';

const steps = STEP_GROUPS.flatMap(([, keys]) => keys);

test.for(Object.entries(OTHER_WORDS))('%s is no step, and the one that is meant exists', ([word, advice]) => {
  expect(steps).not.toContain(word);
  const named = [...advice.matchAll(/"(?:- )?(\w+)[":]/g)].map(([, name = '']) => name);
  expect(named.filter((each) => !steps.includes(each))).toEqual([]);
  expect(named).not.toEqual([]);
  expect(() => parseScenario(`name: a\nsteps: [ { ${word}: 1 } ]\n`, 'a.yaml')).toThrow(advice);
});

test('what advice writes out in full is a step', () => {
  const examples = Object.values(OTHER_WORDS).flatMap((advice) =>
    [...advice.matchAll(/"- (\w+: [^"]+)"/g)].map(([, step = '']) => step).filter((step) => !step.includes('…')),
  );
  expect(examples).not.toEqual([]);
  for (const step of new Set(examples)) {
    const text = `name: a\nbegin: with a primary\nsteps:\n  - ${step}\n`;
    expect(() => parseScenario(text, 'a.yaml'), step).not.toThrow(InvalidScenario);
  }
});

test.for(['nobody', 'noone', 'nil'])('primary: %s is none', (word) => {
  expect(() => parseScenario(`name: a\nsteps: [ expect: { primary: ${word} } ]\n`, 'a.yaml')).toThrow(
    'did you mean "none"?',
  );
});

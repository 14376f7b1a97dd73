import { scenarioJsonSchema } from '@replsim/scenario';
import { expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { completionsAt, type Schema } from '../../../src/core/edit/complete.ts';
import { completing, withoutRepetition } from '../../../vite/completionSchema.ts';

const schema = scenarioJsonSchema() as Schema;
/** As the editor has it. */
const small = withoutRepetition(completing(schema));

/** What is offered at the bar, behind the word that stands before it. */
function offered(withBar: string, known = schema) {
  const to = withBar.indexOf('|');
  const text = withBar.replace('|', '');
  const from = to - (/[\w$]*$/.exec(text.slice(0, to))?.[0].length ?? 0);
  return completionsAt(text, from, to, known, (given) => parseDocument(given, { logLevel: 'silent' }).contents);
}
const labels = (withBar: string) => offered(withBar).map(({ label }) => label);

test.for([
  ['the top', 'na|', ['name', 'replicaSet', 'steps'], ['kill', 'primary']],
  ['the top, beside others', 'name: A\n|\nsteps:\n  - advance: 1s\n', ['description', 'replicaSet'], ['name', 'steps']],
  ['a step', 'name: A\nsteps:\n  - |\n', ['advance', 'kill', 'expect', 'insert'], ['name', 'state']],
  ['a step that has one key', 'steps:\n  - at: 3s\n    ki|\n', ['kill', 'partition'], ['at']],
  ['what a check asks', 'steps:\n  - expect: { pr| }\n', ['primary', 'state'], ['kill']],
  [
    'a check on lines of its own',
    'steps:\n  - eventually:\n      within: 3s\n      |\n',
    ['primary'],
    ['within', 'kill'],
  ],
  [
    'a member of the set',
    'replicaSet:\n  members:\n    - name: n1\n      |\n',
    ['priority', 'votes', 'clock'],
    ['name'],
  ],
  ['behind a mistake', 'name: A\nname: [B\n]\nsteps:\n  - |\n', ['advance'], []],
] as const)('keys: %s', ([, text, some, none]) => {
  const found = labels(text);
  expect(found).toEqual(expect.arrayContaining([...some]));
  expect(found.filter((each) => (none as readonly string[]).includes(each))).toEqual([]);
});

test('values: of an enumeration, and yes or no', () => {
  expect(labels('version: |\n')).toEqual(expect.arrayContaining(['8.0']));
  expect(offered('version: |\n')[0]?.insert).toMatch(/^"[\d.]+"$/);
  expect(labels('replicaSet:\n  members: [{ name: n1, hidden: | }]\n')).toEqual(['true', 'false']);
});

test.for([
  ['a comment', '# na|'],
  ['a string', 'name: What somebody wri|\n'],
  ['the midst of a word', 'na|me: A\n'],
  ['a document, which may have any fields', 'steps:\n  - insert: { into: a.b, documents: [{ na| }] }\n'],
] as const)('nothing in %s', ([, text]) => expect(offered(text)).toEqual([]));

test('a key says what it is, and is written with its colon', () => {
  expect(offered('steps:\n  - ki|\n').find(({ label }) => label === 'kill')).toEqual({
    label: 'kill',
    insert: 'kill: ',
    kind: 'key',
    description: expect.stringMatching(/\w/),
  });
});

test('the editor, whose schema is made small, offers what the whole one does, at every place', () => {
  expect(JSON.stringify(small).length).toBeLessThan(JSON.stringify(schema).length / 1.7);
  const seen = new Set<string>();
  const visit = (before: string, after: string) => {
    const text = `${before}|${after}`;
    const found = offered(text);
    expect(offered(text, small), text).toEqual(found);
    const known = JSON.stringify(found);
    if (seen.has(known)) return;
    seen.add(known);
    for (const { label, kind } of found)
      if (kind === 'key')
        for (const [open, close] of ['  ', '{}', '[]', ['[{', '}]']] as const)
          visit(`${before}${label}: ${open}`, `${close}${after}`);
  };
  visit('{', '}');
  expect(seen.size).toBeGreaterThan(100);
});

import { expect, test } from 'vitest';
import { unseen } from '../../../src/core/history/memberAt.ts';
import { commandsOf } from '../../../src/core/live/commands.ts';
import { actionsBetween, actionsOn } from '../../../src/page/inspector/actions.ts';

const running = { ...unseen('n1'), process: 'running', acceptsWrites: true } as const;
const actions = [
  ...actionsOn(running),
  ...actionsOn({ ...running, process: 'paused' }),
  ...actionsOn({ ...running, process: 'killed' }),
  ...actionsOn({ ...running, held: ['fetch'] }),
  ...actionsBetween('n1', 'n2', false),
  ...actionsBetween('n1', 'n2', true),
];

test.for(actions)('“$label” is a command for a live set, or is said to be none', ({ step }) => {
  let commands: ReturnType<typeof commandsOf> = [];
  try {
    commands = commandsOf(step);
  } catch (error) {
    expect(String(error)).toMatch(/cannot be done to a live set from here/);
    return;
  }
  expect(commands).toHaveLength(step.texts.length);
  for (const { command } of commands)
    expect(Object.keys(command)[0]).toMatch(/^(replsimFault|replSetStepDown|insert)$/);
});

test.for([
  ['fault', 'kill: n2', { command: { replsimFault: { kill: 'n2' } } }],
  ['fault', 'cut: { from: n1, to: n2 }', { command: { replsimFault: { cut: { from: 'n1', to: 'n2' } } } }],
  ['step', 'stepDown: n1', { on: 'n1', command: { replSetStepDown: 60 } }],
  ['step', 'stepDown: primary', { command: { replSetStepDown: 60 } }],
  [
    'step',
    'insert: { into: app.a.b, documents: [{ x: 1 }] }',
    { command: { insert: 'a.b', documents: [{ x: 1 }], $db: 'app' } },
  ],
  ['step', 'run: { on: n2, command: { replSetFreeze: 5 } }', { on: 'n2', command: { replSetFreeze: 5, $db: 'admin' } }],
  ['step', 'advance: 1m', { command: { replsimAdvance: '1m' } }],
] as const)('%s %s', ([kind, text, command]) => {
  expect(commandsOf({ kind, texts: [text] })).toEqual([command]);
});

test.for([
  'insert: { into: app.a, count: 5, document: { _id: $i } }',
  'insert: { into: app, documents: [{ x: 1 }] }',
  'insert: { into: app.a, documents: [{ x: 1 }], writeConcern: { w: majority } }',
  'stepDown: { on: n1, secs: 5 }',
  'run: { on: n1, command: { ping: 1 }, error: any }',
  'advance: { to: 5s }',
  'toString: 1',
  'initiate: n1',
])('%s cannot be done', (text) => {
  expect(() => commandsOf({ kind: 'step', texts: [text] })).toThrow(
    `“${text}” cannot be done to a live set from here: send the command with mongosh or a driver.`,
  );
});

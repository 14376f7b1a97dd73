import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';
import { insertStep } from '../../../src/core/edit/insertStep.ts';
import { type MemberAt, unseen } from '../../../src/core/history/memberAt.ts';
import { actionsBetween, actionsOn } from '../../../src/page/inspector/actions.ts';

const TEXT = `name: Whatever is clicked
replicaSet: { members: [n1, n2, n3] }
steps:
  - advance: 20s
`;
const running: MemberAt = { ...unseen('n1'), process: 'running' };
const actions = [
  ...actionsOn({ ...running, acceptsWrites: true }),
  ...actionsOn({ ...running, held: ['fetch'] }),
  ...actionsOn({ ...running, process: 'paused' }),
  ...actionsOn(unseen('n1')),
  ...actionsBetween('n1', 'n2', false),
  ...actionsBetween('n1', 'n2', true),
].map((action) => [action.step.texts.join('; '), action] as const);

test.for(actions)('%s is a step that a scenario may have, and can be carried out', async ([, { step }]) => {
  // n1 is the primary by then.
  const { text } = insertStep(TEXT, 15_000_000, step, [{ index: 1, atMicros: 0, endedMicros: 20_000_000 }])!;
  const scenario = parseScenario(text, 'clicked.yaml');
  const { failure } = await playScenario(scenario, (setup) => ReplSet.create(setup));
  expect(failure?.detail).toBeUndefined();
});

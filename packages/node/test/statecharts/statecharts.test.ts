import { expect, test } from 'vitest';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { configMachine } from '../../src/config/configMachine.ts';
import { roleMachine } from '../../src/election/roleMachine.ts';
import { shutdownMachine } from '../../src/shutdown/shutdownMachine.ts';
import { memberMachine } from '../../src/topology/memberMachine.ts';
import { descendants, mermaid } from './mermaid.ts';

/** Every statechart of a member; a new one is added here, and `npx vitest run packages/node/test/statecharts -u` draws it. */
const STATECHARTS: readonly { readonly file: string; readonly says: string; readonly machine: AnyStateMachine }[] = [
  {
    file: 'src/election/roleMachine.ts',
    says: 'The role and the leader mode: how a member stands, leads, becomes writable, and steps down.',
    machine: roleMachine,
  },
  {
    file: 'src/topology/memberMachine.ts',
    says: 'What a member does while it does not lead, and whether it is in maintenance.',
    machine: memberMachine,
  },
  {
    file: 'src/config/configMachine.ts',
    says: 'How one config follows another.',
    machine: configMachine,
  },
  {
    file: 'src/shutdown/shutdownMachine.ts',
    says: 'How a process ends.',
    machine: shutdownMachine,
  },
];

const HEADER = `# Statecharts

One for each concern, drawn from the code by \`npx vitest run packages/node/test/statecharts -u\`. Labels read
\`event [guard] / effects\`.
`;

function section({ file, says, machine }: (typeof STATECHARTS)[number]): string {
  return `## ${machine.id}\n\n${says} \`${file}\`\n\n\`\`\`mermaid\n${mermaid(machine)}\n\`\`\`\n`;
}

test('STATECHARTS.md shows the machines as they are', async () => {
  await expect([HEADER, ...STATECHARTS.map(section)].join('\n')).toMatchFileSnapshot('../../STATECHARTS.md');
});

test.for(STATECHARTS)('every state of $machine.id can be entered', ({ machine }) => {
  const entered = new Set<AnyStateNode>();
  const enter = (node: AnyStateNode): void => {
    for (let at: AnyStateNode | undefined = node; at; at = at.parent) entered.add(at);
    if (node.type === 'parallel') for (const region of Object.values(node.states)) enter(region);
    if (node.type === 'compound') enter(node.initial.target[0]!);
  };
  enter(machine.root);
  const nodes = descendants(machine.root);
  for (const node of [machine.root, ...nodes]) {
    for (const { target } of [...node.transitions.values(), node.always ?? []].flat()) target?.forEach(enter);
  }
  expect(nodes.filter((node) => !entered.has(node)).map(({ id }) => id)).toEqual([]);
});

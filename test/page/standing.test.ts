import { readFileSync } from 'node:fs';
import type { TraceEvent } from '@replsim/protocol';
import { ReplSet, type ReplSetOptions } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';
import { Standing } from '../../packages/cli/src/studio/live/standing.ts';
import { History } from '../../packages/studio/src/core/history/history.ts';

// What is kept of the beginning of a long trace is as good as that beginning, for whoever looks at the set from then on.

const FILES = [
  'election/failover-on-kill',
  'rollback/files-keep-what-is-taken-away',
  'oplog/majority-write-survives',
  'ttl/cut-off-secondary-keeps-expired-documents',
];

async function traceOf(text: string): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  const create = (setup: ReplSetOptions) => ReplSet.create({ ...setup, causes: true });
  await playScenario(parseScenario(text, 'a.yaml'), create, { onTrace: (event) => events.push(event) });
  return events;
}

function lastOf(...parts: readonly (readonly TraceEvent[])[]) {
  const history = new History();
  for (const events of parts) history.add(events);
  const { members, cut } = history.at(history.endMicros);
  // From where a commit point has moved is seen for a moment after it has, and nobody looks back at what is kept of a beginning.
  return {
    members: members.map(({ committed: _, ...member }) => member),
    cut: cut.map((pair) => pair.join(' ')).sort(),
    names: history.memberNames,
  };
}

async function holds(text: string): Promise<void> {
  const events = await traceOf(text);
  for (let share = 1; share <= 10; share++) {
    const upTo = Math.floor((events.length * share) / 10);
    const standing = new Standing();
    for (const event of events.slice(0, upTo)) standing.observe(event);
    expect(standing.events.length).toBeLessThan(200);
    expect(lastOf(standing.events, events.slice(upTo))).toEqual(lastOf(events));
    expect(lastOf(standing.events)).toEqual(lastOf(events.slice(0, upTo)));
  }
}

test.for(FILES)('%s', (file) => holds(readFileSync(new URL(`../../scenarios/${file}.yaml`, import.meta.url), 'utf8')));

test('walls, clocks, held parts and pauses, done and undone', () =>
  holds(`name: All sorts of things
begin: with a primary
steps:
  - partition: [[n1, n2], [n3]]
  - advance: 1s
  - cut: { from: n1, to: n2 }
  - clock: { on: n1, jump: 3s }
  - heal: all
  - cut: { from: n3, to: n1 }
  - clock: { on: n1, jump: -1s, drift: 40 }
  - hold: { on: n2, part: fetch }
  - advance: 2s
  - partition: [[n1], [n2, n3]]
  - heal: [n1]
  - release: { on: n2, part: fetch }
  - pause: n3
  - advance: 15s
  - resume: n3
  - partition: [[n1], [n2, n3]]
  - advance: 1s
`));

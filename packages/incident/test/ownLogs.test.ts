import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { infer, write } from '../src/index.ts';
import { leadership, logLines, readAll } from './playing.ts';

const scenarios = fileURLToPath(new URL('../../../scenarios/', import.meta.url));

describe('the logs of a run make a scenario with the same elections, primaries and rollbacks, each within a second', () => {
  test.for([
    'election/catch-up-takeover',
    'election/failover-by-step-down',
    'election/failover-on-kill',
    'election/failover-on-partition',
    'election/flapping-link-with-an-arbiter',
    'election/frozen-members-do-not-stand',
    'election/hand-off-needs-no-timeout',
    'election/priority-takeover-after-a-restart',
    'election/seven-voters-three-ways',
    'election/two-coasts',
    'rollback/across-two-terms',
    'rollback/after-a-return-to-the-set',
    'rollback/files-keep-what-is-taken-away',
    'config/adding-a-voter-takes-two-versions',
    'config/removing-a-member-safely',
    'clients/majority-writes-survive-a-partition',
    'clients/retryable-writes-over-a-failover',
    'lessons/09-priority-and-catch-up-takeover',
  ])('%s', async (name) => {
    const first = readAll((await logLines(readFileSync(`${scenarios}${name}.yaml`, 'utf8'), name)).logs);
    const again = await logLines(write(infer({ logs: first, confs: [], statuses: [] })), 'imported.yaml');
    expect(again.failure).toBeUndefined();
    const [was, is] = [leadership(first), leadership(readAll(again.logs))];
    expect(is.map(({ what }) => what)).toEqual(was.map(({ what }) => what));
    for (const [i, { atMs }] of is.entries()) expect(Math.abs(atMs - was[i]!.atMs)).toBeLessThan(1000);
  });
});

const BAD_DAY = `
name: A link that flaps, two failovers and a rollback
seed: 3
replicaSet:
  members:
    - { name: db1, host: "db1.example.net:27017", priority: 2 }
    - { name: db2, host: "db2.example.net:27017" }
    - { name: db3, host: "db3.example.net:27017", clock: { offset: 4s } }
begin: with a primary
steps:
  - eventually: { within: 40s, primary: db1 }
  - workload: { name: w, every: 300ms, insert: { into: app.orders, document: { _id: $i } }, writeConcern: { w: 1 } }
  - advance: 8s
  - partition: [[db1], [db2, db3]]
  - advance: 6s
  - heal: all
  - advance: 3s
  - partition: [[db1], [db2, db3]]
  - advance: 40s
  - heal: all
  - advance: 60s
  - kill: db1
  - advance: 40s
  - start: db1
  - advance: 60s
  - stop: w
`;

test('a bad day comes back whole: hosts, priorities, a wrong clock, the split, the kill, five elections', async () => {
  const logs = readAll((await logLines(BAD_DAY, 'day.yaml')).logs);
  const text = write(infer({ logs, confs: [], statuses: [] }));
  expect(text).toContain('- { name: db1, host: db1.example.net:27017, priority: 2 }');
  expect(text).toContain('clock: { offset: 4s }');
  expect(text).toMatch(/partition: \[ \[ db1 \], \[ db2, db3 \] \] \} # they did not hear each other: db1\.log:\d+/);
  expect(text).toMatch(/kill: db1 \} # its log breaks off without a shutdown: db1\.log:\d+/);
  const again = await logLines(text, 'imported.yaml');
  expect(again.failure).toBeUndefined();
  expect(leadership(readAll(again.logs)).map(({ what }) => what)).toEqual(leadership(logs).map(({ what }) => what));
});

test('logs that begin when the set is there already lead to the same elections after a while of its coming to life', async () => {
  const { logs } = await logLines(BAD_DAY, 'day.yaml');
  // As after a rotation: what was before 15 s lies in files that nobody kept.
  const rotated = new Map(
    [...logs].map(([member, lines]) => [member, lines.filter((line) => line.slice(15, 39) > '2025-01-01T00:00:15')]),
  );
  const conf = `{ _id: 'rs0', version: 1, members: [ { _id: 0, host: 'db1.example.net:27017', priority: 2 },
    { _id: 1, host: 'db2.example.net:27017' }, { _id: 2, host: 'db3.example.net:27017' } ] }`;
  const { readConf } = await import('../src/index.ts');
  const confs = [{ ...readConf(conf, 'conf.js'), file: 'conf.js' }];
  const text = write(infer({ logs: readAll(rotated), confs, statuses: [] }));
  expect(text).toContain('# the logs begin at 30s: before that, the set comes to life');
  const again = await logLines(text, 'imported.yaml');
  expect(again.failure).toBeUndefined();
  const winners = (all: Map<string, string[]>) =>
    leadership(readAll(all))
      .filter(({ what }) => what.includes('wins'))
      .map(({ what }) => what.split(' ')[0]);
  expect(winners(again.logs)).toEqual(winners(logs));
});

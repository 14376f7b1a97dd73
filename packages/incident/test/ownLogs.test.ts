import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { compareCourses, infer, type Turn, write } from '../src/index.ts';
import { courseIn, logLines, readAll } from './playing.ts';

const root = fileURLToPath(new URL('../../../scenarios/', import.meta.url));
const FOLDERS = ['election', 'faults', 'config', 'rollback', 'startup', 'sync', 'lessons', 'clients', 'concerns'];

/** Those that do not come back, and what in them no log says. */
const LOST: Readonly<Record<string, string>> = {
  'election/a-client-asks-for-votes': 'a client asks for votes as only members do',
  'election/abort-of-catch-up': 'two members roll back, in an order that chance gives',
  'election/hello-tells-each-stage': 'fail points hold a primary while it ends',
  'election/one-member-set-after-a-step-down': 'a single member stands again by itself',
  'election/two-primaries-of-different-terms': 'one direction of one link of three',
  'faults/clients-stand-still-at-fail-points': 'a fail point',
  'faults/cut-off-with-whoever-spoke-for-the-others': 'who fetches from whom keeps a primary in office',
  'faults/elected-without-heartbeats': 'heartbeats that are held, and then a partition',
  'config/every-failover-raises-config-term': 'two step-downs within two seconds',
  'config/fifty-members-seven-voters': 'a log of a process that was never in the set',
  'config/force-loses-majority-writes': 'a forced config makes two sets',
  'rollback/connections-are-closed': 'a slow disk and a held fetcher',
  'rollback/one-timestamp-on-two-branches': 'who fetches from whom keeps a primary in office',
  'rollback/unreachable-source-in-the-middle': 'a link that breaks in the middle of a rollback',
  'startup/config-lives-in-local': 'no logs of a set',
  'startup/standalone-deletes': 'no logs of a set',
  'startup/standalone-on-replica-set-data': 'a start as a standalone in between',
  'startup/system-replset-holds-anything': 'no logs of a set',
  'sync/index-less-member': 'links that are slow',
  'lessons/04-w1-and-w-majority': 'a member starts while the network is broken, and says too little',
  'lessons/11-reconfig-safely-and-by-force': 'a forced config makes two sets',
  'clients/w1-writes-lost-at-a-partition': 'when a member rolls back is a matter of chance',
};

/** As many as `replsim import` tries. */
const SEEDS = 20;

const all = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder)).flatMap((file) => (file.endsWith('.yaml') ? [`${folder}/${file.slice(0, -5)}`] : [])),
);
const back = all.filter((name) => LOST[name] === undefined);
/** The suite plays those that show most, and `npm run imports` all. */
const { EVERY_IMPORT } = process.env;
const PLAYED =
  /^(election|rollback|lessons)\/|step-down|partition|force|votes|removing|source-dies|too-stale|no-heartbeats|standalone/;

describe('the logs of a run make a scenario with the same elections, primaries and rollbacks, each within a second', () => {
  test('four of five come back', () => {
    expect(back.length).toBeGreaterThanOrEqual(0.8 * all.length);
    for (const name of Object.keys(LOST)) expect(all).toContain(name);
  });

  test.for(back.filter((name) => EVERY_IMPORT !== undefined || PLAYED.test(name)))('%s', async (name) => {
    expect(await differenceOf(name)).toBeUndefined();
  });

  // The list loses a scenario as soon as it comes back.
  test.runIf(EVERY_IMPORT !== undefined).for(Object.keys(LOST))('%s still does not', async (name) => {
    const difference = await differenceOf(name).catch(String);
    expect(difference).toBeDefined();
  });
});

/** How all runs of an import under some seeds depart from the run whose logs were imported, if they do. */
async function differenceOf(name: string): Promise<string | undefined> {
  const played = await logLines(readFileSync(join(root, `${name}.yaml`), 'utf8'), name);
  const incident = infer({ logs: readAll(played.logs), confs: [], statuses: [] });
  const text = write(incident);
  let difference: string | undefined;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const again = await logLines(text, 'imported.yaml', seed);
    const { departure } = compareCourses(incident.course!, courseIn(again.logs));
    difference =
      departure === undefined ? again.failure : `${told(departure.logs)} comes back as ${told(departure.run)}`;
    if (difference === undefined) return undefined;
  }
  return difference;
}

function told(turn: Turn | undefined): string {
  return turn === undefined
    ? 'nothing'
    : `${new Date(turn.atMs).toISOString().slice(11, 23)} ${turn.host} ${turn.what}`;
}

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
  const day = await logLines(BAD_DAY, 'day.yaml');
  const logs = readAll(day.logs);
  const text = write(infer({ logs, confs: [], statuses: [] }));
  expect(text).toContain('- { name: db1, host: db1.example.net:27017, priority: 2 }');
  expect(text).toContain('clock: { offset: 4s }');
  expect(text).toMatch(/partition: \[ \[ db1 \], \[ db2, db3 \] \] \} # they did not hear each other: db1\.log:\d+/);
  expect(text).toMatch(/kill: db1 \} # its log breaks off without a shutdown: db1\.log:\d+/);
  const again = await logLines(text, 'imported.yaml');
  expect(again.failure).toBeUndefined();
  const turns = ({ logs }: { logs: Map<string, string[]> }) =>
    courseIn(logs).turns.map(({ host, what, term }) => [host, what, term]);
  expect(turns(again)).toEqual(turns(day));
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
    courseIn(all)
      .turns.filter(({ term }) => term !== undefined)
      .map(({ host }) => host);
  expect(winners(again.logs)).toEqual(winners(logs));
});

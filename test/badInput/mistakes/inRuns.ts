import type { ScenarioMistake } from './mistake.ts';

const PRIMARY = '- eventually: { within: 30s, primary: n1 }\n';
const ALONE = 'replicaSet: { members: [n1, { name: n2, priority: 0 }, { name: n3, priority: 0 }] }\n';

/** What only the run can know: exit code 1. */
export const runs: readonly ScenarioMistake[] = [
  {
    did: 'A look before there is a primary',
    steps: '- expect: { on: primary, count: app.c, is: 0 }',
    where: 'step 1, line 3',
    wayOut: 'eventually: { within: 30s, primary: any }',
  },
  {
    did: 'Too little patience for the first election',
    steps: '- eventually: { within: 1s, primary: any }',
    where: 'step 1, line 3',
    wayOut: 'within: 30s',
  },
  {
    did: 'A kill of who is dead',
    steps: '- kill: n1\n- kill: n1',
    where: 'step 2, line 4',
    wayOut: '"- start: n1" before it',
  },
  { did: 'A start of who runs', steps: '- start: n1', where: 'step 1, line 3', wayOut: '"- restart: n1"' },
  {
    did: 'An instant that has passed',
    steps: '- advance: 10s\n- advance: { to: 5s }',
    where: 'step 2, line 4',
    wayOut: '"- advance: 5s" lets that much time pass from now on',
  },
  {
    did: 'A command that there is not',
    head: ALONE,
    steps: `${PRIMARY}- run: { on: primary, command: { replSetGetStats: 1 } }`,
    where: 'step 2, line 5',
    wayOut: 'did you mean "replSetGetStatus"?',
  },
  {
    did: 'A collection that nobody has made',
    head: ALONE,
    steps: `${PRIMARY}- collMod: { in: app.c, index: { name: ttl, expireAfterSeconds: 5 } }`,
    where: 'step 2, line 5',
    wayOut: 'an insert or a createIndex creates the collection',
  },
  {
    did: 'The same _id twice',
    head: ALONE,
    steps: `${PRIMARY}- insert: { into: app.c, documents: [{ _id: 1 }, { _id: 1 }] }`,
    where: 'step 2, line 5',
    wayOut: 'leave "_id" out',
  },
  {
    did: 'A write to a secondary',
    head: ALONE,
    steps: `${PRIMARY}- insert: { on: n2, into: app.c, documents: [{ _id: 1 }] }`,
    where: 'step 2, line 5',
    wayOut: 'on: primary',
  },
  {
    did: 'Nobody to step down for',
    head: ALONE,
    steps: `${PRIMARY}- stepDown: primary`,
    where: 'step 2, line 5',
    wayOut: '{force: true}',
  },
  {
    did: 'A member that is in the config',
    head: ALONE,
    steps: `${PRIMARY}- addMember: { name: n3 }`,
    where: 'step 2, line 5',
    wayOut: 'one of "spares"',
  },
  {
    did: 'A field of a reply that is misspelt',
    steps: '- expect: { on: n1, command: { serverStatus: 1 }, matches: { metrics.ttl.deletedDocument: 0 } }',
    where: 'step 1, line 3',
    wayOut: 'did you mean "metrics.ttl.deletedDocuments"?',
  },
  {
    did: 'A whole document for a field',
    steps: '- expect: { on: n1, command: { connectionStatus: 1 }, matches: { authInfo: { authenticatedUsers: [] } } }',
    where: 'step 1, line 3',
    wayOut: 'write their paths: "authInfo.authenticatedUsers"',
  },
  {
    did: 'A path of a reply that is misspelt',
    steps: '- let: { x: { on: n1, command: { ping: 1 }, path: okk } }',
    where: 'step 1, line 3',
    wayOut: 'did you mean "ok"?',
  },
  {
    did: 'Not, of what nobody can answer',
    steps: '- expect: { not: { on: primary, count: app.c, is: 5 } }',
    where: 'step 1, line 3',
    wayOut: 'eventually: { within: 30s, primary: any }',
  },
  {
    did: 'Nothing lost of nothing',
    steps:
      '- workload: { name: w, every: 1s, insert: { into: app.c, document: { a: 1 } } }\n- expect: { workload: w, lost: 0 }',
    where: 'step 2, line 4',
    wayOut: '"- advance: 10s"',
  },
  {
    did: 'The same as nobody',
    head: 'replicaSet: { members: 1 }\n',
    steps: '- eventually: { within: 30s, primary: n1 }\n- expect: { same: all }',
    where: 'step 2, line 5',
    wayOut: 'in a set with at least two',
  },
  {
    did: 'A stage that there is not, in a stream',
    head: ALONE,
    steps: `${PRIMARY}- watch: { name: s, in: app.c, pipeline: [{ $mach: { operationType: insert } }] }\n- advance: 1s\n- expect: { stream: s, events: [] }`,
    where: 'step 2, line 5',
    wayOut: 'stream: s, error: Location40324',
  },
  {
    did: 'A transaction that nobody ends',
    head: ALONE,
    steps: `${PRIMARY}- startTransaction: { session: s }\n- insert: { session: s, into: app.c, documents: [{ _id: 1 }] }`,
    where: 'step 2, line 5',
    wayOut: 'end it: "- commitTransaction: { session: s }"',
  },
  {
    did: 'A transaction without a statement',
    head: ALONE,
    steps: `${PRIMARY}- startTransaction: { session: s }\n- insert: { into: app.c, documents: [{ _id: 1 }] }`,
    where: 'step 2, line 5',
    wayOut: '"session: s"',
  },
];

const WRITE = '- insert: { into: app.sessions, documents: [{ _id: 1 }] }\n';

/** What may be meant, and probably is not: a warning, and exit code 0. */
export const warnings: readonly ScenarioMistake[] = [
  {
    did: 'A collection that no step writes',
    steps: `${WRITE}- expect: { on: primary, count: app.session, is: 0 }`,
    where: ':4:35: ',
    wayOut: 'did you mean "app.sessions"?',
  },
  {
    did: 'A date that is text',
    steps: '- insert: { into: app.c, documents: [{ _id: 1, at: 2024-12-31T00:00:00Z }] }',
    where: ':3:54: ',
    wayOut: 'write { $date: "2024-12-31T00:00:00Z" }',
  },
  {
    did: 'A command that goes to admin',
    steps: '- run: { on: primary, command: { insert: c, documents: [{ a: 1 }] } }',
    where: ':3:44: ',
    wayOut: 'for example db: app',
  },
  {
    did: 'A database twice',
    steps: '- run: { on: primary, db: app, command: { insert: app.c, documents: [{ a: 1 }] } }',
    where: ':3:53: ',
    wayOut: 'did you mean "c"?',
  },
  {
    did: 'A mend of what is whole',
    steps: '- heal: all\n- expect: { primary: none }',
    where: ':3:11: ',
    wayOut: 'move it after the fault that it ends',
  },
  {
    did: 'Somebody who is not paused',
    steps: '- resume: n1\n- expect: { primary: none }',
    where: ':3:13: ',
    wayOut: 'move it after the fault that it ends',
  },
  {
    did: 'A stream at which nobody looks',
    steps: '- watch: { name: s, in: app.c }\n- expect: { primary: none }',
    where: ':3:20: ',
    wayOut: '"- eventually: { within: 10s, stream: s, events: [{ operationType: insert }] }"',
  },
  {
    did: 'A scenario that claims nothing',
    steps: '- advance: 10s',
    where: ':3:3: ',
    wayOut: 'end it with a check: "- expect: { … }"',
  },
];

import type { CallMistake } from './mistake.ts';

/** Options and methods of the API: they reject. */
export const calls: readonly CallMistake[] = [
  {
    did: 'An option that is misspelt',
    code: 'ReplicaSet.start({ memebers: 3 })',
    where: '"memebers"',
    wayOut: 'did you mean "members"?',
  },
  {
    did: 'A number as text',
    code: "ReplicaSet.start({ members: '3' })",
    where: 'members: ',
    wayOut: 'expected a number, or a list of names',
  },
  {
    did: 'A number that is said twice',
    code: 'ReplicaSet.start({ members: 3, count: 5 })',
    where: 'members says 3',
    wayOut: 'leave one of them out',
  },
  {
    did: 'A field of a member',
    code: "ReplicaSet.start({ members: [{ name: 'n1', prioriti: 2 }] })",
    where: 'members.prioriti',
    wayOut: 'did you mean "priority"?',
  },
  {
    did: 'A latency as text',
    code: "ReplicaSet.start({ network: { latencyMs: '5' } })",
    where: 'network.latencyMs',
    wayOut: 'did you mean 5?',
  },
  {
    did: 'A scenario that is not there',
    code: "ReplicaSet.start({ scenario: 'nofile.yaml' })",
    where: 'scenario: ',
    wayOut: 'seen from ',
  },
  {
    did: 'A list for the set itself',
    code: 'ReplSet.create({ members: 3 })',
    where: 'members',
    wayOut: "ReplSet.create({ members: [{ name: 'n1' }] })",
  },
  { did: 'Time that runs backwards', code: "set.advance('-1s')", where: 'advance', wayOut: 'such as "61s" or "1h30m"' },
  { did: 'A blank before the unit', code: "set.advance('10 s')", where: 'advance', wayOut: 'did you mean "10s"?' },
  { did: 'A member that there is not', code: "set.kill('n9')", where: '"n9"', wayOut: 'there are n1, n2, n3' },
  {
    did: 'A kill of nobody',
    code: 'set.kill()',
    where: 'kill: ',
    wayOut: "a member's name, primary, secondaries, all or any",
  },
  { did: 'A start of who runs', code: "set.start('n1')", where: 'n1 ', wayOut: 'restart ends it first' },
  {
    did: 'A key that is misspelt',
    code: "set.link({ from: 'n1', to: 'n2', latency: 5 })",
    where: 'link.latency',
    wayOut: 'did you mean "latencyMs"?',
  },
  {
    did: 'An option of a method',
    code: "set.untilPrimary({ withn: '5s' })",
    where: 'untilPrimary',
    wayOut: 'did you mean "within"?',
  },
  { did: 'A value for an option', code: "set.untilTtlPass('1s')", where: 'untilTtlPass', wayOut: '{ within: … }' },
  {
    did: 'Another than nobody',
    code: "set.untilPrimary({ other: 'n9' })",
    where: '"n9"',
    wayOut: 'there are n1, n2, n3',
  },
  {
    did: 'The word of another shell',
    code: 'set.stepDown({ seconds: 5 })',
    where: 'stepDown',
    wayOut: 'known here: secs',
  },
  {
    did: 'A command without its member',
    code: 'set.command({ ping: 1 })',
    where: 'command',
    wayOut: "command('n1', { ping: 1 })",
  },
  { did: 'A set that is stopped', code: "stopped.kill('n1')", where: 'SetStoppedError', wayOut: 'start another' },
];

/** Commands of clients: the answers are mongod's, and ours for our own. */
export const clients: readonly CallMistake[] = [
  {
    did: 'A value of another type',
    code: "db.command({ insert: 'c', documents: 5 })",
    where: "'insert.documents'",
    wayOut: "expected type 'array'",
  },
  {
    did: 'A read concern level that is misspelt',
    code: "db.command({ find: 'c', readConcern: { level: 'Majority' } })",
    where: 'readConcern.level',
    wayOut: 'one of local, available, majority',
  },
  {
    did: 'A TTL index on two fields',
    code: "db.command({ createIndexes: 'c', indexes: [{ key: { a: 1, b: 1 }, name: 'ttl', expireAfterSeconds: 60 }] })",
    where: 'name: "ttl"',
    wayOut: 'only an index on a single field',
  },
  {
    did: 'A parameter that is misspelt',
    code: 'admin.command({ setParameter: 1, ttlMonitorSleepSec: 1 })',
    where: '[ttlMonitorSleepSec]',
    wayOut: 'use help:true to see options',
  },
  {
    did: 'An administrator on another database',
    code: 'db.command({ replSetStepDown: 60 })',
    where: 'replSetStepDown',
    wayOut: 'against the admin database',
  },
  {
    did: 'A fault that is misspelt',
    code: "admin.command({ replsimFault: { kil: 'n1' } })",
    where: 'replsimFault.kil',
    wayOut: 'did you mean "kill"?',
  },
  {
    did: 'A jump of the clock with a blank',
    code: "admin.command({ replsimAdvance: '10 s' })",
    where: 'replsimAdvance',
    wayOut: 'did you mean "10s"?',
  },
  {
    did: 'An option of our commands',
    code: "admin.command({ replsimUntilPrimary: 1, withn: '5s' })",
    where: 'replsimUntilPrimary',
    wayOut: 'did you mean "within"?',
  },
  {
    did: 'Our command on another database',
    code: "db.command({ replsimAdvance: '10s' })",
    where: 'replsimAdvance',
    wayOut: 'for the admin database',
  },
];

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type ReadConf, readConf } from '../src/index.ts';

// Configs in the shapes in which people post them: the hosts, options and omissions of public questions, guides and issues, written anew.

const folder = new URL('pasted/', import.meta.url);
const read = (name: string): ReadConf => readConf(readFileSync(new URL(name, folder), 'utf8'), name);

const READ = {
  // A guide to a sidecar that configures the set in Kubernetes; the old shell, and what was typed around it.
  'sidecar.txt': {
    setName: 'rs0',
    version: '4.4',
    members: ['mongo-0', 'mongo-1', 'mongo-2'],
    unused: [/^version 5 /, /replicaSetId/, /getLastErrorDefaults/],
  },
  // A guide that gives one member a priority of 100, and whose ids begin at 1.
  'preferred.txt': {
    setName: 'dev-gcp-replica-set',
    version: '4.4',
    members: ['mongo-1', 'mongo-2', 'mongo-3'],
    unused: [/replicaSetId/, /getLastErrorDefaults/, /^_id of members/],
  },
  // `rs.initiate()` without a config, with the prompt of somebody who has just done so.
  'alone.txt': {
    setName: 'rs0',
    version: '4.4',
    members: ['localhost'],
    unused: [/replicaSetId/, /getLastErrorDefaults/],
  },
  // Two members on one machine.
  'localhost.txt': {
    setName: 'RS-Replica-01',
    version: '4.4',
    members: ['localhost-27017', 'localhost-27020'],
    unused: [/^version 2 /, /replicaSetId/, /getLastErrorDefaults/],
  },
  // Three processes at one address, one of them an arbiter.
  'address.txt': {
    setName: 'myrs',
    version: '4.4',
    members: ['ip-180-76-159-126-27017', 'ip-180-76-159-126-27018', 'ip-180-76-159-126-27019'],
    unused: [/^version 3 /, /replicaSetId/, /getLastErrorDefaults/],
  },
  // An issue of an operator for Kubernetes: numbers with a point, and horizons whose domain is masked.
  'horizons.txt': {
    setName: 'mongo',
    version: '8.0',
    members: ['mongo-0', 'mongo-1', 'mongo-2'],
    unused: [/^version 5 /, /replicaSetId/, /getLastErrorDefaults/, /^horizons/],
  },
  // The answer of the command, from the test of a collector of metrics: commas too many, and no version.
  'answer.txt': { setName: 'rs2', version: '4.4', members: ['testmongod1'], unused: [] },
} as const;

const REFUSED = {
  // The same issue, as it was posted: the members alone.
  'fragment.txt': 'fragment.txt:1: this is only a part of a config; copy all that rs.conf() prints',
  // Shortened by hand.
  'dots.txt': 'dots.txt:22: "..." stands for something that was left out; put it back, or delete the dots',
} as const;

test('every file has its row', () => {
  expect(readdirSync(folder).sort()).toEqual([...Object.keys(READ), ...Object.keys(REFUSED)].sort());
});

test.for(Object.entries(READ))('%s', ([name, { unused, members, ...known }]) => {
  const conf = read(name);
  expect(conf).toMatchObject(known);
  expect(conf.members.map(({ name }) => name)).toEqual(members);
  expect(conf.unused).toEqual(unused.map((each) => expect.stringMatching(each)));
});

test.for(Object.entries(REFUSED))('%s says what is missing', ([name, message]) => {
  expect(() => read(name)).toThrow(message);
});

test('what it asks for is there', () => {
  expect(read('preferred.txt').members[1]).toMatchObject({ config: { priority: 100 } });
  expect(read('address.txt').members[2]).toMatchObject({ config: { arbiterOnly: true } });
  expect(read('localhost.txt').members[0]).toMatchObject({ config: { priority: 2 } });
});

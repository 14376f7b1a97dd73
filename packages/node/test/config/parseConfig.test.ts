import { encodeReplSetConfig, parseReplSetConfig, sameConfigContents, shownConfig } from '@replsim/pipeline';
import { CommandError, decodePromoted, encodeDocument, VERSIONS } from '@replsim/protocol';
import { Decimal128, Long, ObjectId } from 'bson';
import { expect, test } from 'vitest';
import { changed, type Document, document, parse, REPLICA_SET_ID, three } from './support.ts';

const options = { replicaSetId: REPLICA_SET_ID, traits: VERSIONS['8.0'] };

test('defaults are filled in', () => {
  const config = parse([{ _id: 0, host: 'n1' }]);
  expect(config.members[0]).toEqual({
    _id: 0,
    host: 'n1:27017',
    arbiterOnly: false,
    buildIndexes: true,
    hidden: false,
    priority: 1,
    tags: {},
    secondaryDelaySecs: 0,
    votes: 1,
  });
  expect(config).toMatchObject({ version: 1, term: -1, writeConcernMajorityJournalDefault: true });
  expect(config).not.toHaveProperty('configsvr');
  expect(config.settings).toEqual({
    chainingAllowed: true,
    heartbeatIntervalMillis: 2000,
    heartbeatTimeoutSecs: 10,
    electionTimeoutMillis: 10_000,
    catchUpTimeoutMillis: -1,
    catchUpTakeoverDelayMillis: 30_000,
    getLastErrorModes: {},
    replicaSetId: REPLICA_SET_ID,
  });
});

test.for<[what: string, fields: Document, member: Document]>([
  ['an arbiter without a priority', { arbiterOnly: true }, { priority: 0 }],
  ['an arbiter that is given priority 1', { arbiterOnly: true, priority: 1 }, { priority: 0 }],
  ['a host without a port', { host: 'db.example' }, { host: 'db.example:27017' }],
  ['an IPv6 address', { host: '[::1]:27018' }, { host: '[::1]:27018' }],
  ['a host between blanks', { host: ' db.example:1 ' }, { host: 'db.example:1' }],
  ['numbers of any type', { _id: Long.fromNumber(7), votes: Decimal128.fromString('1') }, { _id: 7, votes: 1 }],
  ['a truth that is a number', { hidden: 1, priority: 0 }, { hidden: true }],
  ['a fraction of a priority', { priority: 0.5 }, { priority: 0.5 }],
  ['null for what may be absent', { priority: null, tags: null }, { priority: 1, tags: {} }],
  ['the longest delay', { priority: 0, secondaryDelaySecs: 31_622_400 }, { secondaryDelaySecs: 31_622_400 }],
  [
    'a newly added voter, which counts for nothing yet',
    { newlyAdded: true, priority: 3 },
    { newlyAdded: { priority: 3, votes: 1 }, priority: 0, votes: 0 },
  ],
])('%s', ([, fields, member]) => {
  expect(parse(changed(0, fields)).members[0]).toMatchObject(member);
});

const settings = (fields: Document) => document(three, { settings: fields });
const member = (fields: Document) => document(changed(0, fields));
const arbiter = (fields: Document) => member({ arbiterOnly: true, ...fields });

// Every rule of one document and of one member in it, with the code that the commands wrap in InvalidReplicaSetConfig.
test.for<[what: string, bytes: Uint8Array, codeName: string, text: RegExp]>([
  ['no _id', encodeDocument({ version: 1, members: three }), 'IDLFailedToParse', /_id/],
  ['an empty _id', document(three, { _id: '' }), 'BadValue', /non-empty _id/],
  ['an _id that is a number', document(three, { _id: 5 }), 'TypeMismatch', /_id/],
  ['no members', encodeDocument({ _id: 'rs0', version: 1 }), 'IDLFailedToParse', /members/],
  ['members that are no array', document(three, { members: 1 }), 'TypeMismatch', /members/],
  ['a member that is no document', document(three, { members: [1] }), 'TypeMismatch', /members.0/],
  ['an unknown field', document(three, { colour: 'red' }), 'IDLUnknownField', /colour/],
  ['no version', encodeDocument({ _id: 'rs0', members: three }), 'IDLFailedToParse', /version/],
  ['version 0', document(three, { version: 0 }), 'BadValue', /version.*>= 1/],
  ['version 2^31', document(three, { version: 2 ** 31 }), 'BadValue', /version.*<= 2147483647/],
  ['a version that is text', document(three, { version: '1' }), 'TypeMismatch', /version/],
  ['term -2', document(three, { term: -2 }), 'BadValue', /term/],
  ['protocolVersion 0', document(three, { protocolVersion: 0 }), 'BadValue', /protocolVersion/],
  [
    'a journal default that is text',
    document(three, { writeConcernMajorityJournalDefault: 'yes' }),
    'TypeMismatch',
    /J/,
  ],
  ['a member without _id', document([{ host: 'n1' }]), 'IDLFailedToParse', /members._id/],
  ['a negative _id', member({ _id: -1 }), 'BadValue', /_id.*>= 0/],
  ['an _id that is text', member({ _id: 'a' }), 'TypeMismatch', /_id/],
  ['a member without host', document([{ _id: 0 }]), 'IDLFailedToParse', /members.host/],
  ['an empty host', member({ host: '' }), 'FailedToParse', /Empty host/],
  ['a port without host', member({ host: ':27017' }), 'FailedToParse', /Empty host/],
  ['an IPv6 address without brackets', member({ host: '::1:27017' }), 'FailedToParse', /surrounded by '\['/],
  ['more behind the brackets', member({ host: '[::1]x:27017' }), 'FailedToParse', /surrounded by '\['/],
  ['a port that is no number', member({ host: 'n1:x' }), 'FailedToParse', /Port number x/],
  ['port 0', member({ host: 'n1:0' }), 'FailedToParse', /Port number 0/],
  ['port 65536', member({ host: 'n1:65536' }), 'FailedToParse', /Port number 65536/],
  ['an unknown member field', member({ prio: 1 }), 'IDLUnknownField', /prio/],
  ['slaveDelay, as it was called before 5.0', member({ slaveDelay: 1, priority: 0 }), 'IDLUnknownField', /slaveDelay/],
  ['a priority below 0', member({ priority: -1 }), 'BadValue', /between 0 and 1000/],
  ['a priority above 1000', member({ priority: 1000.5 }), 'BadValue', /between 0 and 1000/],
  ['a priority that is no number', member({ priority: Number.NaN }), 'BadValue', /between/],
  ['two votes', member({ votes: 2 }), 'BadValue', /votes.*<= 1/],
  ['minus one vote', member({ votes: -1 }), 'BadValue', /votes.*>= 0/],
  ['a delay below 0', member({ secondaryDelaySecs: -1, priority: 0 }), 'BadValue', /secondaryDelaySecs/],
  ['more than 366 days', member({ secondaryDelaySecs: 31_622_401, priority: 0 }), 'BadValue', /secondaryDelaySecs/],
  ['hidden as text', member({ hidden: 'yes' }), 'TypeMismatch', /hidden/],
  ['a tag that is a number', member({ tags: { dc: 1 } }), 'TypeMismatch', /tags.dc.*non-string/],
  ['tags that are no document', member({ tags: 'east' }), 'TypeMismatch', /tags/],
  ['newlyAdded: false', member({ newlyAdded: false }), 'BadValue', /newlyAdded/],
  ['priority without a vote', member({ votes: 0 }), 'BadValue', /non-voting/],
  ['priority and hidden', member({ hidden: true }), 'BadValue', /hidden=true/],
  ['priority and a delay', member({ secondaryDelaySecs: 1 }), 'BadValue', /secondaryDelaySecs is used/],
  ['priority without indexes', member({ buildIndexes: false }), 'BadValue', /buildIndexes=false/],
  ['an arbiter with priority 2', arbiter({ priority: 2 }), 'BadValue', /Arbiter priority must be 0/],
  ['an arbiter with half a priority', arbiter({ priority: 0.5 }), 'BadValue', /Arbiter priority must be 0/],
  ['an arbiter without a vote', arbiter({ votes: 0 }), 'BadValue', /Arbiter must vote/],
  ['an arbiter with tags', arbiter({ tags: { dc: 'east' } }), 'BadValue', /tags on arbiters/],
  ['empty horizons', member({ horizons: {} }), 'BadValue', /cannot be empty/],
  ['a horizon without a name', member({ horizons: { '': 'x.example:1' } }), 'BadValue', /empty names/],
  ['the horizon that is mongod’s own', member({ horizons: { __default: 'x.example:1' } }), 'BadValue', /reserved/],
  ['a horizon that is no address', member({ horizons: { out: 'x.example:0' } }), 'FailedToParse', /Port/],
  ['a horizon that is a number', member({ horizons: { out: 1 } }), 'TypeMismatch', /horizons.out/],
  ['settings that are no document', document(three, { settings: 1 }), 'TypeMismatch', /settings/],
  ['an unknown setting', settings({ electionTimeout: 1 }), 'IDLUnknownField', /electionTimeout/],
  ['no heartbeat interval', settings({ heartbeatIntervalMillis: 0 }), 'BadValue', /heartbeatIntervalMillis/],
  ['no heartbeat timeout', settings({ heartbeatTimeoutSecs: 0 }), 'BadValue', /heartbeatTimeoutSecs/],
  ['no election timeout', settings({ electionTimeoutMillis: 0 }), 'BadValue', /electionTimeoutMillis/],
  ['catch-up of -2', settings({ catchUpTimeoutMillis: -2 }), 'BadValue', /catchUpTimeoutMillis/],
  ['take-over delay of -2', settings({ catchUpTakeoverDelayMillis: -2 }), 'BadValue', /catchUpTakeoverDelayMillis/],
  ['chainingAllowed as text', settings({ chainingAllowed: 'no' }), 'TypeMismatch', /chainingAllowed/],
  ['a mode that is no document', settings({ getLastErrorModes: { two: 2 } }), 'TypeMismatch', /two/],
  ['a mode of text', settings({ getLastErrorModes: { two: { dc: 'x' } } }), 'TypeMismatch', /two.dc/],
  ['a mode of 0', settings({ getLastErrorModes: { two: { dc: 0 } } }), 'BadValue', /two.dc is 0/],
  ['a mode of a tag that no member has', settings({ getLastErrorModes: { two: { dc: 2 } } }), 'NoSuchKey', /tag dc/],
  ['a replicaSetId that is text', settings({ replicaSetId: 'abc' }), 'TypeMismatch', /replicaSetId/],
  ['a replicaSetId of zeros', settings({ replicaSetId: new ObjectId('0'.repeat(24)) }), 'BadValue', /replicaSetId/],
])('%s', ([, bytes, codeName, text]) => {
  const error = thrownBy(() => parseReplSetConfig(bytes, options));
  expect(error.codeName).toBe(codeName);
  expect(error.message).toMatch(text);
});

function thrownBy(run: () => unknown): CommandError {
  try {
    run();
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test.for<[fields: Document, custom: boolean]>([
  [{}, false],
  [{ w: 1 }, false],
  [{ w: 1, wtimeout: 0 }, false],
  [{ w: 2, wtimeout: 0 }, true],
  [{ w: 'majority' }, true],
  [{ w: 1, wtimeout: 1 }, true],
  [{ w: 1, j: true }, true],
  [{ w: 1, fsync: true }, true],
])('getLastErrorDefaults %j', ([getLastErrorDefaults, custom]) => {
  const parsed = parseReplSetConfig(settings({ getLastErrorDefaults }), options);
  expect(parsed.customGetLastErrorDefaults).toBe(custom);
});

test('the server’s own term replaces what a client wrote, and a replicaSetId is noticed', () => {
  const id = new ObjectId();
  const bytes = document(three, { term: 99, settings: { replicaSetId: id } });
  const parsed = parseReplSetConfig(bytes, { ...options, term: 4 });
  expect(parsed.config.term).toBe(4);
  expect(parsed).toMatchObject({ hasReplicaSetId: true, config: { settings: { replicaSetId: id.toHexString() } } });
});

const full = parse(
  changed(1, {
    priority: 0,
    hidden: true,
    tags: { dc: 'east' },
    horizons: { out: 'x.example:9' },
    secondaryDelaySecs: 60,
    newlyAdded: true,
  }),
  { settings: { getLastErrorModes: { far: { dc: 1 } } }, configsvr: true },
);

test('what is encoded reads back the same', () => {
  const bytes = encodeReplSetConfig({ ...full, term: 7 }, { traits: VERSIONS['8.0'] });
  expect(parseReplSetConfig(bytes, { ...options, replicaSetId: 'f'.repeat(24) }).config).toEqual({ ...full, term: 7 });
});

test('fields stand in mongod’s order', () => {
  const shown = decodePromoted(encodeReplSetConfig({ ...full, term: 7 }, { traits: VERSIONS['8.0'] }));
  const top = '_id version term members configsvr protocolVersion writeConcernMajorityJournalDefault settings';
  expect(Object.keys(shown).join(' ')).toBe(top);
  const fields = '_id host arbiterOnly newlyAdded buildIndexes hidden priority tags horizons secondaryDelaySecs votes';
  expect(Object.keys(shown.members[1]).join(' ')).toBe(fields);
  expect(Object.keys(shown.settings).join(' ')).toBe(
    'chainingAllowed heartbeatIntervalMillis heartbeatTimeoutSecs electionTimeoutMillis catchUpTimeoutMillis catchUpTakeoverDelayMillis getLastErrorModes getLastErrorDefaults replicaSetId',
  );
  expect(shown.settings.getLastErrorDefaults).toEqual({ w: 1, wtimeout: 0 });
  expect(shown.members[1]).toMatchObject({ newlyAdded: true, priority: 0, votes: 1 });
});

test('a forced config has no term, and clients do not see newlyAdded', () => {
  const shown = decodePromoted(encodeReplSetConfig(full, { hideNewlyAdded: true, traits: VERSIONS['8.0'] }));
  expect(shown).not.toHaveProperty('term');
  expect(shown.members[1]).not.toHaveProperty('newlyAdded');
  expect(shown.members[1].votes).toBe(1);
});

test('before 5.0 a delay is called slaveDelay', () => {
  const traits = VERSIONS['3.2'];
  const bytes = member({ slaveDelay: 60, priority: 0 });
  const { config } = parseReplSetConfig(bytes, { replicaSetId: REPLICA_SET_ID, traits });
  expect(config.members[0]!.secondaryDelaySecs).toBe(60);
  expect(Number(decodePromoted(encodeReplSetConfig(config, { traits })).members[0].slaveDelay)).toBe(60);
  expect(() =>
    parseReplSetConfig(member({ secondaryDelaySecs: 60, priority: 0 }), { replicaSetId: REPLICA_SET_ID, traits }),
  ).toThrow(/secondaryDelaySecs/);
});

test('the same contents, whatever version and term', () => {
  expect(sameConfigContents(full, { ...full, version: 9, term: 9 })).toBe(true);
  expect(sameConfigContents(full, { ...full, members: full.members.slice(1) })).toBe(false);
  expect(sameConfigContents(full, { ...full, writeConcernMajorityJournalDefault: false })).toBe(false);
});

test('members that have a config in common log one document, with the delay as their version calls it', () => {
  const [newer, older] = [VERSIONS['8.0'], VERSIONS['3.2']];
  expect(shownConfig(full, newer)).toBe(shownConfig(full, newer));
  expect(shownConfig(full, newer)).toMatchObject({ members: [{}, { newlyAdded: true, secondaryDelaySecs: 60 }, {}] });
  expect(shownConfig(full, older)).toMatchObject({ members: [{}, { slaveDelay: 60 }, {}] });
});

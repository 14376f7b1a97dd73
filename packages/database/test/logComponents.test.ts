import { ParameterStore, parametersOf } from '@replsim/pipeline';
import { CommandError, LogVerbosity, parseComponentLevels, VERSIONS } from '@replsim/protocol';
import { expect, test } from 'vitest';

test('a component says as much as its parent unless it was told otherwise', () => {
  const verbosity = new LogVerbosity();
  const levels = () => (['INDEX', 'REPL', 'ELECTION', 'REPL_HB', 'WTRTS'] as const).map((name) => verbosity.of(name));
  expect(levels()).toEqual([0, 0, 0, 0, 0]);
  verbosity.change(parseComponentLevels({ replication: { verbosity: 2, heartbeats: { verbosity: 0 } } }));
  expect(levels()).toEqual([0, 2, 2, 0, 0]);
  verbosity.change(parseComponentLevels({ verbosity: 1, storage: { wt: 4 } }));
  expect(levels()).toEqual([1, 2, 2, 0, 4]);
  verbosity.change(parseComponentLevels({ replication: { verbosity: -1, heartbeats: -1 } }));
  expect(levels()).toEqual([1, 1, 1, 1, 4]);
  verbosity.change(parseComponentLevels({ verbosity: -1 }));
  expect(levels()).toEqual([0, 0, 0, 0, 4]);
});

test('the document shows what was set, and -1 where the parent decides', () => {
  const verbosity = new LogVerbosity();
  verbosity.change(parseComponentLevels({ replication: { election: { verbosity: 7n } } }));
  const document = verbosity.toDocument();
  expect(Object.keys(document).slice(0, 4)).toEqual(['verbosity', 'accessControl', 'assert', 'command']);
  expect(document.verbosity).toBe(0);
  expect(document.replication).toEqual({
    verbosity: -1,
    election: { verbosity: 5 },
    heartbeats: { verbosity: -1 },
    initialSync: { verbosity: -1 },
    rollback: { verbosity: -1 },
  });
  expect(document).toMatchObject({ storage: { journal: { verbosity: -1 }, wt: { wtRTS: { verbosity: -1 } } } });
});

test.for([
  [{ nope: 1 }, 'BadValue', 'Invalid component name default.nope'],
  [{ election: 1 }, 'BadValue', 'Invalid component name default.election'],
  [{ replication: { nope: {} } }, 'BadValue', 'Invalid component name replication.nope'],
  [{ replication: 'loud' }, 'BadValue', 'Invalid type for component default.replication'],
  [{ replication: { verbosity: 'loud' } }, 'BadValue', 'Expected replication.verbosity to be a number'],
  [3, 'TypeMismatch', 'not a BSON object'],
  ['3', 'TypeMismatch', 'not a BSON object'],
  ['{', 'TypeMismatch', 'not a BSON object'],
  [[], 'TypeMismatch', 'not a BSON object'],
] as const)('refused: %o', ([value, codeName, gist]) => {
  expect(() => parseComponentLevels(value)).toThrow(
    expect.objectContaining({ codeName, message: expect.stringContaining(gist) }),
  );
});

test('logLevel is the root of logComponentVerbosity, at startup as at run time', () => {
  const verbosity = new LogVerbosity();
  const store = new ParameterStore(parametersOf(VERSIONS['8.0'], verbosity), {
    logLevel: '1',
    logComponentVerbosity: '{"replication": {"verbosity": 3}}',
  });
  expect([store.shown('logLevel'), verbosity.of('INDEX'), verbosity.of('ROLLBACK')]).toEqual([1, 1, 3]);
  store.set('logComponentVerbosity', store.parse('logComponentVerbosity', { verbosity: 2 }));
  expect(store.shown('logLevel')).toBe(2);
  store.set('logLevel', store.parse('logLevel', 0));
  expect(store.shown('logComponentVerbosity')).toMatchObject({ verbosity: 0, replication: { verbosity: 3 } });
  expect(() => store.parse('logComponentVerbosity', { nope: 1 })).toThrow(CommandError);
});

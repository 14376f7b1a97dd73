import type { MutatedRule } from './mutatedRule.ts';

const SCOPE = {
  file: 'packages/changestreams/src/streamScope.ts',
  test: 'packages/changestreams/test/streamScope.test.ts',
};
const DESCRIPTION = {
  file: 'packages/changestreams/src/updateDescription.ts',
  test: 'packages/changestreams/test/updateDescription.test.ts',
};
const SPLIT = {
  file: 'packages/changestreams/src/splitEvent.ts',
  test: 'packages/changestreams/test/splitEvent.test.ts',
};
const OPERATION = {
  file: 'packages/changestreams/src/streamOperation.ts',
  test: 'packages/changestreams/test/streamOperation.test.ts',
};
const TOKEN = {
  file: 'packages/changestreams/src/resumeToken.ts',
  test: 'packages/changestreams/test/resumeToken.test.ts',
};

export const changeStreamRules: readonly MutatedRule[] = [
  {
    ...SCOPE,
    from: ': !SYSTEM_DATABASES.has(db);',
    to: ': true;',
    why: 'a stream of the whole set shows nothing of admin, config and local',
  },
  {
    ...SCOPE,
    from: "if (!collection.startsWith('system.')) return true;",
    to: 'return true;',
    why: 'system collections are shown to who asks for them',
  },
  {
    ...SCOPE,
    from: '|| this.watches(text(o, TO));',
    to: ';',
    why: 'a collection that is renamed into the stream is shown',
  },
  {
    ...SCOPE,
    from: "(command === 'drop' || command === 'renameCollection');",
    to: "command === 'drop';",
    why: 'a rename ends the stream of a collection',
  },
  {
    ...SCOPE,
    from: "return command === 'dropDatabase' && databaseOf(ns) === this.target.db;",
    to: "return command === 'dropDatabase';",
    why: 'the drop of another database does not end the stream of this one',
  },
  {
    ...SCOPE,
    from: "this.#showsViews = showExpandedEvents && target.kind !== 'collection';",
    to: 'this.#showsViews = showExpandedEvents;',
    why: 'views are no matter of a stream of one collection',
  },
  {
    ...DESCRIPTION,
    from: "if (name === 'l') changes.truncated.push([note(path.slice(0, -1), path.at(-1)!, changes), value]);",
    to: "if (name === 'l') continue;",
    why: 'an array that became shorter is said',
  },
  {
    ...DESCRIPTION,
    from: 'for (const field of removed) changes.removed.push(note(path, field, changes));',
    to: '',
    why: 'removed fields are said',
  },
  {
    ...DESCRIPTION,
    from: "component.includes('.') ||",
    to: '',
    why: 'a name with a dot in it makes its path ambiguous',
  },
  {
    ...DESCRIPTION,
    from: '(place > 0 && /^\\d+$/.test(component))',
    to: '/^\\d+$/.test(component)',
    why: 'a number at the beginning of a path is no index',
  },
  {
    ...SPLIT,
    from: 'if (frame + field.length > maxBytes) return undefined;',
    to: '',
    why: 'a field that is too large by itself cannot be split',
  },
  {
    ...SPLIT,
    from: 'return fields.sort((a, b) => a.length - b.length);',
    to: 'return fields;',
    why: 'small fields come first',
  },
  {
    ...SPLIT,
    from: 'if (field.length > room) {',
    to: 'if (field.length >= room) {',
    why: 'a part is as full as may be',
  },
  {
    ...OPERATION,
    from: 'if (group.isUnfinished) return [];',
    to: '',
    why: 'what is not committed yet is not shown',
  },
  {
    ...OPERATION,
    from: 'const at = { clusterTime: opTime.ts, wallMs,',
    to: 'const at = { clusterTime: link.opTime.ts, wallMs,',
    why: 'all operations of a transaction have the time of its last entry',
  },
  {
    ...OPERATION,
    from: 'if (wants(operation)) operations.push({ operation, ...at, ...group.told });',
    to: 'operations.push({ operation, ...at, ...group.told });',
    why: 'operations of other collections in a transaction are not shown',
  },
  {
    ...OPERATION,
    from: 'txnOpIndex: txnOpIndex++, image };',
    to: 'txnOpIndex: wants(operation) ? txnOpIndex++ : txnOpIndex, image };',
    why: 'operations that the stream does not show count in the index',
  },
  {
    ...OPERATION,
    from: 'if (!lsid || !txnNumber || isSeparate) return NO_TRANSACTION;',
    to: 'if (!lsid || !txnNumber) return NO_TRANSACTION;',
    why: 'a vectored insert of a retryable write is no transaction',
  },
  {
    ...OPERATION,
    from: 'chain.unshift(entry);',
    to: 'chain.push(entry);',
    why: 'operations of a transaction come in their order',
  },
  {
    ...TOKEN,
    from: 'else if (version === 2) key.null();\n  const identifier',
    to: 'const identifier',
    why: 'tokens of version 2 say that there is no collection',
  },
  {
    ...TOKEN,
    from: 'if (version < 2 && !operationDescription) return documentKey;',
    to: 'if (version < 2) return documentKey;',
    why: 'old tokens of a DDL event bear its description',
  },
  {
    ...TOKEN,
    from: 'if (tokenType !== HIGH_WATER_MARK && tokenType !== EVENT) {',
    to: 'if (tokenType !== HIGH_WATER_MARK && tokenType !== EVENT && false) {',
    why: 'no token is of a third type',
  },
  {
    ...TOKEN,
    from: 'if (reader.next()) throw tooLong();',
    to: '',
    why: 'a token ends where it has to',
  },
  {
    ...TOKEN,
    from: 'if (identifier && isHighWaterMark) {',
    to: 'if (identifier && isHighWaterMark && false) {',
    why: 'a high-water mark identifies no event',
  },
];

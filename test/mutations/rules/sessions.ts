import type { MutatedRule } from './mutatedRule.ts';

const SESSIONS = 'packages/operations/src/sessions';
const CACHE = { file: `${SESSIONS}/sessionCache.ts`, test: 'packages/node/test/sessions/sessions.test.ts' };
const CATALOG = { file: `${SESSIONS}/sessionCatalog.ts`, test: 'packages/node/test/sessions/sessions.test.ts' };
const TABLE = {
  file: `${SESSIONS}/transactionTable.ts`,
  test: 'packages/database/test/onSets/sessions/retryableWrite.test.ts',
};

export const sessionRules: readonly MutatedRule[] = [
  {
    ...CACHE,
    from: 'nowMs - lastUseMs >= this.#host.timeoutMinutes() * 60_000;',
    to: 'nowMs - lastUseMs >= 30 * 60_000;',
    why: 'how long a session lasts is a parameter',
  },
  {
    ...CACHE,
    from: 'const lastUseMs = this.#host.inUse(key) ? nowMs : this.#host.recordedUseMs(known.lsid);',
    to: 'const lastUseMs = this.#host.recordedUseMs(known.lsid);',
    why: 'a command under way keeps its session',
  },
  {
    ...CACHE,
    from: 'else this.#endIfExpired(lsid.key, nowMs);',
    to: '',
    why: 'a session that has expired is not brought back by its next use',
  },
  {
    ...CACHE,
    from: 'if (lastUseMs === undefined || isOver(lastUseMs)) this.#forget(key);',
    to: 'if (lastUseMs === undefined) this.#forget(key);',
    why: 'a session ends half an hour after the refresh that follows its last use',
  },
  {
    ...CATALOG,
    from: 'if (this.openCount === 0) return [];',
    to: '',
    equal: 'the count is of the very sessions that are chosen after it: where it is 0 none of them is',
    why: 'where no transaction is open nobody looks through all sessions',
  },
  {
    ...CATALOG,
    from: 'const last = record?.txnNumber === txnNumber ? record.lastWriteOpTime : NULL_OP_TIME;',
    to: 'const last = NULL_OP_TIME;',
    why: 'a retry finds what was done',
  },
  {
    ...CATALOG,
    from: 'host.closeCursors(key);\n',
    to: '',
    why: 'the cursors of a session end with it',
  },
  {
    ...TABLE,
    from: 'return record?.txnNumber === txnNumber ? record.lastWriteOpTime : NULL_OP_TIME;',
    to: 'return NULL_OP_TIME;',
    why: 'statements of one retryable write hang on each other',
  },
];

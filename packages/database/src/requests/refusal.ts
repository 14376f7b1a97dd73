import { CommandError, type MemberState } from '@replsim/protocol';
import type { CommandDefinition } from '../definition.ts';
import { OPLOG_NS } from '../reading/oplogSource.ts';

/** What decides whether a member answers a command now. */
export interface Asked {
  readonly command: Pick<CommandDefinition, 'secondaries' | 'maintenanceOk'>;
  /** The member accepts writes for the command's database, which `local` always does. */
  readonly writableHere: boolean;
  /** The member's state; a standalone is writable unless it was started read-only. */
  readonly state: MemberState | 'STANDALONE';
  /** The read preference is not `primary`. */
  readonly secondaryOk: boolean;
  readonly inTransaction?: boolean;
  /** What is read or written. */
  readonly ns?: string;
}

/** While its oplog may be cut or is not complete, nobody reads it. Upstream: db_raii.cpp, AutoGetOplog. */
const HIDDEN_OPLOG: ReadonlySet<string> = new Set(['STARTUP', 'STARTUP2', 'ROLLBACK']);

/**
 * Why a member will not answer a command in its present state, or undefined if it will.
 * Upstream: service_entry_point, the checks of `_initiateCommand`.
 */
export function refusal({
  command,
  writableHere,
  state,
  secondaryOk,
  inTransaction = false,
  ns = '',
}: Asked): CommandError | undefined {
  if (ns === OPLOG_NS && command.secondaries === 'optIn' && HIDDEN_OPLOG.has(state)) {
    return new CommandError(
      'NotPrimaryOrSecondary',
      'Oplog collection reads are not allowed while in the rollback or startup state.',
    );
  }
  if (writableHere) return undefined;
  const { secondaries, maintenanceOk } = command;
  if (state === 'STANDALONE') {
    if (secondaries !== 'never') return undefined;
    return new CommandError('IllegalOperation', 'nothing can be written: the server was started read-only');
  }
  const optedIn = secondaries === 'optIn' && !inTransaction && secondaryOk;
  const canRunHere = secondaries === 'always' || optedIn;
  if (!canRunHere && secondaries === 'optIn' && !inTransaction) {
    return new CommandError('NotPrimaryNoSecondaryOk', 'not primary and secondaryOk=false');
  }
  if (!canRunHere) return new CommandError('NotWritablePrimary', 'not primary');
  if (maintenanceOk || state === 'SECONDARY') return undefined;
  if (state === 'RECOVERING') return new CommandError('NotPrimaryOrSecondary', 'node is recovering');
  if (state !== 'PRIMARY') {
    return new CommandError('NotPrimaryOrSecondary', 'node is not in primary or recovering state');
  }
  // A primary that still catches up or drains serves whoever would be content with a secondary. (Upstream's "node is in
  // drain mode" guards a case that the checks above have settled.)
  return undefined;
}

const LEGACY_WORDS: ReadonlyMap<string, string> = new Map([
  ['not primary and secondaryOk=false', 'not master and slaveOk=false'],
  ['not primary', 'not master'],
]);

/**
 * A refusal in the words of before 5.0, for clients whose handshake lacked `helloOk: true`: old drivers look for them.
 * Upstream: service_entry_point, the checks of client->supportsHello().
 */
export function inLegacyWords(errmsg: string): string {
  return LEGACY_WORDS.get(errmsg) ?? errmsg;
}

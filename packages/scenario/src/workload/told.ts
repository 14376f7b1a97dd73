import { headBytes, headOf, type Outcome, type TransactionEnd } from '@replsim/driver';
import type { ClientTrace, OpTime } from '@replsim/protocol';
import { endingOf, firstBatch, idsOf } from '../stage/answers.ts';

export type Told = Omit<
  Extract<ClientTrace, { type: 'clientTold' }>,
  'type' | 'workload' | 'turn' | 'sinceMicros' | 'server'
>;

/** With `w: 0` the application hears nothing from the server, be it good or bad. */
export const NOTHING: Told = { outcome: 'unknown' };

/** What the application makes of an outcome. */
export function toldOf(outcome: Outcome, kind: 'read' | 'write'): Told {
  switch (outcome.kind) {
    case 'noServer':
      return { outcome: 'error', error: { name: 'MongoServerSelectionError', message: outcome.errmsg } };
    case 'networkError': {
      const isUnknown = kind === 'write' && outcome.reached;
      return {
        outcome: isUnknown ? 'unknown' : 'error',
        error: { name: 'MongoNetworkError', message: outcome.errmsg },
      };
    }
    case 'reply':
      return toldByReply(outcome.reply, kind);
  }
}

/** The commit that was not answered may have been carried out; whatever else failed was not. */
export function toldByTransaction({ outcome, inDoubt }: TransactionEnd): Told {
  const told = toldOf(outcome, 'write');
  return told.outcome === 'acknowledged' ? told : { ...told, outcome: inDoubt ? 'unknown' : 'error' };
}

function toldByReply(reply: Uint8Array, kind: 'read' | 'write'): Told {
  const { operationTime, opTime } = headOf(reply);
  const times = {
    ...(operationTime && { operationTime: { t: operationTime.t, i: operationTime.i } }),
    ...(opTime?.ts && { opTime: { ts: { t: opTime.ts.t, i: opTime.ts.i }, t: Number(opTime.t) } satisfies OpTime }),
  };
  const [error] = endingOf(headBytes(reply)).errors;
  if (error) {
    const { code, errmsg, where } = error;
    const name =
      where === 'command' ? 'MongoServerError' : where === 'write' ? 'MongoBulkWriteError' : 'MongoWriteConcernError';
    return { outcome: 'error', error: { name, code, message: errmsg }, ...times };
  }
  if (kind === 'write') return { outcome: 'acknowledged', ...times };
  return { outcome: 'read', ids: idsOf(firstBatch(reply)), ...times };
}

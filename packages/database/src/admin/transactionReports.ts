import { type OpenConnection, type Session, shownReadConcern } from '@replsim/operations';
import { isSessionOf, partsOfKey, type Reply } from '@replsim/pipeline';
import { RawBson, toBsonTimestamp } from '@replsim/protocol';
import { Binary, Timestamp, UUID } from 'bson';
import type { MemberServices } from '../member.ts';

/** `{ id, uid }`. @param key the hex of its UUID */
export function sessionDocument(key: string): Reply {
  const { id, uid } = partsOfKey(key);
  return { id: new UUID(id), uid: new Binary(uid) };
}

/** What `currentOp` tells of an open transaction. Upstream: transaction_participant.cpp, reportStashedState. */
export function transactionDocument(session: Session, { now }: Pick<MemberServices, 'now'>): Reply {
  const { times, expiresMicros } = session;
  const openMicros = Math.round(times.openMicros(now));
  const activeMicros = Math.round(times.activeMicros(now));
  return {
    parameters: parametersOf(session),
    readTimestamp: readTimestampOf(session),
    startWallClockTime: isoTime(times.started.wallMs),
    timeOpenMicros: BigInt(openMicros),
    timeActiveMicros: BigInt(activeMicros),
    timeInactiveMicros: BigInt(openMicros - activeMicros),
    expiryTime: isoTime(now.wallMs + (expiresMicros - now.monotonicMicros) / 1000),
  };
}

/** What its first statement said. */
export function parametersOf({ txnNumber, open }: Session): Reply {
  const readConcern = shownReadConcern(open?.identity.readConcern ?? { level: 'local' });
  return { txnNumber, txnRetryCounter: 0, autocommit: false, readConcern };
}

/** At which time it reads; a null one but for snapshots. */
export function readTimestampOf({ open }: Session): Timestamp {
  const at = open?.readTimestamp;
  return at ? toBsonTimestamp(at, Timestamp) : new Timestamp({ t: 0, i: 0 });
}

/** Transactions that wait for their next statement, which no operation tells of. Upstream: reportUnstashedState. */
export function idleTransactions(member: MemberServices, whose?: OpenConnection): Reply[] {
  return member.sessions
    .open()
    .filter(
      ({ isActive, lsid }) => !isActive && (!whose || !member.access.isEnabled || isSessionOf(lsid.key, whose.uid)),
    )
    .map((session) => {
      const { connection } = session.times;
      const { metadata } = connection ?? {};
      return {
        type: 'idleSession',
        host: member.host,
        desc: 'inactive transaction',
        ...(connection && { client: connection.remote, connectionId: connection.id }),
        ...(connection && {
          appName: metadata?.appName ?? '',
          clientMetadata: metadata ? new RawBson(metadata.bytes) : {},
        }),
        lsid: sessionDocument(session.lsid.key),
        transaction: transactionDocument(session, member),
        waitingForLock: false,
        active: false,
        locks: {},
        lockStats: {},
      };
    });
}

function isoTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '+00:00');
}

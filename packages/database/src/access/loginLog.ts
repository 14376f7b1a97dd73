import type { OpenConnection, SaslSession } from '@replsim/operations';
import { CommandError } from '@replsim/protocol';
import type { MemberServices } from '../member.ts';

interface Login {
  readonly member: MemberServices;
  readonly connection: OpenConnection;
}

/** A client that begins anew, or has gone, leaves its conversation. Upstream: authentication_session.cpp, ~AuthenticationSession. */
export function abandonLogin(member: MemberServices, connection: OpenConnection): void {
  const { sasl } = connection;
  if (!sasl) return;
  connection.sasl = undefined;
  const reason = 'Authentication session abandoned, client has likely disconnected';
  logFailure({ member, connection }, sasl, new CommandError('AuthenticationAbandoned', reason));
}

export function logFailure({ member, connection }: Login, session: SaslSession, error: CommandError): void {
  const { metrics, extraInfo, ...who } = loginAttr(member, connection, session);
  loginEnded(member, session);
  const why = { error: `${error.codeName}: ${error.message}`, result: error.code };
  member.log('I', 'ACCESS', 5286307, 'Failed to authenticate', { ...who, ...why, metrics, extraInfo });
}

/** Whether it was let in or not. Upstream: AuthCounter::incAuthenticationCumulativeTime. */
export function loginEnded({ counters, now }: MemberServices, { startedMicros }: SaslSession): void {
  counters.authentication.totalMicros += now.monotonicMicros - startedMicros;
}

/** What the log says of a login, in this order. */
export function loginAttr({ now }: MemberServices, { remote }: OpenConnection, session: SaslSession) {
  const { scram, db, isSpeculative, skipsEmpty, startedMicros } = session;
  const micros = now.monotonicMicros - startedMicros;
  const step_total = skipsEmpty ? 2 : 3;
  const steps = Array.from({ length: scram.stepsDone }, (_, i) => [
    String(i),
    { step: i + 1, step_total, duration_micros: i + 1 < scram.stepsDone ? 0 : micros },
  ]);
  return {
    client: remote,
    isSpeculative,
    isClusterMember: scram.user === '__system' && db === 'local',
    mechanism: scram.mechanism,
    user: scram.user,
    db,
    metrics: { conversation_duration: { micros, summary: Object.fromEntries(steps) } },
    extraInfo: {},
  };
}

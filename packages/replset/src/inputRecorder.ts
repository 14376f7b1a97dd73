import type { Connection, ConnectionListener, ReplicaSetApi } from './api.ts';
import type { Recorded, RecordedInput } from './recorded.ts';

/** What can be done to a set from outside. */
export type SetInputs = Pick<
  ReplicaSetApi,
  | 'connect'
  | 'send'
  | 'kill'
  | 'shutdown'
  | 'start'
  | 'pause'
  | 'resume'
  | 'hold'
  | 'release'
  | 'partition'
  | 'cut'
  | 'disconnect'
  | 'heal'
  | 'link'
  | 'jumpClock'
  | 'driftClock'
  | 'disk'
>;

/**
 * Stands before a set and tells `record` of each thing that is done to the set, just before it is done. Whoever calls it
 * lets everything happen first that is due (see `Recorded`), and awaits `start` and `disk` before the next call.
 */
export function recordInputs(set: ReplicaSetApi, record: (recorded: Recorded) => void): SetInputs {
  const note = (input: RecordedInput) => record({ atMicros: set.nowMicros, ...input });
  let connections = 0;
  return {
    connect: (member, remote, listener) => {
      if (!set.status(member).running) return undefined;
      const connection = ++connections;
      note({ type: 'connect', connection, member, remote });
      return recordConnection((tells) => set.connect(member, remote, tells)!, listener, connection, note);
    },
    send: (member, command) => {
      note({ type: 'command', member, command });
      return set.send(member, command);
    },
    kill: (member) => {
      note({ type: 'kill', member });
      set.kill(member);
    },
    shutdown: (member) => {
      note({ type: 'shutdown', member });
      set.shutdown(member);
    },
    start: (member, options) => {
      note({ type: 'start', member, ...(options && { options }) });
      return set.start(member, options);
    },
    pause: (member) => {
      note({ type: 'pause', member });
      set.pause(member);
    },
    resume: (member) => {
      note({ type: 'resume', member });
      set.resume(member);
    },
    hold: (member, part) => {
      note({ type: 'hold', member, part });
      set.hold(member, part);
    },
    release: (member, part) => {
      note({ type: 'release', member, part });
      set.release(member, part);
    },
    partition: (groups) => {
      note({ type: 'partition', groups });
      set.partition(groups);
    },
    cut: (from, to) => {
      note({ type: 'cut', from, to });
      set.cut(from, to);
    },
    disconnect: (from, to) => {
      note({ type: 'disconnect', from, to });
      set.disconnect(from, to);
    },
    heal: (members) => {
      note({ type: 'heal', members });
      set.heal(members);
    },
    link: (from, to, settings) => {
      note({ type: 'link', from, to, settings });
      set.link(from, to, settings);
    },
    jumpClock: (member, byMs) => {
      note({ type: 'jumpClock', member, byMs });
      set.jumpClock(member, byMs);
    },
    driftClock: (member, ppm) => {
      note({ type: 'driftClock', member, ppm });
      set.driftClock(member, ppm);
    },
    disk: (member, settings) => {
      note({ type: 'disk', member, settings });
      return set.disk(member, settings);
    },
  };
}

/** Opens a connection that tells of what its client does. Requests that are still open are known by their number on it. */
function recordConnection(
  open: (listener: ConnectionListener) => Connection,
  listener: ConnectionListener,
  connection: number,
  note: (input: RecordedInput) => void,
): Connection {
  const unanswered = new Map<number, number>();
  let sent = 0;
  const inner = open({
    reply: (requestId, reply) => {
      unanswered.delete(requestId);
      listener.reply(requestId, reply);
    },
    awaiting: (requestId, forMs) => listener.awaiting(requestId, forMs),
    closed: () => listener.closed(),
  });
  return {
    connectionId: inner.connectionId,
    send: (command, flags) => {
      note({ type: 'send', connection, command, ...flags });
      const requestId = inner.send(command, flags);
      sent++;
      if (!flags?.moreToCome) unanswered.set(requestId, sent);
      return requestId;
    },
    awaitEnded: (requestId) => {
      const request = unanswered.get(requestId);
      if (request === undefined) return;
      note({ type: 'awaitEnded', connection, request });
      inner.awaitEnded(requestId);
    },
    close: () => {
      note({ type: 'hangUp', connection });
      inner.close();
    },
  };
}

import type { MongodEvent } from '@replsim/node';
import { firstKey, type MemberMessage, type MemberTrace, type RunEvent } from '@replsim/protocol';
import type { Due } from './due.ts';
import type { DiskWrite } from './parts.ts';
import type { World } from './world.ts';

/** What comes from outside: a step of a script, a fault, a command that nobody in the run sends. */
type InputKind = Extract<RunEvent, { type: 'input' }>['kind'];

const DISK_WRITES: Readonly<Record<DiskWrite['type'], string>> = {
  writeJournal: 'journal',
  writeCheckpoint: 'checkpoint',
  writeFile: 'file',
};

/** Something comes from outside, and what it leads to will remember it. @param what in a few words, made only if asked for */
export function input(world: World, kind: InputKind, what: () => string): void {
  const turn = world.beginTurn();
  if (world.causes) world.recorder.run(world.nowMicros, { type: 'input', turn, kind, what: what() });
}

/** Says what the loop takes up. @param cause the turn or input in which it was scheduled */
export function traceTurn(world: World, due: Due, turn: number, cause: number): void {
  const { recorder, nowMicros } = world;
  switch (due.kind) {
    case 'event': {
      const seen = { kind: kindOf(due.event), what: eventText(due.event) };
      return recorder.member(nowMicros, due.process.member.name, { type: 'turn', turn, cause, ...seen });
    }
    case 'request':
    case 'response': {
      const { from, to } = due.message;
      const what = messageText(due.message);
      return recorder.member(nowMicros, nameAt(world, to), {
        type: 'turn',
        turn,
        cause,
        kind: 'message',
        peer: from,
        what,
      });
    }
    case 'write': {
      const what = DISK_WRITES[due.write.type];
      return recorder.member(nowMicros, due.process.member.name, { type: 'turn', turn, cause, kind: 'disk', what });
    }
    case 'resumed':
    case 'writesReleased': {
      const what = due.kind === 'resumed' ? 'goes on' : 'journal released';
      return recorder.member(nowMicros, due.process.member.name, { type: 'turn', turn, cause, kind: 'signal', what });
    }
    case 'call':
      return recorder.run(nowMicros, { type: 'clientTurn', turn, cause, client: due.client, what: due.what });
  }
}

/** Says what becomes of a message: `sent` and `lost` of whoever sent it, `delivered` of whoever gets it. */
export function traceMessage(world: World, type: 'sent' | 'delivered' | 'lost', message: MemberMessage): void {
  if (!world.causes) return;
  const { from, to } = message;
  const [member, peer] = type === 'delivered' ? [to, from] : [from, to];
  world.recorder.member(world.nowMicros, nameAt(world, member), { type, peer, what: messageText(message) });
}

/** A host that is no member of the set goes by its own name. */
function nameAt(world: World, host: string): string {
  return world.memberAt(host)?.name ?? host;
}

function messageText(message: MemberMessage): string {
  if (message.kind === 'request') return Object.keys(message.command)[0] ?? '';
  const { channel, reply } = message;
  return reply.ok === 0 ? `${channel} reply: ${reply.errmsg}` : `${channel} reply`;
}

function kindOf({ type }: MongodEvent): Extract<MemberTrace, { type: 'turn' }>['kind'] {
  switch (type) {
    case 'started':
    case 'timer':
    case 'message':
    case 'command':
      return type;
    case 'diskDone':
    case 'diskFailed':
      return 'disk';
    case 'terminate':
      return 'signal';
    default:
      return 'connection';
  }
}

function eventText(event: MongodEvent): string {
  if (event.type === 'timer') return event.key;
  return event.type === 'command' ? firstKey(event.command) : event.type;
}

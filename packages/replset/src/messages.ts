import type { Link } from '@replsim/kernel';
import type { ErrorReply, MemberMessage, MemberRequest, MemberResponse } from '@replsim/protocol';
import { type Due, requestDue, responseDue } from './due.ts';
import type { Process } from './member.ts';
import { traceMessage } from './turns.ts';
import type { World } from './world.ts';

/** Puts a message on its link, which decides whether, when and how often it arrives. */
export function transmit(world: World, process: Process, message: MemberMessage): void {
  const peer = process.member.peer(message.to, world.network, (host) => world.memberAt(host));
  let due: Due;
  if (message.kind === 'request') {
    due = requestDue(process, message, peer);
  } else {
    const open = process.requests.get(message.id);
    if (open === undefined) return; // answered before
    process.requests.delete(message.id);
    due = responseDue(open.asker, withId(message, open.request.id), peer.link);
  }
  deliver(world, peer.link, message, due);
}

/**
 * What moves a cursor arrives once, as TCP delivers it: a second `getMore` would skip what the first one got, and a loss
 * slows the stream down and does not break it. Heartbeats, votes and reports stand for themselves.
 */
function deliver(world: World, link: Link, message: MemberMessage, due: Due): void {
  const { channel } = message;
  traceMessage(world, 'sent', message);
  if (channel === 'fetch' || channel === 'admin') {
    const atMicros = link.sendStream(channel, world.nowMicros);
    if (atMicros === undefined) traceMessage(world, 'lost', message);
    else world.queue.schedule(atMicros, due);
    return;
  }
  const arrivals = link.send(channel, world.nowMicros);
  if (arrivals.length === 0) traceMessage(world, 'lost', message);
  for (const atMicros of arrivals) world.queue.schedule(atMicros, due);
}

/** Refuses or breaks off a request, as the other side's operating system does when no process is (any more) there. */
export function refuse(world: World, { from, to, channel, id }: MemberRequest, asker: Process, errmsg: string): void {
  const link = asker.member.peer(to, world.network, (host) => world.memberAt(host)).linkBack;
  const reply: ErrorReply = Object.freeze({ ok: 0, code: 6, errmsg });
  const response: MemberResponse = Object.freeze({ kind: 'response', id, from: to, to: from, channel, reply });
  deliver(world, link, response, responseDue(asker, response, link));
}

/**
 * Takes in a request under an id of its own, as each connection has its own requests: the ids of one process of a member
 * and of the next are the same, and both may have asked.
 */
export function accept(world: World, process: Process, request: MemberRequest, asker: Process): MemberRequest {
  const id = world.nextConnectionId++;
  process.requests.set(id, { request, asker });
  const { from, to, channel, command, $clusterTime, auth } = request;
  return Object.freeze({ kind: 'request', id, from, to, channel, command, $clusterTime, auth });
}

function withId({ from, to, channel, reply, $clusterTime }: MemberResponse, id: number): MemberResponse {
  return Object.freeze({ kind: 'response', id, from, to, channel, reply, $clusterTime });
}

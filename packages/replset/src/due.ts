import type { Link } from '@replsim/kernel';
import type { MongodEvent } from '@replsim/node';
import type { MemberRequest, MemberResponse, RunEvent } from '@replsim/protocol';
import type { Peer, Process } from './member.ts';
import type { DiskWrite } from './parts.ts';

/**
 * What lies in the queue. All kinds have the same fields in the same order, which keeps the loop's code monomorphic.
 * - `event`: `process` is to see `event`
 * - `resumed`: `process` has been resumed and is to see what it missed
 * - `request`: `message` arrives from `asker` over `link`; `process` is who ran at the far end (`peer`) when it left
 * - `response`: `message` arrives over `link` for `process`, who had asked
 * - `write`: `process`'s disk is done with `write`
 * - `writesReleased`: `process`'s journal is not held any more
 * - `call`: a client beside the set wakes, or something of its reaches the other end
 */
export type Due =
  | DueOf<'event', { process: Process; event: MongodEvent }>
  | DueOf<'resumed' | 'writesReleased', { process: Process }>
  | RequestDue
  | ResponseDue
  | DueOf<'write', { process: Process; write: DiskWrite }>
  | DueOf<'call', { call: () => void; client: string; what: ClientNews }>;

/** What wakes a client, or reaches the other end. */
export type ClientNews = Extract<RunEvent, { type: 'clientTurn' }>['what'];

export type RequestDue = DueOf<
  'request',
  { process: Process | undefined; message: MemberRequest; link: Link; peer: Peer; asker: Process }
>;
export type ResponseDue = DueOf<'response', { process: Process; message: MemberResponse; link: Link }>;

type Field = 'process' | 'event' | 'message' | 'link' | 'peer' | 'asker' | 'write' | 'call' | 'client' | 'what';
type DueOf<Kind, Fields> = { readonly kind: Kind } & Readonly<Fields> & {
    readonly [Name in Exclude<Field, keyof Fields>]: undefined;
  };

export function eventDue(process: Process, event: MongodEvent): Due {
  return {
    kind: 'event',
    process,
    event,
    message: undefined,
    link: undefined,
    peer: undefined,
    asker: undefined,
    write: undefined,
    call: undefined,
    client: undefined,
    what: undefined,
  };
}

export function resumedDue(process: Process): Due {
  return {
    kind: 'resumed',
    process,
    event: undefined,
    message: undefined,
    link: undefined,
    peer: undefined,
    asker: undefined,
    write: undefined,
    call: undefined,
    client: undefined,
    what: undefined,
  };
}

export function writesReleasedDue(process: Process): Due {
  return {
    kind: 'writesReleased',
    process,
    event: undefined,
    message: undefined,
    link: undefined,
    peer: undefined,
    asker: undefined,
    write: undefined,
    call: undefined,
    client: undefined,
    what: undefined,
  };
}

export function requestDue(asker: Process, message: MemberRequest, peer: Peer): Due {
  return {
    kind: 'request',
    process: peer.member?.process,
    event: undefined,
    message,
    link: peer.link,
    peer,
    asker,
    write: undefined,
    call: undefined,
    client: undefined,
    what: undefined,
  };
}

export function responseDue(asker: Process, message: MemberResponse, link: Link): Due {
  return {
    kind: 'response',
    process: asker,
    event: undefined,
    message,
    link,
    peer: undefined,
    asker: undefined,
    write: undefined,
    call: undefined,
    client: undefined,
    what: undefined,
  };
}

export function writeDue(process: Process, write: DiskWrite): Due {
  return {
    kind: 'write',
    process,
    event: undefined,
    message: undefined,
    link: undefined,
    peer: undefined,
    asker: undefined,
    write,
    call: undefined,
    client: undefined,
    what: undefined,
  };
}

export function callDue(client: string, what: ClientNews, call: () => void): Due {
  return {
    kind: 'call',
    process: undefined,
    event: undefined,
    message: undefined,
    link: undefined,
    peer: undefined,
    asker: undefined,
    write: undefined,
    call,
    client,
    what,
  };
}

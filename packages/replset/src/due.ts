import type { Link } from '@replsim/kernel';
import type { MongodEvent } from '@replsim/node';
import type { MemberMessage, MemberRequest, MemberResponse } from '@replsim/protocol';
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
export interface Due {
  readonly kind: 'event' | 'resumed' | 'request' | 'response' | 'write' | 'writesReleased' | 'call';
  readonly process: Process | undefined;
  readonly event: MongodEvent | undefined;
  readonly message: MemberMessage | undefined;
  readonly link: Link | undefined;
  readonly peer: Peer | undefined;
  readonly asker: Process | undefined;
  readonly write: DiskWrite | undefined;
  readonly call: (() => void) | undefined;
}

export function eventDue(process: Process, event: MongodEvent): Due {
  return due('event', process, event, undefined, undefined, undefined, undefined, undefined);
}

export function resumedDue(process: Process): Due {
  return due('resumed', process, undefined, undefined, undefined, undefined, undefined, undefined);
}

export function writesReleasedDue(process: Process): Due {
  return due('writesReleased', process, undefined, undefined, undefined, undefined, undefined, undefined);
}

export function requestDue(asker: Process, message: MemberRequest, peer: Peer): Due {
  return due('request', peer.member?.process, undefined, message, peer.link, peer, asker, undefined);
}

export function responseDue(asker: Process, message: MemberResponse, link: Link): Due {
  return due('response', asker, undefined, message, link, undefined, undefined, undefined);
}

export function writeDue(process: Process, write: DiskWrite): Due {
  return due('write', process, undefined, undefined, undefined, undefined, undefined, write);
}

export function callDue(call: () => void): Due {
  return due('call', undefined, undefined, undefined, undefined, undefined, undefined, undefined, call);
}

function due(
  kind: Due['kind'],
  process: Process | undefined,
  event: MongodEvent | undefined,
  message: MemberMessage | undefined,
  link: Link | undefined,
  peer: Peer | undefined,
  asker: Process | undefined,
  write: DiskWrite | undefined,
  call: (() => void) | undefined = undefined,
): Due {
  return { kind, process, event, message, link, peer, asker, write, call };
}

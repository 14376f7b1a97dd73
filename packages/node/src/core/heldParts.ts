import type { HoldablePart } from '@replsim/protocol';
import type { MongodEvent } from './events.ts';

const TIMERS: Readonly<Record<string, HoldablePart>> = { fetch: 'fetch', apply: 'apply', ttl: 'ttl' };

/** The part that an event is for, if it is one of those. Writes to the disk are effects, which the host holds itself. */
export function partOf(event: MongodEvent): HoldablePart | undefined {
  if (event.type === 'timer') return event.key.startsWith('hb:') ? 'heartbeats' : TIMERS[event.key];
  if (event.type !== 'message') return undefined;
  const { kind, channel } = event.message;
  if (channel === 'heartbeat') return 'heartbeats';
  return channel === 'fetch' && kind === 'response' ? 'fetch' : undefined;
}

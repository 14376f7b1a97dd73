import { VERSION } from '../version.ts';
import type { Address } from './address.ts';

/** What a queue of tasks is called, so that no worker of another release, whose runs are others, could take one. */
export const taskQueueName = (name: string) => `${name}-${VERSION}`;

/** What all that BullMQ keeps begins with. */
export const PREFIX = 'replsim';

/** How BullMQ connects: it waits for a server that is away. */
export function bullmqConnection(address: Address) {
  return { ...address, maxRetriesPerRequest: null, retryStrategy: (times: number) => Math.min(times * 50, 2000) };
}

import type { Redis } from 'ioredis';
import { InputError } from '../io.ts';
import { type Address, shownAddress } from './address.ts';

/** What `--queue` needs, which whoever uses it installs. @throws InputError */
export async function loadFleet() {
  try {
    const { Queue, QueueEvents, UnrecoverableError, Worker } = await import('bullmq');
    const { Redis } = await import('ioredis');
    return { Queue, QueueEvents, UnrecoverableError, Worker, Redis };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw error;
    const [, name = 'bullmq'] = /'([^'/]+)'/.exec(message) ?? [];
    throw new InputError(`--queue needs ${name}, which is not installed: npm install bullmq ioredis`);
  }
}

export type Fleet = Awaited<ReturnType<typeof loadFleet>>;

/** A connection that is there; from now on it comes back by itself. @throws InputError where there is no such server, or it lets nobody in */
export async function connected(address: Address, { Redis: Client }: Fleet): Promise<Redis> {
  let isFirst = true;
  const redis = new Client({
    ...address,
    lazyConnect: true,
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => (isFirst ? null : Math.min(times * 50, 2000)),
  });
  let last: Error | undefined;
  redis.on('error', (error: Error) => {
    last = error;
  });
  try {
    await redis.connect();
    await redis.ping();
    // Otherwise a database number that the server lacks would go unnoticed.
    await redis.select(address.db);
    const [, version = '0'] = /redis_version:(\d+)/.exec(await redis.info('server')) ?? [];
    if (Number(version) < 5) throw new Error(`its Redis is of version ${version}, and must be of 5 or later`);
  } catch (error) {
    redis.disconnect();
    throw new InputError(`--queue: ${shownAddress(address)}: ${plainly(last ?? (error as Error))}`);
  }
  isFirst = false;
  return redis;
}

/** What Node calls certificates whose authority it does not know. */
const UNTRUSTED = /SELF_SIGNED_CERT|UNABLE_TO_(VERIFY|GET)|CERT_UNTRUSTED/;

/** What a server, or the way to it, says, and what to do. */
function plainly({ message, ...error }: Error): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (/WRONGPASS|invalid password/i.test(message))
    return 'the password is wrong: redis://:PASSWORD@host, percent-encoded';
  if (/NOAUTH/.test(message)) return 'it wants a password: redis://:PASSWORD@host';
  if (code === 'ECONNREFUSED') return 'no server listens there; start one with redis-server';
  if (UNTRUSTED.test(code))
    return 'this machine does not trust its certificate: name the file of its authority in the variable NODE_EXTRA_CA_CERTS';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'its certificate is for another host; use the name that it is for';
  if (code === 'ETIMEDOUT') return 'it does not answer; a server without TLS does not answer rediss:// either';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'there is no host of this name';
  if (/DB index|out of range/i.test(message)) return 'it has no database of this number';
  return `${message || code}; name a server that can be reached`;
}

import { isIP } from 'node:net';
import { InputError } from '../io.ts';

/** Where a queue is, as Redis clients take it. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: { readonly servername?: string };
}

const DEFAULT_PORT = 6379;

/** @param url `redis://[user:password@]host[:port][/db]`, or `rediss://` with TLS @throws InputError, which does not repeat a password */
export function addressOf(url: string): Address {
  const wrong = (why: string) =>
    new InputError(`--queue: ${why}; write it as in redis://host:6379/0, or rediss:// for TLS`);
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined) throw wrong('this is not an address');
  const { protocol, hostname, port, pathname, username, password, search } = parsed;
  if (protocol !== 'redis:' && protocol !== 'rediss:') throw wrong(`"${protocol}//" is not a protocol of Redis`);
  if (hostname === '') throw wrong('there is no host in it');
  const [, db] = /^\/?(\d{0,5})$/.exec(pathname) ?? [];
  if (db === undefined) throw wrong(`"${pathname}" is not the number of a database`);
  if (search !== '') throw wrong(`"${search}" has no meaning here`);
  // Brackets belong to the URL, not to the address in it.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    host,
    port: port === '' ? DEFAULT_PORT : Number(port),
    db: Number(db),
    ...(username !== '' && { username: decoded(username, wrong) }),
    ...(password !== '' && { password: decoded(password, wrong) }),
    // A certificate is asked for by a name, never by an address.
    ...(protocol === 'rediss:' && { tls: isIP(host) > 0 ? {} : { servername: host } }),
  };
}

/** As messages have it: without the password. */
export function shownAddress({ host, port, db, tls }: Address): string {
  return `redis${tls ? 's' : ''}://${host.includes(':') ? `[${host}]` : host}:${port}${db === 0 ? '' : `/${db}`}`;
}

function decoded(text: string, wrong: (why: string) => InputError): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong('a user or password in it is not percent-encoded');
  }
}

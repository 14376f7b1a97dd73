import type { MemberSpec, ReplSetOptions } from '@replsim/replset';
import type { TlsOptions } from './tls/tlsOptions.ts';

/** Options of a set that listens on real ports. */
export interface ServeOptions extends Omit<ReplSetOptions, 'members'> {
  /** The number of members, or a list of them. Default: 3. */
  readonly members?: number | readonly MemberSpec[];
  /** The number of extra processes that start with the set but are not in its config, so that `rs.add()` can add them. Default: 0. */
  readonly spares?: number;
  /** TCP port of the first member; the others use the ports that follow. 0 (the default) picks any free ports. */
  readonly port?: number;
  /** TCP port of each member, if they are not consecutive. 0 picks any free port. */
  readonly ports?: readonly number[];
  /** Address to listen on. One that other machines reach needs access control and TLS, or `isOpen`. Default: 127.0.0.1. */
  readonly ip?: string;
  /**
   * `HOST:PORT` by members' names: how a member is called in the config and in `hello`, and so how clients must be able to reach it.
   * A member so called listens at the port of its name unless `port` is given.
   */
  readonly hostNames?: Readonly<Record<string, string>>;
  /** Listen on all addresses and let every client in, from other machines too. Everybody who reaches a port is a client. Default: false. */
  readonly anyClient?: boolean;
  /**
   * The compressors that members offer, `snappy`, `zstd`, `zlib` or `noop`, as a list or with commas between them; `disabled` for none.
   * Default: `snappy,zstd,zlib`, as with mongod.
   */
  readonly networkMessageCompressors?: string | readonly string[];
  /** How many connections a member has at most at a time. Default: 1,000,000, as with mongod. */
  readonly maxIncomingConnections?: number;
  /** TLS on the members' ports; `true` makes certificates that last as long as the set. Default: none. */
  readonly tls?: TlsOptions | boolean;
  /** Other machines may reach the set though nobody has to log in or use TLS. Default: false. */
  readonly isOpen?: boolean;
  /** Let the set start even if all data that it had under its `dbpath`, or the newest of it, are gone. Default: false. */
  readonly acceptEmpty?: boolean;
  /** Virtual seconds that pass in a real second while no command is in progress. 0 stops time. Default: 1. */
  readonly speed?: number;
  /**
   * How far commands may carry virtual time ahead of the wall clock before their replies are held back. It applies at speed 1 and
   * above. Unit: ms. Default: 250.
   */
  readonly maxLeadMs?: number;
  /** Check the invariants. Default: false. */
  readonly invariants?: boolean;
  /** Keep the ledger of acknowledged writes. Default: true. */
  readonly ledger?: boolean;
}

/** The processes to start, spares last. @throws RangeError for a count that is out of range or not a whole number */
export function memberSpecs({ members = 3, spares = 0 }: ServeOptions): readonly MemberSpec[] {
  const specs = typeof members === 'number' ? numbered(wholeNumber('members', members, 1), 0, {}) : members;
  return [...specs, ...numbered(wholeNumber('spares', spares, 0), specs.length, { spare: true })];
}

function numbered(count: number, before: number, traits: Partial<MemberSpec>): MemberSpec[] {
  return Array.from({ length: count }, (_, i) => ({ name: `n${before + i + 1}`, ...traits }));
}

function wholeNumber(name: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least && value <= 50) return value;
  throw new RangeError(`${name} must be a whole number from ${least} to 50, not ${value}`);
}

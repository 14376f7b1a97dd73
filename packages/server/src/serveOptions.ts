import type { MemberSpec, ReplSetOptions } from '@replsim/replset';

/** What a set that real clients talk to is started with. */
export interface ServeOptions extends Omit<ReplSetOptions, 'members'> {
  /** How many, or each of them; default 3. */
  readonly members?: number | readonly MemberSpec[];
  /** How many processes more, for `rs.add()`: started for the set, but not in its config. Default 0. */
  readonly spares?: number;
  /** Of the first member; the others take the ports that follow. 0, the default: any that are free. */
  readonly port?: number;
  /** Of each member, where they do not follow on one another; 0 for any that is free. */
  readonly ports?: readonly number[];
  /** Where to listen: an address of this machine alone. Default 127.0.0.1. */
  readonly ip?: string;
  /** True: the set may begin anew though it had data under its `dbpath`, of which nothing is left. */
  readonly acceptEmpty?: boolean;
  /** Virtual seconds a second while no command is under way; 0 holds time still. Default 1. */
  readonly speed?: number;
  /** From speed 1 on: how far commands may carry virtual time ahead of the wall clock, before their replies wait. Unit: ms. Default 250. */
  readonly maxLeadMs?: number;
  /** Whether the invariants are held against the set. Default false. */
  readonly invariants?: boolean;
  /** Whether account is kept of what clients are told of their writes. Default true. */
  readonly ledger?: boolean;
}

/** The processes to start, the spares last. Throws RangeError for a number that is none. */
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

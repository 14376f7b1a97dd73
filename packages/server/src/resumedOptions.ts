import type { MemberSpec } from '@replsim/replset';
import { addressOf } from './doors/reach.ts';
import { DbpathMismatchError, type SavedSet } from './savedSet.ts';
import { memberSpecs, type ServeOptions } from './serveOptions.ts';

/**
 * The options of a set that goes on with the data under its `dbpath`: its name, its members and their ports are as they were, and
 * the clock goes on where it was or later. Everything else is said anew, as on a mongod's command line.
 * @param beganMs what the clocks show at the beginning, if nothing says otherwise, ms since 1970
 * @throws DbpathMismatchError where they contradict the data
 */
export function resumedOptions(
  options: ServeOptions,
  saved: SavedSet,
  beganMs: number,
): ServeOptions & { readonly epochMs: number } {
  const { setName } = saved;
  const ip = addressOf(saved.ip);
  mustAgree('the set is called', options.setName, setName);
  mustAgree('its members listen on', options.ip === undefined ? undefined : addressOf(options.ip), ip);
  const resumed = { ...options, setName, ip: options.ip ?? ip, members: membersOf(options, saved), spares: 0 };
  const epochMs = Math.max(options.epochMs ?? beganMs, saved.wallMs);
  return { ...resumed, ports: portsOf(resumed, options, saved), epochMs };
}

/** Those that are asked for; where no spares are, the ones that there were, as they may have joined since. */
function membersOf(options: ServeOptions, saved: SavedSet): readonly MemberSpec[] {
  const regular = saved.members.flatMap(({ name, spare }) => (spare ? [] : [{ name }]));
  const spares = saved.members.flatMap(({ name, spare }) => (spare ? [{ name, spare }] : []));
  const asked = memberSpecs({ ...options, members: options.members ?? regular });
  return options.spares !== undefined || asked.some(({ spare }) => spare) ? asked : [...asked, ...spares];
}

/** The port of each member, which the config on disk names; 0 for a spare that is new. */
function portsOf(resumed: ServeOptions, options: ServeOptions, { members }: SavedSet): number[] {
  const specs = memberSpecs(resumed);
  const known = new Map(members.map(({ name, port }) => [name, port]));
  const names = (list: readonly { readonly name: string; readonly spare?: boolean | undefined }[]) =>
    list.flatMap(({ name, spare }) => (spare ? [] : [name])).join(', ');
  mustAgree('its members are', names(specs), names(members));
  return specs.map(({ name }, i) => {
    const port = known.get(name) ?? 0;
    const asked = portAsked(options, i);
    if (port !== 0 && asked !== 0) mustAgree(`the port of ${name} is`, asked, port);
    return port || asked;
  });
}

/** The port that a member is to have; 0 for any that is free. */
export function portAsked({ port = 0, ports = [] }: ServeOptions, index: number): number {
  return ports[index] || (port === 0 ? 0 : port + index);
}

function mustAgree<Value>(what: string, asked: Value | undefined, known: Value): void {
  if (asked === undefined || asked === known) return;
  throw new DbpathMismatchError(
    `the data under dbpath are another set's: ${what} ${known}, not ${asked}; leave the option out, or choose another dbpath`,
  );
}

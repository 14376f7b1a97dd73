import { formatDuration } from '@replsim/kernel';
import type { AccessSettings, MemberSpec, ReplSetOptions } from '@replsim/replset';
import { standIns } from './standIns.ts';
import { flow } from './writeInput.ts';

/** By its first words a recording is known. */
const FIRST_WORDS = '# A recording: what came from outside, and when.';

/**
 * The beginning of a recording, up to its first step: a scenario already, though nothing happens in it.
 * @param name the scenario's name
 * @param pid the process that writes it, while the run goes on
 * @throws RangeError for a set that no scenario can describe
 */
export function recordingHeader(name: string, options: ReplSetOptions, pid?: number): string {
  const { seed, version, epochMs, parameters, network, costs } = options;
  return lines([
    `${FIRST_WORDS} "replsim run" on it makes the same run again, from empty disks,`,
    '# with the same trace. Take steps out, or add some of your own at the end, such as "- expect: …".',
    pid !== undefined && `# Process ${pid} wrote it.`,
    `name: ${JSON.stringify(name)}`,
    seed !== undefined && `seed: ${seed}`,
    version !== undefined && `version: ${JSON.stringify(version)}`,
    epochMs !== undefined && `epoch: ${new Date(epochMs).toISOString()}`,
    ...replicaSet(options),
    parameters && `parameters: ${flow(parameters)}`,
    network && `network: ${flow(network)}`,
    costs && `costs: ${flow(costs)}`,
    'steps:',
    '  - { at: 0s }',
  ]);
}

/**
 * What is known of the recording that a file holds; undefined if it holds none.
 * @returns `writer`: the process that has not written its end yet, whether or not it is still there
 */
export function recordingIn(text: string): { readonly writer: number | undefined } | undefined {
  if (!text.startsWith(FIRST_WORDS)) return undefined;
  // A step without anything but its time is the end; or the beginning, of which the header is the last line.
  const isEnded = /\n {2}- \{ at: (?!0s )[^ ,]+ \}\n$/.test(text);
  const pid = /^# Process (\d+) wrote it\.$/m.exec(text)?.[1];
  return { writer: isEnded || pid === undefined ? undefined : Number(pid) };
}

function replicaSet({ members, setName, settings, initiate, machineNames = [], ...options }: ReplSetOptions): Line[] {
  const firstSpare = members.findIndex(({ spare }) => spare);
  const listed = firstSpare < 0 ? members : members.slice(0, firstSpare);
  const spares = members.slice(listed.length);
  if (spares.some(({ spare }) => !spare) || listed.length === 0)
    throw new RangeError(
      'a scenario lists the members of the first config, of which there are some, before the spares',
    );
  return [
    'replicaSet:',
    setName !== undefined && `  name: ${flow(setName)}`,
    '  members:',
    ...listed.map((member) => `    - ${flow(memberEntry(member))}`),
    spares.length > 0 && '  spares:',
    ...spares.map((member) => `    - ${flow(memberEntry(member))}`),
    options.access && `  access: ${flow(accessEntry(options.access))}`,
    machineNames.length > 0 && `  machineNames: ${flow(machineNames)}`,
    settings && `  settings: ${flow(settings)}`,
    options.writeConcernMajorityJournalDefault === false && '  writeConcernMajorityJournalDefault: false',
    initiate !== undefined && `  initiate: ${initiate}`,
  ];
}

/** Nobody can do anything to the set with what a recording says of its keys. */
function accessEntry({ keys, ...others }: AccessSettings): object {
  return { ...others, keys: keys && standIns(keys) };
}

function memberEntry({ name, host, config, spare: _, clock, access, ...others }: MemberSpec): object {
  const { offsetMs, driftPpm } = clock ?? {};
  const offset = offsetMs === undefined ? undefined : formatDuration(Math.round(offsetMs * 1000));
  return {
    name,
    host,
    ...config,
    clock: clock && { offset, drift: driftPpm },
    access: access && accessEntry(access),
    ...others,
  };
}

type Line = string | false | undefined;

function lines(all: readonly Line[]): string {
  return all.flatMap((line) => (typeof line === 'string' ? [`${line}\n`] : [])).join('');
}

import { formatDuration } from '@replsim/kernel';
import type { MemberSpec, ReplSetOptions } from '@replsim/replset';
import { flow } from './writeInput.ts';

/**
 * The beginning of a recording, up to its first step: a scenario already, though nothing happens in it.
 * @param name the scenario's name
 * @throws RangeError for a set that no scenario can describe
 */
export function recordingHeader(name: string, options: ReplSetOptions): string {
  const { seed, version, epochMs, parameters, network, costs } = options;
  return lines([
    '# A recording: what came from outside, and when. "replsim run" on it makes the same run again, from empty disks,',
    '# with the same trace. Take steps out, or add some of your own at the end, such as "- expect: …".',
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

function replicaSet({ members, setName, settings, initiate }: ReplSetOptions): Line[] {
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
    settings && `  settings: ${flow(settings)}`,
    initiate !== undefined && `  initiate: ${initiate}`,
  ];
}

function memberEntry({ name, host, config, spare: _, clock, ...others }: MemberSpec): object {
  const { offsetMs, driftPpm } = clock ?? {};
  const offset = offsetMs === undefined ? undefined : formatDuration(Math.round(offsetMs * 1000));
  return { name, host, ...config, clock: clock && { offset, drift: driftPpm }, ...others };
}

type Line = string | false | undefined;

function lines(all: readonly Line[]): string {
  return all.flatMap((line) => (typeof line === 'string' ? [`${line}\n`] : [])).join('');
}

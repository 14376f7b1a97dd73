import { stringify } from 'yaml';
import type { Incident } from './infer/incident.ts';
import type { Deed } from './infer/timeline.ts';

/** The scenario of an incident, with the evidence for each fault beside it. */
export function write(incident: Incident): string {
  const { name, version, time, faults, loads } = incident;
  return [
    '# Written by replsim import. What follows "#" in a line says what speaks for it.',
    ...incident.notes.map((note) => `# ${oneLine(note)}`),
    `name: ${flow(name)}`,
    ...(incident.seed === undefined ? [] : [`seed: ${incident.seed}`]),
    `version: ${JSON.stringify(version)}`,
    ...(time === undefined ? [] : [`epoch: ${flow(new Date(time.epochMs).toISOString())}`]),
    ...setLines(incident),
    ...(faults.length === 0 ? [] : ['meanwhile:', ...faults.map((deed, i) => faultLine(deed, faults[i - 1]))]),
    'steps:',
    ...loads.flatMap(({ workload, because }) => [comment(because), `  - workload: ${flow(workload)}`]),
    ...stepLines(incident),
    '',
  ].join('\n');
}

function setLines({ setName, members, spares, settings, writeConcernMajorityJournalDefault }: Incident): string[] {
  return [
    'replicaSet:',
    `  name: ${flow(setName)}`,
    '  members:',
    ...members.map((member) => `    - ${flow(member)}`),
    ...(spares.length === 0 ? [] : ['  spares:', ...spares.map((member) => `    - ${flow(member)}`)]),
    ...(Object.keys(settings).length === 0 ? [] : [`  settings: ${flow(settings)}`]),
    ...(writeConcernMajorityJournalDefault ? [] : ['  writeConcernMajorityJournalDefault: false']),
  ];
}

function faultLine({ atMs, what, because }: Deed, before: Deed | undefined): string {
  const [[key, value] = ['note', '']] = Object.entries(what);
  const evidence = before?.because === because ? '' : ` # ${oneLine(because)}`;
  return `  - { at: ${seconds(atMs)}, ${key}: ${flow(value)} }${evidence}`;
}

function stepLines({ steps, loads, time, faults }: Incident): string[] {
  const lines: string[] = [];
  let atMs = 0;
  let told = '';
  for (const deed of steps) {
    if (deed.because !== told) lines.push(comment(deed.because));
    told = deed.because;
    if (deed.atMs > atMs) lines.push(`  - advance: { to: ${seconds(deed.atMs)} }`);
    atMs = Math.max(atMs, deed.atMs);
    lines.push(`  - ${Object.entries(deed.what).map(([key, value]) => `${key}: ${flow(value)}`)[0]}`);
  }
  const endMs = Math.max(time?.lengthMs ?? 0, ...faults.map((fault) => fault.atMs + 1));
  if ((time !== undefined || faults.length > 0) && endMs >= atMs) lines.push(`  - advance: { to: ${seconds(endMs)} }`);
  return [...lines, ...loads.map(({ workload }) => `  - stop: ${String(workload.name)}`)];
}

function comment(text: string): string {
  return `  # ${oneLine(text)}`;
}

/** What came from a file must not end its comment. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}

function seconds(ms: number): string {
  return `${ms / 1000}s`;
}

function flow(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0, defaultStringType: 'PLAIN' }).trim();
}

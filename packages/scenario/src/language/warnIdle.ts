import { didYouMeanOneOf } from '@replsim/kernel';
import type { Source } from '../file/source.ts';
import { plainSteps } from '../steps/plainSteps.ts';
import { rowOf } from '../steps/table.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What mends, and what it mends: without one of these before it, it does nothing. */
const MENDS: readonly (readonly [mend: string, what: readonly string[], unmended: string])[] = [
  ['heal', ['partition', 'cut', 'clients'], 'no earlier step partitions or cuts anything'],
  ['resume', ['pause'], 'no earlier step pauses a member'],
  ['release', ['hold'], 'no earlier step holds anything'],
];
/** Steps that may look at a stream. */
const LOOKS = ['expect', 'eventually', 'always', 'sometimes', 'ask'];

/** Warns of steps that do nothing where they stand, of streams at which nobody looks, and of a scenario that claims nothing. @param steps plain, and found right */
export function warnIdle(source: Source, steps: readonly Fields[]): void {
  // What comes from outside may do anything.
  if (steps.some((step) => 'at' in step || 'send' in step)) return;
  const all = plainSteps(steps);
  for (const [index, { path, step }] of all.entries()) {
    for (const [mend, what, unmended] of MENDS) {
      if (!(mend in step) || all.slice(0, index).some((before) => what.some((kind) => kind in before.step))) continue;
      source.warnAtPath([...path, mend], unmended, 'leave it out, or move it after the fault that it ends');
    }
  }
  warnNobodyMeant(source, all);
  const looks = all.flatMap(({ step }) => LOOKS.map((kind) => step[kind]));
  for (const { path, step } of all) {
    const { name } = (step.watch ?? {}) as Fields;
    if (typeof name !== 'string' || looks.some((look) => asksFor(name, look))) continue;
    source.warnAtPath(
      [...path, 'watch', 'name'],
      `no check looks at the stream "${name}": it may show anything`,
      `for example "- eventually: { within: 10s, stream: ${name}, events: [{ operationType: insert }] }"`,
    );
  }
}

/** Of a scenario that claims nothing. A variant need not: it is measured. */
export function warnClaimless(source: Source, steps: unknown): void {
  if (
    plainSteps(steps).every(({ step }) => Object.keys(step).every((key) => key === 'at' || rowOf(key)?.claimsNothing))
  )
    source.warnAtPath(
      ['steps'],
      'no step of this scenario checks anything, so it always holds',
      'end it with a check: "- expect: { … }"',
    );
}

/** Of a fault that befalls clients, where no workload bears the name that it means, or none runs at all. */
function warnNobodyMeant(source: Source, all: ReturnType<typeof plainSteps>): void {
  const names = all.flatMap(({ step }) => (step.workload as Fields | undefined)?.name ?? []).map(String);
  for (const { path, step } of all) {
    const { appName } = (step.clients ?? {}) as Fields;
    if (!('clients' in step) || (appName === undefined ? names.length > 0 : names.includes(String(appName)))) continue;
    const nobody = appName === undefined ? 'no workload runs in this scenario' : `no workload is called "${appName}"`;
    source.warnAtPath(
      [...path, 'clients', ...(appName === undefined ? [] : ['appName'])],
      `${nobody}: this affects nobody, because it does not apply to steps`,
      didYouMeanOneOf(String(appName), names) ?? '- workload: { name: …, insert: …, every: … }',
    );
  }
}

/** Whether a check or a question is about this stream, be it behind `not` or `holds`. */
function asksFor(stream: string, look: unknown): boolean {
  if (typeof look !== 'object' || look === null) return false;
  const { stream: asked, not, answer, holds } = look as Fields;
  return asked === stream || [not, answer, holds].some((inner) => asksFor(stream, inner));
}

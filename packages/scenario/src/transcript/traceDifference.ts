/** An event as a trace's line has it. */
export interface TracedEvent {
  readonly atMicros: number;
  readonly type: string;
  readonly member?: string;
}

/** What two traces are called when one speaks of them. */
export type TwoNames = readonly [string, string];

/** The first event in which two traces differ; undefined on the side that had ended. */
export interface TraceDifference {
  /** Its number, from 1. */
  readonly number: number;
  readonly one: TracedEvent | undefined;
  readonly other: TracedEvent | undefined;
}

/** Of more than these one does not read on. */
const SHOWN_FIELDS = 5;

/** What two runs were begun with, as their first events say: seed, version, settings. In words, if anything of it differs. */
export function beginningInWords([a, b]: TwoNames, one: TracedEvent, other: TracedEvent): string | undefined {
  const fields = differingFields(one, other);
  return fields.length === 0 ? undefined : `they began differently:\n${fieldLines([a, b], fields)}`;
}

/** Where two traces part. What comes after it follows from it. */
export function differenceInWords([a, b]: TwoNames, { one, other }: TraceDifference): string {
  if (one === undefined || other === undefined) {
    const [ended, goesOn, next] = one === undefined ? [a, b, other] : [b, a, one];
    return `  ${ended} has ended, ${goesOn} continues: ${next && `${called(next)} at ${seconds(next)}`}\n`;
  }
  if (called(one) !== called(other))
    return `  ${a}: ${called(one)} at ${seconds(one)}\n  ${b}: ${called(other)} at ${seconds(other)}\n`;
  const sameTime = one.atMicros === other.atMicros;
  const when = sameTime ? `at ${seconds(one)} in both` : `at ${seconds(one)} in ${a}, at ${seconds(other)} in ${b}`;
  const fields = differingFields(one, other).filter(({ name }) => name !== 'atMicros');
  return `  ${called(one)}, ${when}\n${fieldLines([a, b], fields)}`;
}

const seconds = ({ atMicros }: TracedEvent) => `${(atMicros / 1e6).toFixed(6)}s`;
const called = ({ member, type }: TracedEvent) => (member === undefined ? type : `${member} ${type}`);

interface DifferingField {
  /** Its path in the event. */
  readonly name: string;
  readonly one: string;
  readonly other: string;
}

function fieldLines([a, b]: TwoNames, fields: readonly DifferingField[]): string {
  const lines = fields
    .slice(0, SHOWN_FIELDS)
    .map((each) => `    ${each.name} is ${each.one} in ${a}, ${each.other} in ${b}\n`);
  const more = fields.length > SHOWN_FIELDS ? `    and ${fields.length - SHOWN_FIELDS} more differ\n` : '';
  return `${lines.join('')}${more}`;
}

/** Both are what JSON can say. */
function differingFields(one: unknown, other: unknown, path = ''): DifferingField[] {
  if (one === other) return [];
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other))
    return [{ name: path, one: shown(one), other: shown(other) }];
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return names.flatMap((name) => differingFields(one[name], other[name], path === '' ? name : `${path}.${name}`));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function shown(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value);
}

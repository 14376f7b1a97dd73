import { didYouMeanOneOf } from '@replsim/kernel';
import { splitNamespace } from '@replsim/protocol';
import type { Path } from '../file/source.ts';
import type { WatchAction } from '../scenario.ts';
import type { StepInputs } from '../schema/stepSchema.ts';
import type { Reader } from './reader.ts';

/** The step that opens a change stream. */
export const watchSteps = {
  watch: (reader: Reader, path: Path, input: StepInputs['watch']): WatchAction => {
    const { name } = input;
    if (reader.streams.has(name) || reader.workloads.has(name))
      reader.source.mistakeAtPath([...path, 'name'], `"${name}" is called something already`, 'give it another name');
    reader.streams.add(name);
    if (input.in !== undefined && input.db !== undefined)
      reader.source.mistakeAtKey(path, 'db', 'a stream is on a collection or on a database', 'leave "in" or "db" out');
    const on = reader.target([...path, 'on'], input.on);
    const [db, collection] = input.in === undefined ? [input.db ?? 'admin', 1] : splitNamespace(input.in);
    const options = reader.has(path, 'options')
      ? reader.template([...path, 'options']).value
      : new Map<string, unknown>();
    const cluster = input.in === undefined && input.db === undefined ? [['allChangesForCluster', true] as const] : [];
    const pipeline = reader.has(path, 'pipeline') ? reader.value([...path, 'pipeline'], { pipeline: true }) : [];
    const ns = input.in ?? input.db ?? 'the cluster';
    return { kind: 'watch', name, on, ns, db, collection, options: new Map([...cluster, ...options]), pipeline };
  },
};

/** A stream that an earlier step opened. */
export function knownStream(reader: Reader, path: Path, name: string): void {
  if (!reader.streams.has(name))
    reader.source.mistakeAtPath(
      path,
      `no step before this one opened a stream called "${name}"`,
      didYouMeanOneOf(name, [...reader.streams]) ?? `open it first: "- watch: { name: ${name}, in: … }"`,
    );
}

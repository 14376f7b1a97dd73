import { didYouMeanOneOf } from '@replsim/kernel';
import type { Path } from '../file/source.ts';
import type { Reader } from './reader.ts';

/** A stream that an earlier step opened. */
export function knownStream(reader: Reader, path: Path, name: string): void {
  if (!reader.streams.has(name))
    reader.source.mistakeAtPath(
      path,
      `no earlier step opened a stream called "${name}"`,
      didYouMeanOneOf(name, [...reader.streams]) ?? `open it first: "- watch: { name: ${name}, in: … }"`,
    );
}

/** A workload that an earlier step started. */
export function knownWorkload(reader: Reader, path: Path, name: string): void {
  if (!reader.workloads.has(name))
    reader.source.mistakeAtPath(
      path,
      `no earlier step started a workload called "${name}"`,
      didYouMeanOneOf(name, [...reader.workloads]) ?? `start it first: "- workload: { name: ${name}, … }"`,
    );
}

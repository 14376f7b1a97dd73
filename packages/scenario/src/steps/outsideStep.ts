import { formatDuration } from '@replsim/kernel';
import type { RecordedInput } from '@replsim/replset';
import type { Path } from '../file/source.ts';
import type { Reader } from '../reading/reader.ts';
import type { Action } from '../scenario.ts';
import type { AnyStep, Performing } from './row.ts';
import { advanceTo } from './timeSteps.ts';

/** What came from outside at an instant; with nothing that came, time goes there and no further. */
export interface OutsideAction extends Action {
  /** Undefined: now. */
  readonly atMicros?: number;
  readonly inputs: readonly RecordedInput[];
}

/** It is told by what the members make of it, as when it came from outside. */
export const outsideStep: Performing<OutsideAction> = {
  tellsItself: true,
  // What is due by then happens first, before each of them, as it did when they were recorded.
  perform: async ({ atMicros, inputs }, stage) => {
    const { set, outside } = stage;
    await advanceTo(atMicros ?? set.nowMicros, stage, 'at');
    for (const [index, input] of inputs.entries()) {
      if (index > 0) await stage.advanceTo(set.nowMicros);
      await outside.happen(input);
    }
    return undefined;
  },
};

/**
 * Reads a step with `at`: what came from outside at that instant; with nothing beside it, time just goes there.
 * @param beside the step's other key, with its row and what stands there
 */
export function readAt(
  reader: Reader,
  path: Path,
  at: string,
  beside: { readonly key: string; readonly row: AnyStep; readonly input: unknown } | undefined,
): OutsideAction {
  const { source } = reader;
  const atMicros = reader.span([...path, 'at'], at);
  if (atMicros < reader.elapsed.micros)
    source.mistakeAtPath(
      [...path, 'at'],
      `"at" counts from time zero, and the steps before this one last until ${formatDuration(reader.elapsed.micros)} at least`,
      'write the steps in the order of time',
    );
  reader.elapsed.to([...path, 'at'], atMicros);
  if (!beside) return { kind: 'outside', atMicros, inputs: [] };
  const { key, row, input } = beside;
  const inputs = row.outside?.(reader, [...path, key], input);
  if (inputs) return { kind: 'outside', atMicros, inputs };
  source.mistakeAtKey(
    path,
    key,
    `"at" is only for what comes from outside, clients and faults, not for "${key}"`,
    `write "- advance: { to: ${at} }" before it, and no "at"`,
  );
  return { kind: 'outside', atMicros, inputs: [] };
}

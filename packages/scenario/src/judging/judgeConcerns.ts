import { didYouMeanOneOf } from '@replsim/kernel';
import type { Path, Source } from '../source.ts';

/** Upstream: read_concern_level.h. */
const READ_CONCERN_LEVELS = ['local', 'available', 'majority', 'linearizable', 'snapshot'];

/** The fields of commands and steps that hold a write concern, and a read concern. */
const WRITE_CONCERNS = ['writeConcern', 'defaultWriteConcern'];
const READ_CONCERNS = ['readConcern', 'defaultReadConcern'];

/** Tells of modes and levels that no set of this file will know. @param path where a command or step stands */
export function judgeConcerns(
  source: Source,
  path: Path,
  given: Readonly<Record<string, unknown>>,
  modes: ReadonlySet<string>,
): void {
  for (const key of WRITE_CONCERNS) {
    const mode = fieldOf(given[key], 'w');
    if (mode === undefined || modes.has(mode)) continue;
    source.mistakeAtPath(
      [...path, key, 'w'],
      `"${mode}" is neither majority nor a mode in settings.getLastErrorModes`,
      didYouMeanOneOf(mode, [...modes]),
    );
  }
  for (const key of READ_CONCERNS) {
    const level = fieldOf(given[key], 'level');
    if (level === undefined || READ_CONCERN_LEVELS.includes(level)) continue;
    source.mistakeAtPath(
      [...path, key, 'level'],
      `"${level}" is no read concern level`,
      didYouMeanOneOf(level, READ_CONCERN_LEVELS),
    );
  }
}

/** A word that is written there. What begins with a dollar is remembered by a step, or one of mongod's own modes. */
function fieldOf(document: unknown, field: string): string | undefined {
  if (typeof document !== 'object' || document === null) return undefined;
  const value = (document as Record<string, unknown>)[field];
  return typeof value === 'string' && !value.startsWith('$') ? value : undefined;
}

/** The write concern modes that any part of a file defines: in the head, or by a step that changes the config. */
export function modesIn(input: unknown): Set<string> {
  const modes = new Set(['majority']);
  collect(input, modes);
  return modes;
}

function collect(value: unknown, modes: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    const parts = key.split('.');
    const at = parts.indexOf('getLastErrorModes');
    if (at >= 0 && parts[at + 1] !== undefined) modes.add(parts[at + 1]!);
    else if (at >= 0) for (const mode of Object.keys(each ?? {})) modes.add(mode);
    else collect(each, modes);
  }
}

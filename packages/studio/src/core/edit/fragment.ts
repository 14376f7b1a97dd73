import { strFromU8, strToU8, unzlibSync, zlibSync } from 'fflate';
import { type Difference, isDifference } from './difference.ts';

/** A second run beside the first. */
export interface SharedSecond {
  readonly text: string;
  /** How it was made of the first text; absent if somebody wrote it. */
  readonly by?: Difference;
}

/** Whether somebody looks around, is led by what the scenario says, or is asked what will happen. */
export type Reading = 'free' | 'lesson' | 'quiz';

/** What a link says: a scenario, and where somebody looks. */
export interface Shared {
  readonly text: string;
  readonly seed?: number;
  readonly atMicros: number;
  readonly member?: string;
  /** Without it: looks around. */
  readonly reading?: Reading;
  readonly second?: SharedSecond;
}

/** A link's fragment, without the `#`. */
export function toFragment(shared: Shared): string {
  const bytes = zlibSync(strToU8(JSON.stringify(shared)), { level: 9 });
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

/** What a fragment says; undefined for one that is none of ours. */
export function fromFragment(fragment: string): Shared | undefined {
  if (fragment === '') return undefined;
  try {
    const binary = atob(fragment.replaceAll('-', '+').replaceAll('_', '/'));
    const shared: unknown = JSON.parse(strFromU8(unzlibSync(Uint8Array.from(binary, (char) => char.charCodeAt(0)))));
    return isShared(shared) ? shared : undefined;
  } catch {
    return undefined;
  }
}

const READINGS: readonly unknown[] = ['free', 'lesson', 'quiz'] satisfies Reading[];

function isShared(value: unknown): value is Shared {
  if (typeof value !== 'object' || value === null) return false;
  const { text, seed, atMicros, member, reading, second } = value as Record<string, unknown>;
  return (
    typeof text === 'string' &&
    Number.isSafeInteger(atMicros) &&
    (seed === undefined || Number.isSafeInteger(seed)) &&
    (member === undefined || typeof member === 'string') &&
    (reading === undefined || READINGS.includes(reading)) &&
    (second === undefined || isSharedSecond(second))
  );
}

function isSharedSecond(value: unknown): value is SharedSecond {
  if (typeof value !== 'object' || value === null) return false;
  const { text, by } = value as Record<string, unknown>;
  return typeof text === 'string' && (by === undefined || isDifference(by));
}

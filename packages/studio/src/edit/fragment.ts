import { strFromU8, strToU8, unzlibSync, zlibSync } from 'fflate';

/** What a link says: a scenario, and where somebody looks. */
export interface Shared {
  readonly text: string;
  readonly seed?: number;
  readonly atMicros: number;
  readonly member?: string;
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
  try {
    const binary = atob(fragment.replaceAll('-', '+').replaceAll('_', '/'));
    const shared: unknown = JSON.parse(strFromU8(unzlibSync(Uint8Array.from(binary, (char) => char.charCodeAt(0)))));
    return isShared(shared) ? shared : undefined;
  } catch {
    return undefined;
  }
}

function isShared(value: unknown): value is Shared {
  if (typeof value !== 'object' || value === null) return false;
  const { text, seed, atMicros, member } = value as Record<string, unknown>;
  return (
    typeof text === 'string' &&
    Number.isSafeInteger(atMicros) &&
    (seed === undefined || Number.isSafeInteger(seed)) &&
    (member === undefined || typeof member === 'string')
  );
}
